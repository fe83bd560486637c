//! The last lines of dd and its kin.

use pfh::dd::{Operands, Status, Summary, hashes, losses};
use pfh::imaging::ImagingResult;

/// Digests and unreadable sectors that no log has, and the records, as far as `status=` has them.
pub fn text(operands: &Operands, summary: &Summary) -> String {
    let acquired = &summary.acquired;
    let mut text = String::new();
    if operands.hashlog.is_none() {
        text += &hashes(&acquired.imaged);
    }
    if operands.errlog.is_none() {
        text += &losses(acquired);
    }
    if operands.status != Status::None {
        text += &transferred(operands, &acquired.imaged);
    }
    text
}

/// The last lines of dd.
fn transferred(operands: &Operands, imaged: &ImagingResult) -> String {
    let (block, seconds) = (operands.ibs.max(1), imaged.times.total.as_secs_f64());
    let records = |bytes: u64, size: u64| format!("{}+{}", bytes / size, u64::from(!bytes.is_multiple_of(size)));
    let (read, written) = (imaged.bytes - imaged.padded, imaged.bytes);
    let mut text =
        format!("{} records in\n{} records out\n", records(read, block), records(written, operands.obs.max(1)));
    if operands.status != Status::NoTransfer {
        let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
        text += &format!("{} bytes copied, {seconds:.6} s, {rate:.1} MB/s\n", imaged.bytes);
    }
    text
}
