//! Files that belong together: images in segments and pieces, archives in volumes.

use super::segments::FIRSTS;
use pfh_container::disk::Kind;
use pfh_container::ewf::FileHeader;
use pfh_container::foreign;
use pfh_container::logical::Logical;
use pfh_source::image::{self, Format as ImageFormat, Image, OpenError};
use pfh_source::os::names::OsStrExt;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Whether this is the first segment of an E01 image.
pub fn is_first(start: &[u8]) -> bool {
    FileHeader::is_ewf(start) && start.get(9..11) == Some(&[1, 0])
}

/// How far behind a gap a volume is looked for.
const FARTHEST: usize = 100;

/// A file as an image.
pub enum ImageChoice {
    /// None, or raw in one piece.
    No,
    /// A later segment or piece of an image, whose first is beside it.
    Later(PathBuf),
    /// E01 or several pieces.
    Yes(Box<Image>),
    /// One of a format that is not read, or damaged.
    Unread(String),
}

/// A file of this path and these first bytes as an image. Segments and pieces behind the first
/// belong to the first.
pub fn image(path: &[u8], start: &[u8], end: &[u8]) -> ImageChoice {
    let path = Path::new(OsStr::from_bytes(path));
    if FileHeader::is_ewf(start) {
        if !is_first(start) {
            return later(path);
        }
        return match Image::open(path) {
            Ok(image) => ImageChoice::Yes(Box::new(image)),
            Err(error) => ImageChoice::Unread(error.to_string()),
        };
    }
    match Kind::recognize(start, end) {
        // A later segment or piece belongs to the first.
        Some(kind) if kind.is_later(start) => {
            return match describing(kind, path) {
                Some(first) => ImageChoice::Later(first),
                None => ImageChoice::Unread(format!("{}: a part of it whose first is not beside it", kind.name())),
            };
        }
        Some(_) => {
            return match Image::open(path) {
                Ok(image) => ImageChoice::Yes(Box::new(image)),
                Err(error) => ImageChoice::Unread(error.what()),
            };
        }
        None => {}
    }
    if let Some(format) = foreign::by_content(start) {
        return ImageChoice::Unread(format!("the format {} ({}) is not read", format.name, format.hint));
    }
    if let Some(descriptor) = describing(Kind::Vmdk, path).filter(|descriptor| is_one_of(descriptor, path)) {
        return ImageChoice::Later(descriptor);
    }
    match image::later_piece(path) {
        Ok(Some(first)) => return ImageChoice::Later(first),
        Ok(None) => {}
        Err(error) => return ImageChoice::Unread(error.what()),
    }
    let ends = |wanted: &str| path.extension().is_some_and(|ending| ending == wanted);
    // Pieces are counted from 0 or from 1.
    let first = ends("000") || ends("aaa") || ends("001") && !path.with_extension("000").exists();
    match first.then(|| Image::open_raw(path)) {
        Some(Ok(image)) if image.format() == ImageFormat::Split => ImageChoice::Yes(Box::new(image)),
        Some(Err(error @ OpenError::Broken { .. })) => ImageChoice::Unread(error.what()),
        _ => ImageChoice::No,
    }
}

/// The file beside it that a later part of a disk image belongs to: the descriptor of an extent,
/// `disk.vmdk` of `disk-s001.vmdk`, the first segment of an Ex01.
fn describing(kind: Kind, path: &Path) -> Option<PathBuf> {
    if kind == Kind::Ex01 {
        let firsts = ["Ex01", "ex01", "EX01"].into_iter().map(|ending| path.with_extension(ending));
        return firsts.into_iter().find(|first| first.is_file());
    }
    let stem = path.file_stem()?.as_bytes();
    let dash = stem.iter().rposition(|byte| *byte == b'-')?;
    let ending = path.extension()?.as_bytes();
    let descriptor = path.with_file_name(OsStr::from_bytes(&[&stem[..dash], b".", ending].concat()));
    descriptor.is_file().then_some(descriptor)
}

/// Whether the descriptor of a VMDK lists this file as one of several extents. One alone is the
/// whole disk.
fn is_one_of(descriptor: &Path, extent: &Path) -> bool {
    const MOST: u64 = 1 << 20;
    let is_vmdk = extent.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("vmdk"));
    let is_small = || std::fs::metadata(descriptor).is_ok_and(|found| found.len() <= MOST);
    let Some(text) = (is_vmdk && is_small()).then(|| std::fs::read(descriptor).ok()).flatten() else { return false };
    let name = [b"\"", extent.file_name().unwrap_or_default().as_bytes(), b"\""].concat();
    let lines =
        text.split(|byte| *byte == b'\n').filter(|line| line.starts_with(b"RW ") || line.starts_with(b"RDONLY "));
    lines.clone().count() > 1 && lines.into_iter().any(|line| line.windows(name.len()).any(|at| at == name))
}

