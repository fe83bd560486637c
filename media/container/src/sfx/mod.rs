//! Archives behind something else: a program that unpacks them, a picture, a document, a script.

mod archives;
mod cursor;
mod media;
mod picture;
mod program;
mod starts;
mod text;
mod volume;

use crate::Bytes;
use archives::Front;
pub use archives::starts;
pub use program::end_of_program;
pub use starts::Pairs;

/// Bytes behind a program in which the archive must begin: a configuration stands before it.
const ROOM: u64 = 64 << 10;
/// The same behind the part of a program that its headers state, and in a script.
const WIDE: u64 = 1 << 20;

/// An archive that was found behind something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundArchive {
    /// Its format.
    pub format: &'static str,
    /// Where it begins, in bytes.
    pub offset: u64,
}

/// Whether bytes that begin like this may stand in front of an archive.
pub fn may_be_in_front(start: &[u8]) -> bool {
    let programs = [&b"MZ"[..], b"#!"];
    end_of_program(start).is_some()
        || programs.iter().any(|magic| start.starts_with(magic))
        || is_of_lha(start)
        || is_picture(start)
}

/// Whether a picture, a document, sound, a film or a database begins so: it is one with an archive
/// behind it, too.
pub fn is_picture(start: &[u8]) -> bool {
    picture::is_one(start) || media::is_one(start)
}

/// The program for DOS that LHA puts in front of its archives: it has no header.
fn is_of_lha(start: &[u8]) -> bool {
    let names = [&b"LHA's SFX"[..], b"LHarc's SFX", b"LHa's SFX", b"LHA SFX"];
    start.iter().take(128).count() > 64
        && names.iter().any(|name| start[..start.len().min(128)].windows(name.len()).any(|window| window == *name))
}

/// Where an archive may begin, and how many bytes behind that: behind a program, a picture or a
/// document, in a script.
fn behind(start: &[u8], bytes: &dyn Bytes) -> Option<(u64, u64)> {
    if is_of_lha(start) {
        return Some((0, ROOM));
    }
    if start.starts_with(b"#!") {
        return Some((2, WIDE));
    }
    if picture::is_one(start) {
        return picture::end(start, bytes).map(|end| (end, ROOM));
    }
    if media::is_one(start) {
        return media::end(start, bytes).map(|end| (end, ROOM));
    }
    let end = end_of_program(start);
    if start.starts_with(b"MZ") && !program::is_portable(start) {
        // Headers state the first part of a program for DOS or 16-bit Windows.
        return Some((end.unwrap_or(64), WIDE));
    }
    end.map(|end| (end, ROOM))
}

/// The archive behind something else; `None` if there is none.
pub fn archive(start: &[u8], bytes: &dyn Bytes) -> Option<FoundArchive> {
    let (end, room) = behind(start, bytes).filter(|(end, _)| *end < bytes.size())?;
    let mut window = vec![0; (bytes.size() - end).min(room) as usize];
    bytes.read_exact_at(end, &mut window).ok()?;
    let front = if start.starts_with(b"#!") { Front::Script } else { Front::Ended };
    let (at, format) = archives::find(&window, front)?;
    // A zip may begin with any of its members; the others stand for themselves.
    Some(FoundArchive { format, offset: end + at as u64 })
}

/// The archive behind bytes that are not known as anything else: in the first MiB of a text
/// that does not end as one, and in the first 64 KiB of all else. Its header must have a right
/// checksum.
pub fn anywhere(start: &[u8], bytes: &dyn Bytes) -> Option<FoundArchive> {
    if may_be_in_front(start) || start.len() < 16 {
        return None;
    }
    let (front, room) = match text::begins(start) {
        true if text::ends_otherwise(start, bytes) => (Front::Text, WIDE),
        true => return None,
        false => (Front::Any, ROOM),
    };
    let mut window = vec![0; bytes.size().min(room) as usize];
    bytes.read_exact_at(0, &mut window).ok()?;
    let (at, format) = archives::find(&window, front)?;
    Some(FoundArchive { format, offset: at as u64 })
}

