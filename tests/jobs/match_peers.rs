//! Files against known ones beside md5deep and hashdeep: the cases of hashdeep's own tests, whose
//! table is in `hash_peers.rs`.

use crate::hash_peers::{deep, missing, tree};
use crate::known_files::Answered;
use crate::room::Room;
use crate::rows::{algorithms, below, input, printed};
use pfh::Control;
use pfh::Outcome;
use pfh::matching::{Event, Request, Sets, run};
use pfh_inject::digest_by;

/// A list of two files that are there and one that is not, as `program` writes it.
fn partial(room: &Room, program: &str) {
    let list = String::from_utf8(printed(room, &format!("{program} -l d/deadbeef.txt d/foo.txt"))).unwrap();
    let last = list.lines().find(|line| line.ends_with("d/foo.txt")).unwrap();
    let absent = last.replace("d/foo.txt", "no/match/em").replace(['0', '1', '2', '3', '4', '5'], "6");
    room.file("list", &format!("{list}{absent}\n"));
}

fn asked(room: &Room, names: &[&str]) -> Request {
    Request::new(input(room, names), Sets::new([room.at("list")]))
}

/// Name and first digest of the files with this verdict.
fn found(room: &Room, request: &Request, word: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Match(one) = event
            && let (true, Outcome::Hashed(hashed)) = (one.word() == word, &one.record.outcome)
        {
            found.push((below(room, &one.record.name), hashed.digests[0].to_string()));
        }
        Ok(())
    };
    run(request, &mut take, &Control::new()).unwrap();
    found.sort();
    found
}

fn names(found: &[(String, String)]) -> Vec<String> {
    found.iter().map(|(name, _)| name.clone()).collect()
}

#[test]
fn matching() {
    if missing() {
        return;
    }
    let room = tree();
    partial(&room, "md5deep");
    let request = asked(&room, &["d"]);
    for (flag, word) in [("-m", "known"), ("-x", "unknown")] {
        let ours = found(&room, &request, word);
        assert_eq!(names(&ours), deep(&room, &format!("md5deep -l {flag} list -r d")), "{flag}");
        let mut ours: Vec<String> = ours.iter().map(|(name, digest)| format!("{digest}  {name}")).collect();
        ours.sort();
        let theirs = deep(&room, &format!("md5deep -l {} list -r d", flag.to_uppercase()));
        assert_eq!(ours, theirs, "{flag} with digests");
    }
    let theirs = deep(&room, "md5deep -l -m list -w -r d");
    let theirs: Vec<&str> = theirs.iter().map(|line| line.split_once(" matched ").unwrap().0).collect();
    assert_eq!(names(&found(&room, &request, "known")), theirs);
    // A single digest, and those that have another one.
    let digest = "deadbeefb303ba89ae055ad0234eb7e8";
    let mut request = Request::new(input(&room, &["d"]), Sets::default());
    request.sets.digests = vec![digest.to_owned()];
    for (flag, word) in [("-a", "known"), ("-A", "unknown")] {
        let theirs = deep(&room, &format!("md5deep -l {flag} {digest} -r d"));
        assert_eq!(names(&found(&room, &request, word)), theirs, "{flag}");
    }
    request.input = input(&room, &["d/foo.txt"]);
    let answered = Answered::of(&request);
    assert_eq!(answered.conclusion(&request, &[]), pfh::Verdict::Differs, "nothing has it");
}

#[test]
fn matching_with_several_digests() {
    if missing() {
        return;
    }
    let room = tree();
    partial(&room, "hashdeep");
    let files = ["d/deadbeef.txt", "d/foo.txt", "d/one-byte-file.txt", "d/zero-byte-file.txt"];
    let request = asked(&room, &files);
    for (flag, word) in [("-m", "known"), ("-x", "unknown")] {
        let ours = names(&found(&room, &request, word));
        let command = format!("hashdeep -l {flag} -k list {}", files.join(" "));
        assert_eq!(ours, deep(&room, &command), "{flag}");
        let theirs = deep(&room, &format!("{command} -w"));
        let theirs: Vec<&str> = theirs.iter().map(|line| line.split(" matches ").next().unwrap()).collect();
        assert_eq!(ours, theirs, "{flag} -w");
    }
    let theirs = deep(&room, &format!("hashdeep -l -M -k list {}", files.join(" ")));
    let theirs: Vec<&str> = theirs.iter().map(|line| line.rsplit_once(',').unwrap().1).collect();
    assert_eq!(theirs, ["d/deadbeef.txt", "d/foo.txt"]);
}

