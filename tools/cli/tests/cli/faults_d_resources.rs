//! Limits of resources, the rows d01 to d07 (docs/tests/faults.md).
#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::time::Duration;

use crate::program::{MIB, Room, beside_the_table, pfh_hash, record, records, sha256, sha256_of};
use pfh_inject::{Injection, Need, content, lacks};

/// Files of many sizes, among them larger ones than the smallest tables, and the output of a run
/// over them.
fn tree() -> (Room, Vec<u8>) {
    let room = Room::new();
    for number in 0..200 {
        room.file(format!("tree/{:02}/{number:04}", number % 9), &content(number, (number * number * 7) % 300_000));
    }
    for number in 0..6 {
        room.file(format!("tree/large/{number}"), &content(1000 + number, 3_000_000 + number));
    }
    let seen = pfh_hash(["-r", "tree"]).directory(room.path()).run().unwrap();
    assert_eq!((seen.code, seen.lines().len()), (Some(0), 206), "{}", seen.stderr);
    (room, seen.stdout)
}

#[test]
fn d01_memory_stays_within_the_table_and_a_fixed_part() {
    if lacks(&[Need::Peak]) {
        return;
    }
    let room = Room::new();
    for number in 0..24 {
        room.file(format!("tree/{number}"), &vec![number; 8 << 20]);
    }
    for (table, mode) in [(4, "adaptive"), (16, "mtp"), (64, "smt")] {
        let arguments = ["-r", "-m", &table.to_string(), "--mode", mode, "tree"];
        let seen = pfh_hash(arguments).directory(room.path()).run().unwrap();
        assert_eq!((seen.code, seen.lines().len()), (Some(0), 24), "{}", seen.stderr);
        assert!(seen.peak <= table * MIB + beside_the_table(), "{} bytes with a table of {table} MiB", seen.peak);
    }
}

#[test]
fn d01_many_names_take_no_memory() {
    if lacks(&[Need::Peak]) {
        return;
    }
    many_names(20_000);
}

#[test]
#[ignore = "makes a million files: `make faults`"]
fn d01_a_million_names() {
    many_names(1_000_000);
}

fn many_names(count: u32) {
    let room = Room::new();
    for folder in 0..count / 1000 {
        let path = room.path().join(format!("{folder:04}"));
        fs::create_dir(&path).unwrap();
        for number in 0..1000 {
            fs::File::create(path.join(format!("{number:04}"))).unwrap();
        }
    }
    let seen = pfh_hash(["-r", "-m", "4"]).arg(room.path()).limit(Duration::from_secs(900)).run().unwrap();
    assert_eq!((seen.code, seen.lines().len()), (Some(0), count as usize), "{}", seen.stderr);
    assert!(seen.peak <= 4 * MIB + beside_the_table(), "{} bytes for {count} names", seen.peak);
}

#[test]
fn d02_a_file_larger_than_the_table_streams_through() {
    if lacks(&[Need::Peak]) {
        return;
    }
    let room = Room::new();
    let path = room.path().join("large");
    let file = fs::File::create(&path).unwrap();
    file.set_len(96 * MIB).unwrap();
    for at in (0..96).step_by(7) {
        std::os::unix::fs::FileExt::write_all_at(&file, &content(at, 5_000), at * MIB + at).unwrap();
    }
    let expected = sha256_of(&path);
    for mode in ["adaptive", "mtp", "smt"] {
        let seen = pfh_hash(["-m", "1", "-f", "jsonl", "--mode", mode]).arg(&path).run().unwrap();
        assert_eq!(record(&records(&seen), "large").digest("sha256"), Some(&expected[..]), "{mode}: {}", seen.stderr);
        assert!(seen.peak <= MIB + beside_the_table(), "{} bytes", seen.peak);
    }
}

#[test]
fn d03_an_address_space_too_small_gives_no_wrong_digest() {
    if lacks(&[Need::Program("prlimit")]) {
        return;
    }
    let (room, plain) = tree();
    let mut ended_well = 0;
    for mebibytes in [8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 1024, 4096] {
        let limit = format!("--as={}", mebibytes * MIB);
        let seen =
            pfh_hash(["-r", "tree"]).directory(room.path()).under(["prlimit", &limit, "--core=0"]).run().unwrap();
        assert!(seen.code.is_some(), "hung with {mebibytes} MiB");
        let all: Vec<&[u8]> = plain.split(|&byte| byte == b'\n').collect();
        assert!(seen.lines().iter().all(|line| all.contains(line)), "a wrong line with {mebibytes} MiB");
        if seen.code == Some(0) {
            ended_well += 1;
            assert_eq!(seen.stdout, plain, "{mebibytes} MiB");
        }
    }
    assert!(ended_well > 0, "4 GiB are enough");
}

