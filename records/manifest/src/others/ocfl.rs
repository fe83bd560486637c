//! OCFL's `inventory.json` (OCFL 1.1, section 3.5): digests with the paths of their content, and in
//! `fixity` those of other algorithms.

use std::io::{self, BufRead, Read};

use pfh_digest::Registry;
use serde_json::Value;

use super::algorithm;
use crate::digits;
use crate::entry::{Entry, Fault, Item};
use crate::strict::{self, Wrong};

/// The longest inventory: some 500,000 files.
const LONGEST: u64 = 256 << 20;

/// Whether a document begins as an inventory.
pub(crate) fn is_inventory(start: &[u8]) -> bool {
    let has = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    has(b"\"digestAlgorithm\"")
}

/// Its entries.
///
/// # Errors
/// The reader's.
pub(crate) fn read<R: BufRead>(reader: R, registry: Registry) -> io::Result<Vec<Item>> {
    let mut bytes = Vec::new();
    reader.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Ok(vec![Item::Fault(Fault::TooLong)]);
    }
    let object = match strict::parse(&bytes) {
        Ok(object) => object,
        Err(Wrong::Malformed) => return Ok(vec![Item::Fault(Fault::Malformed("not JSON, or cut off"))]),
        Err(twice) => return Ok(vec![Item::Fault(twice.into())]),
    };
    let stated = object.get("digestAlgorithm").and_then(Value::as_str).unwrap_or_default();
    let blocks = object.get("fixity").and_then(Value::as_object).into_iter().flatten();
    let blocks = blocks.filter_map(|(name, block)| Some((name.as_str(), block.as_object()?)));
    let manifest = object.get("manifest").and_then(Value::as_object).map(|block| (stated, block));
    let mut items = Vec::new();
    for (name, block) in manifest.into_iter().chain(blocks) {
        let of = algorithm(registry, name);
        for (value, paths) in block {
            for path in paths.as_array().into_iter().flatten().filter_map(Value::as_str) {
                let digest = of.ok_or_else(|| Fault::UnknownAlgorithm(name.into()));
                let digest = digest.and_then(|of| digits::digest(of, value.as_bytes()));
                let entry = |digest| Entry { name: path.into(), digests: vec![digest], ..Entry::default() };
                items.push(digest.map(entry).map_or_else(Item::Fault, Item::Entry));
            }
        }
    }
    if items.is_empty() {
        items.push(Item::Fault(Fault::Malformed("an inventory without content")));
    }
    Ok(items)
}
