//! Building and looking up: every format, many sets, little memory, interruptions, damage.

use crate::generators;
use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::generators::digest;
use crate::room::Room;
use pfh_digest::Digest;
use pfh_known::{Build, BuildResult, Certainty, Class, DEFAULT_RESIDENT, Error, Input, KnownSet, Packages};
use proptest::prelude::*;

fn build(inputs: &[Input], output: &Path, memory: usize) -> Result<(BuildResult, Vec<String>), Error> {
    let mut faults = Vec::new();
    let build = Build {
        inputs: inputs.to_vec(),
        output: output.to_owned(),
        work: None,
        memory,
        fault: &mut |path, line, fault| {
            faults.push(format!("{}:{line}: {fault}", path.file_name().expect("a name").to_string_lossy()));
            ControlFlow::Continue(())
        },
        progress: &mut |_| {},
        cancel: Arc::default(),
    };
    build.run().map(|built| (built, faults))
}

fn open(path: &Path) -> KnownSet {
    KnownSet::open(path, DEFAULT_RESIDENT).unwrap_or_else(|error| panic!("{error}"))
}

/// The names of the sets that hold a digest, with tags and classes.
fn found(known: &KnownSet, digest: &Digest) -> Vec<(String, Option<String>, String)> {
    let hits = known.find(digest).unwrap_or_else(|error| panic!("{error}"));
    hits.into_iter().map(|hit| (known.sets()[hit.set].name.clone(), hit.tag, hit.class.name().to_owned())).collect()
}

const MEMORY: usize = 32 << 20;

#[test]
fn every_format() {
    let room = Room::new();
    generators::rds_full(&room.path("full.db"), 0..100);
    generators::rds_minimal(&room.path("minimal.db"), 100..200);
    generators::kdb(&room.path("tsk.kdb"), 200..300);
    let gzip = {
        use std::io::Write;
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(generators::list("sha256", 1100..1200).as_bytes()).expect("memory");
        encoder.finish().expect("memory")
    };
    let inputs = [
        (room.path("full.db"), "sqlite METADATA", "sha256"),
        (room.path("minimal.db"), "sqlite FILE", "md5"),
        (room.path("tsk.kdb"), "sqlite hashes", "md5"),
        (room.file("list.txt", generators::list("sha512", 300..400)), "list", "sha512"),
        (room.file("NSRLFile.txt", generators::rds2(400..500)), "table", "sha1"),
        (room.file("encase.hash", generators::encase(500..600)), "encase", "md5"),
        (room.file("keeper.hsh", generators::hashkeeper(600..700)), "table", "md5"),
        (room.file("ilook.csv", generators::ilook(700..800)), "table", "sha256"),
        (room.file("vics.json", generators::vics(800..900)), "vics", "sha1"),
        (room.file("icse.csv", generators::icse(900..1000)), "table", "md5"),
        (room.file("index.idx", generators::idx(1000..1100)), "list", "md5"),
        (room.file("packed.gz", gzip), "list", "sha256"),
        (room.file("hashdeep.txt", generators::hashdeep(1200..1300)), "hashdeep", "sha256"),
    ];
    let sets: Vec<Input> = inputs.iter().map(|(path, ..)| Input::new(path, Class::Good)).collect();
    let (built, faults) = build(&sets, &room.path("known"), MEMORY).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(faults, Vec::<String>::new());
    let known = open(&room.path("known"));
    for (n, ((path, format, algorithm), set)) in inputs.iter().zip(&built.sets).enumerate() {
        assert_eq!((set.format.as_str(), set.records, set.faults), (*format, 100, 0), "{}", path.display());
        for file in 0..1300 {
            let hits = found(&known, &digest(algorithm, file));
            let names: Vec<&str> = hits.iter().map(|(name, ..)| name.as_str()).collect();
            let of_this = (file / 100) as usize == n;
            assert_eq!(names.contains(&set.name.as_str()), of_this, "{} file {file}", path.display());
        }
    }
    assert_eq!(built.sets[0].version.as_deref(), Some("2026.03.1"));
    // Entries that NSRL calls malicious are not good, even if the set is called good.
    assert_eq!(found(&known, &digest("sha1", 410))[0].2, "bad");
    assert_eq!(found(&known, &digest("sha1", 411))[0].2, "good");
    assert_eq!(found(&known, &digest("md5", 800))[0].1.as_deref(), Some("category 2"));
    assert_eq!(known.verify().map(|digest| digest.len()).expect("whole"), 32);
}

