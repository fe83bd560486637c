//! The images that an acquisition makes, their logs, and the files that it never writes over.

use crate::imaged::{acquire, asked, claim, copy, digest, into, ran, refused, split, verdict, verify as verified};
use crate::room::Room;
use pfh::acquire::{ImageFormat, Origin, Request, To};
use pfh::container::split::Suffix;
use pfh::job::{Error, Kind};
use pfh::verify::{self, Verdict};
#[cfg(unix)]
use pfh_inject::Loop;
use pfh_inject::{Need, content, digest_by, lacks};
use std::fs;

fn sha256(bytes: &[u8]) -> String {
    digest_by("sha256sum", bytes)
}

/// All sizes, in all forms, read back by ourselves and by coreutils.
#[test]
fn every_size_in_every_form() {
    const MIB: u64 = 1 << 20;
    let room = Room::new();
    let sizes = [0, 1, 511, 512, 513, 32_767, 32_768, 32_769, MIB - 1, MIB, MIB + 1, 5 * MIB + 3];
    for (number, size) in sizes.into_iter().enumerate() {
        let bytes = content(number as u64, size);
        let source = format!("{number}.src");
        room.file(&source, &bytes);
        let sparse = ImageFormat::Raw { seek: 0, sparse: true, direct: false, start: None, synced: true };
        let all = [
            ("raw", ImageFormat::RAW),
            ("sparse", sparse),
            ("split", split(1_000_000, Suffix::DigitsFromOne)),
            ("E01", ImageFormat::e01()),
        ];
        for (ending, form) in all {
            let target = format!("{number}.{ending}");
            let mut request = into(&room, &source, &target, form);
            request.verify = true;
            let summary = acquire(&request);
            assert!(summary.is_complete() && !summary.differs(), "{target}");
            match ending {
                "E01" => {
                    assert_eq!((size + summary.imaged.padded) % 512, 0, "{target}");
                    let back = format!("{number}.back");
                    copy(&room, &target, &back).0.unwrap();
                    let back = fs::read(room.at(&back)).unwrap();
                    assert!(back[..size as usize] == bytes[..] && back[size as usize..].iter().all(|b| *b == 0));
                }
                "split" => {
                    let pieces: Vec<Vec<u8>> = (1..=size.div_ceil(1_000_000).max(1))
                        .map(|piece| fs::read(room.at(format!("{target}.{piece:03}"))).unwrap())
                        .collect();
                    assert!(pieces.iter().all(|piece| piece.len() <= 1_000_000) && pieces.concat() == bytes);
                }
                _ => assert!(fs::read(room.at(&target)).unwrap() == bytes, "{target}"),
            }
            if ending != "E01" {
                assert_eq!(digest(&summary, "sha256"), sha256(&bytes), "{target}");
            }
        }
    }
}

/// Pieces that an earlier and longer image left would be read as part of the new one.
#[test]
fn pieces_of_an_older_image_do_not_stay_behind_the_new_one() {
    let room = Room::new();
    room.file("long", &content(3, 10_000));
    room.file("short", &content(4, 3000));
    acquire(&into(&room, "long", "image", split(1000, Suffix::Digits)));
    let mut request = into(&room, "short", "image", split(1000, Suffix::Digits));
    assert_eq!(refused(&request).kind(), Kind::Request);
    (request.replace, request.verify) = (true, true);
    assert_eq!(acquire(&request).imaged.bytes, 3000);
    assert_eq!(verdict(&room, "image.000"), Verdict::Verified);
    assert!(!room.at("image.003").exists());
}

