//! The remarks of pfh in a map beside GNU ddrescue's blocks: the source's identity, the part and
//! the fill, and digests of the image at its checkpoints. ddrescue passes over remarks, and drops
//! them when it writes the map again.

use super::Settings;
use super::identity::Identity;
use pfh_container::map::Map;
use pfh_digest::hex;
use pfh_digest::{Algorithm, Digest};
use pfh_source::device::Fill;
use serde_json::{Value, json};

const SOURCE: &str = "pfh source ";
const PART: &str = "pfh part ";
const CHECKPOINT: &str = "pfh checkpoint ";
/// Checkpoints that are kept: a target that lost its last bytes in a power cut is resumed at an
/// earlier one.
const KEPT: usize = 16;

/// The part of the medium that is imaged, and the fill: an image has one of each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) from: u64,
    pub(super) length: Option<u64>,
    /// Bytes in hexadecimal, or `zeros`.
    pub(super) fill: String,
}

impl Part {
    pub(super) fn of(asked: &Settings<'_>) -> Self {
        let fill = match &asked.imaging.policy.fill {
            Fill::Pattern(bytes) if !bytes.is_empty() => hex::encode(bytes),
            _ => "zeros".to_owned(),
        };
        Part { from: asked.imaging.from, length: asked.imaging.length, fill }
    }
}

/// The remarks of one map.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Remarks {
    /// `None` in ddrescue's maps and in those of pfh before it kept any.
    pub(super) source: Option<Identity>,
    pub(super) part: Option<Part>,
    /// Bytes from the image's start and the digest of these bytes, rising.
    pub(super) checkpoints: Vec<(u64, Digest)>,
    /// Whether GNU ddrescue wrote the map.
    pub(super) is_ddrescue: bool,
}

impl Remarks {
    pub(super) fn read(map: &Map) -> Self {
        let object = |text: &str| serde_json::from_str::<Value>(text).ok();
        let mut found = Remarks::default();
        for remark in &map.remarks {
            if let Some(text) = remark.strip_prefix(SOURCE) {
                found.source = object(text).as_ref().and_then(Identity::from_json);
            } else if let Some(text) = remark.strip_prefix(PART) {
                found.part = object(text).and_then(|value| {
                    let (from, fill) = (value.get("from")?.as_u64()?, value.get("fill")?.as_str()?.to_owned());
                    Some(Part { from, length: value.get("length")?.as_u64(), fill })
                });
            } else if let Some(text) = remark.strip_prefix(CHECKPOINT) {
                found.checkpoints.extend(checkpoint(text));
            }
            found.is_ddrescue |= remark.starts_with("Mapfile. Created by GNU ddrescue");
        }
        // One algorithm, rising: anything else was not written by pfh, and proves nothing.
        let rising = |pair: &[(u64, Digest)]| pair[0].0 < pair[1].0 && pair[0].1.algorithm() == pair[1].1.algorithm();
        if !found.checkpoints.windows(2).all(rising) {
            found.checkpoints.clear();
        }
        found
    }

    /// Writes them into `map`, in place of the present ones.
    pub(super) fn write(&self, map: &mut Map) {
        let is_ours = |remark: &str| [SOURCE, PART, CHECKPOINT, "Mapfile."].iter().any(|own| remark.starts_with(own));
        map.remarks.retain(|remark| !is_ours(remark));
        let part = |part: &Part| json!({ "from": part.from, "length": part.length, "fill": part.fill });
        map.remarks.extend(self.source.as_ref().map(|source| format!("{SOURCE}{}", source.to_json())));
        map.remarks.extend(self.part.as_ref().map(|found| format!("{PART}{}", part(found))));
        for (upto, digest) in &self.checkpoints {
            map.remarks.push(format!("{CHECKPOINT}{upto} {} {digest}", digest.algorithm()));
        }
    }

    /// Enters the digest of the first `upto` bytes.
    pub(super) fn add(&mut self, upto: u64, digest: &Digest) {
        self.checkpoints.retain(|(before, stated)| *before < upto && stated.algorithm() == digest.algorithm());
        self.checkpoints.push((upto, digest.clone()));
        let surplus = self.checkpoints.len().saturating_sub(KEPT);
        self.checkpoints.drain(..surplus);
    }
}

fn checkpoint(text: &str) -> Option<(u64, Digest)> {
    let mut words = text.split(' ');
    let upto = words.next()?.parse().ok()?;
    let algorithm: Algorithm = words.next()?.parse().ok()?;
    Some((upto, Digest::from_hex(algorithm, words.next()?).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_survive_the_map() {
        let blake3: Algorithm = "blake3".parse().unwrap();
        let digest = |text: &[u8]| {
            let mut hasher = blake3.hasher();
            hasher.update(text);
            hasher.finalize()
        };
        let mut remarks = Remarks {
            source: Some(Identity { serial: "S 1".into(), ..Identity::default() }),
            part: Some(Part { from: 5, length: None, fill: "zeros".into() }),
            ..Remarks::default()
        };
        for upto in 1..40_u64 {
            remarks.add(upto * 10, &digest(&[upto as u8]));
        }
        assert_eq!(remarks.checkpoints.len(), KEPT);
        let mut map = Map::new(100);
        map.remarks.push("of a user's own".into());
        remarks.write(&mut map);
        remarks.write(&mut map);
        let back = Map::parse(&map.print()).unwrap();
        assert_eq!(Remarks::read(&back), remarks);
        assert!(back.remarks.contains(&"of a user's own".to_owned()));
        let ddrescue = Map::parse("# Mapfile. Created by GNU ddrescue version 1.27\n0 +\n0 9 +\n").unwrap();
        assert!(Remarks::read(&ddrescue).is_ddrescue && Remarks::read(&ddrescue).source.is_none());
    }
}
