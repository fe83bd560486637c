//! Answers of Windows as bytes, taken apart. Nothing here calls the system, so that it is tested on
//! every one.

/// The name of a stream in UTF-16, without its colon and type, and its size in bytes.
pub(super) type Stream = (Vec<u16>, u64);

/// Bit of a reparse tag: it stands for another file or directory (IsReparseTagNameSurrogate).
const SURROGATE: u32 = 0x2000_0000;

const READ_ONLY: u32 = 0x1;
const DIRECTORY: u32 = 0x10;
const REPARSE_POINT: u32 = 0x400;
/// OFFLINE, RECALL_ON_OPEN and RECALL_ON_DATA_ACCESS: to read the file is to fetch it, from a cloud
/// or a tape.
const ELSEWHERE: u32 = 0x1000 | 0x4_0000 | 0x40_0000;

fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

/// Whether a reparse point stands for another file or directory: a symbolic link, a junction.
pub(super) fn is_surrogate(tag: u32) -> bool {
    tag & SURROGATE != 0
}

/// Whether the data of a file with these attributes are elsewhere. The listing of a directory is
/// fetched without its files.
pub(super) fn is_elsewhere(attributes: u32) -> bool {
    attributes & ELSEWHERE != 0 && attributes & DIRECTORY == 0
}

/// The mode that POSIX would have for attributes and, of a reparse point, its tag: links are those
/// that stand for another name; deduplicated and compressed files are files; a file whose data are
/// elsewhere is of a type that POSIX has not.
pub(super) fn mode(attributes: u32, tag: u32) -> u32 {
    match attributes {
        a if a & REPARSE_POINT != 0 && is_surrogate(tag) => 0o120_777,
        a if a & DIRECTORY != 0 => 0o040_755,
        a if is_elsewhere(a) => 0o030_444,
        a if a & READ_ONLY != 0 => 0o100_444,
        _ => 0o100_644,
    }
}

/// The streams of a file but for its own content, of an answer to FileStreamInfo; `None` if that
/// contradicts itself. Each is an offset to the next, the length of the name, size and allocated
/// size, and the name with its type: `:name:$DATA`.
pub(super) fn streams(mut answer: &[u8]) -> Option<Vec<Stream>> {
    let mut found = Vec::new();
    while !answer.is_empty() {
        let next = u32::from_le_bytes(number(answer, 0)?) as usize;
        let length = u32::from_le_bytes(number(answer, 4)?) as usize;
        let size = u64::try_from(i64::from_le_bytes(number(answer, 8)?)).ok()?;
        let name = answer.get(24..24 + length)?.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]));
        let name: Vec<u16> = name.collect();
        let colon = u16::from(b':');
        let name = name.strip_prefix(&[colon])?;
        let end = name.iter().position(|unit| *unit == colon).unwrap_or(name.len());
        if end > 0 {
            found.push((name[..end].to_vec(), size));
        }
        match next {
            0 => break,
            // An offset must lead on, behind this one's head.
            1..24 => return None,
            next => answer = answer.get(next..)?,
        }
    }
    Some(found)
}

/// The update sequence number of an answer to FSCTL_READ_FILE_USN_DATA, a record of version 2 or 3;
/// `None` where the volume keeps no journal, and for other versions.
pub(super) fn usn(answer: &[u8]) -> Option<i64> {
    let at = match u16::from_le_bytes(number(answer, 4)?) {
        2 => 24,
        3 => 40,
        _ => return None,
    };
    Some(i64::from_le_bytes(number(answer, at)?)).filter(|usn| *usn != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A FILE_STREAM_INFORMATION, as [MS-FSCC] 2.4.43 lays it out.
    fn stream(next: u32, name: &str, size: i64) -> Vec<u8> {
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let length = units.len() as u32;
        let mut bytes =
            [&next.to_le_bytes()[..], &length.to_le_bytes(), &size.to_le_bytes(), &size.to_le_bytes()].concat();
        bytes.extend(units);
        bytes.resize(bytes.len().max(next as usize), 0);
        bytes
    }

    #[test]
    fn streams_are_named_without_their_type() {
        let answer =
            [stream(40, "::$DATA", 5), stream(72, ":Zone.Identifier:$DATA", 26), stream(0, ":\u{fc}:$DATA", 0)];
        let named = |answer: &[u8]| {
            let found = streams(answer)?;
            Some(found.into_iter().map(|(name, size)| (String::from_utf16(&name).unwrap(), size)).collect::<Vec<_>>())
        };
        let expected = [("Zone.Identifier".to_owned(), 26), ("\u{fc}".to_owned(), 0)];
        assert_eq!(named(&answer.concat()).unwrap(), expected);
        assert_eq!((named(b"").unwrap(), named(&stream(0, "::$DATA", 0)).unwrap()), (vec![], vec![]));
        let whole = answer.concat();
        for wrong in [&whole[..60], &whole[..8], &stream(0, "x", 1), &stream(0, ":x:$DATA", -1)] {
            assert_eq!(streams(wrong), None, "{wrong:?}");
        }
        // A length beyond the answer, and an offset that leads back.
        assert_eq!(streams(&[&[0; 4][..], &[255; 4], &[0; 16]].concat()), None);
        assert_eq!(streams(&[stream(1, "::$DATA", 5), vec![0; 24]].concat()), None);
    }

    #[test]
    fn the_journal_has_numbers_of_two_versions() {
        let record = |version: u16, at: usize, usn: i64| {
            let mut bytes = vec![0; 80];
            bytes[..4].copy_from_slice(&80_u32.to_le_bytes());
            bytes[4..6].copy_from_slice(&version.to_le_bytes());
            bytes[at..at + 8].copy_from_slice(&usn.to_le_bytes());
            bytes
        };
        assert_eq!((usn(&record(2, 24, 77)), usn(&record(3, 40, 1 << 40))), (Some(77), Some(1 << 40)));
        assert_eq!(
            (usn(&record(2, 24, 0)), usn(&record(4, 24, 77)), usn(b""), usn(&record(2, 24, 77)[..30])),
            (None, None, None, None)
        );
    }

    #[test]
    fn reparse_points_are_links_files_or_elsewhere() {
        // A symbolic link, a junction; deduplicated, compressed by WOF, OneDrive's two, an alias of
        // an app.
        let links = [0xa000_000c, 0xa000_0003];
        let files = [0x8000_0013, 0x8000_0017, 0x9000_001a, 0x9000_601a, 0x8000_001b];
        for attributes in [0x420, 0x410] {
            assert!(links.iter().all(|tag| mode(attributes, *tag) == 0o120_777));
            let kind = if attributes & DIRECTORY != 0 { 0o040_755 } else { 0o100_644 };
            assert!(files.iter().all(|tag| mode(attributes, *tag) == kind), "{attributes:x}");
        }
        assert_eq!((mode(0x21, 0), mode(0x20, 0xa000_000c), mode(0x10, 0)), (0o100_444, 0o100_644, 0o040_755));
        // A file of OneDrive that is not here: archive, sparse, reparse point, offline, recall on
        // data access.
        assert_eq!(mode(0x50_1620, 0x9000_601a), 0o030_444);
        assert!(is_elsewhere(0x40_0020) && is_elsewhere(0x1000) && !is_elsewhere(0x20) && !is_elsewhere(0x4_0010));
    }
}
