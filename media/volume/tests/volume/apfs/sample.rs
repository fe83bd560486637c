//! A container with everything that is read, and the expected items.

use super::blocks::BLOCK;
use super::compression::{lzfse, lzvn, lzvn_chunk, offsets, resources, zlib};
use super::container::{Container, Kind};
use super::files::{DATALESS, Files, PRIVATE, ROOT};
use crate::tree::{Item, Items, noise};

/// The image, and the live names of its volume `Data`.
pub struct Sample {
    pub image: Vec<u8>,
    pub data: Items,
}

/// Bytes that a file is compressed from: noise, a text, and one byte many times.
fn large() -> Vec<u8> {
    let text: Vec<u8> = (0..9000_u32).flat_map(|line| format!("line {}\n", line * line % 97).into_bytes()).collect();
    [noise(3, 70_000), text, vec![b'='; 70_000]].concat()
}

pub fn sample() -> Sample {
    let mut container = Container::new();
    let blocks = &mut container.blocks;
    let mut files = Files::new(true);
    let mut data = Items::new();
    let mut add = |path: &str, item: Item| {
        assert!(data.insert(path.as_bytes().to_vec(), item).is_none(), "{path}");
    };

    files.file(blocks, ROOT, b"empty", &[]);
    add("empty", Item::File(Vec::new()));
    let (one, two) = (noise(1, 3 * BLOCK), noise(2, BLOCK + 77));
    files.file(blocks, ROOT, b"pieces", &[Ok(&one), Ok(&two)]);
    add("pieces", Item::File([&one[..], &two].concat()));
    let hole = 5 * BLOCK as u64;
    files.file(blocks, ROOT, b"sparse", &[Ok(&one), Err(hole), Ok(b"end"), Err(hole)]);
    let mut sparse = one.clone();
    sparse.resize(one.len() + hole as usize, 0);
    sparse.extend(b"end");
    sparse.resize(one.len() + hole as usize + BLOCK + hole as usize, 0);
    add("sparse", Item::File(sparse));

    let folder = files.directory(ROOT, b"Folder");
    add("Folder", Item::Directory);
    let shared = files.file(blocks, folder, "Grüße, 世界 😀.txt".as_bytes(), &[Ok(b"far down")]);
    add("Folder/Grüße, 世界 😀.txt", Item::File(b"far down".to_vec()));
    files.name(ROOT, b"second name", shared, 8);
    add("second name", Item::File(b"far down".to_vec()));
    files.attribute(shared, b"com.apple.quarantine", b"0081;62;Safari");
    let long = noise(4, 2 * BLOCK + 1);
    files.attribute_stream(blocks, shared, b"com.example.long", &long);
    for name in ["Folder/Grüße, 世界 😀.txt", "second name"] {
        add(&format!("{name}:com.apple.quarantine"), Item::File(b"0081;62;Safari".to_vec()));
        add(&format!("{name}:com.example.long"), Item::File(long.clone()));
    }
    let link = files.special(folder, b"link", 0o120_755);
    files.attribute(link, b"com.apple.fs.symlink", b"../pieces\0");
    add("Folder/link", Item::Link(b"../pieces".to_vec()));
    files.special(folder, b"pipe", 0o010_644);
    add("Folder/pipe", Item::Special);
    files.attribute(folder, b"com.apple.FinderInfo", &[9; 32]);
    add("Folder:com.apple.FinderInfo", Item::File(vec![9; 32]));
    let many = files.directory(ROOT, b"Many");
    add("Many", Item::Directory);
    for index in 0..120 {
        let name = format!("file number {index:04}");
        files.file(blocks, many, name.as_bytes(), if index % 40 == 7 { &[Ok(b"some")] } else { &[] });
        let content: &[u8] = if index % 40 == 7 { b"some" } else { b"" };
        add(&format!("Many/{name}"), Item::File(content.to_vec()));
    }

    let (short, large) = (b"the same words, the same words, the same words".as_slice(), large());
    let marked = |mark: u8, bytes: &[u8]| [&[mark], bytes].concat();
    for (kind, rest) in [
        (1, short.to_vec()),
        (3, zlib(short)),
        (3, marked(0xff, short)),
        (7, lzvn(short)),
        (7, marked(6, short)),
        (9, marked(0xcc, short)),
        (11, lzfse(short)),
        (11, marked(0xff, short)),
    ] {
        let name = format!("inline {kind} {}", rest[0]);
        files.compressed(blocks, (ROOT, name.as_bytes()), (kind, short.len() as u64), &rest, None);
        add(&name, Item::File(short.to_vec()));
    }
    for (kind, fork) in [
        (4, resources(&large, zlib)),
        (8, offsets(&large, lzvn_chunk)),
        (10, offsets(&large, |chunk| marked(0xcc, chunk))),
        (12, offsets(&large, lzfse)),
    ] {
        let name = format!("fork {kind}");
        files.compressed(blocks, (ROOT, name.as_bytes()), (kind, large.len() as u64), b"", Some(&fork));
        add(&name, Item::File(large.clone()));
    }

    // Deleted while it was open: the system's own directory lists it.
    let dead = files.file(blocks, PRIVATE, b"0x1-dead", &[Ok(b"still there")]);
    add(&format!("$OrphanFiles/OrphanFile-{dead}"), Item::File(b"still there".to_vec()));

    // The state before: another content under a name that is gone.
    let mut before = Files::new(true);
    before.file(blocks, ROOT, b"gone", &[Ok(b"older words")]);
    container.volume(Kind::Usual, b"Data", &files, Some((b"com.apple.TimeMachine.2026-11-20", &before)));

    let mut other = Files::new(false);
    other.file(&mut container.blocks, ROOT, b"Name", &[Ok(b"upper")]);
    other.file(&mut container.blocks, ROOT, b"name", &[Ok(b"lower")]);
    container.volume(Kind::CaseSensitive, b"Twin", &other, None);
    container.volume(Kind::Encrypted, b"Secret", &other, None);

    let mut sealed = Files::new(true);
    sealed.extents = Some(Vec::new());
    for index in 0..40 {
        let words = format!("sealed {index}");
        sealed.file(&mut container.blocks, ROOT, format!("{index:02}").as_bytes(), &[Ok(words.as_bytes())]);
    }
    let far = sealed.take();
    sealed.inode(far, ROOT, 0o100_644, b"far away", None, DATALESS);
    sealed.name(ROOT, b"far away", far, 8);
    container.volume(Kind::Sealed, b"Twin", &sealed, None);
    container.volume(Kind::ByDevice, b"Phone", &other, None);
    Sample { image: container.end(), data }
}
