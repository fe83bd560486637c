//! Pieces: the names that `pfh acquire` gives them, and those of other programs.

use crate::program::{Room, sha256};
use pfh_inject::{Need, Outcome, Trial, content, lacks};
use std::fs;
use std::process::Command;

fn pfh(room: &Room, words: &str) -> Outcome {
    let words = words.split_whitespace();
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path()).run().unwrap()
}

/// Writes `bytes` in pieces of 1,000 bytes under these names.
fn pieces(room: &Room, bytes: &[u8], names: &[&str]) {
    for (piece, name) in bytes.chunks(1000).zip(names) {
        room.file(name, piece);
    }
}

/// D6: what pfh writes, pfh reads: names that it does not take for a set are not given.
#[test]
fn numbers_of_one_place_are_refused() {
    let room = Room::new();
    room.file("source", &content(1, 10_500));
    for suffix in ["0", "1", "a", "", "01", "b"] {
        let seen = pfh(&room, &format!("acquire source --to o --split 1000 --suffix={suffix}"));
        assert!(seen.code == Some(2) && seen.stderr.contains("two places"), "{suffix}: {}", seen.stderr);
    }
    assert_eq!(pfh(&room, "dd if=source ofs=o.0 ofsz=1000").code, Some(2));
    assert_eq!(fs::read_dir(room.path()).unwrap().count(), 1);
    for (suffix, first) in [("00", "o.00"), ("11", "o.01"), ("aa", "o.aa"), ("aaaaa", "o.aaaaa"), ("0000", "o.0000")] {
        let seen = pfh(&room, &format!("acquire source --to o --split 1000 --suffix {suffix} --log {suffix}"));
        assert_eq!(seen.code, Some(0), "{suffix}: {}", seen.stderr);
        let seen = pfh(&room, &format!("hash --image {first}"));
        assert!(String::from_utf8_lossy(&seen.stdout).starts_with(&sha256(&content(1, 10_500))), "{suffix}");
        fs::remove_file(room.path().join("o.map")).unwrap();
        // Beside one another they would be one another's neighbours.
        for entry in fs::read_dir(room.path()).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with("o.") {
                fs::remove_file(entry.path()).unwrap();
            }
        }
    }
}

/// The log's name is that of a piece in letters, of one that is not reached or of one that is.
#[test]
fn a_log_is_not_taken_for_a_piece() {
    let room = Room::new();
    room.file("source", &content(7, 10_500));
    let words = "acquire source --to o --split 1000 --suffix aaa";
    assert_eq!(pfh(&room, words).code, Some(0));
    let seen = pfh(&room, words);
    assert!(seen.code == Some(0) && seen.stderr.contains("acquired before"), "{}", seen.stderr);
    let seen = pfh(&room, "acquire source --to p --split 1000 --suffix aa --map p.ac");
    assert!(seen.code == Some(2) && seen.stderr.contains("p.ac: one of the pieces"), "{}", seen.stderr);
    assert!(!room.path().join("p.aa").exists());
}

/// More than 1,000 pieces: in the order of their names they are the image.
#[test]
fn many_pieces_sort_by_their_names() {
    let room = Room::new();
    let bytes = content(2, 120_300);
    room.file("source", &bytes);
    for (form, first) in [("acquire source --to o --split 100", "o.0000"), ("dd if=source of=d split=100", "d.0000")] {
        let seen = pfh(&room, form);
        assert_eq!(seen.code, Some(0), "{form}: {}", seen.stderr);
        let name = &first[..1];
        let joined = Command::new("sh").args(["-c", &format!("cat {name}.[0-9]*")]).current_dir(room.path()).output();
        assert!(joined.unwrap().stdout == bytes, "{form}");
        let seen = pfh(&room, &format!("hash --image {first}"));
        assert!(String::from_utf8_lossy(&seen.stdout).starts_with(&sha256(&bytes)), "{form}");
    }
    // The same command finds its pieces again.
    let seen = pfh(&room, "acquire source --to o --split 100");
    assert!(seen.code == Some(0) && seen.stderr.contains("acquired before"), "{}", seen.stderr);
    // Of a stream nobody knows how many there will be.
    let script = "cat source | \"$1\" acquire --no-progress - --to s --split 100";
    let mut piped = Command::new("sh");
    piped.args(["-c", script, "sh", env!("CARGO_BIN_EXE_pfh")]).current_dir(room.path());
    let output = piped.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(4) && said.contains("used up"), "{said}");
}

