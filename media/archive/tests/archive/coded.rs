//! Files that are coded in a text.

use crate::noise::noise;
use pfh_archive::Bytes;
use pfh_archive::Node;
use pfh_archive::{Format, Limits, is_coded_further, open};
use std::io::Read;
use std::sync::Arc;

/// Names and bytes of members, or failures in words.
pub fn members(format: Format, bytes: &[u8], name: &[u8]) -> Vec<(String, Result<Vec<u8>, String>)> {
    let limits = Limits { bytes: 1 << 20, entries: 1000, ..Limits::default() };
    let bytes: Arc<dyn Bytes> = Arc::new(bytes.to_vec());
    let nodes = match open(format, bytes, name, &limits) {
        Ok(nodes) => nodes,
        Err(failure) => return vec![(String::new(), Err(failure.to_string()))],
    };
    let said = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let read = |node: Node| {
        let mut content = Vec::new();
        let opened = node.content.as_ref().expect("content").open();
        let read = opened
            .map_err(|failure| failure.to_string())
            .and_then(|reader| reader.take(2 << 20).read_to_end(&mut content).map_err(|error| error.to_string()));
        if let (Ok(got), Some(size)) = (&read, node.size) {
            assert_eq!(*got as u64, size.min(2 << 20), "{}", said(&node.path));
        }
        (said(&node.path), read.map(|_| content))
    };
    nodes
        .take(2000)
        .map(|found| match found {
            Ok(node) => read(node),
            Err(failure) => (said(&failure.path), Err(failure.to_string())),
        })
        .collect()
}

/// The members. Each must be read.
pub fn whole(format: Format, bytes: &[u8], name: &str) -> Vec<(String, Vec<u8>)> {
    let found = members(format, bytes, name.as_bytes());
    found
        .into_iter()
        .map(|(name, content)| (name.clone(), content.unwrap_or_else(|why| panic!("{name}: {why}"))))
        .collect()
}

pub fn recognised(bytes: &[u8]) -> Option<Format> {
    Format::recognize(&bytes[..bytes.len().min(4096)])
}

/// Groups of three bytes as four letters.
fn letters(bytes: &[u8], alphabet: impl Fn(u32) -> u8) -> Vec<u8> {
    let groups = bytes.chunks(3).flat_map(|group| {
        let bits = (0..3).fold(0, |bits, at| bits << 8 | u32::from(group.get(at).copied().unwrap_or(0)));
        [18, 12, 6, 0].map(|shift| bits >> shift & 63)
    });
    groups.map(alphabet).collect()
}

pub fn base64(bytes: &[u8]) -> Vec<u8> {
    let alphabet = |value: u32| match value as u8 {
        value @ 0..=25 => b'A' + value,
        value @ 26..=51 => b'a' + value - 26,
        value @ 52..=61 => b'0' + value - 52,
        62 => b'+',
        _ => b'/',
    };
    let mut text = letters(bytes, alphabet);
    let (end, filled) = (text.len(), (3 - bytes.len() % 3) % 3);
    text[end - filled..].fill(b'=');
    text
}

pub fn lines(text: &[u8], width: usize) -> Vec<u8> {
    text.chunks(width).flat_map(|line| [line, b"\n"].concat()).collect()
}

pub fn uuencoded(name: &str, bytes: &[u8]) -> Vec<u8> {
    let alphabet = |value: u32| if value == 0 { b'`' } else { 32 + value as u8 };
    let line = |part: &[u8]| [&[32 + part.len() as u8][..], &letters(part, alphabet), b"\n"].concat();
    let body: Vec<u8> = bytes.chunks(45).flat_map(line).collect();
    [format!("begin 644 {name}\n").as_bytes(), &body, b"`\nend\n"].concat()
}

fn xxencoded(name: &str, bytes: &[u8]) -> Vec<u8> {
    let alphabet = |value: u32| b"+-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[value as usize];
    let line = |part: &[u8]| [&[alphabet(part.len() as u32)][..], &letters(part, alphabet), b"\n"].concat();
    let body: Vec<u8> = bytes.chunks(45).flat_map(line).collect();
    [format!("begin 644 {name}\n").as_bytes(), &body, b"+\nend\n"].concat()
}

