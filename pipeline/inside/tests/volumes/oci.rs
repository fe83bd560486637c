//! Container images in a tar: names that read back, and the layer of each file.

use super::{listed, problems};
use pfh_inside::{Expanding, Lookup, Options};
use pfh_source::{Descend, Entry, Item, Operands, Origin, Source};
use sha2::{Digest, Sha256};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all = Vec::new();
    for (name, content) in members {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].copy_from_slice(b"        ");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        all.extend_from_slice(&header);
        all.extend_from_slice(content);
        all.resize(all.len().next_multiple_of(512), 0);
    }
    all.resize(all.len() + 1024, 0);
    all
}

pub fn digits(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A tar as `docker save` writes it; the second layer is another one than stated, if it is to be
/// wrong.
fn saved(is_wrong: bool) -> Vec<u8> {
    let lower = tar(&[("etc/a", b"a"), ("etc/b", b"old"), ("odd!/x", b"odd"), ("in.tar", &tar(&[("y", b"inner")]))]);
    let upper = tar(&[("etc/.wh.a", b""), ("etc/b", b"new")]);
    let stated = digits(if is_wrong { &lower } else { &upper });
    let config = format!("{{\"rootfs\":{{\"diff_ids\":[\"sha256:{}\",\"sha256:{stated}\"]}}}}", digits(&lower));
    let list = "[{\"Config\":\"c.json\",\"RepoTags\":[\"a/b:1\"],\"Layers\":[\"1/layer.tar\",\"2/layer.tar\"]}]";
    tar(&[
        ("1/layer.tar", &lower),
        ("2/layer.tar", &upper),
        ("c.json", config.as_bytes()),
        ("manifest.json", list.as_bytes()),
    ])
}

/// The same names through a list, one after the other and backwards.
pub fn read_back(names: &[String]) -> Vec<(Vec<u8>, Vec<u8>, &'static str)> {
    let mut options = Options::default();
    options.look_for(b"x!deleted-1");
    let names = names.iter().rev().map(|name| name.clone().into_bytes()).collect();
    let mut source = Lookup::new(Box::new(Operands::new(names, Descend::default())), Arc::new(options), b"");
    std::iter::from_fn(|| source.pull())
        .map(|item| {
            let Item::Entry(entry) = item else { panic!("not found") };
            let Origin::Object { name, object } = &entry.origin else { panic!("{:?} is not found", entry.name()) };
            let mut bytes = Vec::new();
            object.open().unwrap().read_to_end(&mut bytes).unwrap();
            let inside = object.inside().unwrap();
            assert_eq!(name[..], entry.name());
            (bytes, inside.container.clone(), inside.kind)
        })
        .collect()
}

#[test]
fn an_image_is_a_tree_beside_the_members_of_its_tar() {
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("i.tar");
    std::fs::write(&file, saved(false)).unwrap();
    let prefix = format!("{}!/", file.display());
    let inside = |options: Options| -> Vec<(String, Option<Vec<u8>>)> {
        let short = |(name, bytes): (String, _)| (name.strip_prefix(&prefix).unwrap().to_owned(), bytes);
        listed(&[&file], options).into_iter().map(short).collect()
    };
    let live = inside(Options::default());
    let names: Vec<&str> = live.iter().map(|(name, _)| name.as_str()).collect();
    let own = ["1/layer.tar", "2/layer.tar", "c.json", "manifest.json"];
    let tree = ["a%2Fb:1/odd!!/x", "a%2Fb:1/in.tar", "a%2Fb:1/in.tar!/y", "a%2Fb:1/etc/b"];
    assert_eq!(names, [own, tree].concat());
    assert_eq!(live[7].1.as_deref(), Some(&b"new"[..]));
    let mut options = Options::default();
    options.deleted = true;
    let all = inside(options);
    let deleted: Vec<_> = all.iter().filter(|(name, _)| name.contains("!deleted-")).cloned().collect();
    let expected = [("a%2Fb:1/etc/a!deleted-1", b"a".to_vec()), ("a%2Fb:1/etc/b!deleted-1", b"old".to_vec())];
    assert_eq!(deleted, expected.map(|(name, bytes)| (name.to_owned(), Some(bytes))));
    let names: Vec<String> = all.iter().map(|(name, _)| format!("{prefix}{name}")).collect();
    let found = read_back(&names);
    for ((name, bytes), (read, container, kind)) in all.iter().zip(found.iter().rev()) {
        assert_eq!(bytes.as_ref(), Some(read), "{name}");
        let (layer, expected) = match &name[..] {
            "a%2Fb:1/etc/b" => ("!/2/layer.tar", "oci"),
            "a%2Fb:1/in.tar!/y" => ("!/a%2Fb:1/in.tar", "tar"),
            name if name.starts_with("a%2F") => ("!/1/layer.tar", "oci"),
            _ => ("", "tar"),
        };
        let container = Path::new(std::ffi::OsStr::from_bytes(container)).display().to_string();
        assert_eq!((container, *kind), (format!("{}{layer}", file.display()), expected), "{name}");
    }
    std::fs::write(&file, saved(true)).unwrap();
    let problems = problems(&file, Options::default());
    assert!(problems.len() == 1 && problems[0].contains("as the configuration states"), "{problems:?}");
}

/// A gzip stream of stored blocks.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut all = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    for block in bytes.chunks(0xffff) {
        let length = block.len() as u16;
        all.push(0);
        all.extend_from_slice(&[length.to_le_bytes(), (!length).to_le_bytes()].concat());
        all.extend_from_slice(block);
    }
    all.extend_from_slice(b"\x01\0\0\xff\xff");
    let crc = bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    });
    all.extend_from_slice(&[(!crc).to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat());
    all
}

