//! Verification by the logs of imaging tools.

use crate::imaged::{acquire, asked, findings, is_equal, verdict, verify};
use crate::room::Room;
use pfh::Control;
use pfh::verdict::Evidence;
use pfh::verify::{Request, Summary, Verdict};
use pfh_inject::{Need, content, lacks};
use std::fs;

const MIB: u64 = 1 << 20;

/// A copy by the operands of dd.
fn dd(room: &Room, operands: &str) {
    let at = |word: &str| {
        let (key, value) = word.split_once('=').unwrap();
        let is_path = ["if", "of", "hashlog"].contains(&key);
        format!("{key}={}", if is_path { room.at(value).display().to_string() } else { value.to_owned() }).into()
    };
    let operands: Vec<_> = operands.split(' ').map(at).collect();
    let request = pfh::dd::Request::parse(&operands, false).unwrap();
    pfh::dd::run(&request, &mut |_| Ok(()), &Control::new()).unwrap();
}

/// The verification of `IMAGE`, or of `IMAGE LOG`.
fn of(room: &Room, words: &str) -> Summary {
    let (image, log) = words.split_once(' ').map_or((words, None), |(image, log)| (image, Some(room.at(log))));
    let mut request = Request::image(room.at(image));
    request.log = log;
    verify(&request)
}

/// Whether the log states a digest of the image, and that is equal.
fn states(found: &Summary, log: &str) -> bool {
    is_equal(found, log) && found.equal().any(|one| matches!(one.evidence, Evidence::Digest(_)))
}

/// Changes a bit of an image, and gives the verification of that.
fn changed(room: &Room, image: &str, words: &str) -> Summary {
    let whole = fs::read(room.at(image)).unwrap();
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    fs::write(room.at(image), changed).unwrap();
    let found = of(room, words);
    fs::write(room.at(image), whole).unwrap();
    found
}

/// Verified as it is, and another image when a bit of it was changed.
#[track_caller]
fn is_evidence(room: &Room, image: &str, log: &str, words: &str) {
    let found = of(room, words);
    assert!(found.verdict() == Verdict::Verified && states(&found, log), "{words}: {found:?}");
    let found = changed(room, image, words);
    assert!(found.verdict() == Verdict::Differs, "{words}: {found:?}");
    assert!(found.sentence().contains("the image differs"), "{words}: {found:?}");
}

/// Verified as it is, and not compared when a bit of it was changed: the log does not state what it
/// covers.
#[track_caller]
fn verifies_and_does_not_accuse(room: &Room, image: &str, log: &str, words: &str) {
    let found = of(room, words);
    assert!(found.verdict() == Verdict::Verified && states(&found, log), "{words}: {found:?}");
    says_nothing(&changed(room, image, words), "it does not state how many bytes it covers");
}

/// Not compared, and why.
#[track_caller]
fn says_nothing(found: &Summary, why: &str) {
    let said = findings(found) + &found.missing().join("\n") + &found.sentence();
    assert!(found.verdict() == Verdict::NothingToCompareWith && said.contains(why), "{why}: {found:?}");
    assert!(!found.comparisons.iter().any(|one| one.is_unequal()), "{found:?}");
}

#[track_caller]
fn is_not_read(room: &Room, words: &str, why: &str) {
    says_nothing(&of(room, words), why);
}

#[test]
fn a_hash_log_of_dd() {
    let room = Room::new();
    room.file("s", &content(1, MIB));
    dd(&room, "if=s hash=md5,sha256 of=a.img hashlog=a.img.hashlog hashwindow=100k");
    is_evidence(&room, "a.img", "a.img.hashlog", "a.img");
    dd(&room, "if=s hash=md5,sha256 of=b.img hashlog=totals");
    is_evidence(&room, "b.img", "totals", "b.img totals");
    is_not_read(&room, "b.img", "nothing to compare with");
    let totals = fs::read_to_string(room.at("totals")).unwrap();
    room.file("totals", totals.split_once('\n').unwrap().1);
    verifies_and_does_not_accuse(&room, "b.img", "totals", "b.img totals");
    // Windows without a total, and lines that no such tool writes.
    let text = fs::read_to_string(room.at("a.img.hashlog")).unwrap();
    let windows = &text[..text.find("Total").unwrap()];
    for (changed, why) in [
        (windows.to_owned(), "it states no digest of all"),
        (String::new(), "it states no digest of all"),
        (format!("{text}and more\n"), "is not one of a hash log"),
        (format!("# 9 bytes at offset 0 of the output\n{text}"), "is not one of a hash log"),
        (text.replace("Total (md5)", "Total (sha1)"), "a digest that is not understood"),
    ] {
        room.file("a.img.hashlog", &changed);
        is_not_read(&room, "a.img", why);
    }
    // The log for people of an acquisition is none of these.
    acquire(&asked(&room, "s", "c.img"));
    assert_eq!(verdict(&room, "c.img"), Verdict::Verified);
}