pub fn yencoded(name: &str, bytes: &[u8]) -> Vec<u8> {
    let coded = |byte: &u8| match byte.wrapping_add(42) {
        critical @ (0 | 10 | 13 | 61) => vec![b'=', critical.wrapping_add(64)],
        plain => vec![plain],
    };
    let body: Vec<u8> =
        bytes.chunks(64).flat_map(|line| [line.iter().flat_map(coded).collect(), b"\r\n".to_vec()].concat()).collect();
    let size = bytes.len();
    let (head, sum) = (format!("=ybegin line=64 size={size} name={name}\r\n"), crc32fast::hash(bytes));
    [head.as_bytes(), &body, format!("=yend size={size} crc32={sum:08x}\r\n").as_bytes()].concat()
}

pub fn sum16(bytes: &[u8]) -> [u8; 2] {
    let sum = bytes.iter().fold(0_u16, |sum, byte| {
        (0..8).fold(sum ^ u16::from(*byte) << 8, |sum, _| if sum & 0x8000 != 0 { sum << 1 ^ 0x1021 } else { sum << 1 })
    });
    sum.to_be_bytes()
}

pub fn binhex(name: &str, data: &[u8], resource: &[u8]) -> Vec<u8> {
    let sizes = [data, resource].map(|fork| (fork.len() as u32).to_be_bytes()).concat();
    let header = [&[name.len() as u8][..], name.as_bytes(), b"\0TEXTttxt\0\0", &sizes].concat();
    let raw = [&header[..], &sum16(&header), data, &sum16(data), resource, &sum16(resource)].concat();
    let raw: Vec<u8> = raw.iter().flat_map(|byte| if *byte == 0x90 { vec![0x90, 0] } else { vec![*byte] }).collect();
    let alphabet = |value: u32| b"!\"#$%&'()*+,-012345689@ABCDEFGHIJKLMNPQRSTUVXYZ[`abcdefhijklmpqr"[value as usize];
    let text = [&b":"[..], &letters(&raw, alphabet), b":"].concat();
    [&b"(This file must be converted with BinHex 4.0)\r\n\r\n"[..], &lines(&text, 64)].concat()
}

pub fn secret() -> Vec<u8> {
    [noise(7, 3000), vec![0x90; 40], vec![0; 300], (0..=255).collect()].concat()
}

#[test]
fn texts_with_coded_files() {
    let secret = secret();
    let both = [&b"Here it is\n\n"[..], &uuencoded("a.zip", &secret), b"and\n", &xxencoded("b.zip", &secret)].concat();
    let of_base64 = [&b"begin-base64 644 c\n"[..], &lines(&base64(&secret), 60), b"====\n"].concat();
    let pem = [&b"-----BEGIN CMS-----\n"[..], &lines(&base64(&secret), 64), b"-----END CMS-----\n"].concat();
    let script = b"#!/bin/sh\n# This is a shell archive\nsed 's/^X//' >'d.txt' << 'EOF'\nXone\nXXtwo\n\nEOF\ncat > $x <<'E'\nbegin 644 e\n#8V%T\n`\nend\nE\n";
    let card = [
        &b"BEGIN:VCARD\r\nPHOTO;ENCODING=b;TYPE=PNG:"[..],
        &base64(&secret[..30]),
        b"\r\n ",
        &base64(&secret[30..]),
        b"\r\nEND:VCARD\r\n",
    ];
    let expected = |name: &str| (name.to_owned(), secret.clone());
    for (bytes, files) in [
        (both, vec![expected("a.zip"), expected("b.zip")]),
        (of_base64, vec![expected("c")]),
        (yencoded("y.bin", &secret), vec![expected("y.bin")]),
        (
            binhex("m.bin", &secret, b"resources"),
            vec![expected("m.bin"), ("m.bin:resource".to_owned(), b"resources".to_vec())],
        ),
        (lines(&base64(&secret), 76), vec![expected("s")]),
        (base64(&secret), vec![expected("s")]),
        (pem, vec![expected("s")]),
        (script.to_vec(), vec![("d.txt".to_owned(), b"one\nXtwo\n\n".to_vec()), ("e".to_owned(), b"cat".to_vec())]),
        (card.concat(), vec![expected("photo")]),
    ] {
        assert_eq!(recognised(&bytes), Some(Format::Coded), "{}", String::from_utf8_lossy(&bytes[..40]));
        assert_eq!(whole(Format::Coded, &bytes, "d/s.b64"), files);
    }
    for plain in [
        &b"begin 644 is how a sentence may go on\nand that is all of it\n"[..],
        b"To begin 644 x\n",
        &lines(b"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", 64).repeat(8),
        &b"AAAA BBBB this is no base64 at all ".repeat(20),
    ] {
        assert_eq!(recognised(plain), None, "{}", String::from_utf8_lossy(plain));
    }
    let later = [&b"a line of text\n".repeat(500)[..], &uuencoded("z", &secret)].concat();
    assert!(is_coded_further(&later[..4096], &later) && !is_coded_further(&later[..4096], &later[..5000].to_vec()));
    assert_eq!(whole(Format::Coded, &later, "t"), vec![expected("z")]);
}

