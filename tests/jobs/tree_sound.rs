//! Trees beside files: nothing is claimed that is not shown, two at once lose nothing, and the kept
//! root is believed.

use crate::room::Room;
use crate::trees::{
    append, assert_whole, build, build_all, built, built_now, by, byte, check, corrupt, tree_of, update, updated,
};
use pfh::Control;
use pfh::audit::commit;
use pfh::job::{Error, Kind};
use pfh::tree::check::Must;
use pfh::tree::{Failure, Problem, RootSource, TreeComparison, TreeWork, beside, build as verb};
use pfh_inject::random;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

/// An auditor's record of a file.
fn kept(file: &Path, output: PathBuf) -> Must {
    let request = commit::Request::new([file]).output(&*output);
    commit::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
    Must::Kept { path: output, identity: None }
}

/// A hundred rounds of two updates at once: each round's two changes are both in the tree.
#[test]
fn two_updates_at_once_lose_nothing() {
    let room = Room::new();
    let mut bytes = random(1, 1 << 21);
    let file = room.file("file", &bytes);
    built(&file, "blake3", 1024);
    for round in 0..100 {
        let places = [(round * 7919) % (1 << 20), (1 << 20) + (round * 104_729) % (1 << 20)];
        places.iter().for_each(|place| bytes[*place] ^= 1);
        fs::write(&file, &bytes).unwrap();
        thread::scope(|scope| {
            for place in places {
                let file = &file;
                scope.spawn(move || update(file, byte(place as u64), None).unwrap());
            }
        });
    }
    let checked = check(&file, None).unwrap();
    assert_eq!((checked.differs(), checked.judged().unwrap().leaves), (false, 2048));
    assert_eq!(room.names(), ["file", "file.pfhtree"]);
    assert_eq!(tree_of(&file), built_now(&room, &file, "blake3", 1024));
}

/// An append and an update at once end in a tree of the file as it is.
#[test]
fn an_append_beside_an_update_loses_nothing() {
    let room = Room::new();
    let mut bytes = random(2, 300_000);
    let file = room.file("file", &bytes);
    built(&file, "blake3", 1024);
    for round in 0..10_usize {
        bytes[round * 1000] ^= 1;
        bytes.extend(random(round as u64, 3000));
        fs::write(&file, &bytes).unwrap();
        let change = || byte(round as u64 * 1000);
        let updated = thread::scope(|scope| {
            let appending = scope.spawn(|| append(&file, None).unwrap());
            let updated = update(&file, change(), None);
            appending.join().unwrap();
            updated
        });
        // Before the append the file has another length than its tree, and nothing was changed.
        if let Err(error) = updated {
            assert!(matches!(error.find(), Some(Failure::Length { .. })), "{error}");
            update(&file, change(), None).unwrap();
        }
    }
    assert_eq!(tree_of(&file), built_now(&room, &file, "blake3", 1024));
}

#[test]
fn only_what_was_appended_is_reported() {
    let room = Room::new();
    for (algorithm, old, now, expected) in [
        ("blake3", 16_384, 16_385, 16_384..16_385),
        ("sha256", 16_384, 16_385, 16_384..16_385),
        ("blake3", 20_000, 20_001, 20_000..20_001),
        ("sha256", 20_000, 70_000, 20_000..70_000),
        ("blake3", 5, 70_000, 5..70_000),
        // Shorter: the rest of a leaf cannot be distinguished from another.
        ("blake3", 16_385, 16_384, 16_384..16_385),
        ("blake3", 50_000, 16_384, 16_384..50_000),
        ("sha256", 50_000, 16_384, 16_384..50_000),
        ("sha256", 50_000, 16_383, 0..50_000),
    ] {
        let bytes = random(3, old.max(now));
        let file = room.file("file", &bytes[..old]);
        built(&file, algorithm, 16 << 10);
        fs::write(&file, &bytes[..now]).unwrap();
        assert_eq!(corrupt(&file), [expected], "{algorithm}, {old} to {now}");
        // A change beside the growth is found.
        let mut changed = bytes[..now].to_vec();
        changed[0] ^= 1;
        fs::write(&file, &changed).unwrap();
        assert_eq!(corrupt(&file)[0].start, 0, "{algorithm}, {old} to {now}");
    }
}

