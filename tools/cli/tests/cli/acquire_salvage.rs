//! `pfh acquire --image --salvage`: E01 images that are damaged outside of their data.

use crate::program::acquisition::{acquire, pfh, report};
use crate::program::{MIB, Room};
use pfh_inject::content;
use std::fs;

/// The sections of a segment: kind, where the descriptor starts, where the section ends.
fn sections(bytes: &[u8]) -> Vec<(String, usize, usize)> {
    let (mut found, mut at) = (Vec::new(), 13);
    loop {
        let kind = String::from_utf8_lossy(&bytes[at..at + 16]).trim_end_matches('\0').to_owned();
        let next = u64::from_le_bytes(bytes[at + 16..at + 24].try_into().unwrap()) as usize;
        let is_last = next == at;
        found.push((kind, at, if is_last { bytes.len() } else { next }));
        if is_last {
            return found;
        }
        at = next;
    }
}

/// One bit in each section and in each descriptor: strict reading refuses, salvage gives every byte
/// and names the damage.
#[test]
fn damage_outside_of_the_data_costs_no_data() {
    let room = Room::in_memory();
    let bytes = content(1, MIB + 512);
    let source = room.file("source", &bytes);
    let faults = room.file("faults", b"0 +\n0 0x10000 +\n0x10000 0x400 -\n0x10400 0xEFE00 +\n");
    let mut expected = bytes;
    expected[0x10000..0x10400].fill(0);
    let image = room.path().join("a.E01");
    let seen = acquire(["-a", "md5,sha1", "--compression", "none", "--map-as-faults"])
        .arg(faults)
        .arg("--to")
        .arg(&image)
        .arg(&source)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let sound = fs::read(&image).unwrap();
    let all = sections(&sound);
    let kinds: Vec<&str> = all.iter().map(|(kind, ..)| kind.as_str()).collect();
    for kind in
        ["header2", "header", "volume", "sectors", "table", "table2", "data", "error2", "hash", "digest", "done"]
    {
        assert!(kinds.contains(&kind), "{kinds:?}");
    }
    let mut places = vec![("file header".to_owned(), 9)];
    for (kind, from, until) in &all {
        places.push((format!("{kind}'s name"), from + 1));
        places.push((format!("{kind}'s next"), from + 18));
        places.push((format!("{kind}'s checksum"), from + 73));
        if kind != "sectors" && until - from > 76 {
            places.push((kind.clone(), from + 76 + (until - from - 76) / 2));
        }
    }
    for (number, (what, at)) in places.iter().enumerate() {
        let mut damaged = sound.clone();
        damaged[*at] ^= 4;
        let path = room.file(format!("{number}/d.E01"), &damaged);
        assert_ne!(pfh(["verify".as_ref(), path.as_os_str()]).code, Some(0), "{what}");
        let out = path.with_file_name("out");
        let run = |more: &[&str]| acquire(["--image"]).args(more).arg("--to").arg(&out).arg(&path).run().unwrap();
        let strict = run(&[]);
        assert!(strict.code != Some(0) && strict.code != Some(3), "{what}: {strict:?}");
        assert!(!out.exists(), "{what}");
        let seen = run(&["--salvage"]);
        assert_eq!(seen.code, Some(3), "{what}: {}", seen.stderr);
        assert!(fs::read(&out).unwrap() == expected, "{what}");
        assert!(seen.stderr.contains("segment 1") || seen.stderr.contains("chunks"), "{what}: {}", seen.stderr);
        assert!(report(&seen)["bytes"].as_u64() == Some(MIB + 512), "{what}");
        let log = fs::read_to_string(path.with_file_name("out.log")).unwrap();
        assert!(log.contains("damaged source image: "), "{what}: {log}");
    }
    // A sound image departs in nothing: but areas filled in when it was made are named.
    let seen = acquire(["--image", "--salvage", "--to"]).arg(room.path().join("out")).arg(&image).run().unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    assert!(!seen.stderr.contains("segment 1"), "{}", seen.stderr);
}
