//! The bytes of one member of a container.

use crate::list::archive;
use crate::room::{Room, cancelled, missing};
use pfh::cat::{self, Event, FoundMember, Part, Problem, Request, find};
use pfh::job::{Error, Kind};
use pfh::outputs::OutputRefusal;
use pfh::{Control, Destination};
use pfh_inject::{Need, lacks, random};

/// The request for a member of a container in the room.
pub fn request(room: &Room, name: &str) -> Request {
    Request::new(room.at(name).into_os_string().into_encoded_bytes())
}

/// The bytes, and the end of the run.
fn ran(request: &Request) -> (Vec<u8>, Result<u64, Error>) {
    let mut bytes = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Bytes(part) = event {
            bytes.extend_from_slice(part);
        }
        Ok(())
    };
    let ended = cat::run(request, &mut take, &Control::new()).map(|summary| summary.bytes);
    (bytes, ended)
}

/// The bytes, complete.
pub fn bytes(request: &Request) -> Vec<u8> {
    let (bytes, ended) = ran(request);
    assert_eq!(ended.unwrap(), bytes.len() as u64);
    bytes
}

fn found(request: &Request) -> Result<FoundMember, Error> {
    find(request, &Control::new())
}

fn said(error: Error) -> (Kind, String) {
    (error.kind(), error.to_string())
}

/// A tar of several members.
fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all = Vec::new();
    for (name, content) in members {
        let one = archive(name, content);
        all.extend_from_slice(&one[..one.len() - 1024]);
    }
    all.resize(all.len() + 1024, 0);
    all
}

const PACKED: [&[u8]; 2] = [b"\x1f\x8b\x08\0\0\0\0\0\0\x03", b"\x4b\x4c\x4a\x06\0\xc2\x41\x24\x35\x03\0\0\0"];

#[test]
fn members_are_given_by_their_printed_names() {
    let room = Room::new();
    let large = random(1, 700_000);
    let inner = tar(&[("x", b"in a tar"), ("y.gz", &PACKED.concat())]);
    room.file("a!/o.tar", &tar(&[("d/large", &large), ("inner.tar", &inner), ("empty", b""), ("odd!/x", b"odd")]));
    for (name, expected) in [
        ("d/large", &large[..]),
        ("inner.tar", &inner),
        ("inner.tar!/x", b"in a tar"),
        ("inner.tar!/y.gz!/y", b"abc"),
        ("empty", b""),
        ("odd!!/x", b"odd"),
    ] {
        assert!(bytes(&request(&room, &format!("a!!/o.tar!/{name}"))) == expected, "{name}");
    }
    let one = found(&request(&room, "a!!/o.tar!/d/large")).unwrap();
    let runs = one.runs().unwrap();
    assert_eq!((one.size, runs.len()), (Some(700_000), 1));
    assert_eq!((runs[0].offset, runs[0].length, one.inside.kind), (Some(512), 700_000, "tar"));
    // Before it is decompressed.
    let packed = request(&room, "a!!/o.tar!/inner.tar!/y.gz!/y").part(Part::Stored);
    assert_eq!(bytes(&packed), PACKED.concat());
    assert!(found(&packed).unwrap().runs().is_none());
}

#[test]
fn what_is_not_one_member_is_refused() {
    let room = Room::new();
    room.file("plain", "abc");
    room.file("o.tar", &tar(&[("d/one", b"1"), ("d/two", b"2"), ("twice", b"a"), ("twice", b"b")]));
    let of = |name: &str| said(found(&request(&room, name)).unwrap_err());
    let missing = missing();
    for (name, kind, expected) in [
        ("plain", Kind::Request, "not the name of a member"),
        ("gone!/x", Kind::Input, &*missing),
        ("plain!/x", Kind::Input, "no member has this name"),
        ("o.tar!/d/ome", Kind::Input, "o.tar!/d/one"),
        ("o.tar!/twice", Kind::Input, "2 members have this name"),
        ("o.tar!/d/one!/x", Kind::Input, "no member has this name"),
    ] {
        let (found, sentence) = of(name);
        assert!(found == kind && sentence.contains(expected), "{name}: {found:?} {sentence}");
    }
    room.file("a!/b", "a file");
    assert!(of("a!/b").1.contains("a file itself"));
    let error = cat::run(&request(&room, "o.tar!/d/one"), &mut |_| Ok(()), &cancelled()).unwrap_err();
    assert_eq!(error.kind(), Kind::Cancelled);
}

