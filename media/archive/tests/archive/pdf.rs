//! Streams of PDFs: documents that the tests write, those that qpdf writes of them, and documents
//! with false statements.

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pfh_archive::Bytes;
use pfh_archive::{Failure, Node};
use pfh_archive::{Format, Limits, is_pdf, open};
use pfh_inject::{Need, lacks, mutants};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::process::Command;
use std::sync::Arc;

type Members = BTreeMap<String, Result<Vec<u8>, String>>;

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A document of these objects, numbered from 1 on, with a table.
fn document(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut all = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n".to_vec();
    let mut offsets = Vec::new();
    for (at, object) in objects.iter().enumerate() {
        offsets.push(all.len());
        all.extend(format!("{} 0 obj\n", at + 1).as_bytes());
        all.extend(object);
        all.extend(b"\nendobj\n");
    }
    let table = all.len();
    all.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).as_bytes());
    offsets.iter().for_each(|offset| all.extend(format!("{offset:010} 00000 n \n").as_bytes()));
    let size = objects.len() + 1;
    all.extend(format!("trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{table}\n%%EOF\n").as_bytes());
    all
}

fn stream(dictionary: &str, bytes: &[u8]) -> Vec<u8> {
    let start = format!("<< {dictionary} /Length {} >>\nstream\n", bytes.len());
    [start.as_bytes(), bytes, b"\nendstream"].concat()
}

const CONTENTS: &[u8] = b"BT /F1 24 Tf 72 720 Td (Hello, world) Tj ET\n";

/// A page with contents, a picture, a font and a file.
fn whole() -> Vec<u8> {
    let rows: Vec<u8> = (0..16_u8).flat_map(|row| [&[1][..], &[row; 1], &[1; 7]].concat()).collect();
    let picture = "/Type /XObject /Subtype /Image /Width 8 /Height 16 /BitsPerComponent 8 /ColorSpace /DeviceGray \
                   /Filter [/ASCIIHexDecode /FlateDecode] /DecodeParms [null << /Predictor 15 /Columns 8 >>]";
    let hex: String = packed(&rows).iter().map(|byte| format!("{byte:02x}")).collect::<String>() + ">";
    let contents = packed(CONTENTS);
    // The length is an object of its own.
    let start = b"<< /Filter /FlateDecode /Length 9 0 R >>\nstream\r\n";
    document(
        &[
            b"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a.txt) 7 0 R] >> >> >>".to_vec(),
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_vec(),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents [4 0 R] \
              /Resources << /XObject << /I 5 0 R /J 6 0 R >> /Font << /F1 10 0 R >> >> >>"
                .to_vec(),
            [&start[..], &contents, b"\r\nendstream"].concat(),
            stream(picture, hex.as_bytes()),
            stream("/Filter /DCTDecode /Subtype /Image /Width 1 /Height 1", b"\xff\xd8 a picture \xff\xd9"),
            b"<< /Type /Filespec /F (a.txt) /UF <feff00fc002e007400780074> /EF << /F 8 0 R >> >>".to_vec(),
            stream(
                "/Type /EmbeddedFile /Params << /Size 4 /ModDate (D:20261126120000Z) >> /Filter /RunLengthDecode",
                b"\x03file\x80",
            ),
            contents.len().to_string().into_bytes(),
            b"<< /Type /Font /Subtype /TrueType /BaseFont /F /FontDescriptor 11 0 R >>".to_vec(),
            b"<< /Type /FontDescriptor /FontFile2 12 0 R >>".to_vec(),
            stream("/Length1 8", b"the font"),
        ],
        "",
    )
}

fn listed(bytes: Vec<u8>, limits: &Limits) -> Result<Vec<Result<Node, Failure>>, Failure> {
    open(Format::Pdf, Arc::new(bytes), b"a.pdf", limits).map(Iterator::collect)
}

fn content(node: &Node) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    let mut reader = node.content.as_ref().expect("a stream").open().map_err(|failure| failure.to_string())?;
    reader.read_to_end(&mut all).map_err(|error| error.to_string())?;
    assert!(node.size.is_none_or(|size| size == all.len() as u64));
    Ok(all)
}

fn members(bytes: Vec<u8>) -> Members {
    let limits = Limits { bytes: 1 << 20, ..Limits::default() };
    let found = listed(bytes, &limits).unwrap_or_else(|failure| vec![Err(failure)]);
    let member = |node: Result<Node, Failure>| match node {
        Ok(node) => (String::from_utf8(node.path.clone()).unwrap(), content(&node)),
        Err(failure) => (String::new(), Err(failure.to_string())),
    };
    found.into_iter().map(member).collect()
}

fn picture() -> Vec<u8> {
    (0..16_u8).flat_map(|row| (0..8).map(move |column| row + column)).collect()
}