#[test]
fn packages_of_entries() {
    let room = Room::new();
    generators::rds_minimal(&room.path("minimal.db"), 0..10);
    let input = Input { packages: Packages::Remember, ..Input::new(room.path("minimal.db"), Class::Good) };
    build(&[input], &room.path("known"), MEMORY).expect("built");
    let known = open(&room.path("known"));
    assert_eq!(found(&known, &digest("sha1", 3))[0].1.as_deref(), Some("package Solitaire 3.1"));
    assert_eq!(found(&known, &digest("sha1", 4))[0].1.as_deref(), Some("package Editor 2"));
}

/// The full edition has packages in tables of their own: a file of two, of one, and of none.
#[test]
fn packages_of_the_full_edition() {
    let room = Room::new();
    generators::rds_full(&room.path("full.db"), 0..10);
    let connection = rusqlite::Connection::open(room.path("full.db")).expect("opened");
    let sql = "INSERT INTO APPLICATION (package_id, name, version) VALUES (1, 'Solitaire', '3.1'), (2, 'Editor', '2'), (2, 'Viewer', '9');
        INSERT INTO PACKAGE_OBJECT (package_id, object_id) VALUES (1, 3), (2, 3), (2, 4), (7, 5);";
    connection.execute_batch(sql).expect("made");
    connection.close().expect("closed");
    for packages in [Packages::Remember, Packages::Forget] {
        let input = Input { packages, ..Input::new(room.path("full.db"), Class::Good) };
        let (built, faults) = build(&[input], &room.path("known"), MEMORY).expect("built");
        assert_eq!(
            (faults.len(), &built.digests),
            (0, &["md5", "sha1", "sha256"].map(|name| (name.to_owned(), 10)).to_vec())
        );
        let known = open(&room.path("known"));
        for (n, expected) in [
            (3, vec![Some("package Solitaire 3.1"), Some("package Editor 2")]),
            (4, vec![Some("package Editor 2")]),
            (5, vec![None]),
            (6, vec![None]),
        ] {
            let expected = if packages == Packages::Remember { expected } else { vec![None] };
            let mut tags: Vec<_> = found(&known, &digest("sha1", n)).into_iter().map(|(_, tag, _)| tag).collect();
            tags.sort_by_key(|tag| tag.as_deref() != Some("package Solitaire 3.1"));
            assert_eq!(tags.iter().map(Option::as_deref).collect::<Vec<_>>(), expected, "{n}");
        }
    }
}

#[test]
fn filters_say_maybe() {
    let room = Room::new();
    let inputs = [
        Input::new(room.file("circl.bloom", generators::bloom(0..3)), Class::Good),
        Input::new(room.file("bad.txt", generators::list("sha1", 2..4)), Class::Bad),
    ];
    build(&inputs, &room.path("known"), MEMORY).expect("built");
    let known = open(&room.path("known"));
    let certainties = |n| -> Vec<(usize, Certainty)> {
        known.find(&digest("sha1", n)).expect("found").into_iter().map(|hit| (hit.set, hit.certainty)).collect()
    };
    assert_eq!(certainties(1), [(0, Certainty::Maybe)]);
    assert_eq!(certainties(2), [(1, Certainty::Certain), (0, Certainty::Maybe)]);
    assert_eq!(certainties(3), [(1, Certainty::Certain)]);
    assert_eq!(certainties(100), []);
    let cut = fs::read(room.path("circl.bloom")).expect("read");
    let cut = Input::new(room.file("cut.bloom", &cut[..1000]), Class::Good);
    assert!(matches!(build(&[cut], &room.path("other"), MEMORY), Err(Error::Damaged(..))));
    assert!(!room.path("other").exists());
}

