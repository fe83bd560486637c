//! Lists that cannot be read, or only in part, and sets that hold nothing: no verdict passes over
//! them.

use crate::known_files::{Answered, against, asked, built, of_class};
use crate::room::Room;
use pfh::known::{Class, KnownStatus, build};
use pfh::matching::Sets;
use pfh::{Verdict, sha256};
use pfh_inject::digest_by;

const BAD: &[KnownStatus] = &[KnownStatus::KnownBad];

/// The set `known` of these lists, as bad.
fn build_of(room: &Room, lists: &[&str]) -> build::Request {
    let mut request = build::Request::new(room.at("known"));
    request.replace = true;
    lists.iter().fold(request, |request, list| request.set(room.at(list), Class::Bad))
}

#[test]
fn feeds_of_any_shape_are_read() {
    let room = Room::new();
    room.file("evil", "evil");
    let (md5, sha256) = (digest_by("md5sum", b"evil"), sha256("evil"));
    let hashes = format!("\"hashes\":[{{\"alg\":\"SHA-256\",\"content\":\"{sha256}\"}}]");
    for (name, feed) in [
        ("array.json", format!("[{{\"md5\":\"{md5}\"}}]")),
        ("lines.json", format!("{{\"md5\":\"{md5}\",\"sha256\":\"{sha256}\"}}\n")),
        ("data.json", format!("{{\"data\":[{{\"sha256\":\"{sha256}\"}}]}}")),
        ("bom.json", format!("{{\"bomFormat\":\"CycloneDX\",\"components\":[{{{hashes}}}]}}")),
    ] {
        room.file(name, &feed);
        assert!(built(&build_of(&room, &[name])).0.unwrap().is_complete(), "{name}");
        for set in [name, "known"] {
            let request = of_class(&room, &[set], "bad", &["evil"]);
            let answered = Answered::of(&request);
            assert_eq!((answered.names("known-bad"), answered.gaps.len()), (vec!["evil"], 0), "{name} {set}");
            assert_eq!(answered.conclusion(&request, BAD), Verdict::Differs);
        }
    }
}

#[test]
fn a_set_of_no_digests_is_named_and_no_verdict_rests_on_it() {
    let room = Room::new();
    room.file("good", "good");
    room.file("good.txt", &format!("{}\n", sha256("good")));
    for (name, content) in [
        ("empty", ""),
        ("comment", "# nothing\n"),
        ("shape.json", "{\"rows\":[[\"a\",1]]}"),
        ("other.json", "{\"data\":[{\"name\":\"a\"}]}"),
        ("plain.dfxml", "<?xml version='1.0'?>\n<dfxml><fileobject><filename>a</filename></fileobject></dfxml>\n"),
    ] {
        room.file(name, content);
        let summary = built(&build_of(&room, &[name, "good.txt"])).0.unwrap();
        let empty: Vec<&str> = summary.empty().map(|set| &*set.source).collect();
        assert!(!summary.is_complete() && empty.len() == 1 && empty[0].contains(name), "{name}: {empty:?}");
        // The file that was built says it again, and so does the list by itself; beside a good one
        // and alone.
        for sets in [&["known"][..], &[name, "good.txt"], &[name]] {
            let request = against(&room, sets, &["good"]);
            let answered = Answered::of(&request);
            let verdict = answered.conclusion(&request, &[KnownStatus::Unknown]);
            let alone = sets == [name];
            let expected = if alone { Verdict::NothingToCompareWith } else { Verdict::Incomplete };
            assert_eq!(verdict, expected, "{name} of {sets:?}: {:?}", answered.gaps);
            assert!(answered.gaps.iter().any(|gap| gap.contains("holds no digest")), "{name}: {:?}", answered.gaps);
        }
        let digests = vec![sha256("good").to_string()];
        let (summary, _) = asked(Sets { digests, ..Sets::new([room.at(name)]) });
        assert_eq!(summary.conclusion(&[KnownStatus::Unknown]), Verdict::Incomplete, "{name}");
    }
}

