//! Symbolic links: in the inode, and in blocks.

use super::inode::{Format, Inode};
use super::seal::{Owner, Seal};
use super::volume::Xfs;
use pfh_bytes::field::{be32, failure, is_at, read};
use pfh_bytes::node::Failure;

/// The longest target.
const LONGEST: u64 = 1024;
/// The header of the blocks of a target, in version 5.
const HEAD: usize = 56;
/// The most bytes of blocks that a target with headers may take: one more than there is need for.
const MOST: u64 = 128 << 10;

impl Xfs {
    /// The target of a symbolic link.
    pub fn target(&self, inode: &Inode) -> Result<Vec<u8>, Failure> {
        let size = usize::try_from(inode.size.min(LONGEST + 1)).unwrap_or(0);
        if inode.size > LONGEST || inode.size == 0 {
            return Err(failure(Some(inode.offset), format!("a target of {} bytes", inode.size)));
        }
        if inode.content.format == Format::Local {
            let target = inode.content.raw.get(..size).map(<[u8]>::to_vec);
            return target.ok_or_else(|| failure(Some(inode.offset), "the target leads out of the inode"));
        }
        if !self.superblock.is_sealed {
            return self.start_of(&self.layout(inode.number, &inode.content, false)?, inode.size);
        }
        let mut target = Vec::new();
        self.extents(inode.number, &inode.content, &mut |extent, offset| {
            let length = extent.count.saturating_mul(self.block_size());
            let place = self.superblock.offset(extent.block, extent.count).filter(|_| length <= MOST);
            let place = place.ok_or_else(|| failure(Some(offset), "an extent of a target leads out of its group"))?;
            let raw = read(&*self.bytes, place, length as usize)?;
            target.extend_from_slice(self.part(&raw, place, inode.number, target.len())?);
            Ok(())
        })?;
        match target.len() == size {
            true => Ok(target),
            false => Err(failure(Some(inode.offset), "the target is of another size than the inode states")),
        }
    }

    /// The part of a target that an extent holds; it begins at byte `at` of the target.
    fn part<'a>(&self, raw: &'a [u8], offset: u64, owner: u64, at: usize) -> Result<&'a [u8], Failure> {
        let what = "block of a target";
        let wrong = |cause: &str| failure(Some(offset), format!("{what}: {cause}"));
        if !is_at(raw, 0, b"XSLM") {
            return Err(wrong("it has no magic"));
        }
        let seal = Seal { what, sum: 12, place: Some(40), uuid: 16, owner: Some((32, Owner::Inode)) };
        self.verify(raw, offset, seal, owner)?;
        let length = be32(raw, 8) as usize;
        let part = raw.get(HEAD..).and_then(|rest| rest.get(..length)).filter(|_| be32(raw, 4) as usize == at);
        part.ok_or_else(|| wrong("it holds another part of a target"))
    }
}
