//! Rows of manifests, in any format that `check` reads.

use super::reading::Reading;
use crate::job::Error;
use pfh_digest::Digest;
use pfh_manifest::{Decoder, Ending, Item, Options, Reason};
use pfh_report::export::Row;
use std::io::{self, BufRead};

fn digests(digests: &[Digest]) -> Vec<(String, String)> {
    digests.iter().map(|digest| (digest.algorithm().to_string(), digest.to_string())).collect()
}

/// Hands each row of the list to `take`.
///
/// # Errors
/// When it cannot be read; and those of `take`.
pub(super) fn each(
    input: &mut dyn BufRead,
    take: &mut dyn FnMut(Row) -> Result<(), Error>,
    failed: impl Fn(io::Error) -> Error,
) -> Result<Reading, Error> {
    let mut reading = Reading::default();
    let options = Options { any: true, bare: true, ..Options::default() };
    let mut decoder = Decoder::with_registry(input, &options, crate::REGISTRY).map_err(&failed)?;
    for located in &mut decoder {
        let located = located.map_err(&failed)?;
        match located.item {
            Item::Entry(entry) => {
                let times = [entry.times.modified, entry.times.changed, entry.times.accessed, None, None];
                let (path, size) = (entry.name, entry.size);
                for piece in &entry.pieces {
                    let (offset, length) = (Some(piece.offset), Some(piece.length));
                    let row =
                        Row { kind: "piece".to_owned(), path: path.clone(), size, offset, length, ..Row::default() };
                    take(Row { digests: digests(&piece.digests), ..row })?;
                }
                let digests = digests(&entry.digests);
                take(Row { kind: "file".to_owned(), path, size, times, digests, ..Row::default() })?;
            }
            Item::Unhashed(unhashed) => {
                let kind = if unhashed.reason == Reason::Failed { "error" } else { "skipped" };
                let code = Some(unhashed.code);
                take(Row { kind: kind.to_owned(), path: unhashed.name, code, ..Row::default() })?;
            }
            Item::Fault(fault) => reading.fault(format!("line {}: {fault}", located.line)),
        }
    }
    match decoder.ending() {
        Ending::Unmarked | Ending::Whole => {}
        _ => reading.fault("the list is not whole: its end is missing, or counts other records".to_owned()),
    }
    Ok(reading)
}
