//! AFF4 in several volumes: a map that leads to streams of its own volume and of another.

use super::folder::{noise, open_path, same};
use super::zip;

const CHUNK: usize = 4096;
const VOLUMES: [&str; 2] =
    ["aff4://aaaaaaaa-0000-4000-8000-000000000001", "aff4://aaaaaaaa-0000-4000-8000-000000000002"];
const STREAMS: [&str; 2] =
    ["aff4://bbbbbbbb-0000-4000-8000-000000000001", "aff4://bbbbbbbb-0000-4000-8000-000000000002"];
const MAPS: [&str; 2] = ["aff4://cccccccc-0000-4000-8000-000000000001", "aff4://cccccccc-0000-4000-8000-000000000002"];
const IMAGE: &str = "aff4://dddddddd-0000-4000-8000-000000000001";

/// A volume of the disk: its own stream, and a map to both.
fn volume(disk: &[u8], own: usize) -> Vec<u8> {
    let escaped = |name: &str| name.replace(':', "%3A").replacen("//", "%2F%2F", 1);
    let (mut map, mut data, mut index, mut sizes) = (Vec::new(), Vec::new(), Vec::new(), [0_u64; 2]);
    for (number, chunk) in disk.chunks(CHUNK).enumerate() {
        let stream = number % 2;
        map.extend([(number * CHUNK) as u64, chunk.len() as u64, sizes[stream]].map(u64::to_le_bytes).concat());
        map.extend((stream as u32).to_le_bytes());
        sizes[stream] += chunk.len() as u64;
        if stream == own {
            index.extend((data.len() as u64).to_le_bytes());
            index.extend((chunk.len() as u32).to_le_bytes());
            data.extend(chunk);
        }
    }
    let (volume, other, map_name) = (VOLUMES[own], VOLUMES[1 - own], MAPS[own]);
    let text = format!(
        "@prefix aff4: <http://aff4.org/Schema#> .\n\n<{volume}> a aff4:ZipVolume .\n\
         <{IMAGE}> a aff4:DiskImage , aff4:Image ; aff4:dataStream <{map_name}> ; aff4:size {size} .\n\
         <{map_name}> a aff4:Map ; aff4:size {size} ; aff4:stored <{volume}> .\n\
         <{}> a aff4:ImageStream ; aff4:chunkSize {CHUNK} ; aff4:chunksInSegment 1024 ; aff4:size {} ; aff4:stored <{volume}> .\n\
         <{}> a aff4:ImageStream ; aff4:stored <{other}> .\n",
        STREAMS[own],
        sizes[own],
        STREAMS[1 - own],
        size = disk.len(),
    );
    let members = [
        ("container.description".to_owned(), volume.as_bytes().to_vec()),
        (format!("{}/00000000", escaped(STREAMS[own])), data),
        (format!("{}/00000000.index", escaped(STREAMS[own])), index),
        (format!("{}/map", escaped(map_name)), map),
        (format!("{}/idx", escaped(map_name)), format!("{}\n{}\n", STREAMS[0], STREAMS[1]).into_bytes()),
        ("information.turtle".to_owned(), text.into_bytes()),
    ];
    zip::write(&members, volume)
}

#[test]
fn either_volume_gives_the_disk() {
    let (room, disk) = (tempfile::tempdir().unwrap(), noise(7, 40_000));
    let at = |name: &str| room.path().join(name);
    std::fs::write(at("one.aff4"), volume(&disk, 0)).unwrap();
    std::fs::write(at("other.txt"), b"no volume").unwrap();
    let alone = open_path(&at("one.aff4")).err().map(|failure| failure.to_string());
    assert!(alone.is_some_and(|failure| failure.contains(VOLUMES[1]) && failure.contains("not beside it")));
    std::fs::write(at("another.aff4"), volume(&disk, 1)).unwrap();
    for name in ["one.aff4", "another.aff4"] {
        let opened = open_path(&at(name)).unwrap();
        same(&*opened, &disk, name);
        let checks = opened.check(&mut || true);
        assert!(checks.iter().all(|check| check.wrong.is_none()), "{checks:?}");
    }
    // A byte of the other volume's stream.
    let mut bad = volume(&disk, 1);
    let place = bad.windows(16).position(|window| window == &disk[CHUNK..CHUNK + 16]).unwrap();
    bad[place] ^= 1;
    std::fs::write(at("another.aff4"), bad).unwrap();
    let opened = open_path(&at("one.aff4")).unwrap();
    let error = opened.read_exact_at(CHUNK as u64, &mut [0; 16]).unwrap_err().to_string();
    assert!(error.contains("CRC-32"), "{error}");
    assert!(opened.check(&mut || true).iter().any(|check| check.wrong.is_some()));
}