#[test]
fn a_compressed_tar_is_the_same_tree() {
    let room = tempfile::tempdir().unwrap();
    let (plain, packed) = (room.path().join("i.tar"), room.path().join("i.tar.gz"));
    let tar = saved(false);
    std::fs::write(&plain, &tar).unwrap();
    std::fs::write(&packed, gzip(&tar)).unwrap();
    let all = || {
        let mut options = Options::default();
        options.deleted = true;
        options
    };
    let expected = super::found(&plain, all());
    assert_eq!(expected.len(), 10);
    assert_eq!(super::found(&packed, all()), expected);
    // Members are read back by their names, and have no places on a medium.
    let names: Vec<String> = expected.keys().map(|name| format!("{}!/{name}", packed.display())).collect();
    for ((read, _, _), bytes) in read_back(&names).iter().rev().zip(expected.values()) {
        assert_eq!(Some(read), bytes.as_ref());
    }
    let outer = Operands::new(vec![packed.as_os_str().as_bytes().to_vec()], Descend::default());
    let mut source = Expanding::new(Box::new(outer), Arc::new(Options::default()));
    let objects = std::iter::from_fn(|| source.pull()).filter_map(|item| match item {
        Item::Entry(Entry { origin: Origin::Object { name, object }, .. }) => Some((name, object)),
        _ => None,
    });
    for (name, object) in objects.filter(|(name, _)| !name.ends_with(b"in.tar!/y")) {
        assert!(object.runs().is_none() && object.stored().unwrap().is_none(), "{name:?}");
    }
}

/// A file that cannot be unpacked is read in order, as any compressed tar, and images are reported
/// as missing.
#[test]
fn images_that_are_too_large_or_cut_off_are_named() {
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("i.tar.gz");
    let whole = gzip(&saved(false));
    std::fs::write(&file, &whole).unwrap();
    let mut small = Options::default();
    small.limits.nested = 2048;
    let found = super::found(&file, small.clone());
    assert_eq!(found[""], None);
    assert!(found["1/layer.tar"].is_some() && found["manifest.json"].is_some());
    assert!(!found.contains_key("a%2Fb:1/etc/b"));
    let said = problems(&file, small);
    assert!(said.iter().any(|why| why.contains("container images") && why.contains("2048 bytes")), "{said:?}");
    std::fs::write(&file, &whole[..whole.len() - 3]).unwrap();
    let said = problems(&file, Options::default());
    assert!(said.iter().any(|why| why.contains("container images in this tar are not read")), "{said:?}");
    // One that only begins as images do is whole without them.
    std::fs::write(&file, gzip(&tar(&[("index.json", b"{}"), ("a", &[1; 4000])]))).unwrap();
    let mut small = Options::default();
    small.limits.nested = 2048;
    assert_eq!(problems(&file, small), Vec::<String>::new());
    // A tar of other things is read as before: in order, without a file to keep it in.
    std::fs::write(&file, gzip(&tar(&[("etc/a", b"a"), ("index", b"b")]))).unwrap();
    let mut none = Options::default();
    none.limits.nested = 0;
    assert_eq!(problems(&file, none), Vec::<String>::new());
}
