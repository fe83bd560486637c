//! A volume with files of every kind.

use super::volume::{Facts, ROOT, Volume};
use crate::apfs::compression::{lzfse, lzvn_chunk, offsets, resources, zlib};
use crate::tree::{Item, Items, noise};

/// The directories that hard links lead into.
pub const FILES: &str = "\0\0\0\0HFS+ Private Data";
pub const FOLDERS: &str = ".HFS+ Private Directory Data\r";

pub const PLAIN: Facts = Facts { mode: 0o100_644, flags: 0, owner_flags: 0, special: 0, finder: [0; 8] };
const PACKED: Facts = Facts { owner_flags: 0x20, ..PLAIN };

/// A link to this number.
pub fn link(number: u32) -> Facts {
    Facts { special: number, finder: *b"hlnkhfs+", ..PLAIN }
}

pub fn folder_link(number: u32) -> Facts {
    Facts { special: number, finder: *b"fdrpMACS", flags: 0x20, ..PLAIN }
}

/// A compressed file: its attribute of this type with `held` behind the header, and its fork.
fn packed(volume: &mut Volume, name: &str, kind: u32, size: usize, held: &[u8], fork: &[u8]) -> u32 {
    let number = volume.file(ROOT, name, PACKED, (b"", 0), (fork, 2));
    let mut raw = b"fpmc".to_vec();
    raw.extend(kind.to_le_bytes());
    raw.extend((size as u64).to_le_bytes());
    raw.extend(held);
    volume.inline(number, "com.apple.decmpfs", &raw);
    number
}

/// The image, and its items.
pub fn sample(is_folded: bool) -> (Vec<u8>, Items) {
    let mut volume = Volume::new("Sample", is_folded);
    let mut items = Items::new();
    let mut has = |path: &str, item: Item| assert!(items.insert(path.into(), item).is_none(), "{path}");
    let content = noise(7, 70_001);

    let folder = volume.directory(ROOT, "Folder");
    has("Folder", Item::Directory);
    for index in 0..60 {
        let words = format!("words of {index}");
        volume.plain(folder, &format!("file {index} with a name that fills nodes"), words.as_bytes());
        has(&format!("Folder/file {index} with a name that fills nodes"), Item::File(words.into_bytes()));
    }
    // Letters are decomposed; a slash is a colon to Unix.
    volume.plain(folder, "Gru\u{308}ße 1/2, 世界 😀", b"greetings");
    has("Folder/Gru\u{308}ße 1:2, 世界 😀", Item::File(b"greetings".to_vec()));
    volume.plain(ROOT, "empty", b"");
    has("empty", Item::File(Vec::new()));
    volume.file(ROOT, "pieces", PLAIN, (&content, 30), (b"", 0));
    has("pieces", Item::File(content.clone()));
    let forks = volume.file(ROOT, "forks", PLAIN, (b"data", 1), (&content[..30_000], 20));
    has("forks", Item::File(b"data".to_vec()));
    has("forks:com.apple.ResourceFork", Item::File(content[..30_000].to_vec()));
    volume.inline(forks, "com.apple.small", b"in the tree");
    has("forks:com.apple.small", Item::File(b"in the tree".to_vec()));
    volume.stored(forks, "large", &content[..40_000], 25);
    has("forks:large", Item::File(content[..40_000].to_vec()));
    volume.file(ROOT, "symbolic", Facts { mode: 0o120_755, ..PLAIN }, (b"Folder/file 1", 1), (b"", 0));
    has("symbolic", Item::Link(b"Folder/file 1".to_vec()));
    volume.file(ROOT, "pipe", Facts { mode: 0o010_644, ..PLAIN }, (b"", 0), (b"", 0));
    has("pipe", Item::Special);

    // Names of one file, and of one directory.
    let files = volume.directory(ROOT, FILES);
    let folders = volume.directory(ROOT, FOLDERS);
    for number in [7, 77, 777, 1_000_077] {
        volume.plain(files, &format!("iNode{number}"), format!("shared {number}").as_bytes());
        for name in ["one", "two"] {
            volume.file(folder, &format!("{name} of {number}"), link(number), (b"", 0), (b"", 0));
            has(&format!("Folder/{name} of {number}"), Item::File(format!("shared {number}").into_bytes()));
        }
    }
    let shared = volume.directory(folders, "dir_5");
    volume.plain(shared, "within", b"of a shared directory");
    volume.file(ROOT, "first name", folder_link(5), (b"", 0), (b"", 0));
    volume.file(ROOT, "second name", folder_link(5), (b"", 0), (b"", 0));
    has("first name", Item::Directory);
    has("first name/within", Item::File(b"of a shared directory".to_vec()));
    has("second name", Item::Link(b"first name".to_vec()));
    // Deleted while it was open, and cut off from its directory.
    let open = volume.plain(files, "temp99", b"still open");
    has(&format!("$OrphanFiles/OrphanFile-{open}"), Item::File(b"still open".to_vec()));
    let lost = volume.plain(9999, "lost", b"without a directory");
    has(&format!("$OrphanFiles/OrphanFile-{lost}"), Item::File(b"without a directory".to_vec()));

    let text: Vec<u8> = b"so it goes, ".repeat(12_000);
    packed(&mut volume, "zlib 3", 3, 1200, &zlib(&text[..1200]), b"");
    has("zlib 3", Item::File(text[..1200].to_vec()));
    packed(&mut volume, "zlib 4", 4, text.len(), b"", &resources(&text, zlib));
    has("zlib 4", Item::File(text.clone()));
    packed(&mut volume, "lzvn 7", 7, 600, &lzvn_chunk(&text[..600]), b"");
    has("lzvn 7", Item::File(text[..600].to_vec()));
    packed(&mut volume, "lzvn 8", 8, text.len(), b"", &offsets(&text, lzvn_chunk));
    has("lzvn 8", Item::File(text.clone()));
    packed(&mut volume, "lzfse 12", 12, text.len(), b"", &offsets(&text, lzfse));
    has("lzfse 12", Item::File(text.clone()));
    // As afsctool writes it, with room behind the places of chunks.
    let mut padded = offsets(&text, lzfse);
    let places = 4 * (text.len().div_ceil(64 << 10) + 1);
    for place in padded[..places].chunks_mut(4) {
        let at = u32::from_le_bytes(place.try_into().unwrap()) + 8;
        place.copy_from_slice(&at.to_le_bytes());
    }
    padded.splice(places..places, [0; 8]);
    packed(&mut volume, "lzfse padded", 12, text.len(), b"", &padded);
    has("lzfse padded", Item::File(text.clone()));
    packed(&mut volume, "plain 9", 9, 5, b"\xccplain", b"");
    has("plain 9", Item::File(b"plain".to_vec()));
    volume.journal(true);
    (volume.end(), items)
}
