//! Numbered records of a file, which check themselves.

use pfh_source::os::positioned::FileExt;
use std::fs::File;
use std::path::Path;

use crate::Error;
use crate::layout::Section;

/// The content of a record.
///
/// # Errors
/// The system's, and a record that is not where it should be or was changed.
pub fn read(path: &Path, file: &File, section: &Section, number: u32) -> Result<Vec<u8>, Error> {
    let read = |bytes: &mut [u8], offset| file.read_exact_at(bytes, offset).map_err(Error::io(path));
    let damaged = |what: &str| Error::damaged(path, format!("damaged: {what}"));
    if u64::from(number) >= section.count {
        return Err(damaged("a number without a record"));
    }
    let mut offset = [0; 8];
    read(&mut offset, section.offset.saturating_add(8 * u64::from(number)))?;
    let offset = u64::from_le_bytes(offset);
    let mut head = [0; 8];
    read(&mut head, offset)?;
    let [stated, length] = [0, 4].map(|at| head[at..].first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes)));
    // Records are written in front of their offsets: none reaches beyond them.
    if stated != number || offset.saturating_add(u64::from(length)) > section.offset {
        return Err(damaged("a record is not where it should be"));
    }
    let mut content = vec![0; length as usize + 4];
    read(&mut content, offset.saturating_add(8))?;
    let crc = content.split_off(length as usize);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&head);
    hasher.update(&content);
    if hasher.finalize().to_le_bytes() != crc[..] {
        return Err(damaged("a record does not have its checksum"));
    }
    Ok(content)
}
