//! Files within others: in mail and documents, and behind bytes of any kind.

use crate::coded::{base64, binhex, lines, members, recognised, secret, sum16, uuencoded, whole, yencoded};
use crate::noise::noise;
use pfh_archive::Bytes;
use pfh_archive::{Format, Limits, has_objects, is_rtf_with_objects, open};
use pfh_inject::mutants;
use std::sync::Arc;

/// An attribute of winmail.dat.
fn attribute(level: u8, kind: u32, content: &[u8]) -> Vec<u8> {
    let sum = content.iter().fold(0_u16, |sum, byte| sum.wrapping_add(u16::from(*byte)));
    [&[level][..], &kind.to_le_bytes(), &(content.len() as u32).to_le_bytes(), content, &sum.to_le_bytes()].concat()
}

fn winmail() -> Vec<u8> {
    let mut long: Vec<u8> = "long name.zip\0".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let length = (long.len() as u32).to_le_bytes();
    long.resize(long.len().next_multiple_of(4), 0);
    let properties =
        [&2_u32.to_le_bytes()[..], b"\x03\0\x05\x37\x01\0\0\0\x1f\0\x07\x37\x01\0\0\0", &length, &long].concat();
    [
        &b"\x78\x9f\x3e\x22\x01\0"[..],
        &attribute(1, 0x0008_9006, &[0, 0, 1, 0]),
        &attribute(1, 0x0002_800c, b"hello\0"),
        &attribute(2, 0x0006_9002, &[0; 14]),
        &attribute(2, 0x0001_8010, b"SHORT~1.ZIP\0"),
        &attribute(2, 0x0006_800f, &secret()),
        &attribute(2, 0x0006_9005, &properties),
        &attribute(2, 0x0006_9002, &[0; 14]),
        &attribute(2, 0x0001_8010, b"b.txt\0"),
        &attribute(2, 0x0006_800f, b"bytes"),
    ]
    .concat()
}

fn single() -> Vec<u8> {
    let secret = secret();
    let (name, at) = (b"a.zip", 26 + 3 * 12_u32);
    let entry = |kind: u32, at: u32, length: usize| [kind, at, length as u32].map(u32::to_be_bytes).concat();
    let entries = [entry(3, at, 5), entry(1, at + 5, secret.len()), entry(2, at + 5 + secret.len() as u32, 4)].concat();
    [&b"\0\x05\x16\0\0\x02\0\0"[..], &[0; 16], &[0, 3], &entries, name, &secret, b"rsrc"].concat()
}

fn macbinary() -> Vec<u8> {
    let secret = secret();
    let mut header = [0; 128];
    header[1..7].copy_from_slice(b"\x05a.zip");
    header[83..87].copy_from_slice(&(secret.len() as u32).to_be_bytes());
    header[90] = 4;
    (header[122], header[123]) = (129, 129);
    let sum = sum16(&header[..124]);
    header[124..126].copy_from_slice(&sum);
    let mut bytes = [&header[..], &secret].concat();
    bytes.resize(bytes.len().next_multiple_of(128), 0);
    [&bytes[..], b"rsrc", &[0; 124]].concat()
}

fn onenote() -> Vec<u8> {
    let secret = secret();
    let mut bytes = [&b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3"[..], &[1; 1008]].concat();
    bytes.extend(b"\xe7\x16\xe3\xbd\x65\x26\x11\x45\xa4\xc4\x8d\x4d\x0b\x7a\x9e\xac");
    bytes.extend((secret.len() as u64).to_le_bytes());
    bytes.extend([0; 12]);
    bytes.extend(&secret);
    bytes.extend(vec![0; secret.len().next_multiple_of(8) - secret.len()]);
    bytes.extend(b"\x22\xa7\xfb\x71\x79\x0f\x0b\x4a\xbb\x13\x89\x92\x56\x42\x6b\x24");
    bytes
}

/// An element of DER.
fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let head = if length < 128 { vec![tag, length as u8] } else { vec![tag, 0x82, (length >> 8) as u8, length as u8] };
    [head, content.to_vec()].concat()
}

