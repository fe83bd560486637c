//! WIM: images of names and streams, packed by XPRESS and LZX, and with false statements.

use crate::mutated;
use pfh_archive::{Format, Limits, open};
use pfh_archive::{Kind, Node};
use pfh_inject::mutants;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

fn outsider(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/outsiders").join(name)).unwrap()
}

fn content(node: &Node) -> Result<Vec<u8>, String> {
    let opened = node.content.as_ref().ok_or("no content")?.open().map_err(|failure| failure.to_string());
    let mut all = Vec::new();
    opened?.read_to_end(&mut all).map_err(|error| error.get_ref().map_or(String::new(), |inner| inner.to_string()))?;
    assert_eq!(node.size, Some(all.len() as u64));
    Ok(all)
}

/// Each name, with its bytes or the fault; directories and links are left out.
fn files(bytes: Vec<u8>, limits: &Limits) -> Vec<(String, Result<Vec<u8>, String>)> {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let nodes = match open(Format::Wim, Arc::new(bytes), b"x", limits) {
        Ok(nodes) => nodes,
        Err(failure) => return vec![(text(&failure.path), Err(failure.to_string()))],
    };
    let one = |found: Result<Node, pfh_archive::Failure>| match found {
        Ok(node) if node.content.is_none() => None,
        Ok(node) => Some((text(&node.path), content(&node))),
        Err(failure) => Some((text(&failure.path), Err(failure.to_string()))),
    };
    nodes.filter_map(one).collect()
}

/// The files that the images were made of.
fn expected() -> Vec<(String, Vec<u8>)> {
    let rows: String = (1..=12_000).map(|number| format!("{number}\n")).collect();
    let calls: Vec<u8> = (1..=3000).flat_map(|number| [b"\xe8", format!("{number:04}").as_bytes()].concat()).collect();
    let all = [
        ("1/calls", &calls[..]),
        ("1/hard", rows.as_bytes()),
        ("1/none", b""),
        ("1/rows", rows.as_bytes()),
        ("1/d/a", b"hello\n"),
        ("2/a", b"hello\n"),
    ];
    all.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).to_vec()
}

#[test]
fn images_are_read_back() {
    for name in ["xpress.wim", "lzx.wim"] {
        let bytes = outsider(name);
        assert_eq!(Format::recognize(&bytes[..512]), Some(Format::Wim));
        let found: Vec<_> =
            files(bytes.clone(), &Limits::default()).into_iter().map(|(name, is)| (name, is.unwrap())).collect();
        assert!(found == expected(), "{name}");
        let nodes: Vec<Node> =
            open(Format::Wim, Arc::new(bytes), b"x", &Limits::default()).unwrap().map(Result::unwrap).collect();
        let link = nodes.iter().find(|node| node.path == b"1/link").unwrap();
        assert_eq!(link.kind, Kind::Link(br"d\a".to_vec()));
        let directories = nodes.iter().filter(|node| node.kind == Kind::Directory).count();
        assert_eq!(directories, 3);
        assert!(nodes.iter().filter(|node| node.path.len() > 1).all(|node| node.times.modified.is_some()));
    }
}

#[test]
fn what_does_not_hold_is_named() {
    let whole = outsider("lzx.wim");
    let failed = |bytes: Vec<u8>| -> Vec<String> {
        files(bytes, &Limits::default()).into_iter().filter_map(|(name, is)| Some(name + ": " + &is.err()?)).collect()
    };
    // A byte of the first stream.
    let mut bytes = whole.clone();
    bytes[208 + 40] ^= 1;
    let found = failed(bytes);
    assert!(!found.is_empty() && found.iter().all(|why| why.contains("offset")), "{found:?}");
    assert!(found.len() < expected().len(), "{found:?}");
    // The SHA-1 of each entry of the table, one after the other: a name without its bytes, or an
    // image without its names.
    let table = u64::from_le_bytes(whole[56..64].try_into().unwrap()) as usize;
    for entry in 0..u64::from_le_bytes(whole[64..72].try_into().unwrap()) as usize / 50 {
        let mut bytes = whole.clone();
        bytes[table + entry * 50 + 30] ^= 1;
        let found = failed(bytes);
        let is_named = |why: &String| why.contains("SHA-1") || why.contains("not in the table");
        assert!(found.iter().any(is_named), "entry {entry}: {found:?}");
    }
    let found = failed(whole[..table].to_vec());
    assert!(found.len() == 1 && found[0].contains("cut off"), "{found:?}");
    let mut bytes = whole.clone();
    bytes[42] = 3;
    assert!(failed(bytes)[0].contains("part 2 of 3"));
    let mut bytes = whole.clone();
    bytes[44] += 1;
    let found = failed(bytes);
    assert!(found.len() == 1 && found[0].contains("images are stated"), "{found:?}");
    let mut bytes = whole.clone();
    bytes[18] = 8;
    assert!(failed(bytes).iter().all(|why| why.contains("LZMS: not read")));
    let limits = Limits { bytes: 3, ratio: 0, ..Limits::default() };
    let bombs = files(whole, &limits).into_iter().filter(|(_, is)| is.as_ref().is_err_and(|why| why.contains("bomb")));
    // All but the file without bytes, and the link.
    assert_eq!(bombs.count(), expected().len());
}

#[test]
fn mutants_end() {
    let mut random = 11_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    for name in ["xpress.wim", "lzx.wim"] {
        let whole = outsider(name);
        let table = u64::from_le_bytes(whole[56..64].try_into().unwrap()) as usize;
        for _ in 0..mutants() {
            let mut bytes = whole.clone();
            for _ in 0..=next(4) {
                let at = match next(3) {
                    0 => next(208),
                    1 => (table + next(350)).min(bytes.len() - 1),
                    _ => next(bytes.len()),
                };
                bytes[at] = [0, 0xFF, 1, 0x7f, next(256) as u8][next(5)];
            }
            if next(8) == 0 {
                bytes.truncate(1 + next(bytes.len()));
            }
            mutated::exhaust(bytes);
        }
    }
}
