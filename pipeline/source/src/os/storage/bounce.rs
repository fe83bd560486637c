//! Reads of a device at any offset and of any length, where the system takes whole sectors only,
//! into memory that is aligned to them.

use super::error;

/// Errors of reads that are not aligned, or that go beyond the end of a device.
pub const BOUNCED: &[u32] = &[error::INVALID_PARAMETER, error::SECTOR_NOT_FOUND];

/// The most that one read takes through the buffer: less is returned where more is asked for.
const MOST: u64 = 1 << 20;

/// Reads the sectors around a range of a device into aligned memory, and copies the range from
/// them. `None` where the range is aligned and inside of the device: then nothing is to be gained.
/// The end of the device is the end of the file: 0 is returned.
///
/// `size` and `sector` are those of the device in bytes; `read` reads whole sectors at an offset.
///
/// # Errors
/// Those of `read`.
pub fn bounced<E>(
    buffer: &mut [u8],
    offset: u64,
    size: u64,
    sector: u32,
    read: impl FnOnce(&mut [u8], u64) -> Result<usize, E>,
) -> Option<Result<usize, E>> {
    let sector = u64::from(sector.max(1));
    if offset >= size || buffer.is_empty() {
        return Some(Ok(0));
    }
    let end = offset.saturating_add(buffer.len() as u64);
    let is_whole = offset.is_multiple_of(sector) && end.is_multiple_of(sector) && end <= size;
    if is_whole && (buffer.as_ptr() as usize).is_multiple_of(sector as usize) {
        return None;
    }
    let (mut room, from, skew, length) = aligned(offset, end.min(size), sector);
    let room = &mut room[skew..skew + length];
    Some(read(room, from).map(|got| {
        let skip = (offset - from) as usize;
        let inside = (size - offset).min(buffer.len() as u64) as usize;
        let count = got.min(length).saturating_sub(skip).min(inside);
        buffer[..count].copy_from_slice(&room[skip..skip + count]);
        count
    }))
}

/// Writes a range of a device that is not whole sectors: the sectors around it are read into
/// aligned memory, changed, and written again. `None` where the range is aligned, or goes beyond
/// the end: then nothing is to be gained. Returns how many of `bytes` were written.
///
/// # Errors
/// Those of `read` and `write`.
pub fn patched<E>(
    bytes: &[u8],
    offset: u64,
    size: u64,
    sector: u32,
    read: impl FnOnce(&mut [u8], u64) -> Result<usize, E>,
    write: impl FnOnce(&[u8], u64) -> Result<usize, E>,
) -> Option<Result<usize, E>> {
    let sector = u64::from(sector.max(1));
    let end = offset.checked_add(bytes.len() as u64).filter(|end| *end <= size && !bytes.is_empty())?;
    let is_whole = offset.is_multiple_of(sector) && end.is_multiple_of(sector);
    if is_whole && (bytes.as_ptr() as usize).is_multiple_of(sector as usize) {
        return None;
    }
    let (mut room, from, skew, length) = aligned(offset, end, sector);
    if from + length as u64 > size {
        return None;
    }
    let room = &mut room[skew..skew + length];
    let skip = (offset - from) as usize;
    let count = bytes.len().min(length - skip);
    if !is_whole {
        match read(room, from) {
            // Sectors that cannot be read whole are not written back with zeros in them.
            Ok(got) if got < length => return None,
            Ok(_) => {}
            Err(error) => return Some(Err(error)),
        }
    }
    room[skip..skip + count].copy_from_slice(&bytes[..count]);
    Some(write(room, from).map(|wrote| wrote.min(length).saturating_sub(skip).min(count)))
}

