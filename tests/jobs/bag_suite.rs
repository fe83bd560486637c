//! Bags by RFC 8493: the conformance suite, the changes that an update takes, and links that lead
//! out.

use crate::bag::{found, run};
use crate::room::Room;
use crate::rows::{algorithms, printed};
use pfh::bag::{self, Problem, Request, Severity};
use pfh::job::Kind;
use pfh::{Control, Verdict};
use pfh_inject::{Need, digest_by, lacks};
use std::collections::BTreeMap;
use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
use std::path::Path;

fn read(room: &Room, name: &str) -> String {
    fs::read_to_string(room.at(name)).unwrap()
}

fn made(room: &Room, name: &str, by: &str) -> Request {
    let request = Request::new(room.at(name));
    run(bag::create, &request.clone().algorithms_of(algorithms(by))).0.unwrap();
    request
}

fn verdict(request: &Request) -> Verdict {
    run(bag::validate, request).0.unwrap().verdict()
}

/// The Library of Congress's suite (`vectors/bagit`), written out.
#[test]
fn the_conformance_suite_passes() {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors/bagit/suite.json");
    let files: BTreeMap<String, serde_json::Value> = serde_json::from_slice(&fs::read(suite).unwrap()).unwrap();
    let room = Room::new();
    let mut bags: BTreeMap<String, String> = BTreeMap::new();
    for (name, content) in &files {
        let bytes = match content["base64"].as_str() {
            Some(text) => data_encoding::BASE64.decode(text.as_bytes()).unwrap(),
            None => content.as_str().unwrap().as_bytes().to_vec(),
        };
        room.file(name, &bytes);
        let parts: Vec<&str> = name.split('/').collect();
        if parts.len() > 3 {
            bags.insert(parts[..3].join("/"), parts[1].to_owned());
        }
    }
    let mut wrong = Vec::new();
    for (bag, kind) in &bags {
        let (ran, findings) = run(bag::validate, &Request::new(room.at(bag)));
        let (valid, invalid, warned) = match &ran {
            Ok(summary) => {
                (summary.verdict() == Verdict::Verified, summary.verdict() == Verdict::Differs, summary.warnings > 0)
            }
            Err(error) => (false, error.kind() == Kind::Negative, false),
        };
        let right = match &**kind {
            "valid" => valid,
            "invalid" | "linux-only" => invalid,
            _ => invalid || valid && warned,
        };
        if !right {
            wrong.push(format!("{bag}: {ran:?} {findings:?}"));
        }
    }
    assert!(bags.len() > 50, "{}", bags.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(unix)]
#[test]
fn a_bag_is_made_validated_and_updated() {
    let room = Room::new();
    room.file("b/data/letter", "Dear Ada");
    room.file("b/data/d/100%\n", "odd");
    room.file("b/about.txt", "a tag file of the owner's");
    let request = Request::new(room.at("b"));
    let asked = request.clone().algorithms_of(algorithms("sha256,md5,sha3-256"));
    let summary = run(bag::create, &asked.info(vec![("Source-Organization".into(), "Archive".into())])).0.unwrap();
    assert_eq!((summary.files, summary.bytes, summary.algorithms.len()), (2, 11, 3));
    assert_eq!(read(&room, "b/bagit.txt"), "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    let letter = format!("{}  data/letter\n", digest_by("md5sum", b"Dear Ada"));
    assert!(read(&room, "b/manifest-md5.txt").ends_with(&letter), "{}", read(&room, "b/manifest-md5.txt"));
    assert!(read(&room, "b/manifest-sha3256.txt").contains("  data/d/100%25%0A\n"));
    assert!(read(&room, "b/bag-info.txt").ends_with("Payload-Oxum: 11.2\nSource-Organization: Archive\n"));
    assert!(read(&room, "b/tagmanifest-sha256.txt").contains("  about.txt\n"));
    let (ran, _) = run(bag::validate, &request);
    let summary = ran.unwrap();
    let by: Vec<String> = summary.algorithms.iter().map(ToString::to_string).collect();
    assert_eq!(
        (summary.verdict(), summary.files, by.join(",").as_str()),
        (Verdict::Verified, 2, "md5,sha256,sha3-256")
    );
    // Its manifest is one that `check` reads, but a bag is more: names are encoded.
    let ended = crate::check::Ended::of(&pfh::check::Request::new(room.at("b/manifest-md5.txt")).root(room.at("b")));
    assert_eq!(
        (ended.conclusion(), ended.names(pfh::check::FileOutcome::Right)),
        (Verdict::Differs, vec!["data/letter"])
    );
    assert!(matches!(run(bag::create, &request).0.unwrap_err().find(), Some(Problem::IsBag(_))));
    // Added and removed files are taken; changed files are not, unless that is said.
    room.file("b/data/new", "new");
    fs::remove_file(room.at("b/data/d/100%\n")).unwrap();
    assert_eq!(verdict(&request), Verdict::Differs);
    let findings = found(bag::validate, &request);
    for (path, what) in [("data/new", "is in no manifest"), ("data/d/100%\n", "is missing")] {
        let finding = (Severity::Error, path.to_owned(), what.to_owned());
        assert!(findings.contains(&finding), "{findings:?}");
    }
    let mut updated = Vec::new();
    let mut take = |event: bag::Event<'_>| {
        if let bag::Event::Updated(name, is_there) = event {
            updated.push((String::from_utf8(name.to_vec()).unwrap(), is_there));
        }
        Ok(())
    };
    let more = request.clone().algorithms_of(algorithms("sha512"));
    bag::update(&more, &mut take, &Control::new()).unwrap();
    assert_eq!(updated, [("data/d/100%\n".to_owned(), false), ("data/new".to_owned(), true)]);
    assert_eq!(verdict(&request), Verdict::Verified);
    assert!(read(&room, "b/manifest-sha512.txt").contains("  data/new\n"));
    assert!(read(&room, "b/bag-info.txt").contains("Payload-Oxum: 11.2\nSource-Organization: Archive\n"));
    room.file("b/data/letter", "Dear Bob");
    let before = read(&room, "b/manifest-md5.txt");
    let error = run(bag::update, &request).0.unwrap_err();
    assert!(error.kind() == Kind::Negative && read(&room, "b/manifest-md5.txt") == before, "{error}");
    let what = "its content is not that of manifest-md5.txt";
    let finding = (Severity::Error, "data/letter".to_owned(), what.to_owned());
    assert!(found(bag::update, &request).contains(&finding), "{:?}", found(bag::update, &request));
    run(bag::update, &request.clone().replace(true)).0.unwrap();
    assert_eq!(verdict(&request), Verdict::Verified);
    room.file("b/about.txt", "another");
    assert_eq!(verdict(&request), Verdict::Differs);
}

#[cfg(unix)]
#[test]
fn what_is_not_a_bag_or_cannot_be_one() {
    let room = Room::new();
    room.file("loose/letter", "x");
    let loose = Request::new(room.at("loose"));
    assert_eq!(verdict(&loose), Verdict::Differs);
    for name in ["nowhere", "loose/letter"] {
        let error = run(bag::validate, &Request::new(room.at(name))).0.unwrap_err();
        assert_eq!((error.kind(), error.path()), (Kind::Input, Some(&*room.at(name))), "{error}");
    }
    let error = run(bag::update, &loose).0.unwrap_err();
    assert!(matches!(error.find(), Some(Problem::NoBag { .. })) && error.kind() == Kind::Request, "{error}");
    let error = run(bag::create, &loose).0.unwrap_err();
    assert!(matches!(error.find(), Some(Problem::NoData(_))) && error.kind() == Kind::Request, "{error}");
    // Files that no manifest can list: nothing is written.
    room.file("l/data/one", "x");
    symlink("one", room.at("l/data/link")).unwrap();
    let linked = Request::new(room.at("l"));
    let error = run(bag::create, &linked).0.unwrap_err();
    assert!(matches!(error.find(), Some(Problem::Files(1))) && error.kind() == Kind::Input, "{error}");
    let findings = found(bag::create, &linked);
    assert!(
        findings.iter().any(|(_, path, what)| path == "data/link" && what.contains("is a symbolic link")),
        "{findings:?}"
    );
    assert_eq!(crate::room::names(&room.at("l")), ["data"]);
}

#[cfg(unix)]
#[test]
fn names_that_lead_out_are_refused_and_nothing_is_fetched() {
    let room = Room::new();
    room.file("secret", "secret");
    room.file("b/data/letter", "x");
    let request = made(&room, "b", "md5");
    fs::remove_file(room.at("b/tagmanifest-md5.txt")).unwrap();
    let manifest = read(&room, "b/manifest-md5.txt");
    let secret = digest_by("md5sum", b"secret");
    for name in
        ["../secret", "data/../../secret", "/etc/passwd", "~/secret", "~root/x", "data/%0a/../../../secret", "secret"]
    {
        room.file("b/manifest-md5.txt", &format!("{manifest}{secret}  {name}\n"));
        assert_eq!(verdict(&request), Verdict::Differs, "{name}");
        let findings = found(bag::validate, &request);
        let is_named = |(_, path, what): &(Severity, String, String)| {
            path == "manifest-md5.txt" && what.starts_with("line 2: has ")
        };
        assert!(findings.iter().any(is_named), "{name}: {findings:?}");
    }
    // A tag manifest must not lead out by a link either.
    room.file("b/manifest-md5.txt", &manifest);
    symlink("../secret", room.at("b/out")).unwrap();
    room.file("b/tagmanifest-md5.txt", &format!("{secret}  out\n"));
    assert_eq!(verdict(&request), Verdict::Incomplete);
    // Nor does an update read the target of the link.
    let (ran, findings) = run(bag::update, &request);
    ran.unwrap();
    assert!(findings.contains(&(Severity::Warning, "out".to_owned())), "{findings:?}");
    assert!(!read(&room, "b/tagmanifest-md5.txt").contains("out"));
    fs::remove_file(room.at("b/tagmanifest-md5.txt")).unwrap();
    // To be fetched: not complete, and not wrong.
    room.file("b/manifest-md5.txt", &format!("{manifest}{secret}  data/far\n"));
    assert_eq!(verdict(&request), Verdict::Differs, "missing");
    room.file("b/fetch.txt", "http://127.0.0.1:9/far 6 data/far\n");
    let summary = run(bag::validate, &request).0.unwrap();
    assert_eq!((summary.verdict(), summary.fetch), (Verdict::Incomplete, 1));
    let what = "is yet to be fetched from http://127.0.0.1:9/far";
    let findings = found(bag::validate, &request);
    assert!(findings.contains(&(Severity::Incomplete, "data/far".into(), what.into())), "{findings:?}");
    run(bag::update, &request).0.unwrap();
    assert!(read(&room, "b/manifest-md5.txt").contains("data/far"));
    assert_eq!(verdict(&request), Verdict::Incomplete);
    let error = run(bag::update, &request.clone().algorithms_of(algorithms("sha256"))).0.unwrap_err();
    assert_eq!(error.kind(), Kind::Request, "there is no sha256 of it: {error}");
    room.file("b/data/far", "secret");
    run(bag::update, &request).0.unwrap();
    assert_eq!(verdict(&request), Verdict::Verified);
    // An unknown algorithm is named, and in the verdict.
    room.file("b/manifest-snefru.txt", "00  data/letter\n00  data/far\n");
    assert_eq!(verdict(&request), Verdict::Incomplete);
    let findings = found(bag::validate, &request);
    let unknown = |one: &(Severity, String, String)| one.1 == "manifest-snefru.txt" && one.2.contains("not known here");
    assert!(findings.iter().any(unknown), "{findings:?}");
}

/// A file elsewhere is not in the bag, even if the bag names it, and nothing is written there.
#[cfg(unix)]
#[test]
fn links_in_a_bag_are_not_followed() {
    let room = Room::new();
    room.file("b/data/letter", "x");
    room.file("away/letter", "x");
    let request = made(&room, "b", "md5");
    fs::rename(room.at("b/data"), room.at("kept")).unwrap();
    symlink("../away", room.at("b/data")).unwrap();
    let (ran, findings) = run(bag::validate, &request);
    assert_eq!(ran.unwrap().verdict(), Verdict::Differs);
    assert!(findings.contains(&(Severity::Error, "data".to_owned())), "{findings:?}");
    assert_eq!(run(bag::update, &request).0.unwrap_err().kind(), Kind::Request);
    fs::remove_file(room.at("b/data")).unwrap();
    fs::rename(room.at("kept"), room.at("b/data")).unwrap();
    assert_eq!(verdict(&request), Verdict::Verified);
    fs::rename(room.at("b/manifest-md5.txt"), room.at("away/m")).unwrap();
    symlink("../away/m", room.at("b/manifest-md5.txt")).unwrap();
    let (ran, findings) = run(bag::validate, &request);
    assert_eq!(ran.unwrap().verdict(), Verdict::Differs);
    assert!(findings.contains(&(Severity::Incomplete, "manifest-md5.txt".to_owned())), "{findings:?}");
    let is_link = |one: &(Severity, String, String)| one.2.starts_with("open: is a symbolic link");
    assert!(found(bag::validate, &request).iter().any(is_link), "{:?}", found(bag::validate, &request));
    symlink("away", room.at("data")).unwrap();
    assert_eq!(run(bag::create, &Request::new(room.path())).0.unwrap_err().kind(), Kind::Request);
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_link_of_a_bag() {
    for name in ["bag-info.txt", "bagit.txt", "manifest-sha512.txt", "tagmanifest-sha512.txt"] {
        for target in ["../h/keys", "/proc/self/cwd/h/keys", "../h/none"] {
            for is_update in [true, false] {
                let room = Room::new();
                room.file("b/data/f", "1");
                room.file("h/keys", "owner");
                let request = Request::new(room.at("b")).replace(!is_update);
                if is_update {
                    run(bag::create, &request).0.unwrap();
                    let _ = fs::remove_file(room.at("b").join(name));
                }
                symlink(target, room.at("b").join(name)).unwrap();
                let verb = if is_update { bag::update } else { bag::create };
                let error = run(verb, &request).0.unwrap_err();
                assert!(matches!(error.kind(), Kind::Request | Kind::Input), "{name} {target}: {error}");
                assert_eq!(fs::read(room.at("h/keys")).unwrap(), b"owner", "{name} {target}");
                assert_eq!(crate::room::names(&room.at("h")), ["keys"], "{name} {target}");
            }
        }
    }
}

/// The reference implementation validates our bags, and we validate its bags.
#[test]
fn beside_bagit_py() {
    if lacks(&[Need::Program("bagit.py")]) {
        return;
    }
    let room = Room::new();
    let is_valid =
        |name: &str| printed(&room, &format!("bagit.py --validate {name} 2>/dev/null && echo yes || true")) == b"yes\n";
    for (name, by) in [("one", "md5"), ("two", "sha256,sha512"), ("three", "sha1,sha3-256,blake2b")] {
        // bagit.py 1.9 does not decode percent signs, which RFC 8493 encodes.
        room.file(format!("{name}/data/d/two\nlines"), "content");
        room.file(format!("{name}/data/empty"), "");
        let request = made(&room, name, by);
        assert!(is_valid(name), "{name}");
        room.file(format!("{name}/data/more"), "more");
        assert!(!is_valid(name), "{name}");
        run(bag::update, &request).0.unwrap();
        assert!(is_valid(name), "{name}");
    }
    for options in ["--md5", "--sha256 --sha512", "--sha1 --sha3_256 --processes 2"] {
        let name = options.replace([' ', '-'], "");
        room.file(format!("{name}/d/file"), "content");
        room.file(format!("{name}/x"), "");
        printed(&room, &format!("bagit.py {options} --contact-name Ada {name} 2>&1"));
        let request = Request::new(room.at(&name));
        assert_eq!(verdict(&request), Verdict::Verified, "{options}");
        room.file(format!("{name}/data/x"), "x");
        assert_eq!(verdict(&request), Verdict::Differs, "{options}");
    }
}
