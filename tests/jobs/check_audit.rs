//! Audits: each file of a tree has a class, and their counts add up.

use crate::check_whole::tree;
use crate::room::Room;
use crate::rows::{below, input, list, printed};
use pfh::check::{self, Class, Counts, Event, Findings, Remark, Request, Summary, Task, Verdict};
use pfh::{Control, Links, sha256};
use pfh_inject::{Need, lacks};
use std::collections::BTreeMap;
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::Path;

/// Each file's class, and where it came from.
type Classes = BTreeMap<String, (Class, Option<String>)>;

/// An audit's summary, with its counts, and the classes by names below the room.
struct Audited {
    summary: Summary,
    counts: Counts,
    classes: Classes,
}

fn audit_of(room: &Room, request: &Request) -> Audited {
    let mut classes = Classes::new();
    let mut take = |event: Event<'_>| {
        if let Event::Classed(change) = event {
            let from = change.from.as_ref().map(|from| below(room, from));
            assert_eq!(classes.insert(below(room, &change.name), (change.class, from)), None, "{change:?}");
        }
        Ok(())
    };
    let summary = check::run(request, &mut take, &Control::new()).unwrap();
    let Findings::Audit(counts) = summary.parts[0].findings else { panic!("{summary:?}") };
    let own = [Class::Matched, Class::MetadataOnly, Class::Modified, Class::BitRot].map(|class| counts.of(class));
    let own: u64 = own.iter().sum();
    let more = [Class::Moved, Class::Copied, Class::New, Class::Error].map(|class| counts.of(class));
    assert_eq!(counts.examined, own + more.iter().sum::<u64>(), "{counts:?}");
    assert_eq!(
        counts.expected,
        own + counts.of(Class::Moved) + counts.of(Class::Missing) + counts.unverified,
        "{counts:?}"
    );
    Audited { summary, counts, classes }
}

fn asked(room: &Room, list: &str, root: impl AsRef<Path>, parts: &[&str], follow: bool) -> Request {
    let below = parts.iter().map(|part| room.at(part).into_os_string()).collect();
    Request::new(room.at(list)).root(root.as_ref()).task(Task::Audit { below, follow })
}

fn audit(room: &Room, list: &str, root: impl AsRef<Path>) -> Audited {
    audit_of(room, &asked(room, list, root, &[], false))
}

impl Audited {
    fn verdict(&self) -> Verdict {
        self.summary.conclusion()
    }

    fn class(&self, name: &str) -> Class {
        self.classes.get(name).unwrap_or_else(|| panic!("{name} among {:?}", self.classes)).0
    }

    fn of(&self, class: Class) -> usize {
        self.classes.values().filter(|(one, _)| *one == class).count()
    }
}

#[cfg(unix)]
#[test]
fn every_change_has_its_class() {
    let room = tree();
    let d = room.at("d");
    room.file("d/twin", "content 0");
    list(&room, "m", "sha256", "jsonl", &["d"]);
    let before = audit(&room, "m", &d);
    assert_eq!((before.verdict(), before.of(Class::Matched), before.classes.len()), (Verdict::Verified, 8, 8));
    fs::write(d.join("1"), "another").unwrap();
    fs::rename(d.join("2"), d.join("sub/renamed")).unwrap();
    fs::copy(d.join("3"), d.join("copy")).unwrap();
    fs::remove_file(d.join("4")).unwrap();
    fs::write(d.join("new"), "new").unwrap();
    printed(&room, "touch -d 2001-01-01 d/5");
    fs::remove_file(d.join("sub/deep")).unwrap();
    symlink("/etc/passwd", d.join("sub/deep")).unwrap();
    let after = audit(&room, "m", &d);
    assert_eq!(after.verdict(), Verdict::Differs);
    let expected = [
        ("d/0", Class::Matched, None),
        ("d/1", Class::Modified, None),
        ("d/sub/renamed", Class::Moved, Some("d/2")),
        ("d/3", Class::Matched, None),
        ("d/copy", Class::Copied, Some("d/3")),
        ("d/4", Class::Missing, None),
        ("d/new", Class::New, None),
        ("d/5", Class::MetadataOnly, None),
        ("d/sub/deep", Class::Error, None),
        ("d/twin", Class::Matched, None),
    ];
    let expected = expected.map(|(name, class, from)| (name.to_owned(), (class, from.map(str::to_owned))));
    assert_eq!(after.classes, Classes::from(expected));
    // A part of the tree; at the rest of the manifest nobody looked.
    let part = audit_of(&room, &asked(&room, "m", &d, &["d/sub"], false));
    assert_eq!((part.of(Class::Unverified), part.of(Class::Missing)), (6, 0), "{:?}", part.classes);
}

