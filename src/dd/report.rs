//! What dd and its kin print when they end.

use super::{Operands, Status, Summary};
use crate::acquire::sectors;
use crate::verify::place_line;
use pfh_engine::imaging::Imaged;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::PathBuf;

impl Summary {
    /// What is printed: digests and unreadable sectors that no log has, and the records, as far as
    /// `status=` has them.
    pub fn text(&self) -> String {
        let Summary { operands, acquired, .. } = self;
        let mut text = String::new();
        if operands.hashlog.is_none() {
            text += &hashes(&acquired.imaged);
        }
        if operands.errlog.is_none() {
            text += &self.losses();
        }
        if operands.status != Status::None {
            text += &transferred(operands, &acquired.imaged);
        }
        text
    }

    /// Writes the logs that the operands name.
    pub(super) fn write_logs(&self) -> io::Result<()> {
        let Summary { operands, acquired, .. } = self;
        let place = has_places(operands).then(|| place_line(operands.seek_bytes(), acquired.imaged.bytes));
        let hashes = place.unwrap_or_default() + &hashes(&acquired.imaged);
        let logs = [(&operands.hashlog, hashes), (&operands.errlog, self.losses())];
        for (path, text) in logs.iter().filter_map(|(path, text)| Some((path.as_ref()?, text))) {
            let mut file = File::create(path)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
        }
        Ok(())
    }

    fn losses(&self) -> String {
        let acquired = &self.acquired;
        let lost = acquired.imaged.bad.iter().map(|bad| sectors::lost(bad, acquired.from, acquired.sector));
        lost.map(|lost| format!("unreadable: {lost}\n")).collect()
    }
}

/// Whether offsets in the outputs are known: in named files and devices they are, while a stream
/// may be appended to something.
fn has_places(operands: &Operands) -> bool {
    let is_placed = |path: &PathBuf| {
        let is_stream = ["/dev", "/proc"].iter().any(|directory| path.starts_with(directory));
        let kind = std::fs::metadata(path).map(|found| found.file_type());
        operands.split.is_some() || kind.is_ok_and(|kind| kind.is_block_device() || kind.is_file() && !is_stream)
    };
    let plain = || operands.of.iter().chain(&operands.hof);
    (plain().next().is_some() || !operands.ofs.is_empty()) && plain().all(is_placed)
}

/// Digests of the windows and of the whole.
fn hashes(imaged: &Imaged) -> String {
    let mut text = String::new();
    for piece in &imaged.pieces {
        for digest in &piece.digests {
            let which = if piece.digests.len() > 1 { format!(" ({})", digest.algorithm()) } else { String::new() };
            text += &format!("{} - {}{which}: {digest}\n", piece.offset, piece.offset + piece.length);
        }
    }
    if !text.is_empty() {
        text += "\n";
    }
    for digest in &imaged.digests {
        text += &format!("Total ({}): {digest}\n", digest.algorithm());
    }
    text
}

/// What dd prints when it ends.
fn transferred(operands: &Operands, imaged: &Imaged) -> String {
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
