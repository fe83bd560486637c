//! Shadow copies of NTFS: mkntfs makes the volumes, and the tests make the copies.

use std::collections::BTreeMap;
use std::path::Path;

use pfh_inject::{Need, lacks};
use pfh_volume::{Allocation, FileSystem, Kind, Node, Nodes, Options, VolumeContent, file_system};

use crate::image::{Bench, open, run, text};
use crate::listing::bytes;
use crate::mutants;
use crate::tree::noise;

#[allow(dead_code, reason = "the unit tests use all of it")]
pub mod maker;

use maker::{BLOCK, copy, differences, shadow};

const TOOLS: [Need; 2] = [Need::Program("mkntfs"), Need::Program("ntfscp")];
const LIVE: Options = Options { deleted: false, unallocated: false };

const SIZE: u64 = 32 << 20;
/// Bytes for the stores.
const ROOM: u64 = 5 << 20;

fn put(bench: &Bench, image: &Path, name: &str, content: &[u8]) {
    let file = bench.path("content");
    std::fs::write(&file, content).unwrap();
    run("ntfscp", &["-q", text(image), text(&file), name]);
}

/// The states of a volume: three, and the one of today.
fn states(bench: &Bench) -> Vec<Vec<u8>> {
    let image = bench.blank("image", SIZE);
    run("mkntfs", &["-q", "-F", "-f", "-s", "512", "-p", "0", text(&image)]);
    let mut states = Vec::new();
    put(bench, &image, "same", &noise(1, 50_000));
    put(bench, &image, "small", b"resident");
    put(bench, &image, "grows", &noise(2, 10_000));
    put(bench, &image, "early", &noise(3, 100_001));
    states.push(std::fs::read(&image).unwrap());
    put(bench, &image, "grows", &noise(4, 60_000));
    put(bench, &image, "small", b"Resident");
    states.push(std::fs::read(&image).unwrap());
    put(bench, &image, "late", &noise(5, 300_000));
    states.push(std::fs::read(&image).unwrap());
    // In place: neither name nor size nor times say so.
    let mut today = states[2].clone();
    let old = noise(3, 100_001);
    let at = (0..today.len()).step_by(512).find(|at| today[*at..].starts_with(&old[..4096])).unwrap();
    today[at + 50_000] ^= 0xff;
    states.push(today);
    states
}

/// Where nothing of the volume lies in any state.
fn area(states: &[Vec<u8>]) -> u64 {
    let is_blank = |at: &u64| {
        let room = *at as usize..(at + ROOM) as usize;
        states.iter().all(|state| state[room.clone()].iter().all(|byte| *byte == 0))
    };
    (0..SIZE - ROOM).step_by(BLOCK as usize).find(is_blank).expect("room for the stores")
}

/// The volume of today with a copy of each older state, and where the stores are.
fn shadowed(states: &[Vec<u8>]) -> (Vec<u8>, u64) {
    let (mut live, area) = (states.last().unwrap().clone(), area(states));
    let pairs = states.windows(2).enumerate();
    let copies: Vec<_> = pairs.map(|(at, pair)| copy(at as u8 + 1, differences(&pair[0], &pair[1], SIZE))).collect();
    shadow(&mut live, area, &copies);
    (live, area)
}

/// Its files by name, with their bytes.
fn files(nodes: Nodes) -> BTreeMap<String, Vec<u8>> {
    let file = |node: Node| {
        let is_own = !node.path.starts_with(b"$") && matches!(node.kind, Kind::File | Kind::Stream);
        is_own.then(|| (String::from_utf8_lossy(&node.path).into_owned(), bytes(&node)))
    };
    nodes.map(|node| node.expect("a name")).filter_map(file).collect()
}

fn system(path: &Path) -> FileSystem {
    let Ok(VolumeContent::FileSystem(system)) = file_system(open(path)) else { panic!("no file system") };
    system
}

#[test]
fn each_copy_has_the_files_of_its_time() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let states = states(&bench);
    let live = bench.path("live");
    std::fs::write(&live, shadowed(&states).0).unwrap();
    let live = system(&live);
    assert!(live.unread.is_empty() && live.warnings.is_empty(), "{:?} {:?}", live.unread, live.warnings);
    assert_eq!(live.snapshots.len(), 3);
    for (at, snapshot) in live.snapshots.iter().enumerate() {
        let path = bench.path("state");
        std::fs::write(&path, &states[at]).unwrap();
        let opened = snapshot.open().unwrap();
        assert!(opened.system.snapshots.is_empty() && snapshot.created.is_some());
        let expected = files(system(&path).nodes(LIVE));
        assert!(expected.len() >= 4 && files(opened.nodes(LIVE)) == expected, "copy {}", at + 1);
    }
    let changed: Vec<Vec<String>> = live
        .snapshots
        .iter()
        .map(|snapshot| files(snapshot.open().unwrap().changed(LIVE)).into_keys().collect())
        .collect();
    // `early` was changed in place: its bytes alone say so.
    assert_eq!(changed[0], ["early", "grows", "small"]);
    assert_eq!((&changed[1][..], &changed[2][..]), (&["early".to_owned()][..], &["early".to_owned()][..]));
}

#[test]
fn free_space_is_not_listed_and_deleted_content_is_marked() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let mut states = states(&bench);
    states.remove(0);
    let live = bench.path("live");
    std::fs::write(&live, shadowed(&states).0).unwrap();
    let all = Options { deleted: true, unallocated: true };
    for snapshot in &system(&live).snapshots {
        for node in snapshot.open().unwrap().nodes(all).map(Result::unwrap) {
            let name = String::from_utf8_lossy(&node.path).into_owned();
            assert!(node.kind != Kind::Unallocated || name.starts_with("$Slack/"), "{name}");
            assert!(node.allocation != Allocation::Deleted || node.resident || node.content.is_none(), "{name}");
        }
    }
}

#[test]
fn damaged_copies_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let live = bench.path("live");
    let (volume, area) = shadowed(&states(&bench));
    std::fs::write(&live, &volume).unwrap();
    let catalogue = u64::from_le_bytes(volume[0x1e30..0x1e38].try_into().unwrap());
    let structures = [0x1e00..0x1e40, catalogue..catalogue + 1024, area..area + 256, area..area + ROOM];
    mutants::survive(&live, &structures);
}
