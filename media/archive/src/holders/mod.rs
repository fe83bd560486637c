//! Files that hold others as a part of themselves: winmail.dat, AppleSingle and MacBinary, OneNote,
//! signed messages (CMS), and objects in RTF.

mod apple;
mod cms;
pub mod native;
mod onenote;
mod rtf;
mod tnef;

pub use apple::{is_one as is_apple, open as open_apple};
pub use cms::{is_one as is_cms, open as open_cms};
pub use onenote::{MAGIC as ONENOTE, open as open_onenote};
pub use rtf::{is_one as is_rtf, open as open_rtf};
pub use tnef::{MAGIC as TNEF, open as open_tnef};

use super::member::node;
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Failure, Kind, Node};
use pfh_bytes::stored::StoredBytes;
use std::ops::Range;
use std::sync::Arc;

/// A member that lies in these ranges, one behind the other.
fn ranged(bytes: &Arc<dyn Bytes>, path: Vec<u8>, ranges: &[Range<u64>]) -> Result<Node, Failure> {
    let size = ranges.iter().map(|range| range.end - range.start).sum();
    let (medium, ranges) = (bytes.clone(), ranges.to_vec());
    let volume = medium.size();
    let locate = Box::new(move || {
        let mut layout = Layout::new(volume);
        for range in &ranges {
            layout.push(Some(range.start), range.end - range.start)?;
        }
        Ok(layout)
    });
    let content = StoredBytes { bytes: medium, path: path.clone(), from: 0, size, locate };
    Ok(Node { size: Some(size), content: Some(Arc::new(content)), ..node(path, Kind::File) })
}

/// The fault of a file that holds others, at that place.
fn wrong(offset: u64, cause: &str) -> Failure {
    failure(Some(offset), cause)
}