/// A later segment: it belongs to the first, which must be beside it.
fn later(path: &Path) -> ImageChoice {
    match FIRSTS.into_iter().map(|ending| path.with_extension(ending)).find(|first| first.exists()) {
        Some(first) => ImageChoice::Later(first),
        None => ImageChoice::Unread("a later segment of an E01 image whose first is not beside it".into()),
    }
}

/// The first segment of a logical image, by the path of a later one; `None` if it is not there.
pub fn first_of(format: Logical, path: &Path) -> Option<PathBuf> {
    let ending = format.ending(1)?;
    let firsts = [ending.to_lowercase(), ending].map(|ending| path.with_extension(ending));
    firsts.into_iter().find(|first| first.exists())
}

/// The segments of a logical image, by the path of the first.
pub fn segments_of(format: Logical, first: &Path) -> Vec<PathBuf> {
    let is_lower =
        first.extension().is_some_and(|ending| ending.as_bytes().first().is_some_and(u8::is_ascii_lowercase));
    let ending = |number| format.ending(number).map(|ending| if is_lower { ending.to_lowercase() } else { ending });
    let later = (2..).map_while(|number| Some(first.with_extension(ending(number)?)));
    std::iter::once(first.to_owned()).chain(later.take_while(|path| path.exists())).collect()
}

/// The first of the pieces of an archive that this is one of by its name, if it is beside it: of a
/// zip the last part, which says where all others are.
pub fn first_piece(path: &[u8]) -> Option<PathBuf> {
    pfh_container::named::piece(path)?;
    let path = Path::new(OsStr::from_bytes(path));
    let ending = path.extension().map(|ending| ending.as_bytes()).unwrap_or_default();
    let firsts: &[&str] = if let [b'z' | b'Z', ..] = ending { &["zip", "ZIP", "zipx"] } else { &["001", "000"] };
    firsts.iter().map(|ending| path.with_extension(ending)).find(|first| first != path && first.exists())
}

/// The parts of the zip whose last one this is, in order; the name of one that is missing instead.
pub fn parts_of_zip(last: &Path, count: u32) -> Result<Vec<PathBuf>, PathBuf> {
    let upper = last.extension().is_some_and(|ending| ending.as_bytes().starts_with(b"Z"));
    let mut parts = Vec::new();
    for number in 1..count {
        let part = last.with_extension(format!("{}{number:02}", if upper { 'Z' } else { 'z' }));
        if !part.is_file() {
            return Err(part);
        }
        parts.push(part);
    }
    parts.push(last.to_owned());
    Ok(parts)
}

/// The faults of parts that are read one behind the other, each with the name of the part: those
/// that are empty, and where all but the last must be of one size, the first of another.
pub fn faults(parts: &[PathBuf], are_equal: bool) -> Vec<String> {
    let size = |path: &PathBuf| std::fs::metadata(path).map_or(0, |found| found.len());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let empty = parts.iter().filter(|path| size(path) == 0);
    let mut faults: Vec<String> =
        empty.map(|path| format!("its parts are not whole: {} is empty", name(path))).collect();
    if let Some((_, [first, others @ ..])) = parts.split_last().filter(|_| are_equal && faults.is_empty()) {
        let odd = others.iter().find(|path| size(path) != size(first));
        faults.extend(odd.map(|odd| {
            let sizes = (size(first), size(odd));
            format!("its parts are not whole: {} has {} bytes, and {} has {}", name(first), sizes.0, name(odd), sizes.1)
        }));
    }
    faults
}

/// The volume of a RAR that is missing, with one that is there behind it, in words.
fn gap<'a>(missing: PathBuf, mut behind: impl Iterator<Item = &'a PathBuf>) -> Option<String> {
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let next = behind.find(|path| path.is_file())?;
    Some(format!("its parts are not whole: {} is missing, and {} is there", name(&missing), name(next)))
}