#[test]
fn faults_have_lines() {
    let room = Room::new();
    let text = format!("{}rubbish\n{}\n0123\n", generators::list("md5", 0..2), digest("crc32", 0));
    let (built, faults) =
        build(&[Input::new(room.file("list", text), Class::Bad)], &room.path("known"), MEMORY).expect("built");
    let lines = [
        "list:3: does not start with a digest",
        "list:4: digest of a wrong length",
        "list:5: does not start with a digest",
    ];
    assert_eq!(faults, lines);
    assert_eq!((built.sets[0].records, built.sets[0].faults), (2, 3));
    let zip = Input::new(room.file("x.zip", b"PK\x03\x04rest"), Class::Bad);
    assert!(matches!(build(&[zip], &room.path("known"), MEMORY), Err(Error::Damaged(..))));
    let missing = Input::new(room.path("missing"), Class::Bad);
    assert!(matches!(build(&[missing], &room.path("known"), MEMORY), Err(Error::Io(..))));
}

/// Sets that overlap in every way, against a map.
fn overlapping(room: &Room) -> (Vec<Input>, BTreeMap<u64, Vec<String>>) {
    let classes = ["bad", "good", "notable", "no-change", "mine"];
    let mut expected: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    let mut inputs = Vec::new();
    for set in 0..20_u64 {
        let files: Vec<u64> = (0..3000).filter(|n| n * n % (set + 2) == set % 3).collect();
        let text: String = files.iter().map(|&n| format!("{}\n", digest("md5", n))).collect();
        let name = format!("set-{set:02}");
        for n in files {
            expected.entry(n).or_default().push(name.clone());
        }
        let class = classes[set as usize % 5].parse().expect("a class");
        inputs.push(Input::new(room.file(&(name + ".txt"), text), class));
    }
    (inputs, expected)
}

#[test]
fn a_digest_in_several_sets_keeps_all() {
    let room = Room::new();
    let (inputs, expected) = overlapping(&room);
    build(&inputs, &room.path("known"), MEMORY).expect("built");
    let known = open(&room.path("known"));
    for n in 0..4000 {
        let names: Vec<String> = found(&known, &digest("md5", n)).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, expected.get(&n).cloned().unwrap_or_default(), "file {n}");
    }
    // Without a filter in memory every answer is the same.
    let known = KnownSet::open(&room.path("known"), 0).expect("opened");
    for n in 0..4000 {
        assert_eq!(known.find(&digest("md5", n)).expect("found").len(), expected.get(&n).map_or(0, Vec::len));
    }
}

/// That many lines that the least memory holds only a part of them.
fn large_list() -> String {
    let mut text = String::new();
    // Zeros would be no digest.
    for n in 1..=900_000_u64 {
        let high = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        text.push_str(&format!("{high:016x}{n:016x}00000000\n"));
    }
    text
}

