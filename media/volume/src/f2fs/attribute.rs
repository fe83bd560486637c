//! Extended attributes: a part in the inode, the rest in a node.

use std::sync::Arc;

use super::inode::Inode;
use super::volume::{F2fs, FOOTER};
use pfh_bytes::field::{byte, failure, le16, le32};
use pfh_bytes::node::Failure;

/// The header in front of them, and its magic.
const HEADER: usize = 24;
const MAGIC: u32 = 0xf2f5_2011;

/// Names as Linux writes them, each with its value.
pub type Attributes = Vec<(Vec<u8>, Arc<[u8]>)>;

impl F2fs {
    /// The attributes of an inode.
    pub fn attributes(&self, inode: &Inode) -> Result<Attributes, Failure> {
        let (start, length) = inode.attributes;
        let mut raw = inode.raw[start..start + length].to_vec();
        if inode.attribute_node != 0 {
            raw.extend_from_slice(&self.node(inode.attribute_node, inode.number)?[..FOOTER]);
        }
        let mut attributes = Attributes::new();
        if raw.len() < HEADER || le32(&raw, 0) != MAGIC {
            // Room that was never used is zero.
            let is_unused = raw.iter().take(HEADER).all(|&byte| byte == 0);
            let cause = "attributes without their magic";
            return if is_unused { Ok(attributes) } else { Err(failure(Some(inode.offset + start as u64), cause)) };
        }
        let mut at = HEADER;
        while at + 4 <= raw.len() && le32(&raw, at) != 0 {
            let (index, length, size) =
                (byte(&raw, at), usize::from(byte(&raw, at + 1)), usize::from(le16(&raw, at + 2)));
            let wrong = |cause: String| failure(Some(inode.offset), cause);
            let entry = raw.get(at + 4..at + 4 + length + size);
            let entry = entry.ok_or_else(|| wrong("an attribute that is cut off".to_owned()))?;
            let space: &[u8] = match index {
                1 => b"user.",
                2 => b"system.posix_acl_access",
                3 => b"system.posix_acl_default",
                4 => b"trusted.",
                5 => b"lustre.",
                6 => b"security.",
                7 => b"system.advise",
                9 => b"encryption.",
                11 => b"verity.",
                other => return Err(wrong(format!("an attribute of the type {other}"))),
            };
            attributes.push(([space, &entry[..length]].concat(), entry[length..].into()));
            at += (4 + length + size).next_multiple_of(4);
        }
        Ok(attributes)
    }
}
