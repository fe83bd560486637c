//! Trees of two levels: KangarooTwelve, ParallelHash and Sakura. The root is the digest of the
//! whole file after any edit or append.

use crate::room::Room;
use crate::trees::{
    append, appended, assert_whole, build, build_all, built, built_now, by, byte, check, corrupt, tree_of, update,
};
use pfh::Control;
use pfh::audit::commit;
use pfh::job::{Error, Kind};
use pfh::tree::check::Must;
use pfh::tree::update::ChangedParts;
use pfh::tree::{Problem, beside, build as verb, diff, prove, update as changing};
use pfh_inject::random;
use std::fs;
use std::path::Path;

const MODES: [&str; 8] = [
    "kt128",
    "kt256",
    "kt128:16",
    "parallelhash128,block=1000",
    "sakura-fng-128",
    "sakura-fng-256,block=4096,capacity=448",
    "sakura-li-128",
    "sakura-li-256,leaves=5,block=272",
];

/// The digest of the whole file, by the job that hashes.
fn hashed(file: &Path, mode: &str) -> Vec<u8> {
    pfh::hash_file(file, mode).unwrap().bytes().to_vec()
}

#[test]
fn the_root_is_the_files_digest_after_any_edits_and_appends() {
    let room = Room::new();
    for mode in MODES {
        let mut bytes = random(4, 300_000);
        let file = room.file("file", &bytes);
        assert_eq!(built(&file, mode, 0).root, hashed(&file, mode), "{mode}");
        for (place, length) in [(0, 1), (8191, 2), (299_999, 1), (100_000, 50_000)] {
            bytes[place..place + length].iter_mut().for_each(|byte| *byte ^= 0x55);
            fs::write(&file, &bytes).unwrap();
            let range = place as u64..(place + length) as u64;
            let summary = update(&file, ChangedParts::Ranges(vec![range; 1]), None).unwrap();
            assert_eq!(summary.root, hashed(&file, mode), "{mode} {place}");
            assert_whole(&file, &summary.root);
        }
        for more in [0, 1, 8192, 200_000, 3] {
            bytes.extend(random(77, more));
            fs::write(&file, &bytes).unwrap();
            assert_eq!(appended(&file), more as u64, "{mode}");
            assert_whole(&file, &hashed(&file, mode));
        }
        let tree = tree_of(&file);
        assert_eq!(built_now(&room, &file, mode, 0), tree, "{mode}");
        let before = room.file("before", &bytes);
        fs::write(beside(&before), tree).unwrap();
        bytes[77_777] ^= 1;
        fs::write(&file, &bytes).unwrap();
        let summary = update(&file, ChangedParts::Since(before.clone()), None).unwrap();
        assert_eq!(summary.root, hashed(&file, mode), "{mode}");
        let compare = |other: &Path| diff::run(&diff::Request::new(&file, other), &mut |_| Ok(()), &Control::new());
        assert!(!compare(&beside(&before)).unwrap().is_same(), "{mode}");
        // Of a name that is not that of a tree, the tree is the one beside it.
        assert_eq!(compare(&room.at("none")).unwrap_err().kind(), Kind::Input);
    }
}

#[test]
fn differences_are_located_and_the_wrong_file_is_refused() {
    let room = Room::new();
    let mut bytes = random(1, 100_000);
    let file = room.file("file", &bytes);
    built(&file, "kt128", 0);
    bytes[8192] ^= 1;
    bytes[20_000] ^= 1;
    fs::write(&file, &bytes).unwrap();
    assert_eq!(corrupt(&file), std::slice::from_ref(&(8192..24_576)));
    assert_eq!(check(&file, None).unwrap().judged_flat().unwrap().wrong, [1, 2]);

    // Blocks from all over the file: 168 bytes of every 672, the first at 168.
    built(&file, "sakura-li-128,leaves=4,block=168", 0);
    bytes[168] ^= 1;
    fs::write(&file, &bytes).unwrap();
    assert_eq!(check(&file, None).unwrap().judged_flat().unwrap().wrong, [1]);
    assert!(corrupt(&file).iter().all(|range| range.start % 672 == 168 && range.end - range.start <= 168));
    assert_eq!(corrupt(&file).len(), 149);

    // Longer, shorter, and a file that is another.
    bytes[168] ^= 1;
    fs::write(&file, [&bytes[..], b"more"].concat()).unwrap();
    let longer = check(&file, None).unwrap();
    assert_eq!((longer.corrupt(), longer.differs()), (Some(vec![100_000..100_004; 1]), true));
    assert_eq!(longer.judged_flat().unwrap().length, 100_004);
    assert_eq!(update(&file, byte(0), None).unwrap_err().kind(), Kind::Request);
    fs::write(&file, &bytes[..99_000]).unwrap();
    assert!(check(&file, None).unwrap().differs());
    assert_eq!(append(&file, None).unwrap_err().kind(), Kind::Request);
    fs::write(&file, &bytes).unwrap();
    assert_eq!(corrupt(&file), []);
}