#[test]
fn content_that_changed_without_a_write_is_bit_rot() {
    let room = tree();
    list(&room, "m", "sha256", "jsonl", &["d"]);
    // Nobody can change a file and keep its ctime: the manifest is made to say that the content was
    // another.
    let manifest = fs::read_to_string(room.at("m")).unwrap();
    let rotten = manifest.replace(&sha256("content 2").to_string(), &sha256("content X").to_string());
    assert_ne!(rotten, manifest);
    room.file("m", &rotten);
    let found = audit(&room, "m", room.at("d"));
    assert_eq!((found.verdict(), found.class("d/2"), found.of(Class::BitRot)), (Verdict::Differs, Class::BitRot, 1));
}

#[cfg(unix)]
#[test]
fn an_audit_finds_its_base() {
    let room = tree();
    list(&room, "absolute", "sha256", "jsonl", &["d"]);
    let text = fs::read_to_string(room.at("absolute")).unwrap();
    let root = format!("{}/", room.path().display());
    // As it is written in the room, and in the directory itself.
    room.file("relative", &text.replace(&root, ""));
    room.file("inside", &text.replace(&format!("{root}d/"), "./"));
    printed(&room, "cp -a d copy");
    for list in ["relative", "absolute", "inside"] {
        // The same tree, a copy that keeps times, a path with a slash behind it.
        for root in ["d", "copy", "d/"] {
            let found = audit(&room, list, room.at(root));
            let matched = found.counts.of(Class::Matched);
            assert_eq!((found.verdict(), matched), (Verdict::Verified, 7), "{list} {root}: {:?}", found.classes);
            let files = crate::check::Ended::of(&Request::new(room.at(list)).root(room.at(root)));
            assert_eq!(files.conclusion(), Verdict::Verified, "{list} {root}");
        }
    }
    // Without a root, absolute names say where they are.
    let rootless = Request::new(room.at("absolute")).task(Task::Audit { below: Vec::new(), follow: false });
    let found = audit_of(&room, &rootless);
    assert_eq!((found.verdict(), found.of(Class::Matched)), (Verdict::Verified, 7));
    assert!(matches!(&found.summary.parts[0].remarks[..], [Remark::Walked(_)]), "{:?}", found.summary);
    // Times that a copy does not keep are not an alarm either.
    printed(&room, "cp -r d young");
    let found = audit(&room, "relative", room.at("young"));
    assert_eq!((found.verdict(), found.counts.negative()), (Verdict::Verified, 0), "{:?}", found.classes);
    // hashdeep's manifests have absolute names unless it is asked for others.
    if lacks(&[Need::Program("hashdeep")]) {
        return;
    }
    room.file("theirs", &printed(&room, "hashdeep -r d"));
    assert_eq!(crate::check::of(&room, "theirs").conclusion(), Verdict::Verified);
    for root in ["d", "copy"] {
        assert_eq!(audit(&room, "theirs", room.at(root)).verdict(), Verdict::Verified, "{root}");
    }
}