/// A signed message; of a length that is not stated, in pieces.
fn signed(in_pieces: bool, kind: u8) -> Vec<u8> {
    let secret = secret();
    let data = der(6, b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01");
    let octets = match in_pieces {
        true => [&b"\x24\x80"[..], &der(4, &secret[..1000]), &der(4, &secret[1000..]), &[0, 0]].concat(),
        false => der(4, &secret),
    };
    let held = der(0x30, &[data, der(0xa0, &octets)].concat());
    let inner = der(0x30, &[der(2, &[1]), der(0x31, &der(0x30, &der(6, b"\x2a\x03"))), held, der(0x31, b"")].concat());
    der(0x30, &[der(6, &[b"\x2a\x86\x48\x86\xf7\x0d\x01\x07", &[kind][..]].concat()), der(0xa0, &inner)].concat())
}

/// The package that OLE makes of a file.
fn package(name: &str, content: &[u8]) -> Vec<u8> {
    let path = format!("C:\\t\\{name}\0");
    let size = |length: usize| (length as u32).to_le_bytes();
    let parts = [
        name.as_bytes(),
        b"\0",
        path.as_bytes(),
        b"\0\0\x03\0",
        &size(path.len()),
        path.as_bytes(),
        &size(content.len()),
        content,
    ];
    [&b"\x02\0"[..], &parts.concat()].concat()
}

fn rtf() -> Vec<u8> {
    let native = package("a.zip", &secret());
    let head = [0x501_u32, 2, 8].map(u32::to_le_bytes).concat();
    let object = [&head[..], b"Package\0", &[0; 8], &(native.len() as u32).to_le_bytes(), &native].concat();
    let digits: String = object.iter().map(|byte| format!("{byte:02x}")).collect();
    let digits = lines(digits.as_bytes(), 64);
    [&b"{\\rtf1 text{\\object\\objemb{\\*\\objdata "[..], &digits, b"}{\\result x}}\\par}"].concat()
}

/// A document of OLE with an object in a storage: the header, the table, the directory, the stream.
fn compound(stream: &str, content: &[u8]) -> Vec<u8> {
    let sectors = content.len().div_ceil(512) as u32;
    let mut header = vec![0; 512];
    header[..8].copy_from_slice(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    for (at, value) in [(24, 0x3e_u16), (26, 3), (28, 0xfffe), (30, 9), (32, 6)] {
        header[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }
    for (at, value) in [(44, 1_u32), (48, 1), (56, 0), (60, u32::MAX - 1), (68, u32::MAX - 1), (76, 0)] {
        header[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    header[80..].fill(0xff);
    let mut table = vec![u32::MAX - 2, u32::MAX - 1];
    table.extend((0..sectors).map(|index| if index + 1 == sectors { u32::MAX - 1 } else { index + 3 }));
    table.resize(128, u32::MAX);
    let entry = |name: &str, kind: u8, child: u32, start: u32, size: usize| {
        let mut raw = [0; 128];
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        raw[..units.len()].copy_from_slice(&units);
        (raw[64], raw[66]) = (units.len() as u8 + 2, kind);
        for (at, value) in [(68, u32::MAX), (72, u32::MAX), (76, child), (116, start), (120, size as u32)] {
            raw[at..at + 4].copy_from_slice(&value.to_le_bytes());
        }
        raw
    };
    let entries = [
        entry("Root Entry", 5, 1, u32::MAX - 1, 0),
        entry("ObjectPool", 1, 2, 0, 0),
        entry(stream, 2, u32::MAX, 2, content.len()),
        entry("", 0, u32::MAX, 0, 0),
    ];
    let table: Vec<u8> = table.into_iter().flat_map(u32::to_le_bytes).collect();
    let mut bytes = [&header[..], &table, &entries.concat(), content].concat();
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn document() -> Vec<u8> {
    let native = package("a.zip", &secret());
    compound("\u{1}Ole10Native", &[&(native.len() as u32).to_le_bytes()[..], &native].concat())
}

/// A sample: its format, its bytes, and the names and bytes of its members.
type Sample = (Format, Vec<u8>, Vec<(&'static str, Vec<u8>)>);

fn samples() -> Vec<Sample> {
    let forks = || vec![("a.zip", secret()), ("a.zip:resource", b"rsrc".to_vec())];
    let attached = vec![("body.txt", b"hello\0".to_vec()), ("long name.zip", secret()), ("b.txt", b"bytes".to_vec())];
    vec![
        (Format::Tnef, winmail(), attached),
        (Format::Apple, single(), forks()),
        (Format::Apple, macbinary(), forks()),
        (Format::OneNote, onenote(), vec![("file 1", secret())]),
        (Format::Signed, signed(false, 2), vec![("a.pdf", secret())]),
        (Format::Signed, signed(true, 2), vec![("a.pdf", secret())]),
        (Format::Rtf, rtf(), vec![("a.zip", secret())]),
        (Format::Objects, document(), vec![("a.zip", secret())]),
        (
            Format::Objects,
            compound("x", &[b"MSCF\0\0\0\0", &secret()[..]].concat()),
            vec![("object 1", [b"MSCF\0\0\0\0", &secret()[..]].concat())],
        ),
    ]
}

#[test]
fn files_in_mail_and_documents() {
    for (format, bytes, expected) in samples() {
        let medium: Arc<dyn Bytes> = Arc::new(bytes.clone());
        let is_found = match format {
            Format::Rtf => is_rtf_with_objects(&bytes, &*medium),
            Format::Objects => has_objects(&medium),
            _ => recognised(&bytes) == Some(format),
        };
        assert!(is_found, "{format:?}");
        let found = whole(format, &bytes, "d/a.pdf.p7m");
        let found: Vec<_> = found.iter().map(|(name, content)| (&name[..], content.clone())).collect();
        assert_eq!(found, expected, "{format:?}");
    }
}

#[test]
fn what_holds_no_file_is_none() {
    let detached = der(
        0x30,
        &[
            der(6, b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x02"),
            der(
                0xa0,
                &der(
                    0x30,
                    &[der(2, &[1]), der(0x31, b""), der(0x30, &der(6, b"\x2a\x86\x48\x86\xf7\x0d\x01\x07\x01"))]
                        .concat(),
                ),
            ),
        ]
        .concat(),
    );
    assert_eq!(
        (recognised(&detached), recognised(&[0; 4096]), recognised(b"{\\rtf1 text only, with no object}")),
        (None, None, None)
    );
    let plain: Arc<dyn Bytes> = Arc::new(compound("WordDocument", &secret()));
    assert!(!has_objects(&plain) && !is_rtf_with_objects(b"{\\rtf1 x}", &b"{\\rtf1 x}".to_vec()));
    let mut kept = onenote();
    kept[48..64].copy_from_slice(b"\x2f\xe9\x8d\x63\xd4\xa6\xc1\x4b\x9a\x36\xb3\xfc\x25\x11\xa5\xb7");
    assert!(members(Format::OneNote, &kept, b"x")[0].1.as_ref().is_err_and(|why| why.contains("OneDrive")));
    let found = members(Format::Signed, &signed(false, 3), b"x");
    assert!(found[0].1.as_ref().is_err_and(|why| why.contains("encrypted")), "{found:?}");
}

#[test]
fn files_that_are_cut_off_are_named() {
    // A stream that is an archive by its first bytes alone is none where its sectors are lost.
    for (format, bytes, expected) in samples().into_iter().filter(|sample| sample.2[0].0 != "object 1") {
        let cut = &bytes[..bytes.len() * 2 / 3];
        let found = members(format, cut, b"d/a.pdf.p7m");
        let is_wrong = found.iter().any(|(_, content)| content.is_err());
        assert!(is_wrong || found.len() < expected.len() && format == Format::OneNote, "{format:?}: {found:?}");
    }
}

#[test]
fn mutants_end() {
    let texts = [
        uuencoded("a", &secret()),
        yencoded("b", &secret()),
        binhex("c", &secret(), b"r"),
        lines(&base64(&secret()), 60),
    ];
    let coded = texts.into_iter().map(|bytes| (Format::Coded, bytes));
    let samples: Vec<_> = samples().into_iter().map(|(format, bytes, _)| (format, bytes)).chain(coded).collect();
    for (format, bytes) in samples {
        for seed in 1..=mutants() / 8 + 1 {
            let numbers = noise(seed ^ 0x601, 24);
            let mut mutant = bytes.clone();
            for place in numbers.chunks(6).take(1 + (seed % 4) as usize) {
                let wide = usize::from(place[0]) << 8 | usize::from(place[1]);
                // Half of the places are among the first bytes.
                let at = if place[2] & 1 == 0 { wide % 160 } else { wide % mutant.len() };
                mutant[at] = place[3];
            }
            if seed % 5 == 0 {
                mutant.truncate(usize::from(numbers[5]) * mutant.len() / 255);
            }
            members(format, &mutant, b"m");
            recognised(&mutant);
            let medium: Arc<dyn Bytes> = Arc::new(mutant);
            has_objects(&medium);
        }
    }
}

#[test]
fn archives_behind_bytes_of_any_kind() {
    let name = b"a.txt";
    let content = secret();
    let digits = |value: usize| format!("{value:08x}");
    let fields = |name: usize, size: usize, mode: &str| {
        [
            "00000001",
            mode,
            "00000000",
            "00000000",
            "00000001",
            "00000000",
            &digits(size),
            "00000000",
            "00000000",
            "00000000",
            "00000000",
            &digits(name),
            "00000000",
        ]
        .concat()
    };
    let mut cpio = [b"070701", fields(6, content.len(), "000081a4").as_bytes(), name, b"\0"].concat();
    cpio.resize(cpio.len().next_multiple_of(4), 0);
    cpio.extend(&content);
    cpio.resize(cpio.len().next_multiple_of(4), 0);
    cpio.extend([b"070701", fields(11, 0, "00000000").as_bytes(), b"TRAILER!!!\0"].concat());
    cpio.resize(cpio.len().next_multiple_of(4), 0);
    let page = b"<!DOCTYPE html>\n<html><body>a page of text</body></html>\n".to_vec();
    let sound = [&b"ID3\x03\0\0\0\0\0\x02zz"[..], &[&b"\xff\xfb\x90\x64"[..], &[0; 413]].concat().repeat(4)].concat();
    let film = [&16_u32.to_be_bytes()[..], b"ftypisom\0\0\0\0", &108_u32.to_be_bytes(), b"mdat", &[7; 100]].concat();
    for front in [page, sound, film, noise(3, 1001)] {
        let bytes = [&front[..], &cpio].concat();
        assert_eq!(whole(Format::Cpio, &bytes, "x"), vec![("a.txt".to_owned(), content.clone())], "{:?}", &front[..4]);
    }
}

/// No file is lost in silence: where there are more than allowed, that is a failure.
#[test]
fn more_files_than_allowed_are_named() {
    let limits = Limits { entries: 1, ..Limits::default() };
    let rtf = rtf();
    let two = [&rtf[..rtf.len() - 1], &rtf[6..]].concat();
    let texts = [uuencoded("a", b"one"), uuencoded("b", b"two")].concat();
    let notes = [onenote(), onenote()[1024..].to_vec()].concat();
    for (format, bytes) in
        [(Format::Coded, texts), (Format::Rtf, two), (Format::OneNote, notes), (Format::Tnef, winmail())]
    {
        let found: Vec<_> = open(format, Arc::new(bytes), b"x", &limits).unwrap().collect();
        assert_eq!(found.len(), 2, "{format:?}");
        assert!(found[0].is_ok() && found[1].as_ref().is_err_and(|failure| failure.cause.contains("allowed")));
    }
}

#[test]
fn marks_that_do_not_hold_are_named() {
    let mut notes = onenote();
    let end = notes.len() - 1;
    notes[end] ^= 1;
    let mail = winmail();
    let at = mail.windows(5).position(|part| part == b"bytes").unwrap();
    let (mut content, mut sum) = (mail.clone(), mail);
    content[at] ^= 1;
    sum[at + 5] ^= 1;
    for (format, bytes, said) in [
        (Format::OneNote, notes, "without the mark"),
        (Format::Tnef, content, "another checksum"),
        (Format::Tnef, sum, "another checksum"),
    ] {
        let found = members(format, &bytes, b"x");
        let faults: Vec<_> = found.iter().filter_map(|(_, content)| content.clone().err()).collect();
        assert!(faults.len() == 1 && faults[0].contains(said), "{format:?}: {found:?}");
    }
}
