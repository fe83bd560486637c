//! Equal files are a pair by their content, also where a method makes no digest of them.

use crate::program::Room;
use pfh_inject::{Outcome, Trial, content};

fn pfh(room: &Room, line: &str) -> Outcome {
    Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split(' ')).directory(room.path()).run().unwrap()
}

fn text(seen: &Outcome) -> String {
    String::from_utf8_lossy(&seen.stdout).into_owned()
}

fn room() -> Room {
    let room = Room::new();
    room.file("s/a", b"hello");
    room.file("s/b", b"hello");
    room.file("s/c", &content(1, 30_000));
    room.file("s/d", &content(1, 30_000));
    room.file("s/e", b"");
    room.file("s/f", b"");
    room.file("s/g", b"other");
    room
}

#[test]
fn equal_files_are_pairs_whatever_the_method() {
    let room = room();
    for method in ["", "-a mrsh-v2", "-a sdhash", "-a sdhash-dd", "-a tlsh", "-a ssdeep"] {
        let line = format!("compare {method} s");
        let seen = pfh(&room, &line.replace("  ", " "));
        assert_eq!(seen.code, Some(0), "{method}: {}", seen.stderr);
        let pairs = text(&seen);
        let of = |one: &str, two: &str| pairs.lines().any(|line| line.contains(one) && line.contains(two));
        assert!(of("s/a", "s/b") && of("s/c", "s/d"), "{method}: {pairs}");
        // Empty files have nothing in common; ssdeep has a digest of them all the same.
        let alike = method == "-a ssdeep";
        assert!(of("s/e", "s/f") == alike && !of("s/a", "s/g"), "{method}: {pairs}");
        if method != "-a ssdeep" {
            let name = if method.is_empty() { "mrsh-v2" } else { &method[3..] };
            assert!(seen.stderr.contains(&format!("5 files have no digest of {name}")), "{method}: {}", seen.stderr);
            assert!(seen.stderr.contains("2 digests compared, 1 pair"), "{method}: {}", seen.stderr);
            assert!(seen.stderr.contains("sha256: 3 digests compared, 1 pair"), "{method}: {}", seen.stderr);
        }
    }
    // Rows name what proves the pair.
    let rows = text(&pfh(&room, "compare --json s"));
    assert!(rows.lines().any(|row| row.contains("\"sha256\"") && row.contains("s/a")), "{rows}");
    // Across two sets only pairs of one from each; groups hold them as well.
    let across = text(&pfh(&room, "compare s/a s/c --against s/b"));
    assert_eq!(across.lines().count(), 1, "{across}");
    assert_eq!(text(&pfh(&room, "compare --cluster s")).matches("s/b").count(), 1);
    // As the reference tools have it there are none.
    assert!(!text(&pfh(&room, "compare --parity -a mrsh-v2 s")).contains("s/a"));
}

#[test]
fn two_thousand_small_files_with_a_thousand_equal_pairs() {
    let room = Room::new();
    for at in 0..1000 {
        for copy in ["a", "b"] {
            room.file(format!("s/{copy}{at}"), at.to_string().as_bytes());
        }
    }
    let seen = pfh(&room, "compare s");
    assert_eq!((seen.code, seen.lines().len()), (Some(0), 1000), "{}", seen.stderr);
    assert!(seen.stderr.contains("2000 files have no digest of mrsh-v2"), "{}", seen.stderr);
    assert!(seen.stderr.contains("sha256: 2000 digests compared, 1000 pairs"), "{}", seen.stderr);
}
