//! Dumps of storage sites as manifests: a name, perhaps a size, and an Adler-32.

use crate::check::{Ended, of};
use crate::room::Room;
use crate::rows::{algorithms, printed};
use pfh::check::{FileOutcome, Request, Verdict};
use pfh_inject::{Need, lacks, random};

/// Files with their sizes, and the numbers that zlib gives for them. The first number has fewer
/// than eight digits.
fn filled(room: &Room, below: &str) -> Vec<(String, u64, u32)> {
    let mut found = Vec::new();
    for (name, length) in [("a", 3), ("b c", 100_000), ("deep/d", 5), ("empty", 0)] {
        let path = room.file(format!("{below}{name}"), &random(length, length as usize));
        let code = "import sys,zlib; print(zlib.adler32(open(sys.argv[1],\"rb\").read()))";
        let sum = printed(room, &format!("python3 -c '{code}' '{}'", path.display()));
        found.push((name.to_owned(), length, String::from_utf8(sum).unwrap().trim().parse().unwrap()));
    }
    found
}

#[test]
fn each_form_verifies_and_finds_a_changed_file() {
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    let room = Room::new();
    let files = filled(&room, "");
    let root = room.path().to_str().unwrap().to_owned();
    type Form = fn(&str, u64, u32) -> String;
    let forms: [(&str, &str, Form); 8] = [
        ("absolute", "", |name, _, sum| format!("{name} {sum:08x}")),
        ("bare", "", |name, _, sum| format!("{name} {sum:x}")),
        ("prefixed", "", |name, _, sum| format!("{name} adler32:{sum:08x}")),
        ("sized", "", |name, size, sum| format!("{name},{size},{sum:08X}")),
        ("columns", "", |name, size, sum| format!("{name}\t{size}\tadler32:{sum:x}")),
        ("dump.adler32", "", |name, _, sum| format!("{name} {sum:x}")),
        ("said", "adler32", |name, _, sum| format!("{name} {sum:08x}")),
        ("reversed", "adler32", |name, _, sum| format!("{sum:x} {name}")),
    ];
    for (list, by, form) in forms {
        let is_relative = list == "dump.adler32" || !by.is_empty();
        let name = |name: &str| if is_relative { name.to_owned() } else { format!("{root}/{name}") };
        let lines: String = files.iter().map(|(file, size, sum)| form(&name(file), *size, *sum) + "\n").collect();
        let mut request = Request::new(room.file(list, &lines)).algorithms(algorithms(by));
        if is_relative {
            request = request.root(room.path());
        }
        let ended = Ended::of(&request);
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right).len()), (Verdict::Verified, 4), "{list}");
        assert_eq!(ended.algorithms(), ["adler32"], "{list}");
        room.file("deep/d", "other");
        let ended = Ended::of(&request);
        assert_eq!((ended.conclusion(), ended.names(FileOutcome::Wrong)), (Verdict::Differs, vec![&*name("deep/d")]));
        room.file("deep/d", &random(5, 5));
    }
}

#[test]
fn a_list_without_a_sign_is_settled_by_its_files() {
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    let room = Room::new();
    // Names that do not begin at the root: the form of an SFV.
    let lines: String = filled(&room, "").iter().map(|(name, _, sum)| format!("{name} {sum:08x}\n")).collect();
    room.file("list", &lines);
    let ended = of(&room, "list");
    assert_eq!((ended.conclusion(), ended.algorithms()), (Verdict::Verified, vec!["adler32".to_owned()]));
    // A file of this name says its format.
    room.file("list.sfv", &lines);
    assert_eq!(of(&room, "list.sfv").conclusion(), Verdict::Differs);
}

/// A site's dump beside the site's catalogue: neither reads a file of the site.
#[cfg(feature = "audit")]
#[test]
fn a_dump_is_compared_with_a_catalogue() {
    use crate::diff_sides::{between, differing};
    use pfh::diff::Class;
    use pfh::tree::catalogue::{self, Request, Verb};
    if lacks(&[Need::Program("python3")]) {
        return;
    }
    let room = Room::new();
    let files = filled(&room, "site/");
    let request = Request::new(room.at("site"), Verb::Build(algorithms("adler32")[0]));
    catalogue::run(&request, &mut |_| Ok(()), &pfh::Control::new()).unwrap();
    std::fs::rename(room.at("site"), room.at("away")).unwrap();
    let dump = |files: &[(String, u64, u32)]| {
        let line = |(name, size, sum): &(String, u64, u32)| format!("/store/vo/{name},{size},{sum:08x}\n");
        room.file("dump", &files.iter().map(line).collect::<String>());
        between(&room, "dump", "site.pfhtree")
    };
    let (summary, rows) = dump(&files);
    assert_eq!((summary.verdict(), differing(&rows)), (pfh::Verdict::Verified, vec![]));
    // Another sum, a file that the site has not, and dark data: a file that the dump has not.
    let mut other = files.clone();
    other[1].2 ^= 1;
    other[3].0 = "gone".into();
    let (summary, rows) = dump(&other);
    assert_eq!(summary.verdict(), pfh::Verdict::Differs);
    let mut found = differing(&rows);
    found.retain(|(_, name, _)| name == "b c");
    assert_eq!(found, [(Class::Changed, "b c".into(), None)], "{rows:?}");
    let names: Vec<String> =
        differing(&rows).into_iter().flat_map(|(_, name, from)| [Some(name), from]).flatten().collect();
    assert!(["gone", "empty"].iter().all(|name| names.contains(&(*name).to_owned())), "{rows:?}");
    assert!(!names.contains(&"deep/d".to_owned()), "{rows:?}");
    // A catalogue that was changed behind its root is none.
    let code =
        "import sqlite3,sys; c=sqlite3.connect(sys.argv[1]); c.execute(\"update entries set size=7\"); c.commit()";
    printed(&room, &format!("python3 -c '{code}' site.pfhtree"));
    let request = pfh::diff::Request::new(room.at("dump"), room.at("site.pfhtree"));
    let error = pfh::diff::run(&request, &mut |_| Ok(()), &pfh::Control::new()).unwrap_err();
    assert_eq!(error.kind(), pfh::job::Kind::Input, "{error}");
}

#[cfg(feature = "known")]
#[test]
fn checksums_identify_nothing_in_a_known_set() {
    let room = Room::new();
    let dump = room.file("dump", "/store/a 03da0195\n/store/b 13da0195\n");
    let request = pfh::known::build::Request::new(room.at("set")).set(&dump, pfh::known::Class::Bad);
    let (ran, faults) = crate::known_files::built(&request);
    assert_eq!((ran.unwrap().is_complete(), faults), (false, vec![(dump.clone(), 1), (dump, 2)]));
}
