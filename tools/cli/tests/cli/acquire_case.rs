//! `pfh acquire --case-uco`: the statements of the document, held to the images themselves and,
//! where it is installed, to `case_validate` (PyPI: case-utils), which knows the shapes of CASE and
//! UCO.
#![cfg(unix)]

use crate::program::acquisition::{acquire, report};
use crate::program::case::{Document, describes, facet, hash};
use crate::program::{MIB, Room, digest_by, sha256};
use pfh_inject::{Loop, Need, Outcome, content, lacks};
use serde_json::Value;
use std::fs;

fn good(seen: &Outcome) -> &Outcome {
    assert_eq!(seen.code, Some(0), "{}", seen.stderr);
    seen
}

#[test]
fn a_raw_image_and_an_e01_are_described() {
    let room = Room::new();
    let bytes = content(1, MIB + 512);
    let source = room.file("source", &bytes);
    let at = |name: &str| room.path().join(name);
    let words = ["-a", "md5,sha1,sha256", "--case", "7", "--evidence", "7-1", "--examiner", "Ann Other", "--verify"];
    let seen = acquire(words)
        .args(["--description", "a stick", "--notes", "found in a drawer", "--case-uco"])
        .arg(at("case.jsonld"))
        .arg("--to")
        .arg(at("image.dd"))
        .arg("--to")
        .arg(at("image.E01"))
        .arg(&source)
        .run()
        .unwrap();
    good(&seen);
    let document = Document::open(&at("case.jsonld"));
    let [raw, e01] = document.of_class("uco-observable:Image")[..] else { panic!("two images") };
    for image in [raw, e01] {
        for (method, program) in [("MD5", "md5sum"), ("SHA1", "sha1sum"), ("SHA256", "sha256sum")] {
            assert_eq!(hash(image, method), Some(digest_by(program, &fs::read(at("image.dd")).unwrap()).as_str()));
        }
        assert_eq!(facet(image, "uco-observable:ContentDataFacet")["uco-observable:sizeInBytes"], MIB + 512);
        assert!(describes(image, "read back past the page cache, equal"), "{image}");
    }
    assert_eq!(facet(raw, "uco-observable:FileFacet")["uco-observable:fileName"], "image.dd");
    // The digests of the medium are not those of the file that it is packed in.
    assert_eq!(facet(e01, "uco-observable:FileFacet"), &Value::Null);
    let relation = document.only("uco-observable:ObservableRelationship");
    assert_eq!(relation["uco-core:source"]["@id"], e01["@id"]);
    let files = document.of_class("uco-observable:File");
    let packed = files.iter().find(|file| file["@id"] == relation["uco-core:target"]["@id"]).unwrap();
    let name = facet(packed, "uco-observable:FileFacet");
    assert_eq!(name["uco-observable:filePath"], at("image.E01").to_str().unwrap());
    assert_eq!(name["uco-observable:sizeInBytes"], fs::metadata(at("image.E01")).unwrap().len());
    assert_eq!(hash(packed, "MD5"), None);
    let action = document.only("case-investigation:InvestigativeAction");
    let named = |property: &str| {
        let id = &action[property]["@id"];
        document.nodes().iter().find(|node| node["@id"] == *id).unwrap_or_else(|| panic!("{property}: {action}"))
    };
    assert_eq!(action["uco-action:actionStatus"], "Success");
    assert_eq!(named("uco-action:performer")["uco-core:name"], "Ann Other");
    assert_eq!(named("uco-action:instrument")["uco-tool:version"], env!("CARGO_PKG_VERSION"));
    let read = named("uco-action:object");
    assert_eq!(read["uco-core:description"], "a stick");
    assert_eq!(facet(read, "uco-observable:FileFacet")["uco-observable:filePath"], source.to_str().unwrap());
    let record = document.only("case-investigation:ProvenanceRecord");
    assert_eq!(record["case-investigation:exhibitNumber"], "7-1");
    assert_eq!(record["uco-core:description"], "found in a drawer");
    assert_eq!(record["uco-core:object"].as_array().unwrap().len(), 3);
    assert_eq!(document.only("case-investigation:Investigation")["uco-core:name"], "7");
    let log = fs::read_to_string(at("image.dd.log.jsonl")).unwrap();
    assert!(log.contains(&sha256(&fs::read(at("case.jsonld")).unwrap())), "{log}");
    assert!(document.conforms(&[]));
}

