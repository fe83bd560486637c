//! The tree beside a file: its root, the cost of a change and an append, and damage of either.

use crate::room::Room;
use crate::trees::{append, appended, build, built, built_now, by, byte, check, corrupt, tree_of, update, updated};
use pfh::job::{Error, Kind};
use pfh::tree::update::ChangedParts;
use pfh::tree::{Failure, Parameters, beside, build as verb};
use pfh_inject::random;
use std::fs;

#[test]
fn a_blake3_root_is_the_files_digest_and_threads_do_not_matter() {
    let room = Room::new();
    for length in [0, 1, 16_383, 16_384, 16_385, 5_000_000, 40_000_000] {
        let bytes = random(1, length);
        let file = room.file("file", &bytes);
        let expected = blake3::hash(&bytes).as_bytes().to_vec();
        let mut trees = Vec::new();
        for threads in [1, 2, 7] {
            let mut request = verb::Request::file(&file);
            request.threads = threads;
            assert_eq!(build(&request).unwrap().root, expected, "{length} bytes, {threads} threads");
            trees.push(tree_of(&file));
        }
        assert!(trees.windows(2).all(|pair| pair[0] == pair[1]));
        let checked = check(&file, None).unwrap();
        assert_eq!((checked.differs(), &checked.root), (false, &expected));
    }
}

#[test]
fn a_change_of_one_range_costs_its_path_and_gives_the_tree_of_a_build() {
    let room = Room::new();
    for algorithm in ["sha256", "sha3-256", "blake3"] {
        let mut bytes = random(2, 1 << 20);
        let file = room.file("file", &bytes);
        built(&file, algorithm, 4096);
        bytes[500_000] ^= 1;
        bytes[4095] ^= 1;
        fs::write(&file, &bytes).unwrap();
        let ranges = ChangedParts::Ranges(vec![500_000..500_001, 4095..4096, 499_999..500_002]);
        // Two leaves of 256: their paths of eight levels share the top.
        let (_, computed) = updated(&file, ranges);
        assert!((10..=18).contains(&computed), "{computed}");
        assert_eq!(tree_of(&file), built_now(&room, &file, algorithm, 4096), "{algorithm}");

        let before = room.file("before", &bytes);
        bytes[8192..20_000].fill(7);
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&file, &bytes).unwrap();
        assert_eq!(updated(&file, ChangedParts::Since(before)).0, [8192..20_480, 1_044_480..1_048_576]);
        assert_eq!(tree_of(&file), built_now(&room, &file, algorithm, 4096), "{algorithm}");
    }
}

#[test]
fn what_is_appended_gives_the_tree_of_a_build() {
    let room = Room::new();
    for algorithm in ["sha256", "blake3"] {
        let mut bytes = Vec::new();
        let file = room.file("file", &bytes);
        built(&file, algorithm, 1024);
        for more in [0, 1, 1022, 1, 1, 5000, 40_000_000, 3] {
            bytes.extend(random(more as u64, more));
            fs::write(&file, &bytes).unwrap();
            assert_eq!(appended(&file), more as u64);
            assert_eq!(tree_of(&file), built_now(&room, &file, algorithm, 1024), "{algorithm} after {more} bytes");
        }
    }
}

#[test]
fn ranges_that_are_corrupt_are_rows() {
    let room = Room::new();
    let mut bytes = random(3, 1_000_000);
    let file = room.file("file", &bytes);
    built(&file, "blake3", 16 << 10);
    for place in [20_000, 40_000, 999_999] {
        bytes[place] ^= 0x10;
    }
    fs::write(&file, &bytes).unwrap();
    assert_eq!(corrupt(&file), [16_384..49_152, 999_424..1_000_000]);

    // A file that has become shorter or longer is corrupt from where it differs.
    bytes[20_000] ^= 0x10;
    bytes[40_000] ^= 0x10;
    bytes[999_999] ^= 0x10;
    for (length, expected) in [(1_000_001, 1_000_000..1_000_001), (900_000, 884_736..1_000_000)] {
        bytes.resize(length, 0);
        fs::write(&file, &bytes).unwrap();
        let checked = check(&file, None).unwrap();
        assert_eq!((checked.length, checked.judged().unwrap().length), (1_000_000, length as u64));
        assert_eq!(corrupt(&file), [expected], "{length}");
    }
}