/// The hash log states the offset and the length of the copied part.
#[test]
fn a_hash_log_of_dd_states_its_place() {
    let room = Room::new();
    room.file("s", &content(5, MIB));
    dd(&room, "if=s bs=4096 hash=md5 of=a.img seek=3 hashlog=a.img.hashlog");
    is_evidence(&room, "a.img", "a.img.hashlog", "a.img");
    let coverage = &of(&room, "a.img").comparisons[0].coverage;
    assert_eq!((&coverage.compared[..], coverage.sizes.0), (&[(12_288, 1 << 20)][..], 1_060_864));
    // Written into a file, whose end no log states.
    room.file("b.img", &content(6, 2 * MIB));
    dd(&room, "if=s bs=4096 hash=md5 of=b.img seek=3 conv=notrunc hashlog=b.img.hashlog");
    is_not_read(&room, "b.img", "b.img.hashlog");
    assert!(of(&room, "b.img").missing()[0].contains("bytes longer than"));
    let mut bytes = fs::read(room.at("b.img")).unwrap();
    bytes[MIB as usize] ^= 1;
    fs::write(room.at("b.img"), &bytes).unwrap();
    let found = of(&room, "b.img");
    assert!(found.verdict() == Verdict::Differs && found.sentence().contains("the image differs"), "{found:?}");
    bytes.truncate(MIB as usize);
    fs::write(room.at("b.img"), &bytes).unwrap();
    let found = of(&room, "b.img");
    assert_eq!(found.verdict(), Verdict::Differs);
    assert!(findings(&found).contains("states 1048576 bytes from offset 12288 on"), "{found:?}");
}

#[test]
fn logs_of_dc3dd() {
    if lacks(&[Need::Program("dc3dd")]) {
        return;
    }
    let room = Room::new();
    room.file("s", &content(2, MIB));
    room.file("odd", &content(3, 100_100));
    room.sh("dc3dd if=s of=a.img hash=md5 hash=sha256 log=a.log hlog=hashes.hlog");
    is_evidence(&room, "a.img", "a.log", "a.img");
    is_evidence(&room, "a.img", "hashes.hlog", "a.img hashes.hlog");
    room.sh("dc3dd if=odd hof=odd.img hash=sha1 hlog=hashlog.txt");
    is_evidence(&room, "odd.img", "hashlog.txt", "odd.img");
    room.sh("dc3dd if=s hofs=p.000 ofsz=400k hash=md5 log=p.log");
    is_evidence(&room, "p.001", "p.log", "p.000");
    // Of another image, without a digest, not at the start of the file.
    dd(&room, "if=s of=other.img");
    is_not_read(&room, "other.img", "nothing to compare with");
    room.sh("dc3dd if=s of=none.img log=none.log");
    is_not_read(&room, "none.img", "it states no digest");
    room.file("later.img", &[0; 2048]);
    room.sh("dc3dd if=s of=later.img oskip=4 hash=md5 log=later.log");
    is_not_read(&room, "later.img", "a part of the file");
}

#[test]
fn hash_logs_of_dcfldd() {
    if lacks(&[Need::Program("dcfldd")]) {
        return;
    }
    let room = Room::new();
    room.file("s", &content(4, MIB));
    room.sh("dcfldd if=s of=a.img hash=md5,sha256 hashwindow=256k hashlog=a.img.hashlog");
    is_evidence(&room, "a.img", "a.img.hashlog", "a.img");
    room.sh("dcfldd if=s of=b.img hash=sha256 sha256log=b.img.sha256.log");
    verifies_and_does_not_accuse(&room, "b.img", "b.img.sha256.log", "b.img");
    room.sh("dcfldd if=s of=c.img hash=md5 hashlog=totals.txt");
    verifies_and_does_not_accuse(&room, "c.img", "totals.txt", "c.img totals.txt");
    // Behind `seek=`, in a file that is longer, and in one that was cut: not compared.
    room.sh("dcfldd if=s of=d.img bs=4096 seek=3 hash=md5 hashlog=d.img.hashlog");
    is_not_read(&room, "d.img", "it does not state how many bytes it covers");
    room.sh("dcfldd if=s of=e.img bs=4096 seek=3 hash=md5 hashwindow=256k hashlog=e.img.hashlog");
    is_not_read(&room, "e.img", "it covers 1048576 of 1060864 bytes, and does not state which");
    let mut bytes = fs::read(room.at("a.img")).unwrap();
    bytes.push(0);
    fs::write(room.at("a.img"), &bytes).unwrap();
    is_not_read(&room, "a.img", "it covers 1048576 of 1048577 bytes, and does not state which");
    bytes.truncate(1000);
    fs::write(room.at("a.img"), &bytes).unwrap();
    is_not_read(&room, "a.img", "it covers 1048576 bytes, and the image has 1000");
}
