//! EnCase `.hash`: a header of 0x480 bytes, then entries of 18: an MD5 digest and two zeros. The
//! layout is that of public readers (hashdeep, The Sleuth Kit); no specification is published.

use std::io::{self, BufRead, Read};

use pfh_digest::{Digest, Registry};

use super::{KnownFile, Take};
use crate::entry::Fault;

pub const MAGIC: [u8; 8] = *b"HASH\r\n\xFF\0";
const HEADER: usize = 0x480;
const COUNT: usize = 0x10;
const ENTRY: usize = 18;

pub fn read<R: BufRead>(mut reader: R, registry: Registry, take: &mut Take<'_>) -> io::Result<()> {
    let mut header = Vec::with_capacity(HEADER);
    reader.by_ref().take(HEADER as u64).read_to_end(&mut header)?;
    let md5 = match registry.find("md5") {
        Ok(md5) if header.len() == HEADER && header.starts_with(&MAGIC) => md5,
        _ => {
            let _ = take(0, Err(Fault::Malformed("not an EnCase hash set")));
            return Ok(());
        }
    };
    let stated = header[COUNT..].first_chunk().map_or(0, |count| u64::from(u32::from_le_bytes(*count)));
    let mut number = 0;
    let mut entry = Vec::with_capacity(ENTRY);
    loop {
        entry.clear();
        reader.by_ref().take(ENTRY as u64).read_to_end(&mut entry)?;
        if entry.is_empty() {
            break;
        }
        number += 1;
        let digest = match entry.first_chunk::<16>() {
            Some(digest) if entry.len() == ENTRY => Digest::from_bytes(md5, digest).map_err(|_| Fault::WrongLength),
            _ => Err(Fault::Malformed("the last entry is cut off")),
        };
        if take(number, digest.map(|digest| KnownFile { digests: vec![digest], tag: None })).is_break() {
            return Ok(());
        }
    }
    // A file that was cut between two entries shows only in the count.
    if number != stated {
        let _ = take(number, Err(Fault::Malformed("not as many entries as the header states")));
    }
    Ok(())
}
