//! The contents of a file of known sets as a row: what `--json` prints.

use super::info::Summary;
use pfh_digest::Algorithm;
use pfh_manifest::row::Hex;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Blocks {
    algorithm: String,
    blocks: u64,
    size: u32,
}

#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Filter<'a> {
    algorithm: String,
    entries: u64,
    set: &'a str,
}

// In the order of the names of its members.
/// The contents of a file of known sets.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SetsRow<'a> {
    /// The BLAKE3 digest of the file.
    blake3: Option<Hex<'a>>,
    blocks: Vec<Blocks>,
    digests: BTreeMap<String, u64>,
    filters: Vec<Filter<'a>>,
    hold_the_empty_file: &'a [String],
    #[cfg_attr(feature = "schema", schemars(with = "Vec<pfh_known::Set>"))]
    sets: serde_json::Value,
}

impl<'a> SetsRow<'a> {
    /// The row.
    pub fn of(summary: &'a Summary) -> SetsRow<'a> {
        let known = &summary.known;
        let filter = |(algorithm, set, entries): (Algorithm, usize, u64)| Filter {
            algorithm: algorithm.name().to_owned(),
            entries,
            set: &known.sets()[set].name,
        };
        let blocks = known.blocks().iter().map(|of| Blocks {
            algorithm: of.algorithm().to_string(),
            blocks: of.rows(),
            size: of.size(),
        });
        SetsRow {
            blake3: summary.digest.as_ref().map(|digest| Hex(&digest[..])),
            blocks: blocks.collect(),
            digests: known.algorithms().map(|(algorithm, rows)| (algorithm.to_string(), rows)).collect(),
            filters: known.filters().map(filter).collect(),
            hold_the_empty_file: &summary.empties,
            sets: serde_json::to_value(known.sets()).unwrap_or_default(),
        }
    }
}
