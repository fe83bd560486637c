//! RPM packages: a lead, two headers, and a cpio that is compressed in most of them.

use super::cpio;
use super::cpio_header;
use super::decoder::Packing;
use super::format::Format;
use super::limits::Limits;
use super::member::failure;
use super::store::Store;
use pfh_bytes::bytes::{Bytes, Slice};
use pfh_bytes::field::{be32, read, read_some};
use pfh_bytes::node::{Failure, Nodes};
use std::sync::Arc;

const LEAD: u64 = 96;
const HEADER: &[u8] = b"\x8e\xad\xe8\x01";

/// The files of the payload.
///
/// # Errors
/// When the payload is not found, or has an unknown form.
pub fn open(bytes: Arc<dyn Bytes>, limits: &Limits) -> Result<Nodes, Failure> {
    let signature = end_of_header(&*bytes, LEAD)?;
    let start = end_of_header(&*bytes, signature.next_multiple_of(8))?;
    let first = read_some(&*bytes, start, Format::START)?;
    if cpio_header::is_header(&first) {
        return Ok(cpio::plain(bytes, start, limits));
    }
    let size = bytes.size().saturating_sub(start);
    let packing = Format::recognize(&first).and_then(Packing::of);
    let (Some(packing), Some(payload)) = (packing, Slice::new(bytes, start, size)) else {
        let cause = "the payload is of a form that is not read";
        return Err(Failure { offset: Some(start), ..failure(b"", cause) });
    };
    Ok(cpio::packed(Store::packed(packing, Arc::new(payload), limits), size, limits))
}

/// The offset behind a header.
fn end_of_header(bytes: &dyn Bytes, at: u64) -> Result<u64, Failure> {
    let raw = read(bytes, at, 16)?;
    if !raw.starts_with(HEADER) {
        return Err(Failure { offset: Some(at), ..failure(b"", "no header of a package where one must be") });
    }
    let (count, size) = (u64::from(be32(&raw, 8)), u64::from(be32(&raw, 12)));
    Ok(at + 16 + 16 * count + size)
}