/// A line of uuencode may be one of xxencode as well: the line in front of the end says which.
#[test]
fn short_files_of_either_code() {
    for length in 1..46 {
        let bytes: Vec<u8> = noise(length as u64, length);
        for text in [uuencoded("a", &bytes), xxencoded("a", &bytes)] {
            let found = whole(Format::Coded, &text, "t");
            assert_eq!(found, vec![("a".to_owned(), bytes.clone())], "{}", String::from_utf8_lossy(&text));
        }
    }
    let wide = b"begin 644 a\n+0++++++0\n+\nend\n";
    assert!(members(Format::Coded, wide, b"t").iter().all(|(_, content)| content.is_err()));
}

/// Lines that a shell would change on their way into a file make no file as they stand.
#[test]
fn files_that_a_shell_makes_otherwise_are_named() {
    for line in [
        "tr x y > f <<'E'",
        "sed -e 's/^X//' -e 's/^Y//' > f <<'E'",
        "sed 's/^X//;s/a/b/' > f <<'E'",
        "sed 's/^[XY]//' > f <<'E'",
        "cat <<-'E' > f",
        "cat <<'E' | tr x y > f",
        "sed 's/^X//' <<'E' | uudecode\nXbegin 644 f\nX#8V%T\nX`\nXend",
    ] {
        let text = format!("# This is a shell archive\n{line}\nXone\nE\n");
        let found = members(Format::Coded, text.as_bytes(), b"s");
        assert!(found.len() == 1 && found[0].1.is_err(), "{line}: {found:?}");
    }
    for line in
        ["sed 's/^X//' > f <<'E'", "echo x; sed -e \"s/^X//\" <<\\E >f &&", "if t; then /bin/sed 's/^X//' >'f' <<\"E\""]
    {
        let text = format!("# This is a shell archive\n{line}\nXone\nE\n");
        assert_eq!(whole(Format::Coded, text.as_bytes(), "s"), vec![("f".to_owned(), b"one\n".to_vec())], "{line}");
    }
}

#[test]
fn coded_files_that_are_damaged_are_named() {
    let secret = secret();
    let mut bytes = yencoded("y.bin", &secret);
    bytes[100] = bytes[100].wrapping_add(1).max(64);
    let cut = uuencoded("a", &secret)[..2000].to_vec();
    let mut hex = binhex("m", &secret, b"");
    hex[200] = if hex[200] == b'!' { b'"' } else { b'!' };
    let appended = b"# This is a shell archive\ncat >> x <<'E'\none\nE\ncat > y <<E\n$HOME\nE\n".to_vec();
    for (bytes, said) in [(bytes, "CRC"), (cut, "does not end"), (hex, "checksum"), (appended, "that the shell writes")]
    {
        let found = members(Format::Coded, &bytes, b"s");
        let faults: Vec<_> = found.iter().filter_map(|(_, content)| content.clone().err()).collect();
        assert!(!faults.is_empty() && faults.iter().all(|fault| fault.contains(said)), "{said}: {faults:?}");
    }
}