#[test]
fn unreadable_areas_and_padding_are_described() {
    let room = Room::new();
    let source = room.file("source", &content(2, MIB + 5));
    let at = |name: &str| room.path().join(name);
    let map =
        room.file("faults", b"0 +\n0 0x1000 +\n0x1000 0x400 -\n0x1400 0x200 +\n0x1600 0x200 -\n0x1800 0x1000000 +\n");
    let seen = acquire(["-a", "sha256", "--map-as-faults"])
        .arg(map)
        .arg("--case-uco")
        .arg(at("case.jsonld"))
        .arg("--to")
        .arg(at("image"))
        .arg("--to")
        .arg(at("image.E01"))
        .arg(&source)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(3), "{}", seen.stderr);
    let document = Document::open(&at("case.jsonld"));
    let images = document.of_class("uco-observable:Image");
    assert_eq!(images.len(), 2);
    for image in images {
        assert!(describes(image, "1536 unreadable bytes of the source, in 2 runs, are filled in (zeros)"), "{image}");
        assert!(describes(image, "padded with 507 zero bytes"), "{image}");
        assert_eq!(hash(image, "SHA256").unwrap(), sha256(&fs::read(at("image")).unwrap()), "as written, fill and all");
    }
    let action = document.only("case-investigation:InvestigativeAction");
    assert_eq!(action["uco-action:actionStatus"], "Complete/Finish");
    assert!(describes(action, "on request"), "not by the disk: {action}");
    let range = |node: &&Value| {
        let facet = facet(node, "uco-observable:DataRangeFacet");
        (facet["uco-observable:rangeOffset"].as_u64().unwrap(), facet["uco-observable:rangeSize"].as_u64().unwrap())
    };
    let runs = document.of_class("uco-observable:ContentData");
    assert_eq!(runs.iter().map(range).collect::<Vec<_>>(), [(0x1000, 0x400), (0x1600, 0x200)]);
    assert!(document.conforms(&[]));
}

/// Two runs differ in the times and, for the names are made of all facts, in the names.
#[test]
fn the_same_acquisition_is_described_in_the_same_words() {
    let room = Room::new();
    let source = room.file("source", &content(3, 10_000));
    let (image, case) = (room.path().join("image"), room.path().join("case.jsonld"));
    let once = || {
        let trial =
            acquire(["--force", "--split", "4096", "--to"]).arg(&image).arg("--case-uco").arg(&case).arg(&source);
        good(&trial.run().unwrap());
        let document = Document::open(&case);
        let mut text = document.value.to_string();
        let mut names: Vec<&str> = text.split('"').filter(|word| word.starts_with("kb:")).collect();
        names.sort_unstable();
        names.dedup();
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        // By place: sorted names of one class may change theirs.
        let mut places: Vec<&String> = names.iter().collect();
        places.sort_by_key(|name| text.find(name.as_str()));
        let places: Vec<String> = places.into_iter().cloned().collect();
        for (number, name) in places.iter().enumerate() {
            text = text.replace(name.as_str(), &number.to_string());
        }
        let action = document.only("case-investigation:InvestigativeAction");
        for time in ["uco-action:startTime", "uco-action:endTime"] {
            text = text.replace(action[time]["@value"].as_str().unwrap(), time);
        }
        assert_eq!(document.of_class("uco-observable:File").len(), 4, "the source and three pieces");
        // BLAKE3 is not in the vocabulary, which is open: that is a remark, no violation.
        assert!(document.conforms(&["--allow-info"]));
        (text, names)
    };
    let ((text, names), (again, others)) = (once(), once());
    assert_eq!(text, again);
    assert!(names.iter().all(|name| !others.contains(name)), "two acquisitions share no name");
}

#[test]
fn devices_streams_parts_and_images_are_described() {
    let room = Room::new();
    let bytes = content(4, MIB);
    let source = room.file("source", &bytes);
    let at = |name: &str| room.path().join(name);
    let seen = acquire(["--skip", "4096", "--length", "8192", "--seek", "512", "-a", "md5", "--to"])
        .arg(at("part"))
        .arg("--case-uco")
        .arg(at("part.jsonld"))
        .arg(&source)
        .run()
        .unwrap();
    good(&seen);
    let document = Document::open(&at("part.jsonld"));
    assert!(describes(document.only("case-investigation:InvestigativeAction"), "8192 bytes from offset 4096"));
    let image = document.only("uco-observable:Image");
    assert_eq!(hash(image, "MD5").unwrap(), digest_by("md5sum", &bytes[4096..4096 + 8192]));
    assert!(describes(image, "starts at offset 512") && facet(image, "uco-observable:FileFacet").is_null(), "{image}");
    assert!(document.conforms(&[]));

    let case = at("stream.jsonld");
    let trial = acquire(["-a", "md5", "--to"]).arg(at("stream.E01")).arg("--case-uco").arg(&case);
    good(&trial.input(bytes.clone()).arg("-").run().unwrap());
    let document = Document::open(&case);
    assert_eq!(document.only("uco-observable:ObservableObject")["uco-core:name"], "standard input");
    assert!(document.conforms(&[]));

    let case = at("image.jsonld");
    let trial =
        acquire(["-a", "md5", "--image", "--to"]).arg(at("back")).arg("--case-uco").arg(&case).arg(at("stream.E01"));
    good(&trial.run().unwrap());
    let document = Document::open(&case);
    let [read, made] = document.of_class("uco-observable:Image")[..] else { panic!("two images") };
    assert_eq!(facet(read, "uco-observable:FileFacet")["uco-observable:fileName"], "stream.E01");
    assert_eq!(facet(read, "uco-observable:ContentDataFacet")["uco-observable:sizeInBytes"], MIB);
    assert_eq!((hash(read, "MD5"), hash(made, "MD5").unwrap()), (None, digest_by("md5sum", &bytes).as_str()));
    assert!(document.conforms(&[]));

    if lacks(&[Need::Loop]) {
        return;
    }
    let target = room.file("target", &vec![7; 2 * MIB as usize]);
    let (from, to) = (Loop::attach(&source, &["-r"]).unwrap(), Loop::attach(&target, &[]).unwrap());
    let seen = acquire(["-a", "md5", "--log"])
        .arg(at("log"))
        .arg("--map")
        .arg(at("map"))
        .arg("--case-uco")
        .arg(at("device.jsonld"))
        .arg("--to")
        .arg(to.path())
        .arg(from.path())
        .run()
        .unwrap();
    good(&seen);
    let document = Document::open(&at("device.jsonld"));
    let disk = document.only("uco-observable:Device");
    assert_eq!(facet(disk, "uco-observable:StorageMediumFacet")["uco-observable:totalStorageCapacityInBytes"], MIB);
    assert!(describes(disk, &format!("backing-file: {}", source.display())), "{disk}");
    let node = document.only("uco-observable:FileSystemObject");
    assert_eq!(facet(node, "uco-observable:FileFacet")["uco-observable:filePath"], to.path().to_str().unwrap());
    assert_eq!(hash(document.only("uco-observable:Image"), "MD5").unwrap(), digest_by("md5sum", &bytes));
    assert!(document.conforms(&[]));
}

