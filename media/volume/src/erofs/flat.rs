//! Where a file lies that is not compressed.

use super::inode::{Form, Inode};
use super::volume::Erofs;
use pfh_bytes::field::{failure, le16, le32, read};
use pfh_bytes::layout::Layout;
use pfh_bytes::node::Failure;

/// A block that is not there: a hole.
const NONE: u32 = u32::MAX;
/// The format of pieces: the logarithm of their size in blocks, and whether they have a device.
const LOG: u16 = 0x1f;
const WITH_DEVICE: u16 = 0x20;
/// Places of pieces that are read at once.
const AT_ONCE: u64 = 512;

impl Erofs {
    /// The runs of an inode, to the end of its last block.
    pub fn layout(&self, inode: &Inode) -> Result<Layout, Failure> {
        let (size, block) = (inode.size, self.superblock.block_size());
        // Deduplicated pieces may be in one file twice.
        let mut layout = Layout::shared(self.superblock.size());
        match inode.form {
            Form::Plain(first) => {
                let length = size.checked_next_multiple_of(block).unwrap_or(size);
                self.push(&mut layout, 0, first, length)?;
            }
            Form::Inline(first) => {
                let whole = if size == 0 { 0 } else { (size - 1) / block * block };
                self.push(&mut layout, 0, first, whole)?;
                let (tail, length) = (inode.behind(), size - whole);
                if tail % block + length > block {
                    return Err(failure(Some(tail), "the end of a file that lies across two blocks"));
                }
                layout.push(Some(tail), length)?;
            }
            Form::Chunks(format) => self.chunks(inode, format, &mut layout)?,
            Form::Packed { .. } => return Err(failure(Some(inode.offset), "an inode that is compressed")),
        }
        Ok(layout)
    }

    fn chunks(&self, inode: &Inode, format: u16, layout: &mut Layout) -> Result<(), Failure> {
        if format & !(LOG | WITH_DEVICE) != 0 {
            return Err(failure(Some(inode.offset), format!("pieces of the format {format:#x}")));
        }
        let log = u32::from(self.superblock.block_log) + u32::from(format & LOG);
        let each = if format & WITH_DEVICE != 0 { 8 } else { 4 };
        let start = inode.behind().next_multiple_of(each);
        let (count, block) = (inode.size.div_ceil(1 << log), self.superblock.block_size());
        let mask = (self.superblock.devices.len() as u64 + 1).next_power_of_two() - 1;
        let mut index = 0;
        while index < count {
            let part = AT_ONCE.min(count - index);
            let rows = read(&*self.bytes, start.saturating_add(index * each), (part * each) as usize)?;
            for row in rows.chunks_exact(each as usize) {
                let left = inode.size - (index << log);
                let length = left.next_multiple_of(block).min(1 << log);
                let (device, first) =
                    if each == 8 { (u64::from(le16(row, 2)) & mask, le32(row, 4)) } else { (0, le32(row, 0)) };
                if first == NONE {
                    layout.push(None, length)?;
                } else {
                    self.push(layout, device, first, length)?;
                }
                index += 1;
            }
        }
        Ok(())
    }

    /// Adds blocks of a device; by its number, or by that of the block.
    fn push(&self, layout: &mut Layout, device: u64, first: u32, length: u64) -> Result<(), Failure> {
        if length == 0 {
            return Ok(());
        }
        if first == NONE {
            // A file without blocks is all zeros.
            return layout.push(None, length);
        }
        let devices = &self.superblock.devices;
        let named = |number: usize| {
            let tag = devices.get(number).map(|device| String::from_utf8_lossy(&device.tag).into_owned());
            let tag = tag.filter(|tag| !tag.is_empty()).map(|tag| format!(" ({tag})")).unwrap_or_default();
            failure(None, format!("lies on device {}{tag}, which is not here", number + 1))
        };
        if let Some(other) = device.checked_sub(1) {
            return Err(named(usize::try_from(other).unwrap_or(usize::MAX)));
        }
        let of = |first: u32| {
            let holds = |device: &super::superblock::Device| {
                device.mapped != 0 && first.checked_sub(device.mapped).is_some_and(|at| at < device.blocks)
            };
            devices.iter().position(holds)
        };
        if let Some(number) = of(first) {
            return Err(named(number));
        }
        layout.push(Some(self.block(first)), length)
    }
}