#[test]
fn a_damaged_member_ends_with_an_error_and_no_file() {
    let room = Room::new();
    let mut packed = PACKED.concat();
    packed[15] ^= 1;
    room.file("in.gz", &packed);
    let (_, ended) = ran(&request(&room, "in.gz!/in"));
    let (kind, sentence) = said(ended.unwrap_err());
    assert!(kind == Kind::Input && sentence.contains("unreadable after"), "{sentence}");
    let out = Destination::from(room.at("out"));
    cat::write(&request(&room, "in.gz!/in"), &out, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(!room.at("out").exists());
    // A whole one is written; neither a file that is there nor the container is replaced.
    room.file("in.gz", &PACKED.concat());
    let asked = request(&room, "in.gz!/in");
    assert_eq!(cat::write(&asked, &out, &mut |_| Ok(()), &Control::new()).unwrap().bytes, 3);
    assert_eq!(std::fs::read(room.at("out")).unwrap(), b"abc");
    let again = cat::write(&asked, &out, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(matches!(again, Error::Refused(OutputRefusal::Exists { .. })), "{again}");
    let onto = Destination::from(room.at("in.gz"));
    let refused = cat::write(&asked.replace(true), &onto, &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(matches!(refused, Error::Refused(OutputRefusal::Source { .. })), "{refused}");
}

#[test]
fn runs_slack_and_deleted_files_of_a_file_system() {
    if lacks(&[Need::Program("mcopy"), Need::Program("mkfs.vfat")]) {
        return;
    }
    let room = Room::new();
    let (kept, gone) = (random(3, 5000), random(4, 3000));
    room.file("kept", &kept);
    room.file("gone", &gone);
    room.sh("mkfs.vfat -s 4 -C f.img 2000; mcopy -i f.img kept ::/KEPT.TXT; mcopy -i f.img gone ::/GONE.TXT");
    room.sh("mdel -i f.img ::/GONE.TXT");
    let listed =
        crate::inside::listed(&room, &pfh::list::Request::new(crate::inside::input(&room, &["f.img"], |_| {})));
    let names: Vec<&String> = listed.0.iter().map(|(name, _)| name).collect();
    let [live, deleted] = [false, true].map(|is| names.iter().find(|name| name.contains("!deleted-") == is).unwrap());
    assert!(bytes(&request(&room, live)) == kept && bytes(&request(&room, deleted)) == gone);
    let image = std::fs::read(room.at("f.img")).unwrap();
    let runs = found(&request(&room, live)).unwrap().runs().unwrap();
    let at = |run: &pfh::Extent| image[run.offset.unwrap() as usize..][..run.length as usize].to_vec();
    assert_eq!(runs.iter().flat_map(at).collect::<Vec<u8>>(), kept);
    let slack = request(&room, live).part(Part::Slack);
    let end = runs.last().map(|run| (run.offset.unwrap() + run.length) as usize).unwrap();
    let (left, found_slack) = (bytes(&slack), found(&slack).unwrap());
    assert_eq!(left, image[end..end + 3 * 2048 - 5000]);
    assert!(found_slack.name.ends_with(b"!slack") && found_slack.runs().unwrap()[0].offset == Some(end as u64));
    assert_eq!(bytes(&Request::new(found_slack.name)), left);
    let none = said(found(&request(&room, deleted).part(Part::Slack)).unwrap_err());
    assert!(none.1.contains("no slack"), "{none:?}");
    assert!(matches!(Problem::Interrupted(1).to_string().as_str(), "interrupted after 1 bytes"));
}