fn expected() -> Members {
    [
        ("obj-04-contents", CONTENTS.to_vec()),
        ("obj-05-image", picture()),
        ("obj-06-image", b"\xff\xd8 a picture \xff\xd9".to_vec()),
        ("obj-08-file/ü.txt", b"file".to_vec()),
        ("obj-12-font", b"the font".to_vec()),
    ]
    .into_iter()
    .map(|(name, bytes)| (name.to_owned(), Ok(bytes)))
    .collect()
}

#[test]
fn each_stream_is_a_member_decoded_by_its_filters() {
    let bytes = whole();
    assert!(is_pdf(&bytes[..512], &bytes) && !is_pdf(b"text about %PDF-1.4", &b"text about %PDF-1.4".to_vec()));
    assert_eq!(members(bytes.clone()), expected());
    let nodes = listed(bytes.clone(), &Limits::default()).unwrap();
    let file = nodes[3].as_ref().unwrap();
    assert_eq!((file.id, file.times.modified), (Some(8), Some(1_795_694_400_000_000_000)));
    // A stream that is stored plainly has its place.
    let run = nodes[2].as_ref().unwrap().content.as_ref().unwrap().runs().unwrap()[0];
    let mut found = vec![0; run.length as usize];
    bytes.read_exact_at(run.medium_offset.unwrap(), &mut found).unwrap();
    assert_eq!(found, b"\xff\xd8 a picture \xff\xd9");
    // Behind another first line all offsets are shifted, or counted from the file's start.
    let shifted = [b"\xef\xbb\xbf".as_slice(), &bytes].concat();
    assert!(is_pdf(&shifted[..512], &shifted));
    assert_eq!(members(shifted), expected());
}

#[test]
fn what_is_damaged_is_named_and_the_rest_comes() {
    let bytes = whole();
    let at = |word: &[u8]| bytes.windows(word.len()).position(|window| window == word).unwrap();
    // Without its table, or with a wrong one, the objects are found by their words.
    let table = at(b"xref\n");
    let mut moved = bytes.clone();
    moved[table + 60] = b'9';
    for (case, broken) in [("cut off", bytes[..table].to_vec()), ("moved", moved)] {
        let mut found = members(broken);
        let warning = found.remove("").expect(case).unwrap_err();
        assert!(warning.contains("found by their words") && warning.starts_with("offset"), "{case}: {warning}");
        assert_eq!(found, expected(), "{case}");
    }
    // A wrong length is corrected by the end of the stream.
    let mut longer = bytes.clone();
    let length = at(b"/Length 8 >>\nstream\nthe font");
    longer[length + 8] = b'7';
    assert_eq!(members(longer), expected());
    // A byte of compressed contents: its checksum holds no more.
    let mut changed = bytes.clone();
    let contents = at(b"stream\r\n") + 8;
    changed[contents + 12] ^= 1;
    let failed = members(changed).remove("obj-04-contents").unwrap().unwrap_err();
    assert!(failed.contains("FlateDecode") && failed.starts_with("offset"), "{failed}");
    let unknown = document(&[b"<< /Type /Catalog >>".to_vec(), stream("/Filter /Secret", b"x")], "");
    let failed = members(unknown).remove("obj-2").unwrap().unwrap_err();
    assert!(failed.starts_with("offset") && failed.ends_with("Secret: is not read"), "{failed}");
    let encrypted = document(&[b"<< >>".to_vec(), stream("", b"x")], "/Encrypt << /Filter /Standard /V 2 >>");
    assert_eq!(members(encrypted)[""], Err("is encrypted (RC4): not read".into()));
    assert!(members(b"%PDF-1.4\nnothing\n%%EOF".to_vec())[""].as_ref().unwrap_err().contains("no object is found"));
}