#[test]
fn files_that_changed_places_were_moved() {
    let room = tree();
    list(&room, "m", "sha256", "jsonl", &["d"]);
    let d = room.at("d");
    let swap = |one: &str, other: &str| {
        fs::rename(d.join(one), d.join("between")).unwrap();
        fs::rename(d.join(other), d.join(one)).unwrap();
        fs::rename(d.join("between"), d.join(other)).unwrap();
    };
    swap("0", "1");
    // Rotated: 4 is the old 3, 3 the old 2, 2 is new.
    fs::remove_file(d.join("4")).unwrap();
    fs::rename(d.join("3"), d.join("4")).unwrap();
    fs::rename(d.join("2"), d.join("3")).unwrap();
    fs::write(d.join("2"), "begun again").unwrap();
    fs::write(d.join("5"), "changed").unwrap();
    // The name of 4 has two classes: the content of another, and its own, which is nowhere.
    let (mut rows, mut causes) = (Vec::new(), Vec::new());
    let mut take = |event: Event<'_>| {
        if let Event::Classed(change) = event {
            let from = change.from.as_ref().map(|from| below(&room, from));
            rows.push((below(&room, &change.name), change.class, from));
            if change.class == Class::Missing {
                causes.push(change.cause.clone());
            }
        }
        Ok(())
    };
    let summary = check::run(&asked(&room, "m", &d, &[], false), &mut take, &Control::new()).unwrap();
    assert_eq!(summary.conclusion(), Verdict::Differs);
    for (name, class, from) in [
        ("d/0", Class::Moved, Some("d/1")),
        ("d/1", Class::Moved, Some("d/0")),
        ("d/3", Class::Moved, Some("d/2")),
        ("d/4", Class::Moved, Some("d/3")),
        ("d/2", Class::New, None),
        ("d/5", Class::Modified, None),
        ("d/4", Class::Missing, None),
    ] {
        assert!(rows.contains(&(name.to_owned(), class, from.map(str::to_owned))), "{name} among {rows:?}");
    }
    assert_eq!(causes, [Some("its name is there, with the content of another".to_owned())]);
}

#[cfg(unix)]
#[test]
fn missing_is_not_said_of_what_nobody_looked_at() {
    let room = tree();
    symlink("sub", room.at("d/link")).unwrap();
    let mut request = pfh::hash::Request::new(input(&room, &["d"]), ["sha256".parse().unwrap()]);
    request.input.descend.links = Links::Follow;
    let manifest = pfh::hash::Manifest::new(room.at("m")).format("jsonl".parse().unwrap(), Default::default());
    pfh::hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
    let found = audit_of(&room, &asked(&room, "m", room.at("d"), &[], true));
    assert_eq!((found.verdict(), found.class("d/link/deep")), (Verdict::Verified, Class::Matched));
    // Files behind links, where they are not followed.
    let found = audit(&room, "m", room.at("d"));
    assert_eq!((found.verdict(), found.class("d/link/deep")), (Verdict::Incomplete, Class::Unverified));
    assert_eq!((found.counts.of(Class::Missing), found.counts.unverified), (0, 1));
    // Outside of the part that was asked for: no fault.
    for part in ["d/sub", "d/sub/"] {
        let found = audit_of(&room, &asked(&room, "m", room.at("d"), &[part], false));
        let classes = (found.class("d/0"), found.class("d/sub/deep"));
        assert_eq!((found.verdict(), classes), (Verdict::Verified, (Class::Unverified, Class::Matched)), "{part}");
        assert_eq!(found.counts.beyond, 7);
    }
    // Outside of the root.
    let sums = fs::read_to_string(list(&room, "sums", "sha256", "sums", &["d"])).unwrap();
    room.file("more", &format!("{sums}{}  {}\n", sha256("x"), room.at("e/x").display()));
    let found = audit(&room, "more", room.at("d"));
    assert_eq!((found.verdict(), found.class("e/x")), (Verdict::Incomplete, Class::Unverified), "{:?}", found.classes);
}

#[test]
fn hashdeeps_known_files_that_are_not_there() {
    if lacks(&[Need::Program("md5deep")]) {
        return;
    }
    let room = tree();
    let mut list = String::from_utf8(printed(&room, "md5deep -l -r d")).unwrap();
    list += "66666666666666666666666666666666  d/no/match/em\n";
    room.file("list", &list);
    let theirs = String::from_utf8(printed(&room, "md5deep -l -m list -n -r d || true")).unwrap();
    let found = audit(&room, "list", room.at("d"));
    let missing: Vec<&String> =
        found.classes.iter().filter(|(_, (c, _))| *c == Class::Missing).map(|(n, _)| n).collect();
    assert_eq!(
        (missing, found.verdict()),
        (theirs.lines().map(str::to_owned).collect::<Vec<_>>().iter().collect(), Verdict::Differs)
    );
    assert_eq!(theirs, "d/no/match/em\n");
}
