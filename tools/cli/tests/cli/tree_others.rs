//! `pfh tree`: parts that are proved to a holder of the root, trees that are compared, and the
//! roots of other programs.

use crate::program;
use std::process::Command;

use crate::program::Room;
use crate::program::trees::{good, json, noise, pfh, root, text};
use pfh_inject::{Need, lacks};

#[test]
fn a_part_is_proved_with_the_root_alone() {
    for algorithm in ["blake3", "sha256"] {
        let room = Room::new();
        let mut bytes = noise(3_000_000, 1);
        room.file("file", &bytes);
        let root = text(&good(&room, ["tree", "build", "-a", algorithm, "file"]))[..64].to_owned();
        good(&room, ["tree", "prove", "file", "--range", "1234567:4096", "-o", "part"]);
        let length = std::fs::metadata(room.path().join("part")).expect("a proof").len();
        assert!(length < if algorithm == "blake3" { 8 << 10 } else { 40 << 10 }, "{length} bytes");
        // The one who verifies has nothing but proof and root.
        let alone = Room::new();
        std::fs::copy(room.path().join("part"), alone.path().join("part")).expect("a copy");
        let verify = ["tree", "verify", "part", "--root", &root];
        let seen = good(&alone, verify.iter().chain(&["-o", "bytes"]));
        let expected = format!("part: OK: 1234567:4096 of a file of 3000000 bytes gives the {algorithm} root {root}\n");
        assert_eq!(text(&seen), expected);
        assert_eq!(std::fs::read(alone.path().join("bytes")).expect("bytes"), &bytes[1_234_567..1_238_663]);
        assert_eq!(good(&alone, verify.iter().chain(&["-o", "-"])).stdout, &bytes[1_234_567..1_238_663]);
        let seen = json(&good(&alone, verify.iter().chain(&["--json"])));
        assert_eq!((seen["verdict"].as_str(), seen["length"].as_u64()), (Some("verified"), Some(4096)));
        // Another root, a changed byte, a cut: nothing is written.
        let other = "0".repeat(64);
        let proof = std::fs::read(alone.path().join("part")).expect("a proof");
        let mut changed = proof.clone();
        changed[1000] ^= 1;
        alone.file("changed", &changed);
        alone.file("cut", &proof[..proof.len() - 1]);
        for (part, root) in [("part", &other), ("changed", &root), ("cut", &root)] {
            let seen = pfh(&alone, ["tree", "verify", part, "--root", root, "-o", "none"]);
            assert_eq!((seen.code, text(&seen).contains("DIFFERS")), (Some(1), true), "{part}: {seen:?}");
            assert!(!alone.path().join("none").exists());
        }
        assert_eq!(pfh(&alone, ["tree", "verify", "nothing", "--root", &root]).code, Some(3));
        assert_eq!(pfh(&room, ["tree", "prove", "file", "--range", "2999999:2", "-o", "p"]).code, Some(2));
        // A file that is no longer that of its tree proves nothing where it differs.
        bytes[1_235_000] ^= 1;
        room.file("file", &bytes);
        let seen = pfh(&room, ["tree", "prove", "file", "--range", "1234567:4096", "-o", "p"]);
        assert_eq!((seen.code, room.path().join("p").exists()), (Some(1), false), "{seen:?}");
        good(&room, ["tree", "prove", "file", "--range", "1:1", "-o", "p"]);
    }
}

/// With BLAKE3 the root is the file's digest, so what another program printed is enough.
#[test]
fn b3sums_digest_is_a_root() {
    let room = Room::new();
    let bytes = noise(500_000, 2);
    room.file("file", &bytes);
    good(&room, ["tree", "build", "file"]);
    good(&room, ["tree", "prove", "file", "--range", "0:10", "-o", "part"]);
    let root = blake3::hash(&bytes).to_hex().to_string();
    good(&room, ["tree", "verify", "part", "--root", &root]);
}

#[test]
fn trees_are_compared_without_their_files() {
    let room = Room::new();
    let mut bytes = noise(500_000, 3);
    room.file("a", &bytes);
    bytes[100_000] ^= 1;
    bytes[116_000] ^= 1;
    bytes[499_999] ^= 1;
    room.file("b", &bytes);
    for file in ["a", "b"] {
        good(&room, ["tree", "build", file]);
        std::fs::remove_file(room.path().join(file)).expect("removed");
    }
    let seen = pfh(&room, ["tree", "diff", "a", "b.pfhtree"]);
    assert_eq!((seen.code, text(&seen).as_str()), (Some(1), "98304:32768\n491520:8480\n"));
    assert_eq!(json(&pfh(&room, ["tree", "diff", "--json", "a", "b"]))["verdict"].as_str(), Some("differs"));
    let seen = good(&room, ["tree", "diff", "a", "a"]);
    assert!(text(&seen).starts_with("a and a: the same 31 leaves, blake3 root "), "{}", text(&seen));
    room.file("c", &bytes);
    good(&room, ["tree", "build", "-a", "sha256", "c"]);
    assert_eq!(pfh(&room, ["tree", "diff", "a", "c"]).code, Some(3));
    assert_eq!(pfh(&room, ["tree", "diff", "a", "nothing"]).code, Some(3));
}

