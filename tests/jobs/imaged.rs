//! Acquisitions in a room and verifications of their images, as values.

use crate::room::{Room, write_at};
use pfh::acquire::{self, Event, ImageFormat, Intention, Layout, Origin, Pieces, Request, Summary, To};
use pfh::container::split::Suffix;
use pfh::job::Error;
use pfh::verify::{self, Claim, Of, Verdict};
use pfh::{Control, Digest};
#[cfg(unix)]
use pfh_inject::{Errno, File, Files, Loop, MountedFolder};
use std::fs;
use std::path::{Path, PathBuf};

/// An Ed25519 key: RFC 8410, 10.3, and its public one, 10.1.
pub const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";

/// The keys as `k.pem` and `k.pub`.
pub fn keys(room: &Room) {
    room.file("k.pem", PRIVATE);
    room.file("k.pub", PUBLIC);
}

pub fn split(length: u64, suffix: Suffix) -> ImageFormat {
    ImageFormat::Split(Pieces { length, suffix, width: 3 })
}

/// From a file of the room into another one, in the form that its name states.
pub fn asked(room: &Room, source: &str, target: &str) -> Request {
    into(room, source, target, Layout::default().form(&room.at(target)).unwrap())
}

pub fn into(room: &Room, source: &str, target: &str, form: ImageFormat) -> Request {
    Request::new(Origin::Medium(room.at(source)), vec![To { path: room.at(target), form }])
}

/// The events of a run.
#[derive(Debug, Default)]
pub struct Seen {
    /// Each event in words, but for checkpoints.
    pub events: Vec<String>,
    pub resumed: Option<u64>,
    pub retried: Option<(u64, u64)>,
    pub unchanged: bool,
}

pub fn ran(request: &Request) -> (Result<Summary, Error>, Seen) {
    let mut seen = Seen::default();
    let mut take = |event: Event<'_>| {
        match event {
            Event::Resumed { bytes } => seen.resumed = Some(bytes),
            Event::Retried { tried, read } => seen.retried = Some((tried, read)),
            Event::Unchanged { .. } => seen.unchanged = true,
            _ => {}
        }
        if !matches!(event, Event::Checkpoint { .. }) {
            seen.events.push(event.to_string());
        }
        Ok(())
    };
    let ran = acquire::run(request, &mut take, &Control::new());
    (ran, seen)
}

pub fn acquire(request: &Request) -> Summary {
    ran(request).0.unwrap()
}

pub fn refused(request: &Request) -> Error {
    ran(request).0.unwrap_err()
}

/// The digest of an image in hex.
pub fn digest(summary: &Summary, algorithm: &str) -> String {
    let found = summary.imaged.digests.iter().find(|digest| digest.algorithm().to_string() == algorithm);
    found.expect("a digest").to_string()
}

/// The unreadable runs of an image, in bytes.
pub fn lost(summary: &Summary) -> Vec<(u64, u64)> {
    summary.imaged.bad.iter().map(|bad| (bad.offset, bad.length)).collect()
}

/// A map of faults: the unreadable areas of a source.
pub fn faults(room: &Room, name: &str, map: &str) -> Option<PathBuf> {
    Some(room.file(name, map))
}

/// The copy of an image, without its log.
pub fn copy(room: &Room, image: &str, target: &str) -> (Result<Summary, Error>, Seen) {
    let to = To { path: room.at(target), form: Layout::default().form(&room.at(target)).unwrap() };
    ran(&Request::new(Origin::Image(room.at(image)), vec![to]))
}

/// Sectors that are bad: the first, two alone, a run of 4, a run of 64, the last.
#[cfg(unix)]
pub const BAD: [(u64, u64); 6] = [(0, 1), (101, 1), (200, 4), (300, 64), (5000, 1), (16_383, 1)];

/// A bad disk behind a loop device, and the image that it must give.
#[cfg(unix)]
pub struct BadDevice {
    // Detached before the file behind it goes.
    pub disk: Loop,
    pub expected: Vec<u8>,
    _mounted: MountedFolder,
}

#[cfg(unix)]
pub fn bad_device() -> BadDevice {
    let file = BAD.iter().fold(File::new("disk", 8 << 20), |file, (first, count)| {
        file.fails_in(first * 512..(first + count) * 512, Errno::EIO)
    });
    let mut expected = file.bytes();
    for (first, count) in BAD {
        expected[first as usize * 512..(first + count) as usize * 512].fill(0);
    }
    let mounted = Files::new().with(file).mount().unwrap();
    let disk = Loop::attach(&mounted.file("disk"), &["-r"]).unwrap();
    BadDevice { disk, expected, _mounted: mounted }
}

pub fn verify(request: &verify::Request) -> verify::Summary {
    verify::run(request, &mut |_| Ok(()), &Control::new()).unwrap()
}

/// The verification of a file of the room by all that lies beside it.
pub fn verified(room: &Room, name: &str) -> verify::Summary {
    verify(&verify::Request::image(room.at(name)))
}

pub fn verdict(room: &Room, name: &str) -> Verdict {
    verified(room, name).verdict()
}

/// Whether something of the image is equal to the statement of a file of this name.
pub fn is_equal(found: &verify::Summary, name: &str) -> bool {
    found.equal().any(|one| {
        let with = Path::new(one.with.split(' ').next().unwrap_or_default());
        with.file_name().is_some_and(|with| with == name)
    })
}

/// The findings of a verification in words.
pub fn findings(found: &verify::Summary) -> String {
    found.findings.iter().map(|finding| format!("{finding}\n")).collect()
}

/// A digest that the caller states of the medium.
pub fn claim(algorithm: &str, hex: &str) -> Claim {
    let algorithm: pfh::Algorithm = algorithm.parse().unwrap();
    Claim { digest: Digest::parse(*algorithm, hex).unwrap(), of: Of::Content, by: "the caller".into() }
}

/// Changes one bit of a file.
pub fn flip(room: &Room, name: &str, at: usize) {
    let mut bytes = fs::read(room.at(name)).unwrap();
    bytes[at] ^= 4;
    fs::write(room.at(name), bytes).unwrap();
}

pub fn remove(room: &Room, names: &[&str]) {
    names.iter().for_each(|name| fs::remove_file(room.at(name)).unwrap());
}

/// Writes bytes into the middle of a file.
pub fn patch(path: &Path, bytes: &[u8], at: u64) {
    write_at(&fs::OpenOptions::new().write(true).open(path).unwrap(), bytes, at);
}

/// Every file of the room with its content.
pub fn everything(room: &Room) -> Vec<(String, Vec<u8>)> {
    room.names().into_iter().map(|name| (name.clone(), fs::read(room.at(&name)).unwrap_or_default())).collect()
}

/// A refused request changes nothing; a dry run of it says the same.
pub fn refused_and_left(room: &Room, request: &Request) -> Error {
    let before = everything(room);
    let error = refused(request);
    let foreseen: Result<Intention, _> = acquire::intend(request);
    assert_eq!(foreseen.unwrap_err().to_string(), error.to_string());
    assert!(everything(room) == before, "{error}");
    error
}