#[test]
fn a_file_that_was_swapped_with_its_tree_is_found() {
    for algorithm in ["blake3", "sha256"] {
        let room = Room::new();
        let file = room.file("file", &random(4, 100_000));
        let genuine = built(&file, algorithm, 16 << 10).root;
        let kept = kept(&file, room.at("kept"));
        let root = || Some(Must::Root(genuine.clone()));
        for (must, stated) in [(root(), RootSource::Root), (Some(kept.clone()), RootSource::Kept)] {
            let summary = check(&file, must).unwrap();
            assert_eq!((summary.differs(), &summary.root, summary.judged().unwrap().leaves), (false, &genuine, 7));
            let expected = summary.expected().unwrap();
            assert_eq!((expected.stated, &expected.root, &expected.found), (stated, &genuine, &genuine));
        }
        let refused = |must| check(&file, Some(must)).unwrap_err();
        let short = refused(Must::Root(vec![0xab; 3]));
        assert!(matches!(short.find(), Some(Problem::RootLength { .. })) && short.kind() == Kind::Request, "{short}");
        let missing = refused(Must::Kept { path: room.at("missing"), identity: None });
        assert_eq!(missing.kind(), Kind::Input);
        let other = refused(Must::Kept { path: room.at("kept"), identity: Some("other".into()) });
        assert!(matches!(other.find(), Some(Problem::NoLine { .. })) && other.kind() == Kind::Request, "{other}");

        let tree = tree_of(&file);
        fs::write(&file, random(5, 100_000)).unwrap();
        let swapped = built(&file, algorithm, 16 << 10).root;
        assert!(!check(&file, None).unwrap().differs());
        for must in [root(), Some(kept.clone())] {
            let summary = check(&file, must).unwrap();
            let expected = summary.expected().unwrap();
            assert_eq!((summary.differs(), &expected.root, &expected.found), (true, &genuine, &swapped));
            assert_eq!(summary.judged().unwrap().corrupt, []);
        }
        // The right file beside another one's tree: it is the tree that is wrong.
        fs::write(&file, random(4, 100_000)).unwrap();
        let summary = check(&file, root()).unwrap();
        let expected = summary.expected().unwrap();
        assert_eq!((summary.differs(), &expected.found), (true, &genuine));
        assert_ne!(summary.judged().unwrap().corrupt, []);
        // Without a tree the kept record is enough.
        fs::remove_file(beside(&file)).unwrap();
        let summary = check(&file, Some(kept)).unwrap();
        let alone = matches!(summary.done, TreeWork::Checked { judged: TreeComparison::Alone(7), .. });
        assert!(alone && !summary.differs(), "{summary:?}");
        assert_eq!(check(&file, root()).unwrap_err().kind(), Kind::Input);
        fs::write(beside(&file), &tree).unwrap();
        assert_whole(&file, &genuine);
    }
}

/// A second name of a tree, such as a backup by hard links has, keeps its contents.
#[test]
fn a_tree_with_two_names_is_not_changed_in_place() {
    let room = Room::new();
    let mut bytes = random(6, 100_000);
    let file = room.file("file", &bytes);
    built(&file, "blake3", 16 << 10);
    fs::hard_link(beside(&file), room.at("backup")).unwrap();
    let before = tree_of(&file);
    bytes[5] ^= 1;
    fs::write(&file, &bytes).unwrap();
    updated(&file, byte(5));
    assert_eq!(fs::read(room.at("backup")).unwrap(), before);
    assert_ne!(tree_of(&file), before);
    assert_eq!(corrupt(&file), []);
}