#[test]
fn two_lists_of_different_algorithms() {
    if missing() {
        return;
    }
    let room = Room::new();
    let all = ["foo", "bar", "moo", "cow"];
    all.iter().for_each(|name| drop(room.file(name, &format!("{name}\n"))));
    room.file("known1", &printed(&room, "hashdeep -bc md5 foo bar"));
    room.file("known2", &printed(&room, "hashdeep -bc sha1 moo cow"));
    let theirs = deep(&room, "hashdeep -vvvbak known1 -k known2 foo bar moo cow");
    assert_eq!(theirs.iter().filter(|line| line.ends_with(": Ok")).count(), 4, "{theirs:?}");
    let sets = Sets::new(["known1", "known2"].map(|name| room.at(name)));
    let mut found = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Match(one) = event {
            found.push((below(&room, &one.record.name), one.places()[0].algorithm.to_owned()));
        }
        Ok(())
    };
    run(&Request::new(input(&room, &all), sets), &mut take, &Control::new()).unwrap();
    let expected = [("foo", "md5"), ("bar", "md5"), ("moo", "sha1"), ("cow", "sha1")];
    assert_eq!(found, expected.map(|(name, by)| (name.to_owned(), by.to_owned())));
    for known in ["known1", "known2"] {
        let ended = crate::check::of(&room, known);
        assert_eq!((ended.conclusion(), ended.summary.verified()), (pfh::Verdict::Verified, 2), "{known}");
    }
}

#[test]
fn lists_of_others() {
    if missing() {
        return;
    }
    let room = tree();
    let upper = |program, content: &[u8]| digest_by(program, content).to_uppercase();
    let (md5, sha1) = (upper("md5sum", b"foo\n"), upper("sha1sum", b"foo\n"));
    let bsd = format!("MD5 (install.txt) = d7adbcf07c5c813693ddf958be9c40e3\nMD5 (foo.txt) = {md5}\n");
    let ilook = format!(
        "V4Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512,CreateTime,ModTime,LastAccessTime\n\
         {md5},{sha1},foo.txt,D:\\x\\,4,,,,16.4.2008 14:29:24,16.4.2008 10:24:28,18.4.2008\n"
    );
    let nsrl = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n\
         \"{sha1}\",\"{md5}\",\"E32A12F9\",\"foo.txt\",4,3192,\"WIN\",\"\"\r\n"
    );
    let both = [("md5deep", "md5"), ("sha1deep", "sha1")];
    for (what, list, programs) in [("BSD", bsd, &both[..1]), ("iLook 4", ilook, &both[..]), ("NSRL 2", nsrl, &both)] {
        room.file("list", &list);
        for (program, by) in programs {
            let mut request = asked(&room, &["d"]);
            request.sets.algorithms = algorithms(by);
            let ours = names(&found(&room, &request, "known"));
            assert_eq!(ours, ["d/foo.txt"], "{what} by {by}");
            assert_eq!(ours, deep(&room, &format!("{program} -l -m list -r d")), "{what} by {program}");
        }
    }
}

/// Lists that have columns of unknown algorithms are read all the same: the other digests count.
#[test]
fn a_list_with_columns_that_are_not_here() {
    let room = tree();
    let md5 = digest_by("md5sum", b"foo\n");
    room.file("list", &format!("%%%% HASHDEEP-1.0\n%%%% size,snefru,md5,has160,filename\n4,x,{md5},y,foo\n"));
    assert_eq!(names(&found(&room, &asked(&room, &["d"]), "known")), ["d/foo.txt"]);
}
