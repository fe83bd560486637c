use super::*;
use crate::device::Access;
use pfh_container::map::{Map, Status};
use proptest::prelude::*;

fn medium(length: usize, bad: &[u64]) -> (tempfile::NamedTempFile, Vec<u8>, Medium) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let data: Vec<u8> = (0..length).map(|at| (at / 512 * 7 + at) as u8 | 1).collect();
    std::fs::write(file.path(), &data).unwrap();
    let mut medium = Medium::open(file.path().as_os_str().as_encoded_bytes(), Access::Cached).unwrap();
    let mut map = Map::new(0);
    map.set(0, length as u64, Status::Finished);
    bad.iter().for_each(|sector| map.set(sector * 512, 512, Status::Bad));
    medium.set_faults(map);
    (file, data, medium)
}

proptest! {
    #[test]
    fn exactly_the_bad_sectors_are_lost(sectors in prop::collection::btree_set(0..64_u64, 0..20), block in 1..40_usize) {
        let bad: Vec<u64> = sectors.into_iter().collect();
        let (_file, data, medium) = medium(64 * 512, &bad);
        let policy = ErrorPolicy { fill: Fill::Pattern(b"BAD".to_vec()), ..ErrorPolicy::default() };
        let mut rescue = Rescue::new(&medium, policy);
        let mut expected = data.clone();
        for sector in &bad {
            for at in sector * 512..(sector + 1) * 512 {
                expected[at as usize] = b"BAD"[at as usize % 3];
            }
        }
        let (mut read, mut lost) = (Vec::new(), Vec::new());
        while read.len() < data.len() {
            let mut buffer = vec![0; (block * 512).min(data.len() - read.len())];
            let (n, bad) = rescue.read(&mut buffer, read.len() as u64).unwrap();
            prop_assert_eq!(n, buffer.len());
            lost.extend(bad.iter().flat_map(|b| (b.offset / 512)..((b.offset + b.length) / 512)));
            read.extend_from_slice(&buffer);
        }
        prop_assert_eq!(lost, bad);
        prop_assert!(read == expected);
    }
}

/// Reads all of a medium of `sectors` in blocks of 64 KiB: bytes, losses, reads.
fn all(medium: &Medium, sectors: u64, skip_after: Option<u64>) -> (Vec<u8>, Vec<Bad>, u64) {
    let mut rescue = Rescue::new(medium, ErrorPolicy { skip_after, retries: 2, ..ErrorPolicy::default() });
    let (mut bytes, mut lost) = (Vec::new(), Vec::new());
    while (bytes.len() as u64) < sectors * 512 {
        let mut buffer = vec![0; (64 << 10).min(sectors as usize * 512 - bytes.len())];
        let (n, bad) = rescue.read(&mut buffer, bytes.len() as u64).unwrap();
        assert_eq!(n, buffer.len());
        bytes.extend_from_slice(&buffer);
        lost.extend(bad);
    }
    (bytes, lost, rescue.reads())
}

#[test]
fn a_dead_zone_costs_few_reads_and_none_of_the_good_sectors() {
    // 20,000 sectors, 15,000 of them unreadable in one zone, and one alone.
    let bad: Vec<u64> = (4000..19_000).chain([100]).collect();
    let (_file, data, medium) = medium(20_000 * 512, &bad);
    let (_, _, every) = all(&medium, 20_000, None);
    let (bytes, lost, reads) = all(&medium, 20_000, Some(32));
    assert!(every > 45_000 && reads < 1500, "{every} reads without skips, {reads} with them");
    let tried: u64 = lost.iter().filter(|b| b.loss == Loss::Unreadable).map(|b| b.length / 512).sum();
    assert_eq!(tried, 33, "the one alone, and 32 until the zone is skipped");
    // The zone that was passed over holds good sectors as well: read again, exactly the bad ones
    // are lost.
    let mut again = bytes;
    let mut lost_at_last: Vec<u64> = Vec::new();
    for run in lost {
        let range = run.offset as usize..(run.offset + run.length) as usize;
        let found = Rescue::new(&medium, ErrorPolicy::default()).read(&mut again[range], run.offset).unwrap().1;
        lost_at_last.extend(found.iter().flat_map(|b| (b.offset / 512)..((b.offset + b.length) / 512)));
    }
    let mut expected = data;
    bad.iter().for_each(|sector| expected[*sector as usize * 512..][..512].fill(0));
    lost_at_last.sort_unstable();
    let mut sorted = bad.clone();
    sorted.sort_unstable();
    assert_eq!(lost_at_last, sorted);
    assert!(again == expected);
}

#[test]
fn a_device_that_fails_where_it_was_read_before_is_dead() {
    let (_file, _, mut medium) = medium(2000 * 512, &[]);
    let mut buffer = vec![0; 64 << 10];
    let mut rescue_reads = |medium: &Medium, skips: &Arc<Skips>| {
        let policy = ErrorPolicy { skip_after: Some(16), ..ErrorPolicy::default() };
        Rescue::beside(medium, policy, skips.clone()).read(&mut buffer, 128 << 10)
    };
    let skips = Arc::new(Skips::new(&medium, Some(16)));
    rescue_reads(&medium, &skips).unwrap();
    let mut dead = Map::new(0);
    dead.set(0, 2000 * 512, Status::Bad);
    medium.set_faults(dead);
    let errno = crate::os::Errno::IO.raw_os_error();
    assert_eq!(rescue_reads(&medium, &skips), Err(Stop::Dead { offset: (128 << 10) + 16 * 512, errno }));
}

#[test]
fn limits_stop() {
    let (_file, _, medium) = medium(64 * 512, &[1, 2, 3]);
    let mut rescue = Rescue::new(&medium, ErrorPolicy { most_errors: Some(2), ..ErrorPolicy::default() });
    let mut buffer = vec![0; 64 * 512];
    assert_eq!(rescue.read(&mut buffer, 0), Err(Stop::Errors { offset: 3 * 512 }));
    let mut rescue =
        Rescue::new(&medium, ErrorPolicy { most_slow: Some(0), slow: Duration::ZERO, ..ErrorPolicy::default() });
    assert!(matches!(rescue.read(&mut buffer, 0), Err(Stop::Slow { .. })));
}

#[test]
fn a_file_that_shrank_is_no_whole_image() {
    let (file, _, medium) = medium(64 * 512, &[]);
    file.as_file().set_len(1000).unwrap();
    let mut buffer = vec![0; 64 * 512];
    assert_eq!(
        Rescue::new(&medium, ErrorPolicy::default()).read(&mut buffer, 0),
        Err(Stop::Short { offset: 1000, size: 64 * 512 })
    );
}
