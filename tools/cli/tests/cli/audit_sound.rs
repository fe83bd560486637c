//! `pfh audit`: hostile numbers and large files take no memory.
#![cfg(unix)]

use crate::audited::{Served, good, json, noise, pfh, run};
use crate::program::{MIB, Room};
use pfh_inject::{Need, lacks};

/// The form of a challenge, with a right checksum and any numbers.
fn challenge(root: [u8; 32], length: u64, count: u32, identity: &[u8]) -> Vec<u8> {
    let mut bytes = [&b"pfh chal\x01"[..], &[9; 32], &root, &length.to_le_bytes(), &count.to_le_bytes()].concat();
    bytes.push(identity.len() as u8);
    bytes.extend(identity);
    let checksum = blake3::derive_key("pfh audit 1 challenge checksum", &bytes);
    bytes.extend(&checksum[..16]);
    bytes
}

#[test]
fn numbers_of_a_hostile_file_cost_nothing() {
    let room = Room::new();
    let root = [7; 32];
    let digits = "07".repeat(32);
    room.file("proof", b"pfh prov\x01\xff\xff\xff\xff\xff\xff\xff\x7f");
    room.file("data", &noise(10_000, 1));
    for (length, count) in
        [(1 << 60, 0), (u64::MAX, 0), (1 << 60, u32::MAX), (1 << 60, 1 << 22), (u64::MAX, 1 << 22), (5, u32::MAX)]
    {
        room.file("kept", format!("pfh-commitment 1 blake3 1024 {length} {digits} x\n").as_bytes());
        room.file("c", &challenge(root, length, count, b"x"));
        let trial = |options: &[&str]| {
            let arguments = ["audit", "verify", "kept", "c", "proof"];
            let seen = pfh(arguments.iter().chain(options)).directory(room.path()).run().expect("a run");
            assert!(matches!(seen.code, Some(1..=3)), "{length} bytes, {count} leaves: {seen:?}");
            assert!(seen.peak < 512 * MIB, "{} bytes", seen.peak);
        };
        trial(&[]);
        trial(&["--data", "data"]);
    }
    // More leaves than a sample can have are not a challenge.
    room.file("c", &challenge(root, 1 << 60, (1 << 22) + 1, b"x"));
    let seen = run(&room, ["audit", "verify", "kept", "c", "proof"]);
    assert_eq!((seen.code, seen.stderr.contains("impossible number of leaves")), (Some(2), true), "{seen:?}");
}

/// An honest server proves all of a file of any length; neither side holds it in memory.
#[test]
fn all_leaves_of_a_large_file_pass_in_bounded_memory() {
    if lacks(&[Need::Peak]) {
        return;
    }
    let room = Room::new();
    let file = room.path().join("case/disk.img");
    std::fs::create_dir(room.path().join("case")).unwrap();
    std::fs::File::create(&file).and_then(|file| file.set_len(200 << 20)).unwrap();
    good(&room, ["tree", "build", "case/disk.img"]);
    good(&room, ["audit", "commit", "--identity", "disk.img", "case/disk.img", "-o", "kept"]);
    let server = Served::start(&room, &[]);
    let asked = pfh(["audit", "ask", &server.url, "kept", "--all", "--json", "--timeout", "600"]);
    let seen = asked.directory(room.path()).run().unwrap();
    assert_eq!((seen.code, json(&seen)["verdict"].as_str()), (Some(0), Some("verified")), "{seen:?}");
    assert!(seen.peak < 64 * MIB, "{} bytes", seen.peak);
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 64 << 10, "the server took {peak} KiB");
    // The same by files.
    good(&room, ["audit", "challenge", "kept", "--all", "-o", "c"]);
    let proved = pfh(["audit", "prove", "c", "case/disk.img", "-o", "p"]).directory(room.path()).run().unwrap();
    assert!(proved.code == Some(0) && proved.peak < 64 * MIB, "{proved:?}");
    let seen = pfh(["audit", "verify", "kept", "c", "p"]).directory(room.path()).run().unwrap();
    assert!(seen.code == Some(0) && seen.peak < 64 * MIB, "{seen:?}");
}