/// Nobody must take the document of an earlier acquisition for that of one that failed.
#[test]
fn what_fails_leaves_no_document() {
    let room = Room::new();
    let source = room.file("source", &content(5, MIB));
    let (image, case) = (room.path().join("image"), room.path().join("case.jsonld"));
    let run = |words: &[&str]| {
        let trial = acquire(["-a", "md5", "--to"]).arg(&image).arg("--case-uco").arg(&case).args(words);
        trial.arg(&source).run().unwrap()
    };
    good(&run(&[]));
    let before = fs::read(&case).unwrap();
    let seen = run(&[]);
    assert_eq!(seen.code, Some(0), "it has ended: {}", seen.stderr);
    assert!(seen.stderr.contains("acquired before"), "{}", seen.stderr);
    assert_eq!(fs::read(&case).unwrap(), before, "that image is still whole");
    let faults = room.file("faults", b"0 +\n0 0x1000 +\n0x1000 0xff000 -\n");
    let seen = run(&["--force", "--max-errors", "3", "--map-as-faults", faults.to_str().unwrap()]);
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(!case.exists() && seen.stdout.is_empty());
}

#[test]
fn no_evidence_is_taken_for_a_document() {
    let room = Room::new();
    let at = |name: &str| room.path().join(name);
    let bytes = content(6, 4 * MIB);
    let source = room.file("source", &bytes);
    let mine = room.file("notes", b"mine");
    let link = at("link");
    std::os::unix::fs::symlink("source", &link).unwrap();
    for (number, name) in [&source, &link, &mine, &at("none/case")].into_iter().enumerate() {
        let trial = acquire(["--force", "--to"]).arg(at(&format!("image{number}"))).arg("--case-uco").arg(name);
        let seen = trial.arg(&source).run().unwrap();
        assert_eq!(seen.code, Some(2), "{}: {}", name.display(), seen.stderr);
        assert!(!at(&format!("image{number}")).exists());
    }
    assert!(fs::read(&source).unwrap() == bytes && fs::read(&mine).unwrap() == b"mine");
    // A name that the acquisition itself takes, in the middle.
    let segment = at("image.E02");
    let trial = acquire(["--compression", "none", "--split", "1MiB", "-a", "md5", "--case-uco"]).arg(&segment);
    let seen = trial.arg("--to").arg(at("image.E01")).arg(&source).run().unwrap();
    assert_eq!(seen.code, Some(4), "{}", seen.stderr);
    assert!(seen.stderr.contains("image.E02"), "{}", seen.stderr);
    assert!(fs::read(&segment).unwrap().starts_with(b"EVF"), "it is still a segment");
    // The image is there: the same command with another name goes on to the document.
    let case = at("case.jsonld");
    let trial = acquire(["--compression", "none", "--split", "1MiB", "-a", "md5", "--case-uco"]).arg(&case);
    let seen = trial.arg("--to").arg(at("image.E01")).arg(&source).run().unwrap();
    good(&seen);
    let document = Document::open(&case);
    let image = document.only("uco-observable:Image");
    assert_eq!(hash(image, "MD5").unwrap(), digest_by("md5sum", &bytes));
    assert_eq!(report(&seen)["digests"]["md5"], hash(image, "MD5").unwrap());
    assert!(describes(document.only("case-investigation:InvestigativeAction"), "went on with an earlier run"));
    let relations = document.of_class("uco-observable:ObservableRelationship").len();
    let segments = fs::read_dir(room.path()).unwrap().flatten();
    let segments = segments
        .filter(|entry| {
            entry.path().file_stem() == Some("image".as_ref())
                && entry.path().extension().is_some_and(|e| e.len() == 3 && e != "map" && e != "log")
        })
        .count();
    assert!(segments > 3 && relations == segments, "{relations} of {segments}");
}