#[test]
fn bombs_circles_and_overlaps_end() {
    let limits = Limits { bytes: 1 << 20, ratio: 1, ..Limits::default() };
    let zeros = packed(&packed(&vec![0; 100 << 20]));
    let bomb = document(&[b"<< >>".to_vec(), stream("/Filter [/FlateDecode /FlateDecode]", &zeros)], "");
    let node = listed(bomb, &limits).unwrap().pop().unwrap().unwrap();
    assert!(content(&node).unwrap_err().contains("bomb"));
    // Zeros are space, not digits: nothing comes out of the second filter.
    let silent = packed(&vec![0; 100 << 20]);
    let silent = document(&[b"<< >>".to_vec(), stream("/Filter [/FlateDecode /ASCIIHexDecode]", &silent)], "");
    let node = listed(silent, &limits).unwrap().pop().unwrap().unwrap();
    assert!(content(&node).unwrap_err().contains("bomb"));
    // Lengths, filters and tables that lead to themselves.
    for object in ["/Length 2 0 R", "/Length 3 0 R /Filter 3 0 R", "/Filter [3 0 R]"] {
        let object = format!("<< {object} >>\nstream\nx\nendstream").into_bytes();
        members(document(&[b"<< >>".to_vec(), object, b"3 0 R".to_vec()], ""));
    }
    let table = whole().windows(5).position(|window| window == b"xref\n").unwrap();
    let text = String::from_utf8_lossy(&whole()[table..]).replace("/Root", &format!("/Prev {table} /Root"));
    let circle = [&whole()[..table], text.as_bytes()].concat();
    let mut found = members(circle);
    assert!(found.remove("").unwrap().unwrap_err().contains("in a circle"));
    assert_eq!(found, expected());
    // A stream that holds another object.
    let mut inner = stream("", b"inner");
    inner.splice(0..0, *b"\n3 0 obj\n");
    let outer = stream("/Type /XObject", &[&inner[..], b"\nendobj\n"].concat());
    let mut overlapping = document(&[b"<< >>".to_vec(), outer, b"null".to_vec()], "");
    let place = overlapping.windows(7).position(|window| window == b"3 0 obj").unwrap();
    let entry = overlapping.windows(5).position(|window| window == b"xref\n").unwrap() + 9 + 20 * 3;
    overlapping[entry..entry + 10].copy_from_slice(format!("{place:010}").as_bytes());
    assert!(members(overlapping)["obj-2"].as_ref().unwrap_err().contains("another object"));
}

#[test]
fn what_qpdf_writes_again_has_the_same_members() {
    if lacks(&[Need::Program("qpdf")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    std::fs::write(room.path().join("a.pdf"), whole()).unwrap();
    // Streams of a known kind: the hints of a linear document have none.
    let contents = |members: Members| {
        let is_one = |name: &String| !name.ends_with("-objects") && name.matches('-').count() > 1;
        let streams = members.into_iter().filter(|(name, _)| is_one(name));
        let mut all: Vec<Vec<u8>> = streams.map(|(name, member)| member.expect(&name)).collect();
        all.sort();
        all
    };
    let expected = contents(expected());
    for options in [
        "--linearize",
        "--stream-data=uncompress",
        "--recompress-flate --compression-level=9",
        "--object-streams=generate",
        "--object-streams=generate --linearize",
    ] {
        let line = format!("qpdf {options} a.pdf b.pdf");
        let done = Command::new("sh").args(["-c", &line]).current_dir(room.path()).output().unwrap();
        assert!(done.status.success(), "{line}: {done:?}");
        let found = contents(members(std::fs::read(room.path().join("b.pdf")).unwrap()));
        assert_eq!(found, expected, "{options}");
    }
    // A key that is asked for, and one that is not.
    for words in ["--encrypt secret owner 256 --", "--allow-weak-crypto --encrypt '' owner 128 --"] {
        let line = format!("qpdf {words} a.pdf c.pdf");
        let done = Command::new("sh").args(["-c", &line]).current_dir(room.path()).output().unwrap();
        assert!(done.status.success(), "{line}: {done:?}");
        let found = members(std::fs::read(room.path().join("c.pdf")).unwrap());
        assert!(found[""].as_ref().unwrap_err().contains("is encrypted"), "{words}: {found:?}");
    }
}

#[test]
fn mutants_end() {
    let mut random = 11_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    // With a stream of objects and one of cross-references, plain so that changes reach them.
    let within = "1 0 2 40 << /Type /Catalog /Pages 2 0 R >>          << /Type /Pages /Kids [] >>";
    let objects = [
        stream("/Type /ObjStm /N 2 /First 9", within.as_bytes()),
        stream(
            "/Filter [/A85 /LZW] /DecodeParms [null << /Predictor 12 /Columns 3 >>]",
            b"J..)6T`?p&<!J9%_[umg\"B7/Z7KNXbN'S+,*Q/&\"OLT'F~>",
        ),
    ];
    let streamed = document(&objects, "/Prev 9 /XRefStm 15");
    for whole in [whole(), streamed] {
        for _ in 0..mutants() {
            let mut bytes = whole.clone();
            for _ in 0..=next(4) {
                let at = next(bytes.len());
                match next(3) {
                    0 => bytes[at] = [b'0' + next(10) as u8, b'<', b'>', b'[', b' ', next(256) as u8][next(6)],
                    1 => {
                        let from = next(bytes.len());
                        let part = bytes[from..(from + next(60)).min(bytes.len())].to_vec();
                        bytes.splice(at..at, part);
                    }
                    _ => {
                        let end = (at + next(30)).min(bytes.len());
                        bytes.drain(at..end);
                    }
                }
            }
            let limits = Limits { bytes: 1 << 20, entries: 1000, ..Limits::default() };
            for node in listed(bytes, &limits).into_iter().flatten().flatten() {
                let _ = content(&node);
            }
        }
    }
}