#[test]
fn the_bytes_do_not_depend_on_memory_or_interruptions() {
    let room = Room::new();
    let list = large_list();
    let inputs = [
        Input::new(room.file("one.txt", &list), Class::Good),
        Input::new(room.file("two.txt", &list[..list.len() / 3]), Class::Bad),
    ];
    let (built, _) = build(&inputs, &room.path("known"), 1 << 30).expect("built");
    assert_eq!((built.digests, built.resumed), (vec![("sha1".to_owned(), 900_000)], 0));
    let whole = fs::read(room.path("known")).expect("read");
    build(&inputs, &room.path("little"), 0).expect("built");
    assert!(fs::read(room.path("little")).expect("read") == whole, "the bytes depend on the memory");
    // Stopped again and again, and every time after some runs reached the disk.
    let mut stops = 0;
    let resumed = loop {
        let cancel = Arc::new(AtomicBool::new(false));
        let flag = cancel.clone();
        let build = Build {
            inputs: inputs.to_vec(),
            output: room.path("stopped"),
            work: Some(room.path("work")),
            memory: 0,
            fault: &mut |_, line, fault| panic!("{line}: {fault}"),
            progress: &mut |pace| flag.store(pace.records > 600_000, Ordering::Relaxed),
            cancel,
        };
        match build.run() {
            Ok(built) => break built.resumed,
            Err(Error::Cancelled) => stops += 1,
            Err(error) => panic!("{error}"),
        }
        assert!(stops < 10, "it does not get on");
    };
    assert!(stops > 0 && resumed > 0, "{stops} stops, {resumed} records resumed");
    assert!(fs::read(room.path("stopped")).expect("read") == whole, "the bytes depend on interruptions");
    assert!(!room.path("work").exists() && !room.path("stopped.partial").exists());
}

#[test]
fn no_changed_byte_gives_an_answer() {
    let room = Room::new();
    let inputs = [
        Input::new(room.file("a.txt", generators::list("sha1", 0..200)), Class::Good),
        Input::new(room.file("b.txt", generators::list("sha1", 100..300)), Class::Bad),
    ];
    build(&inputs, &room.path("known"), MEMORY).expect("built");
    let known = open(&room.path("known"));
    let truth: Vec<_> = (0..400).map(|n| found(&known, &digest("sha1", n))).collect();
    let whole = fs::read(room.path("known")).expect("read");
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        let path = room.file("damaged", &bytes);
        let Ok(known) = KnownSet::open(&path, DEFAULT_RESIDENT) else { continue };
        assert!(known.verify().is_err(), "byte {at}");
        for (n, truth) in (0..).zip(&truth) {
            // An error, or the truth: never another answer.
            if known.find(&digest("sha1", n)).is_ok() {
                assert_eq!(found(&known, &digest("sha1", n)), *truth, "byte {at}, file {n}");
            }
        }
    }
    for length in [0, 15, 16, 100, whole.len() / 2, whole.len() - 1] {
        let path = room.file("cut", &whole[..length]);
        assert!(matches!(KnownSet::open(&path, DEFAULT_RESIDENT), Err(Error::Damaged(..))), "{length} bytes");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Digests that begin alike, as somebody may choose them: blocks of one key, and blocks that
    /// begin with another. Forty zeros are among them, a placeholder, which is in no set.
    #[test]
    fn digests_that_begin_alike(
        heads in prop::collection::vec(0..3_u8, 1..400), tails in prop::collection::vec(any::<u16>(), 400), asked in any::<u16>(),
        zero in 0..400_usize,
    ) {
        let room = Room::new();
        let hex = |head: u8, tail: u16| format!("{}{:0>24}", format!("{head:02x}").repeat(8), format!("{tail:x}"));
        let mut lines: Vec<String> = heads.iter().zip(&tails).map(|(head, tail)| hex(*head, *tail)).collect();
        lines.insert(zero.min(lines.len()), hex(0, 0));
        let input = Input::new(room.file("list", lines.join("\n")), Class::Bad);
        lines.retain(|line| *line != hex(0, 0));
        build(&[input], &room.path("known"), MEMORY).expect("built");
        let known = open(&room.path("known"));
        let sha1 = generators::algorithm("sha1");
        let is_known = |hex: &str| !known.find(&Digest::from_hex(sha1, hex).expect("hex")).expect("found").is_empty();
        for line in &lines {
            prop_assert!(is_known(line), "{}", line);
        }
        for head in 0..4 {
            let other = hex(head, asked);
            prop_assert_eq!(is_known(&other), lines.contains(&other));
        }
    }
}