#[test]
fn fs_veritys_digest_is_that_of_its_own_tool() {
    if lacks(&[Need::Program("fsverity")]) {
        return;
    }
    let room = Room::new();
    let sizes = [0, 1, 4095, 4096, 4097, 128 * 4096, 128 * 4096 + 1, 5_000_000, 129 * 128 * 4096];
    for (number, length) in sizes.into_iter().enumerate() {
        room.file("file", &noise(length, number as u64));
        for (ours, theirs) in [
            (&[][..], &[][..]),
            (&["--sha512"], &["--hash-alg=sha512"]),
            (&["--block", "1KiB"], &["--block-size=1024"]),
            (&["--salt", "0badc0de"], &["--salt=0badc0de"]),
            (&["--sha512", "--salt", "0badc0de00"], &["--hash-alg=sha512", "--salt=0badc0de00"]),
        ] {
            let output = Command::new("fsverity")
                .args(["digest", "--compact"])
                .args(theirs)
                .arg("file")
                .current_dir(room.path())
                .output()
                .expect("fsverity");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let digest = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let seen = text(&good(&room, ["tree", "root", "--as", "fs-verity", "file"].iter().chain(ours)));
            let (value, _) = seen.split_once("  ").expect("a name");
            assert_eq!(value.rsplit(':').next(), Some(&*digest), "{length} bytes, {theirs:?}");
        }
    }
}

#[test]
fn the_values_of_s3_and_glacier_are_computed_and_compared() {
    let room = Room::new();
    let bytes = noise(10_000_000, 5);
    room.file("object", &bytes);
    // md5 of the parts' md5, by coreutils.
    let part = |bytes: &[u8]| -> Vec<u8> {
        let digits = program::digest_by("md5sum", bytes);
        (0..16).map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).expect("hex")).collect()
    };
    let joined = [part(&bytes[..5 << 20]), part(&bytes[5 << 20..])].concat();
    let etag = format!("{}-2", program::digest_by("md5sum", &joined));
    let root = ["tree", "root", "--as", "s3-etag", "--part", "5MiB", "object"];
    assert_eq!(text(&good(&room, root)), format!("{etag}  object\n"));
    // As the service quotes it.
    let seen = good(&room, root.iter().map(|s| (*s).to_owned()).chain(["--expect".into(), format!("\"{etag}\"")]));
    assert!(text(&seen).starts_with("object: OK: has the s3-etag value "), "{}", text(&seen));
    let seen = pfh(&room, root.iter().chain(&["--expect", "abc-2"]));
    assert_eq!((seen.code, text(&seen).starts_with("object: DIFFERS")), (Some(1), true));
    let small = text(&good(&room, ["tree", "root", "--as", "s3-etag", "--part", "16MiB", "object"]));
    assert_eq!(small, format!("{}  object\n", program::digest_by("md5sum", &bytes)));
    // One leaf of Glacier is SHA-256.
    room.file("leaf", &bytes[..1 << 20]);
    let glacier = text(&good(&room, ["tree", "root", "--as", "glacier", "leaf"]));
    assert_eq!(glacier, format!("{}  leaf\n", program::sha256(&bytes[..1 << 20])));
    assert_eq!(pfh(&room, ["tree", "root", "--as", "glacier", "nothing"]).code, Some(3));
    assert_eq!(pfh(&room, ["tree", "root", "--as", "fs-verity", "--block", "5000", "leaf"]).code, Some(2));
}