/// One law: the count, an example by its line, and the verdict, in every job.
#[test]
fn a_list_that_is_read_in_part_is_incomplete_everywhere() {
    let room = Room::new();
    room.file("a", "a");
    let digest = digest_by("md5sum", b"a");
    let list = room.file("l", &format!("{digest}  a\nhello world\n"));
    let (ran, faults) = built(&build_of(&room, &["l"]));
    assert_eq!((ran.unwrap().is_complete(), faults), (false, vec![(list.clone(), 2)]));
    let request = against(&room, &["l"], &["a"]);
    let answered = Answered::of(&request);
    assert_eq!((answered.conclusion(&request, &[]), answered.names("known")), (Verdict::Incomplete, vec!["a"]));
    let line = format!("{}:2: ", list.display());
    assert!(answered.gaps.iter().any(|gap| gap.starts_with(&line)), "{:?}", answered.gaps);
    let (summary, _) = asked(Sets { digests: vec![digest.clone()], ..Sets::new([list]) });
    assert_eq!((summary.conclusion(&[]), summary.gaps), (Verdict::Incomplete, 1));
    // Known-bad files stay known-bad.
    let request = of_class(&room, &["l"], "bad", &["a"]);
    assert_eq!(Answered::of(&request).conclusion(&request, BAD), Verdict::Differs);
    // Each of a thousand faults is counted.
    room.file("many", &format!("{digest}\n{}", "hello\n".repeat(1000)));
    let request = against(&room, &["many"], &["a"]);
    let answered = Answered::of(&request);
    assert_eq!((answered.conclusion(&request, &[]), answered.gaps.len()), (Verdict::Incomplete, 1002));
    let [.., part, taken] = &answered.gaps[..] else { panic!("{:?}", answered.gaps) };
    assert!(part.contains("read in part: 1000 places") && taken.contains("taken for md5"), "{part} {taken}");
}

/// NSRL's special code M makes a file bad under any name of the list, built or not.
#[test]
fn special_codes_mean_the_same_in_lists_and_in_sets() {
    let room = Room::new();
    room.file("evil", "evil");
    let (sha1, md5) = (digest_by("sha1sum", b"evil"), digest_by("md5sum", b"evil"));
    let head = "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"";
    let table = format!("{head}\n\"{sha1}\",\"{md5}\",\"00000000\",\"evil\",4,1,\"WIN\",\"M\"\n");
    let list = room.file("NSRLFile.txt", &table);
    let request = build::Request::new(room.at("known")).set(list, Class::Good);
    assert!(built(&request).0.unwrap().is_complete());
    for set in ["NSRLFile.txt", "known"] {
        let request = against(&room, &[set], &["evil"]);
        let answered = Answered::of(&request);
        assert_eq!(
            (answered.names("known-bad"), answered.conclusion(&request, BAD)),
            (vec!["evil"], Verdict::Differs),
            "{set}"
        );
        let (summary, rows) = asked(Sets { digests: vec![sha1.clone()], ..Sets::new([room.at(set)]) });
        assert_eq!((rows[0].0, summary.conclusion(BAD)), ("known-bad", Verdict::Differs), "{set}");
    }
}

#[test]
fn a_digest_is_looked_up() {
    let room = Room::new();
    let list = room.file("list.txt", &format!("{}\n", sha256("in")));
    let of = |digest: String| {
        let (summary, rows) = asked(Sets { digests: vec![digest], ..Sets::new([&list]) });
        assert_eq!(rows.len(), 1);
        (rows[0].0, summary.conclusion(&[KnownStatus::Unknown]))
    };
    assert_eq!(of(sha256("in").to_string()), ("known", Verdict::Verified));
    assert_eq!(of(sha256("out").to_string().to_uppercase()), ("unknown", Verdict::Differs));
    // No set has an MD5, so nothing is said of this one.
    assert_eq!(of(digest_by("md5sum", b"in")), ("nothing-to-compare-with", Verdict::Incomplete));
}

#[cfg(unix)]
#[test]
fn a_list_without_a_class_is_reported_and_a_bad_one_is_not() {
    let room = Room::new();
    ["evil", "other"].iter().for_each(|name| drop(room.file(format!("tree/{name}"), name)));
    std::os::unix::fs::symlink("evil", room.at("tree/link")).unwrap();
    room.file("malware.txt", &format!("{}\n", sha256("evil")));
    let request = against(&room, &["malware.txt"], &["tree"]);
    let answered = Answered::of(&request);
    assert_eq!((answered.conclusion(&request, BAD), answered.classless), (Verdict::Verified, 1));
    let request = of_class(&room, &["malware.txt"], "bad", &["tree"]);
    let answered = Answered::of(&request);
    assert_eq!((answered.conclusion(&request, BAD), answered.classless), (Verdict::Differs, 0));
    let row = |name: &str, word, sets: &[&str]| (name.to_owned(), word, sets.iter().map(|s| (*s).to_owned()).collect());
    let rows = [row("evil", "known-bad", &["malware"]), row("link", "skipped", &[]), row("other", "unknown", &[])];
    assert_eq!((answered.rows, answered.summary.run.skipped), (rows.into(), 1));
}