/// Memory for the sectors around `[offset, end)`, no more than [`MOST`] and a sector: the memory,
/// the offset of the first sector, where in the memory it is to lie, and the length.
fn aligned(offset: u64, end: u64, sector: u64) -> (Vec<u8>, u64, usize, usize) {
    let from = offset - offset % sector;
    let length = (end.min(from + MOST).next_multiple_of(sector) - from) as usize;
    let room = vec![0; length + sector as usize];
    // An address that cannot be had leaves the memory as it lies: the system then refuses.
    let skew = room.as_ptr().align_offset(sector as usize).min(sector as usize);
    (room, from, skew, length)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: u64 = 3 << 20;

    /// A device that takes whole sectors into aligned memory only, and nothing beyond its end.
    fn device(sector: u64) -> impl Fn(&mut [u8], u64) -> Result<usize, u32> {
        move |buffer, offset| {
            let length = buffer.len() as u64;
            let aligned = [offset, length, buffer.as_ptr() as u64].iter().all(|number| number.is_multiple_of(sector));
            if !aligned || offset + length > SIZE {
                return Err(error::INVALID_PARAMETER);
            }
            buffer.iter_mut().zip(offset..).for_each(|(byte, at)| *byte = (at % 251) as u8);
            Ok(buffer.len())
        }
    }

    #[test]
    fn any_range_is_read() {
        for sector in [512, 4096] {
            let read = device(sector);
            let ranges = [(0, 1), (511, 2), (513, 4096), (1000, 1 << 20), (SIZE - 1, 9), (SIZE - 4097, 8192)];
            for (offset, length) in ranges {
                let mut buffer = vec![0xff; length];
                assert_eq!(read(&mut buffer, offset), Err(error::INVALID_PARAMETER), "the device is strict");
                let got = bounced(&mut buffer, offset, SIZE, sector as u32, &read).unwrap().unwrap();
                let wanted = (length as u64).min(SIZE - offset).min(MOST - offset % sector);
                assert_eq!(got as u64, wanted, "{offset} {length}");
                assert!(buffer[..got].iter().zip(offset..).all(|(byte, at)| *byte == (at % 251) as u8));
                assert!(buffer[got..].iter().all(|byte| *byte == 0xff), "nothing behind the end is touched");
            }
        }
    }

    #[test]
    fn any_range_is_written() {
        use std::cell::RefCell;
        for (offset, length) in [(0, 1), (511, 2), (513, 4096), (1000, 1 << 20), (0, 512), (SIZE - 1, 1)] {
            let disk = RefCell::new(vec![7_u8; SIZE as usize]);
            let strict = |length: usize, at: u64, address: usize| {
                length.is_multiple_of(512) && at.is_multiple_of(512) && address.is_multiple_of(512)
            };
            let read = |room: &mut [u8], at: u64| {
                assert!(strict(room.len(), at, room.as_ptr() as usize));
                room.copy_from_slice(&disk.borrow()[at as usize..][..room.len()]);
                Ok::<_, u32>(room.len())
            };
            let write = |room: &[u8], at: u64| {
                assert!(strict(room.len(), at, room.as_ptr() as usize));
                disk.borrow_mut()[at as usize..][..room.len()].copy_from_slice(room);
                Ok(room.len())
            };
            // Never aligned in memory.
            let mut memory = vec![9_u8; length + 1024];
            let skew = memory.as_ptr().align_offset(512) + 1;
            let bytes = &mut memory[skew..skew + length];
            let wrote = patched(bytes, offset, SIZE, 512, read, write).unwrap().unwrap();
            assert!(wrote > 0 && wrote <= length && (wrote == length || length > 1 << 19), "{offset} {length} {wrote}");
            let written = offset as usize..offset as usize + wrote;
            let disk = disk.into_inner();
            assert!(disk.iter().enumerate().all(|(at, byte)| *byte == if written.contains(&at) { 9 } else { 7 }));
        }
        let never = |_: &mut [u8], _| -> Result<usize, u32> { Ok(0) };
        let forbidden = |_: &[u8], _| -> Result<usize, u32> { panic!("nothing is to be written") };
        assert_eq!(patched(&[1; 9], SIZE - 8, SIZE, 512, never, forbidden), None, "beyond the end");
        assert_eq!(patched(&[1; 9], u64::MAX, SIZE, 512, never, forbidden), None);
        assert_eq!(patched(&[1; 9], 5, SIZE, 512, never, forbidden), None, "a sector that cannot be read whole");
        assert_eq!(patched(&[1; 9], 5, SIZE, 512, |_: &mut [u8], _| Err(23_u32), forbidden), Some(Err(23)));
    }

    #[test]
    fn the_end_is_the_end_and_true_errors_stay() {
        let never = |_: &mut [u8], _| -> Result<usize, u32> { panic!("nothing is to be read") };
        assert_eq!(bounced(&mut [0; 8], SIZE, SIZE, 512, never), Some(Ok(0)));
        assert_eq!(bounced(&mut [0; 8], u64::MAX, SIZE, 512, never), Some(Ok(0)));
        assert_eq!(bounced(&mut [], 0, SIZE, 512, never), Some(Ok(0)));
        let mut room = vec![0; 2048];
        let skew = room.as_ptr().align_offset(512);
        assert_eq!(bounced(&mut room[skew..skew + 1024], 512, SIZE, 512, never), None, "a true error of the disk");
        let bad = |_: &mut [u8], _| Err(error::IO_DEVICE);
        assert_eq!(bounced(&mut [0; 8], 5, SIZE, 512, bad), Some(Err(error::IO_DEVICE)));
        // A device that returns less than was asked for.
        assert_eq!(bounced::<u32>(&mut [0; 8], 5, SIZE, 512, |_, _| Ok(3)), Some(Ok(0)));
        assert_eq!(bounced::<u32>(&mut [0; 8], 5, SIZE, 512, |_, _| Ok(9)), Some(Ok(4)));
        assert_eq!(bounced::<u32>(&mut [0; 8], 5, SIZE, 512, |_, _| Ok(usize::MAX)), Some(Ok(8)));
    }
}
