//! Manifests in any format that `pfh check` reads.

use super::found::PageFindings;
use pfh_manifest::{Decoder, Ending, Format, Item, Options, Reason};
use pfh_report::case::{ManifestCounts, Standing};
use pfh_source::terminal::many;
use std::io::{self, BufRead};

/// Reads a list of digests into the findings; a file without any record is not understood.
///
/// # Errors
/// When it cannot be read.
pub(super) fn read(found: &mut PageFindings, source: usize, input: impl BufRead) -> io::Result<()> {
    let options = Options { any: true, bare: true, ..Options::default() };
    let mut decoder = Decoder::with_registry(input, &options, crate::REGISTRY)?;
    let mut hashed = ManifestCounts { source, ..ManifestCounts::default() };
    let (mut faults, mut first) = (0_u64, String::new());
    for located in &mut decoder {
        let located = located?;
        match located.item {
            Item::Entry(entry) => {
                hashed.files += 1;
                if let Some(size) = entry.size {
                    hashed.bytes = Some(hashed.bytes.unwrap_or_default() + size);
                }
                for digest in &entry.digests {
                    let name = digest.algorithm().to_string();
                    if !hashed.algorithms.contains(&name) {
                        hashed.algorithms.push(name);
                    }
                }
            }
            Item::Unhashed(unhashed) if unhashed.reason == Reason::Failed => {
                hashed.errors += 1;
                found.open(source, &unhashed.name, format!("no digest: {}", unhashed.code));
            }
            Item::Unhashed(_) => hashed.skipped += 1,
            Item::Fault(fault) => {
                faults += 1;
                if first.is_empty() {
                    first = format!("line {}: {fault}", located.line);
                }
            }
        }
    }
    let records = hashed.files + hashed.errors + hashed.skipped;
    let entered = &mut found.case.sources[source];
    entered.records = records;
    // A text may have a word or two that look like a digest.
    if records == 0 || faults > records {
        let why = if first.is_empty() { "nothing in it is a record".to_owned() } else { first };
        entered.standing = Standing::Unknown(format!("no list of digests that is known here ({why})"));
        return Ok(());
    }
    entered.kind = format!("manifest ({})", name(decoder.format()));
    if faults > 0 {
        found.torn(source, format!("{}: {first}", many(faults, "line is not a record", "lines are not records")));
    }
    match decoder.ending() {
        Ending::Unmarked | Ending::Whole => {}
        Ending::Missing => found.torn(source, "the manifest's end is missing: it was interrupted, or cut off"),
        Ending::Contradicted { what, stated, found: read } => {
            found.torn(source, format!("the manifest's end counts {stated} {what}, and {read} were read"));
        }
        Ending::OtherNames => found.torn(source, "the manifest's end is of other names than were read"),
        Ending::Broken => found.torn(source, "the document is broken: the rest was not read"),
    }
    found.case.results.hashed.push(hashed);
    Ok(())
}

fn name(format: Format) -> String {
    match format {
        Format::Sums => "lines of digests".to_owned(),
        other => other.to_string(),
    }
}