#[test]
fn a_tree_of_another_root_than_the_one_kept_is_refused_and_left() {
    let room = Room::new();
    for mode in ["kt256", "sakura-li-128,leaves=3,block=168"] {
        let bytes = random(1, 50_000);
        let file = room.file("file", &bytes);
        let kept = built(&file, mode, 0).root;
        let (before, names) = (tree_of(&file), room.names());
        let must = |root: &[u8]| Some(Must::Root(root.to_vec()));
        let other: Vec<u8> = kept.iter().map(|byte| byte ^ 1).collect();
        assert_eq!(append(&file, must(&other)).unwrap_err().kind(), Kind::Negative);
        assert_eq!(update(&file, byte(5), must(&other)).unwrap_err().kind(), Kind::Negative);
        assert!(check(&file, must(&other)).unwrap().differs());
        let short = append(&file, must(&[0xab, 0xcd])).unwrap_err();
        assert!(matches!(short.find(), Some(Problem::RootLength { stated: 2, .. })), "{short}");
        assert_eq!(short.kind(), Kind::Request);
        let mut proving = changing::Request::new(&file, byte(5));
        proving.proof = Some(room.at("proof"));
        let unproved = changing::run(&proving, &mut |_| Ok(()), &Control::new()).unwrap_err();
        assert_eq!(unproved.kind(), Kind::Request);
        let mut part = prove::Request::new(&file, 5..6);
        part.output = room.at("proof").into();
        assert_eq!(prove::run(&part, &mut |_| Ok(()), &Control::new()).unwrap_err().kind(), Kind::Request);
        let committing = commit::Request::new([&file]).output(room.at("kept"));
        assert_eq!(commit::run(&committing, &mut |_| Ok(()), &Control::new()).unwrap_err().kind(), Kind::Input);
        assert_eq!((tree_of(&file), room.names()), (before, names));

        fs::write(&file, [&bytes[..], &[7]].concat()).unwrap();
        append(&file, must(&kept)).unwrap();
        assert_whole(&file, &hashed(&file, mode));
        fs::remove_file(beside(&file)).unwrap();
    }
    // The file was changed before its end as well: the root that is kept is not that of its front.
    let file = room.file("file", &random(1, 50_000));
    let kept = built(&file, "sakura-li-128,leaves=3,block=168", 0).root;
    let before = tree_of(&file);
    fs::write(&file, random(2, 50_001)).unwrap();
    assert_eq!(append(&file, Some(Must::Root(kept))).unwrap_err().kind(), Kind::Negative);
    assert_eq!(tree_of(&file), before);
}

#[test]
fn a_tree_that_is_damaged_or_of_something_else_is_refused() {
    let room = Room::new();
    let file = room.file("file", &random(1, 50_000));
    built(&file, "kt128", 0);
    let whole = tree_of(&file);
    for place in [8, 12, 20, 60, 500, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        fs::write(beside(&file), &bytes).unwrap();
        for ran in [check(&file, None), append(&file, None), update(&file, byte(0), None)] {
            assert_eq!(ran.unwrap_err().kind(), Kind::Input, "byte {place}");
        }
        assert_eq!(tree_of(&file), bytes);
    }
    fs::write(beside(&file), &whole).unwrap();
    for (mode, why) in [("md5", "md5 has no tree"), ("kt128:65", "at most 64 bytes")] {
        let request = by(verb::Request::file(&file), mode, 0);
        let error = build(&request).unwrap_err();
        assert_eq!(request.check().unwrap_err().to_string(), error.to_string());
        assert!(matches!(error.find(), Some(Problem::NoTree(said)) if said.contains(why)), "{error}");
        assert_eq!((error.kind(), tree_of(&file)), (Kind::Request, whole.clone()));
    }
}

#[test]
fn parts_and_directories_have_such_trees() {
    let room = Room::new();
    let bytes = random(1, 70_000);
    let file = room.file("file", &bytes);
    let parts = [room.file("p0", &bytes[..30_001]), room.file("p1", &bytes[30_001..])];
    room.file("d/one", &bytes);
    for mode in ["kt128", "sakura-li-128"] {
        built(&file, mode, 0);
        let tree = tree_of(&file);
        build(&by(verb::Request::parts(&parts, room.at("joined")), mode, 0)).unwrap();
        assert_eq!(fs::read(room.at("joined")).unwrap(), tree);
        let below = build_all(&by(verb::Request::below([room.at("d")]), mode, 0));
        let rows: Result<Vec<_>, Error> = below.map(|rows| rows.into_iter().map(|row| row.file).collect());
        assert_eq!(rows.unwrap(), [room.at("d/one")]);
        assert_eq!(tree_of(&room.at("d/one")), tree);
    }
}