#[test]
fn d04_few_processors_and_many_threads_change_nothing() {
    let (room, plain) = tree();
    for threads in ["1", "3", "64", "256"] {
        let seen = pfh_hash(["-r", "-t", threads, "tree"]).directory(room.path()).run().unwrap();
        assert_eq!((seen.code, seen.stdout == plain), (Some(0), true), "{threads} threads: {}", seen.stderr);
    }
    if !lacks(&[Need::Program("taskset")]) {
        let seen = pfh_hash(["-r", "tree"]).directory(room.path()).under(["taskset", "-c", "0"]).run().unwrap();
        assert_eq!((seen.code, seen.stdout == plain), (Some(0), true), "one processor: {}", seen.stderr);
    }
}

#[test]
fn d04_threads_that_cannot_start_are_done_without() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let (room, plain) = tree();
    for nth in [1, 2, 3, 5] {
        let refused = Injection::nth("clone,clone3", "EAGAIN", nth);
        let trial = pfh_hash(["-r", "-t", "4", "tree"]).directory(room.path());
        let seen = trial.inject(refused).run().unwrap();
        assert!(seen.code.is_some(), "hung");
        assert!(!seen.stderr.contains("panicked"), "{}", seen.stderr);
        if seen.code == Some(0) {
            assert_eq!(seen.stdout, plain);
        } else {
            assert_eq!(seen.code, Some(4), "{}", seen.stderr);
            assert!(plain.starts_with(&seen.stdout));
        }
    }
}

#[test]
fn d06_a_slow_reader_of_the_output_is_waited_for_in_bounded_memory() {
    if lacks(&[Need::Peak]) {
        return;
    }
    let room = Room::new();
    for folder in 0..20 {
        for number in 0..500_u64 {
            room.file(format!("tree/{folder:02}/{number:04}"), &content(number, 100));
        }
    }
    let plain = pfh_hash(["-r", "tree"]).directory(room.path()).run().unwrap();
    let pipe = room.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut file = fs::File::open(&pipe).unwrap();
            let (mut all, mut piece) = (Vec::new(), vec![0; 16 << 10]);
            loop {
                std::thread::sleep(Duration::from_millis(20));
                match file.read(&mut piece).unwrap() {
                    0 => return all,
                    read => all.extend_from_slice(&piece[..read]),
                }
            }
        });
        let seen = pfh_hash(["-r", "-m", "2", "tree"]).directory(room.path()).output(&pipe).run().unwrap();
        assert_eq!(seen.code, Some(0), "{}", seen.stderr);
        assert!(seen.peak <= 2 * MIB + beside_the_table(), "{} bytes", seen.peak);
        assert_eq!(reader.join().unwrap(), plain.stdout);
    });
}

#[test]
fn d07_a_small_stack_is_enough() {
    if lacks(&[Need::Program("prlimit")]) {
        return;
    }
    let (room, plain) = tree();
    // Compiled without optimisation, the parser of arguments alone has frames of 640 KiB in all.
    let stack = if cfg!(debug_assertions) { "--stack=1048576" } else { "--stack=262144" };
    let trial = pfh_hash(["-r", "tree"]).directory(room.path()).under(["prlimit", stack]);
    let seen = trial.run().unwrap();
    assert_eq!((seen.code, seen.stdout == plain), (Some(0), true), "{}", seen.stderr);
}

#[test]
fn e04_the_output_is_the_same_whatever_the_threads_the_table_and_the_mode() {
    let (room, plain) = tree();
    let expected = sha256(&plain);
    for mode in ["adaptive", "mtp", "smt"] {
        for threads in ["1", "2", "8"] {
            for table in ["1", "20", "256"] {
                for order in ["path", "size", "inode", "extent"] {
                    let arguments = ["-r", "-t", threads, "-m", table, "--mode", mode, "--order", order, "tree"];
                    let seen = pfh_hash(arguments).directory(room.path()).run().unwrap();
                    assert_eq!(seen.code, Some(0), "{arguments:?}: {}", seen.stderr);
                    assert_eq!(sha256(&seen.stdout), expected, "{arguments:?}");
                }
            }
        }
    }
}