#[test]
fn baos_outboard_goes_out_and_comes_in() {
    let room = Room::new();
    let bytes = noise(1_000_000, 6);
    room.file("file", &bytes);
    let root = blake3::hash(&bytes).to_hex().to_string();
    good(&room, ["tree", "export", "file", "--obao", "file.obao", "--root", &root]);
    let obao = std::fs::read(room.path().join("file.obao")).expect("an outboard");
    assert_eq!(obao.len(), 8 + 64 * 976);
    good(&room, ["tree", "build", "file"]);
    let built = std::fs::read(room.path().join("file.pfhtree")).expect("a tree");
    std::fs::remove_file(room.path().join("file.pfhtree")).expect("removed");
    good(&room, ["tree", "import", "file", "--obao", "file.obao", "--root", &root]);
    assert_eq!(std::fs::read(room.path().join("file.pfhtree")).expect("a tree"), built);
    good(&room, ["tree", "check", "file", "--root", &root]);
    // Another root, damage, another file's length: nothing is written.
    std::fs::remove_file(room.path().join("file.pfhtree")).expect("removed");
    let other = "0".repeat(64);
    assert_eq!(pfh(&room, ["tree", "import", "file", "--obao", "file.obao", "--root", &other]).code, Some(1));
    assert_eq!(pfh(&room, ["tree", "export", "file", "--obao", "none", "--root", &other]).code, Some(1));
    let mut damaged = obao.clone();
    damaged[5000] ^= 1;
    room.file("damaged", &damaged);
    assert_eq!(pfh(&room, ["tree", "import", "file", "--obao", "damaged", "--root", &root]).code, Some(3));
    room.file("short", b"short");
    assert_eq!(pfh(&room, ["tree", "import", "short", "--obao", "file.obao"]).code, Some(2));
    assert_eq!(pfh(&room, ["tree", "export", "file", "--obao", "file"]).code, Some(2));
    assert!(!room.path().join("file.pfhtree").exists() && !room.path().join("none").exists());
}

/// Parallel transfers deliver pieces in any order: the tree is that of the whole, and what has not
/// come is listed.
#[test]
fn pieces_in_any_order_give_the_tree_of_the_whole() {
    let room = Room::new();
    let bytes = noise(300_000, 7);
    room.file("whole", &bytes);
    let pairs = ["blake3", "sha256"].map(|name| vec!["tree", "build", "-a", name, "--leaf", "1KiB"]);
    // Of two levels: leaves in a row, and leaves that are blocks from all over the file.
    let flat = ["kt128", "parallelhash128,block=1000", "sakura-fng-128", "sakura-li-128,leaves=3"];
    for build in pairs.into_iter().chain(flat.map(|name| vec!["tree", "build", "-a", name])) {
        let expected = root(&good(&room, [&build[..], &["whole"]].concat()));
        let cuts = [0, 1, 70_000, 70_001, 131_072, 222_222, 299_999, 300_000];
        let mut list = String::new();
        for n in [3, 0, 6, 1, 5, 4, 2] {
            room.file(format!("piece {n}"), &bytes[cuts[n]..cuts[n + 1]]);
            list += &format!("{} piece {n}\n", cuts[n]);
        }
        room.file("list", list.as_bytes());
        let from = [&build[..], &["--pieces-from", "list", "--outboard", "pieces.pfhtree"]].concat();
        assert_eq!(root(&good(&room, &from)), expected);
        let both =
            ["whole.pfhtree", "pieces.pfhtree"].map(|name| std::fs::read(room.path().join(name)).expect("a tree"));
        assert!(both[0] == both[1]);
        // One is missing, and then the end as well.
        let short: String = list.lines().filter(|line| !line.ends_with('4')).map(|line| format!("{line}\n")).collect();
        room.file("list", short.as_bytes());
        let seen = pfh(&room, &from);
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        assert!(seen.stderr.contains("131072:91150"), "{}", seen.stderr);
        let seen = pfh(&room, [&from[..], &["--length", "400000"]].concat());
        assert_eq!(seen.code, Some(3), "{}", seen.stderr);
        assert!(seen.stderr.contains("131072:91150,300000:100000"), "{}", seen.stderr);
        // The tree that was there stays; bytes that come twice and lines that are none are refused.
        assert_eq!(std::fs::read(room.path().join("pieces.pfhtree")).expect("a tree"), both[0]);
        for (wrong, why) in [
            ("0 piece 0\n0 piece 0\n", "came before"),
            ("piece 0\n", "a line is an offset"),
            ("0 none\n", "No such file"),
        ] {
            room.file("list", wrong.as_bytes());
            let seen = pfh(&room, &from);
            assert_eq!(seen.code, Some(2), "{wrong}: {}", seen.stderr);
            assert!(seen.stderr.contains(why), "{wrong}: {}", seen.stderr);
        }
        room.file("list", b"0 list\n");
        let onto = [&build[..], &["--pieces-from", "list", "--outboard", "piece 0", "--force"]].concat();
        room.file("list", b"0 piece 0\n");
        assert_eq!(pfh(&room, &onto).code, Some(2));
    }
}