#[test]
fn a_torn_or_damaged_tree_is_refused_and_left() {
    let room = Room::new();
    let file = room.file("file", &random(4, 100_000));
    built(&file, "blake3", 1024);
    let tree = tree_of(&file);
    let mut wrong: Vec<Vec<u8>> =
        [0, 1, 8, 87, 88, 120, tree.len() / 2, tree.len() - 1].map(|n| tree[..n].to_vec()).into();
    wrong.push([&tree[..], b"x"].concat());
    // Sectors that never came: zeros.
    wrong.push([&tree[..1024], &vec![0; tree.len() - 1024][..]].concat());
    for bit in [3, 100, 200, 500, 8 * 90, 8 * tree.len() - 1] {
        let mut damaged = tree.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        wrong.push(damaged);
    }
    for bytes in wrong {
        fs::write(beside(&file), &bytes).unwrap();
        // A file that does not even begin as a tree is somebody else's to a verb that would write
        // it.
        let is_foreign = !bytes.is_empty() && !bytes.starts_with(b"pfh tree");
        let ran = [check(&file, None), append(&file, None), update(&file, byte(0), None)];
        for (verb, error) in ran.into_iter().map(Result::unwrap_err).enumerate() {
            match is_foreign && verb > 0 {
                true => assert!(matches!(error, Error::Refused(_)), "{} bytes, {verb}: {error}", bytes.len()),
                false => assert!(
                    error.kind() == Kind::Input && matches!(error.find(), Some(Failure::Tree { .. })),
                    "{} bytes, {verb}: {error}",
                    bytes.len()
                ),
            }
            assert_eq!(tree_of(&file), bytes, "a tree that cannot be read is not replaced");
        }
    }
}

#[test]
fn senseless_changes_are_refused_and_what_cannot_be_read_is_an_input() {
    let room = Room::new();
    let file = room.file("file", &random(5, 10_000));
    let kind = |ran: Result<pfh::tree::Summary, Error>| ran.unwrap_err().kind();
    assert_eq!(kind(check(&file, None)), Kind::Input, "no tree yet");
    built(&file, "blake3", 16 << 10);
    let before = tree_of(&file);
    let beyond = update(&file, ChangedParts::Ranges(vec![9999..10_001; 1]), None).unwrap_err();
    assert!(matches!(beyond.find(), Some(Failure::Range { start: 9999, end: 10_001, .. })), "{beyond}");
    assert_eq!(beyond.kind(), Kind::Request);
    assert!(Parameters::new(pfh::tree::Function::Blake3, 3072).is_none());
    let no_tree = build(&by(verb::Request::file(&file), "md5", 0)).unwrap_err();
    assert_eq!(no_tree.kind(), Kind::Request, "{no_tree}");
    let mut onto_itself = verb::Request::file(&file);
    onto_itself.tree = Some(file.clone());
    assert!(matches!(build(&onto_itself), Err(Error::Refused(_))), "the tree would overwrite the file");
    fs::write(&file, random(5, 9_999)).unwrap();
    for shorter in [append(&file, None), update(&file, byte(0), None)] {
        let error = shorter.unwrap_err();
        assert!(error.kind() == Kind::Request && !error.to_string().contains("--"), "{error}");
    }
    fs::remove_file(&file).unwrap();
    assert_eq!(kind(check(&file, None)), Kind::Input);
    assert_eq!(kind(build(&verb::Request::file(&file))), Kind::Input);
    assert_eq!(tree_of(&file), before);
}
