//! Archives with bytes that were changed: reading them always ends.

use std::sync::Arc;

use pfh_archive::Bytes;
use pfh_archive::{Format, Limits, open};

/// Reads up to 4 MiB of each of 2,000 members at the most, if these are an archive's bytes.
pub fn exhaust(bytes: Vec<u8>) {
    let limits = Limits { bytes: 1 << 20, entries: 1000, window: 1 << 24, ..Limits::default() };
    let Some(format) = Format::recognize(&bytes[..bytes.len().min(Format::START)]) else { return };
    let bytes: Arc<dyn Bytes> = Arc::new(bytes);
    if let Ok(Some(found)) = pfh_archive::account(format, &bytes) {
        let end = found.extents.iter().fold(0, |at, extent| if extent.start == at { extent.end() } else { u64::MAX });
        assert_eq!(end, bytes.size(), "the account does not tile the archive");
    }
    let Ok(nodes) = open(format, bytes, b"m", &limits) else { return };
    for node in nodes.flatten().take(2000) {
        if let Some(Ok(mut reader)) = node.content.map(|content| content.open()) {
            let _ = std::io::copy(&mut std::io::Read::take(&mut reader, 4 << 20), &mut std::io::sink());
        }
    }
}