/// Sets of others are joined where their sizes are those of a set; else the neighbour is named.
#[test]
fn pieces_of_others_are_joined_or_named() {
    let bytes = content(3, 2500);
    for names in [
        ["d.0", "d.1", "d.2"],
        ["j.1", "j.2", "j.3"],
        ["i00.dd", "i01.dd", "i02.dd"],
        ["xaaaa.raw", "xaaab.raw", "xaaac.raw"],
        ["xaa", "xab", "xac"],
        ["f.aaaa", "f.aaab", "f.aaac"],
    ] {
        let room = Room::new();
        pieces(&room, &bytes, &names);
        let seen = pfh(&room, &format!("hash --image {}", names[0]));
        assert_eq!(seen.code, Some(0), "{names:?}: {}", seen.stderr);
        assert!(String::from_utf8_lossy(&seen.stdout).starts_with(&sha256(&bytes)), "{names:?}");
        let seen = pfh(&room, &format!("acquire --no-progress --image {} --to copy", names[0]));
        assert_eq!(seen.code, Some(0), "{names:?}: {}", seen.stderr);
        assert!(fs::read(room.path().join("copy")).unwrap() == bytes, "{names:?}");
    }
    // Two disks of one size, perhaps; and one of them that pfh has acquired.
    let room = Room::new();
    pieces(&room, &content(4, 2000), &["disk.1", "disk.2"]);
    for (words, code) in
        [("hash --image disk.1", 3), ("verify disk.1", 3), ("acquire --no-progress --image disk.1 --to copy", 2)]
    {
        let seen = pfh(&room, words);
        let text = format!("{}{}", seen.stderr, String::from_utf8_lossy(&seen.stdout));
        assert!(seen.code == Some(code) && text.contains("disk.2 lies beside it"), "{words}: {seen:?}");
    }
    assert!(!room.path().join("copy").exists());
    let seen = pfh(&room, "acquire --no-progress disk.2 --to copy.1");
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    room.file("copy.2", &content(5, 1000));
    assert_eq!(pfh(&room, "verify copy.1").code, Some(0), "its log says that it is one image");
    assert_eq!(pfh(&room, "hash disk.1").code, Some(0), "the file alone");
}

/// A later piece or segment is not the image.
#[test]
fn the_first_segment_is_asked_for() {
    let room = Room::new();
    room.file("source", &content(6, 300_000));
    assert_eq!(pfh(&room, "acquire source --to o --split 100000").code, Some(0));
    let made = pfh(&room, "acquire source --to e.E01 --split 80000 --compression none");
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    for (later, first) in [("o.001", "o.000"), ("o.002", "o.000"), ("e.E02", "e.E01"), ("e.E03", "e.E01")] {
        for (words, code) in [("hash --image", 3), ("verify", 2), ("acquire --no-progress --to copy --image", 2)] {
            let seen = pfh(&room, &format!("{words} {later}"));
            let asked = format!("name the first segment, {first}");
            assert!(seen.code == Some(code) && seen.stderr.contains(&asked), "{words} {later}: {seen:?}");
        }
    }
    for target in ["x.E02", "x.e02", "x.Ex02", "x.s03", "x.L02", "x.afd", "x.qed", "x.Ex01"] {
        let seen = pfh(&room, &format!("acquire --no-progress source --to {target}"));
        assert_eq!(seen.code, Some(2), "{target}: {}", seen.stderr);
        assert!(!room.path().join(target).exists(), "{target}");
    }
    assert_eq!(pfh(&room, "acquire --no-progress source --to x.E02 -f raw").code, Some(0));
}

/// D15: containers that are not read are named, by their first bytes.
#[test]
fn qed_and_parallels_are_no_raw_images() {
    let room = Room::new();
    let padded = |start: &[u8]| [start, &[0; 70_000]].concat();
    room.file("qed", &padded(b"QED\0\0\0\x01\0"));
    room.file("old", &padded(b"WithoutFreeSpace\x02\0\0\0"));
    room.file("new", &padded(b"WithouFreSpacExt\x02\0\0\0"));
    for (name, format) in [("qed", "QED"), ("old", "Parallels"), ("new", "Parallels")] {
        for (words, code) in [("hash --image", 3), ("verify", 2), ("acquire --no-progress --to copy --image", 2)] {
            let seen = pfh(&room, &format!("{words} {name}"));
            assert!(seen.code == Some(code) && seen.stderr.contains(format), "{words} {name}: {seen:?}");
        }
    }
    if lacks(&[Need::Program("qemu-img")]) {
        return;
    }
    for format in ["qed", "parallels"] {
        let mut made = Command::new("qemu-img");
        made.args(["create", "-q", "-f", format, "made", "4M"]).current_dir(room.path());
        assert!(made.status().unwrap().success());
        let seen = pfh(&room, "hash --image made");
        assert!(seen.code == Some(3) && seen.stderr.to_lowercase().contains(format), "{format}: {}", seen.stderr);
    }
}