#[test]
fn trees_of_parts_and_of_directories() {
    let room = Room::new();
    let bytes = random(7, 3_000_000);
    let whole = room.file("whole", &bytes);
    let cuts = [0, 1, 1_000_000, 1_000_000, 2_345_678, bytes.len()];
    let parts: Vec<PathBuf> = (0..5).map(|n| room.file(format!("part{n}"), &bytes[cuts[n]..cuts[n + 1]])).collect();
    for algorithm in ["blake3", "sha3-256"] {
        let expected = built(&whole, algorithm, 16 << 10).root;
        let joined = build(&by(verb::Request::parts(&parts, room.at("parts")), algorithm, 16 << 10)).unwrap();
        assert_eq!(joined.root, expected);
        assert_eq!(fs::read(room.at("parts")).unwrap(), tree_of(&whole));
    }
    let nameless = build(&verb::Request::file("-")).unwrap_err();
    assert!(matches!(nameless.find(), Some(Problem::NoName)) && nameless.kind() == Kind::Request, "{nameless}");
    let missing = verb::Request::parts([parts[0].clone(), room.at("nothing")], room.at("t"));
    assert_eq!(build(&missing).unwrap_err().kind(), Kind::Input);
    assert!(!room.at("t").exists());

    let files = [room.file("d/a", "a"), room.file("d/e/b", &random(8, 40_000))];
    // Twice: trees have no trees.
    for _ in 0..2 {
        let rows = build_all(&verb::Request::below([room.at("d")])).unwrap();
        assert_eq!(rows.into_iter().map(|row| row.file).collect::<Vec<_>>(), files);
    }
    for file in &files {
        assert_eq!(corrupt(file), []);
    }
    assert!(!room.at("d/a.pfhtree.pfhtree").exists());
}

/// A file that happens to have a journal's name is not removed.
#[test]
fn somebody_elses_file_is_no_journal() {
    let room = Room::new();
    let file = room.file("file", &random(10, 10_000));
    built(&file, "blake3", 16 << 10);
    let other = room.file("file.pfhtree.journal", "dear diary");
    let error = update(&file, byte(0), None).unwrap_err();
    assert!(error.kind() == Kind::Output && error.to_string().contains("not a journal of a tree"), "{error}");
    assert_eq!(fs::read(&other).unwrap(), b"dear diary");
    assert_eq!(corrupt(&file), []);
    // The remains of a journal that was not synced before a power cut: zeros, a part, nothing.
    for torn in [&[0; 500][..], b"pfh jrnl\x01abc", b""] {
        fs::write(&other, torn).unwrap();
        assert_eq!(corrupt(&file), []);
        update(&file, byte(0), None).unwrap();
        assert!(!other.exists());
    }
}

/// Insecure storage (Blum; Hall and Jutla, as Lopes et al. describe it): one who can write to file
/// and tree cannot have the change of another file brought up to date where the root was kept.
#[test]
fn an_update_believes_the_root_that_was_kept() {
    let room = Room::new();
    let mut bytes = random(3, 100_000);
    let file = room.file("file", &bytes);
    let root = built(&file, "blake3", 1024).root;
    let line = kept(&file, room.at("kept"));
    bytes[5000] ^= 1;
    fs::write(&file, &bytes).unwrap();
    // Both were replaced behind the keeper's back: the tree is sound, and not the one that was
    // kept.
    let now = built(&file, "blake3", 1024).root;
    let before = tree_of(&file);
    for must in [Must::Root(root), line] {
        for ran in [update(&file, byte(0), Some(must.clone())), append(&file, Some(must))] {
            let error: Error = ran.unwrap_err();
            assert!(matches!(error.find(), Some(Failure::OtherTree { .. })), "{error}");
            assert_eq!((error.kind(), tree_of(&file)), (Kind::Negative, before.clone()));
        }
    }
    bytes[70_000] ^= 1;
    fs::write(&file, &bytes).unwrap();
    let later = update(&file, byte(70_000), Some(Must::Root(now.clone()))).unwrap().root;
    assert_ne!(later, now);
    bytes.extend(random(4, 3000));
    fs::write(&file, &bytes).unwrap();
    append(&file, Some(Must::Root(later))).unwrap();
    assert_eq!(tree_of(&file), built_now(&room, &file, "blake3", 1024));
}