/// Where an archive may begin that [`archive`] and [`anywhere`] do not find: behind the end of what
/// stands in front, as far as that is known; `None` in a text, and where nothing is behind.
pub fn further(start: &[u8], bytes: &dyn Bytes) -> Option<u64> {
    if may_be_in_front(start) {
        return behind(start, bytes).map(|(end, _)| end).filter(|end| *end < bytes.size());
    }
    (!text::begins(start) || text::ends_otherwise(start, bytes)).then_some(0)
}

/// The archive behind bytes that end there, perhaps with zeros between.
pub fn behind_end(end: u64, bytes: &dyn Bytes) -> Option<FoundArchive> {
    let mut window = vec![0; bytes.size().checked_sub(end)?.min(ROOM) as usize];
    bytes.read_exact_at(end, &mut window).ok()?;
    let at = window.iter().position(|byte| *byte != 0)?;
    let (_, format) = archives::starts(&window[at..]).find(|(found, _)| *found == 0)?;
    Some(FoundArchive { format, offset: end + at as u64 })
}

/// Where a volume of squashfs or EROFS, or a disc (ISO), begins behind something else, as in an
/// AppImage; `None` if none does, or an archive stands in front of it.
pub fn volume(start: &[u8], bytes: &dyn Bytes) -> Option<u64> {
    if start.starts_with(b"#!") || text::ends_otherwise(start, bytes) {
        let mut window = vec![0; bytes.size().min(WIDE) as usize];
        bytes.read_exact_at(0, &mut window).ok()?;
        let found = volume::within(&window)?;
        let in_front = archive(start, bytes).or_else(|| anywhere(start, bytes));
        return in_front.is_none_or(|archive| found < archive.offset).then_some(found);
    }
    let end = match end_of_program(start) {
        Some(end) => end,
        None => behind(start, bytes).filter(|_| is_picture(start))?.0,
    };
    volume::is_at(bytes, end).then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behind_programs_and_nowhere_else() {
        let mut program = vec![0; 1024];
        program[..2].copy_from_slice(b"MZ");
        program[0x3c] = 0x80;
        program[0x80..0x84].copy_from_slice(b"PE\0\0");
        program[0x86] = 1;
        let section = 0x80 + 24;
        program[section + 16..section + 18].copy_from_slice(&512_u16.to_le_bytes());
        program[section + 20..section + 22].copy_from_slice(&512_u16.to_le_bytes());
        assert_eq!(archive(&program, &program.clone()), None);
        let with = [&program[..], b";!@Install@!UTF-8!;7z\xbc\xaf\x27\x1c\0\x04"].concat();
        assert_eq!(archive(&with, &with.clone()), Some(FoundArchive { format: "7z", offset: 1024 + 19 }));
        // In the program itself it is a string.
        program[600..606].copy_from_slice(b"7z\xbc\xaf\x27\x1c");
        assert_eq!(archive(&program, &program.clone()), None);
        let mut elf = [0; 64];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        elf[0x28] = 64;
        let with = [&elf[..], b"Rar!\x1a\x07\x01\0"].concat();
        assert_eq!(archive(&with, &with.clone()).map(|found| found.format), Some("RAR 5"));
        assert_eq!(end_of_program(b"text"), None);
        let erofs = [&elf[..], &[0; 1024], b"\xe2\xe1\xf5\xe0"].concat();
        for with in [[&elf[..], b"hsqs"].concat(), erofs] {
            assert_eq!((volume(&with, &with.clone()), archive(&with, &with.clone())), (Some(64), None));
        }
        assert_eq!((volume(&elf, &elf.to_vec()), volume(b"hsqs", &b"hsqs".to_vec())), (None, None));
    }

    #[test]
    fn volumes_and_libraries_behind_pictures_and_texts() {
        let mut squashfs = vec![0; 2048];
        squashfs[..4].copy_from_slice(b"hsqs");
        (squashfs[14], squashfs[22], squashfs[28]) = (2, 17, 4);
        let disc = [&[0; 0x8000][..], b"\x01CD001\x01", &[0; 2041]].concat();
        let picture = b"\xff\xd8\xff\xe0\0\x04ab\xff\xda\0\x02xyz\xff\xd9".to_vec();
        let text = b"A text of one line.\n".to_vec();
        for (front, volume) in
            [(&picture, &squashfs), (&picture, &disc), (&text, &squashfs), (&text, &disc)].map(|(a, b)| (a.clone(), b))
        {
            let with = [&front[..], volume].concat();
            let start = &with[..with.len().min(4096)];
            assert_eq!(super::volume(start, &with), Some(front.len() as u64));
            assert_eq!(super::volume(&front, &front.clone()), None);
        }
        // A text that speaks of one has none, and an archive that stands in front has it.
        let word = [&text[..], b"hsqs is how it begins", &[0; 200]].concat();
        assert_eq!(super::volume(&word, &word.clone()), None);
        let zipped = [&text[..], b"\x1f\x8b\x08\0\0\0\0\0\0\x03", &squashfs].concat();
        assert_eq!(super::volume(&zipped[..600], &zipped), None);

        let library = [&b"!<arch>\n"[..], format!("{:<58}`\n", "a.o/").as_bytes(), b"text of a member\n"].concat();
        for front in [&picture, &text] {
            let with = [&front[..], &library].concat();
            let found = archive(&with, &with.clone()).map(|found| (found.format, found.offset));
            let is_text = front.starts_with(b"A");
            assert_eq!(found, (!is_text).then_some(("ar", front.len() as u64)));
        }
        // Texts that are stored as they are end as one.
        let cabinet = [&b"MSCF\0\0\0\0"[..], &[90, 0, 0, 0, 0, 0, 0, 0, 44], &[0; 8], &[1, 1], &[0; 40]].concat();
        let with = [&text[..], &cabinet[..64], &[b'x'; 400]].concat();
        let begin = with[..64].to_vec();
        assert_eq!(anywhere(&begin, &with).map(|found| found.offset), Some(text.len() as u64));
    }

    #[test]
    fn behind_programs_for_macos_and_dos() {
        let mut mach = vec![0; 512];
        mach[..4].copy_from_slice(b"\xcf\xfa\xed\xfe");
        mach[16] = 3;
        // A table of symbols, and two segments: the later one ends the program.
        for (at, kind, size, segment) in [(32, 2, 24, 0), (56, 0x19, 72, 256_u64), (128, 0x19, 72, 128)] {
            mach[at] = kind;
            mach[at + 4] = size;
            if kind == 0x19 {
                mach[at + 40..at + 48].copy_from_slice(&256_u64.to_le_bytes());
                mach[at + 48..at + 56].copy_from_slice(&segment.to_le_bytes());
            }
        }
        let behind = b"7z\xbc\xaf\x27\x1c\0\x04";
        let with = [&mach[..], behind].concat();
        assert_eq!(archive(&mach, &mach.clone()), None);
        assert_eq!(archive(&with, &with.clone()), Some(FoundArchive { format: "7z", offset: 512 }));
        let mut several = [0; 64];
        several[..8].copy_from_slice(b"\xca\xfe\xba\xbe\0\0\0\x01");
        several[16..24].copy_from_slice(&[0, 0, 0, 64, 0, 0, 2, 0]);
        let with = [&several[..], &mach, behind].concat();
        assert_eq!(archive(&with, &with.clone()), Some(FoundArchive { format: "7z", offset: 576 }));
        assert_eq!(end_of_program(b"\xca\xfe\xba\xbe\0\0\0\x41 a class of Java"), None);
        let mut dos = vec![0; 600];
        dos[..10].copy_from_slice(b"MZ\x58\0\x02\0\0\0\x02\0");
        let with = [&dos[..], b"Rar!\x1a\x07\0"].concat();
        assert_eq!(archive(&with, &with.clone()), Some(FoundArchive { format: "RAR 4", offset: 600 }));
        assert_eq!(end_of_program(b"MZ is how this text begins, and nothing of it is a program."), None);
    }
}
