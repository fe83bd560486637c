//! Imports and the Rich header of a PE.

use object::LittleEndian as LE;
use object::read::pe::{ImageNtHeaders, ImageThunkData, PeFile};
use object::{FileKind, pe};
use pfh_digest::{Algorithm, Digest};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Imports that are read, at most.
const MOST: usize = 1 << 18;
/// Bytes of a name, at most: no linker writes longer ones.
const LONGEST: usize = 4096;
/// Where the header of Microsoft's linkers may begin: behind the header of MS-DOS.
const BEHIND: usize = 0x40;

static MD5: LazyLock<Algorithm> = LazyLock::new(|| "md5".parse().expect("the registry has it"));

/// The names of ordinals, by the library.
static ORDINALS: LazyLock<HashMap<&str, HashMap<u16, &str>>> = LazyLock::new(|| {
    let of = |line: &'static str| {
        let mut words = line.split(' ');
        let library = words.next().unwrap_or_default();
        let mut names = HashMap::new();
        while let (Some(number), Some(name)) = (words.next(), words.next()) {
            names.extend(number.parse().ok().map(|number: u16| (number, name)));
        }
        (library, names)
    };
    include_str!("ordinals.txt").lines().map(of).collect()
});

/// The MD5 of the imports; none of other files and of those without imports.
pub fn imphash(bytes: &[u8]) -> Option<Digest> {
    match FileKind::parse(bytes).ok()? {
        FileKind::Pe32 => imports::<pe::ImageNtHeaders32>(bytes),
        FileKind::Pe64 => imports::<pe::ImageNtHeaders64>(bytes),
        _ => None,
    }
}

/// The digest of the imports as imphash writes them. The text is not kept: imports of a hostile
/// file may all have the same long name.
fn imports<Headers: ImageNtHeaders>(bytes: &[u8]) -> Option<Digest> {
    let file = PeFile::<Headers>::parse(bytes).ok()?;
    let table = file.import_table().ok()??;
    let mut descriptors = table.descriptors().ok()?;
    let (mut text, mut left) = (MD5.hasher(), MOST);
    while let Some(descriptor) = descriptors.next().ok()? {
        let name = table.name(descriptor.name.get(LE)).ok()?;
        let library = String::from_utf8_lossy(short(name)?).to_ascii_lowercase();
        let stem = match library.rsplit_once('.') {
            Some((stem, "dll" | "ocx" | "sys")) => stem,
            _ => &library,
        };
        let first = Some(descriptor.original_first_thunk.get(LE)).filter(|first| *first != 0);
        let mut thunks = table.thunks(first.unwrap_or(descriptor.first_thunk.get(LE))).ok()?;
        while let Some(thunk) = thunks.next::<Headers>().ok()? {
            if left < MOST {
                text.update(b",");
            }
            left = left.checked_sub(1)?;
            let name = if thunk.is_ordinal() {
                ordinal(&library, thunk.ordinal())
            } else {
                let (_, name) = table.hint_name(thunk.address()).ok()?;
                String::from_utf8_lossy(short(name)?).to_ascii_lowercase()
            };
            text.update(format!("{stem}.{name}").as_bytes());
        }
    }
    (left < MOST).then(|| text.finalize())
}

fn short(name: &[u8]) -> Option<&[u8]> {
    (name.len() <= LONGEST).then_some(name)
}

fn ordinal(library: &str, number: u16) -> String {
    let name = ORDINALS.get(library).and_then(|names| names.get(&number));
    name.map_or_else(|| format!("ord{number}"), |name| name.to_ascii_lowercase())
}

/// The MD5 of the Rich header; none of files without one.
pub fn rich(bytes: &[u8]) -> Option<Digest> {
    let place = bytes.get(0x3c..0x40).filter(|_| bytes.starts_with(b"MZ"))?;
    let header = u32::from_le_bytes([place[0], place[1], place[2], place[3]]) as usize;
    let stub = bytes.get(BEHIND..header.min(bytes.len())).filter(|_| header < bytes.len())?;
    let words: Vec<[u8; 4]> = stub.chunks_exact(4).map(|four| [four[0], four[1], four[2], four[3]]).collect();
    let end = words.iter().rposition(|word| word == b"Rich")?;
    let mask = *words.get(end + 1)?;
    let clear = |word: &[u8; 4]| [0, 1, 2, 3].map(|at| word[at] ^ mask[at]);
    let start = words[..end].iter().rposition(|word| clear(word) == *b"DanS")?;
    let header: Vec<u8> = words[start..end].iter().flat_map(clear).collect();
    Some(MD5.digest(&header))
}