/// An E01 image with a flipped bit anywhere is not verified; of a raw one the very byte is named.
#[test]
fn a_flipped_bit_is_found_at_its_place() {
    let room = Room::new();
    let bytes = content(9, 5 << 20);
    let source = room.file("source", &bytes);
    let summary = acquire(&asked(&room, "source", "image"));
    let mut request = verify::Request::image(room.at("image"));
    request.claims = vec![claim("sha256", &digest(&summary, "sha256"))];
    request.against = Some(source);
    assert_eq!(verified(&request).verdict(), Verdict::Verified);
    let mut changed = bytes.clone();
    changed[3_333_333] = !changed[3_333_333];
    room.file("image", &changed);
    request.claims.clear();
    let found = verified(&request);
    let ranges: Vec<_> = found.comparisons.iter().map(|one| one.outcome.clone()).collect();
    assert_eq!(found.verdict(), Verdict::Differs);
    assert!(ranges.contains(&pfh::verdict::Outcome::Unequal(vec![(3_333_333, 1)])), "the very byte: {found:?}");
    acquire(&asked(&room, "source", "image.E01"));
    let good = fs::read(room.at("image.E01")).unwrap();
    for at in [3000, 500_000, good.len() - 200] {
        let mut changed = good.clone();
        changed[at] ^= 4;
        room.file("image.E01", &changed);
        assert_eq!(verdict(&room, "image.E01"), Verdict::Differs, "bit at {at}");
    }
}

#[test]
fn a_changed_log_is_found_and_a_signature_says_by_whom() {
    if lacks(&[Need::Program("openssl")]) {
        return;
    }
    let room = Room::new();
    room.file("source", &content(10, 1 << 20));
    for name in ["mine", "other"] {
        room.sh(&format!(
            "openssl genpkey -algorithm ed25519 -out {name}.pem; openssl pkey -in {name}.pem -pubout -out {name}.pub"
        ));
    }
    let mut request = asked(&room, "source", "image");
    request.key = Some(room.at("mine.pem"));
    acquire(&request);
    let log = room.at("image.log.jsonl");
    let of = |key: &str| {
        let mut request = verify::Request::log(&log);
        request.key = Some(room.at(key));
        verified(&request).verdict()
    };
    assert_eq!((of("mine.pub"), of("other.pub")), (Verdict::Verified, Verdict::Differs));
    assert_eq!((of("mine.pem"), of("other.pem")), (Verdict::Verified, Verdict::Differs), "the public halves");
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.replacen("\"retries\":2", "\"retries\":3", 1)).unwrap();
    assert_eq!(of("mine.pub"), Verdict::Differs);
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    fs::write(&log, lines[..lines.len() - 1].concat()).unwrap();
    assert_eq!(of("mine.pub"), Verdict::Differs, "the signature is missing");
}

/// A target that is the source by another name is refused, and an existing file is kept unless it
/// is asked for.
#[cfg(unix)]
#[test]
fn nothing_is_acquired_onto_itself_or_over_a_file() {
    let room = Room::new();
    let bytes = content(6, 1 << 20);
    let source = room.file("source", &bytes);
    std::os::unix::fs::symlink("source", room.at("link")).unwrap();
    let mut request = into(&room, "source", "link", ImageFormat::RAW);
    request.replace = true;
    assert!(matches!(ran(&request).0, Err(Error::Refused(_))));
    if !lacks(&[Need::Loop]) {
        let device = Loop::attach(&source, &[]).unwrap();
        let to = To { path: device.path().to_owned(), form: ImageFormat::RAW };
        let mut request = Request::new(Origin::Medium(source.clone()), vec![to]);
        request.replace = true;
        assert_eq!(refused(&request).kind(), Kind::Request);
    }
    assert!(fs::read(&source).unwrap() == bytes);
    // Nothing is left beside an image that is not replaced.
    let other = Room::new();
    other.file("source", &bytes);
    other.file("image", "precious");
    let mut request = asked(&other, "source", "image");
    assert_eq!(refused(&request).kind(), Kind::Request);
    assert_eq!((fs::read(other.at("image")).unwrap(), other.names().len()), (b"precious".to_vec(), 2));
    request.replace = true;
    acquire(&request);
    assert!(fs::read(other.at("image")).unwrap() == bytes);
}