/// The volumes of a RAR that are there, in order, by one of them: `.part1.rar` and `.part2.rar`, or
/// `.rar`, `.r00` and `.r01`. The first of the list is the first volume. Behind them the fault of
/// the set, if one is missing.
pub fn volumes_of_rar(one: &Path) -> (Vec<PathBuf>, Option<String>) {
    let name = one.file_name().unwrap_or_default().as_bytes();
    let named = |parts: &[&[u8]]| one.with_file_name(OsStr::from_bytes(&parts.concat()));
    let dot = name.iter().rposition(|byte| *byte == b'.').unwrap_or(name.len());
    let (stem, ending) = name.split_at(dot);
    let digits = stem.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let (before, number) = stem.split_at(stem.len() - digits);
    if before.to_ascii_lowercase().ends_with(b".part") && digits > 0 && !is_counted(ending) {
        let of = |count: usize, ending: &[u8]| {
            let number = format!("{count:0digits$}", digits = number.len());
            named(&[before, number.as_bytes(), ending])
        };
        // The first may be a program that unpacks itself.
        let further = if ending.eq_ignore_ascii_case(b".exe") { &b".rar"[..] } else { ending };
        let first = [of(1, ending), of(1, b".exe")].into_iter().find(|first| first.is_file());
        let mut parts: Vec<PathBuf> = (2..).map(|count| of(count, further)).take_while(|part| part.is_file()).collect();
        let next = parts.len() + 2;
        let behind: Vec<PathBuf> = (next + 1..next + FARTHEST).map(|count| of(count, further)).collect();
        let fault = gap(of(next, further), behind.iter());
        parts.splice(0..0, first);
        return (parts, fault);
    }
    let first = if is_counted(ending) {
        [&b".rar"[..], b".RAR", b".exe"].iter().map(|ending| named(&[stem, ending])).find(|first| first.is_file())
    } else {
        Some(one.to_owned())
    };
    let letters: &[u8] = if ending.get(1).is_some_and(u8::is_ascii_uppercase) { b"RSTUVWXYZ" } else { b"rstuvwxyz" };
    let others = letters.iter().flat_map(|letter| (0..100).map(move |count| (*letter, count)));
    let others = others.map(|(letter, count)| named(&[stem, b".", &[letter], format!("{count:02}").as_bytes()]));
    let others: Vec<PathBuf> = others.collect();
    let found = others.iter().take_while(|part| part.is_file()).count();
    let fault = others.get(found).and_then(|next| gap(next.clone(), others[found + 1..].iter().take(FARTHEST)));
    (first.into_iter().chain(others[..found].iter().cloned()).collect(), fault)
}

/// `.r00`
fn is_counted(ending: &[u8]) -> bool {
    matches!(ending, [b'.', b'r'..=b'z' | b'R'..=b'Z', tens, ones] if tens.is_ascii_digit() && ones.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_are_found_by_any_of_them() {
        let room = std::env::temp_dir().join(format!("pfh-volumes-{}", std::process::id()));
        std::fs::create_dir_all(&room).unwrap();
        let names =
            ["a.part01.rar", "a.part02.rar", "a.part04.rar", "b.rar", "b.r00", "b.r01", "c.r00", "D.RAR", "D.R00"];
        for name in names {
            std::fs::write(room.join(name), name).unwrap();
        }
        let of = |name: &str| -> Vec<String> {
            let (found, _) = volumes_of_rar(&room.join(name));
            found.iter().map(|path| path.file_name().unwrap().to_str().unwrap().to_owned()).collect()
        };
        let expected = [
            ("a.part01.rar", &["a.part01.rar", "a.part02.rar"][..]),
            ("a.part02.rar", &["a.part01.rar", "a.part02.rar"]),
            ("b.rar", &["b.rar", "b.r00", "b.r01"]),
            ("b.r01", &["b.rar", "b.r00", "b.r01"]),
            ("c.r00", &["c.r00"]),
            ("D.R00", &["D.RAR", "D.R00"]),
        ];
        let fault = volumes_of_rar(&room.join("a.part01.rar")).1.unwrap();
        let faults = faults(&[room.join("b.r00"), room.join("a.part01.rar"), room.join("D.R00")], true);
        std::fs::write(room.join("b.r01"), "").unwrap();
        let empty = super::faults(&[room.join("b.rar"), room.join("b.r01")], false);
        let wrong: Vec<_> = expected.iter().filter(|(name, parts)| of(name) != *parts).collect();
        std::fs::remove_dir_all(&room).unwrap();
        assert!(wrong.is_empty(), "{wrong:?}");
        assert!(fault.ends_with("a.part03.rar is missing, and a.part04.rar is there"), "{fault}");
        assert!(faults[0].ends_with("b.r00 has 5 bytes, and a.part01.rar has 12"), "{faults:?}");
        assert!(empty[0].ends_with("b.r01 is empty"), "{empty:?}");
    }
}
