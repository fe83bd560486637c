//! The logs that operands name: digests as dcfldd writes them, and areas that could not be read.

use super::Operands;
use crate::acquire::{self, sectors};
use crate::verify::place_line;
use pfh_engine::imaging::ImagingResult;
use pfh_source::os::{FileType, file_type, stat_path};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes the logs that the operands name.
pub(super) fn write(operands: &Operands, acquired: &acquire::Summary) -> io::Result<()> {
    let place = has_places(operands).then(|| place_line(operands.seek_bytes(), acquired.imaged.bytes));
    let hashes = place.unwrap_or_default() + &hashes(&acquired.imaged);
    let logs = [(&operands.hashlog, hashes), (&operands.errlog, losses(acquired))];
    for (path, text) in logs.iter().filter_map(|(path, text)| Some((path.as_ref()?, text))) {
        let mut file = File::create(path)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
    }
    Ok(())
}

/// Areas that could not be read, a line each, as `errlog=` has it.
pub fn losses(acquired: &acquire::Summary) -> String {
    let lost = acquired.imaged.bad.iter().map(|bad| sectors::lost(bad, acquired.from, acquired.sector));
    lost.map(|lost| format!("unreadable: {lost}\n")).collect()
}

/// Whether a path is of a file or a device: other kinds have no places.
pub(super) fn kind(path: &Path) -> Option<FileType> {
    let kind = file_type(stat_path(path).ok()?.0.mode);
    matches!(kind, FileType::RegularFile | FileType::BlockDevice).then_some(kind)
}

/// Whether offsets in the outputs are known: in named files and devices they are, while a stream
/// may be appended to something.
fn has_places(operands: &Operands) -> bool {
    let is_placed = |path: &PathBuf| {
        let is_stream = ["/dev", "/proc"].iter().any(|directory| path.starts_with(directory));
        operands.split.is_some() || kind(path).is_some_and(|kind| kind == FileType::BlockDevice || !is_stream)
    };
    let plain = || operands.of.iter().chain(&operands.hof);
    (plain().next().is_some() || !operands.ofs.is_empty()) && plain().all(is_placed)
}

/// Digests of the windows and of the whole, a line each, as `hashlog=` has them.
pub fn hashes(imaged: &ImagingResult) -> String {
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
