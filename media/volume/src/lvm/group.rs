//! A volume group, out of its text.

use std::collections::BTreeMap;

use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

use super::text::{Section, Value, parse};

const SECTOR: u64 = 512;

/// A physical volume of a group.
pub struct Place {
    /// Its identifier, 32 characters.
    pub id: String,
    /// Where its extents begin, in bytes.
    pub start: u64,
    /// How many it has.
    pub count: u64,
}

/// A range of a logical volume.
pub struct Segment {
    /// Its first extent.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// Its type.
    pub kind: Kind,
}

/// Where a segment lies.
pub enum Kind {
    /// Extents of physical volumes, by their names in the text and the first extent there, in
    /// chunks of this length.
    Striped(u64, Vec<(String, u64)>),
    /// Copies in logical volumes, each from this extent on.
    Mirror(Vec<(String, u64)>),
    /// An array over logical volumes, by its type, with the volumes that hold its metadata.
    Raid(Raid),
    /// A volume of a pool, by the pool's name and its number there.
    Thin(String, u64),
    /// A pool: the volumes of its metadata and data.
    Pool(String, String),
    /// Older bytes of a volume: its origin, and the volume that keeps the differences.
    Snapshot(String, String),
    /// Another type.
    Other(String),
}

/// An array over logical volumes.
pub struct Raid {
    /// `raid5_ls`, as the text has it.
    pub name: String,
    /// Bytes of a chunk.
    pub chunk: u64,
    /// The number of copies in RAID 10.
    pub copies: u64,
    /// Its volumes: that of metadata, where there is one, and that of data.
    pub devices: Vec<(Option<String>, String)>,
}

/// A logical volume.
pub struct Logical {
    /// Its segments in order.
    pub segments: Vec<Segment>,
    /// Whether people see it, rather than a part of another.
    pub is_visible: bool,
}

/// A volume group.
pub struct Group {
    /// Its identifier.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Counts up with each change.
    pub number: u64,
    /// Bytes of an extent.
    pub extent: u64,
    /// Its physical volumes by their names in the text.
    pub physical: BTreeMap<String, Place>,
    /// Its logical volumes by name.
    pub logical: BTreeMap<String, Logical>,
}

impl Group {
    /// Reads the text of a group.
    pub fn parse(text: &str) -> Result<Group, Failure> {
        let whole = parse(text)?;
        let wrong = |what: &str| failure(None, format!("LVM2's metadata state no {what}"));
        let (name, group) = whole.sections().next().ok_or_else(|| wrong("volume group"))?;
        let number = |section: &Section, key: &str| section.number(key).ok_or_else(|| wrong(key));
        let extent = number(group, "extent_size")?.checked_mul(SECTOR).filter(|extent| *extent > 0);
        let mut physical = BTreeMap::new();
        for (name, volume) in group.section("physical_volumes").unwrap_or(&Section::default()).sections() {
            let id = volume.text("id").ok_or_else(|| wrong("identifier of a physical volume"))?.replace('-', "");
            let start = number(volume, "pe_start")?.checked_mul(SECTOR).ok_or_else(|| wrong("sound pe_start"))?;
            physical.insert(name.to_owned(), Place { id, start, count: number(volume, "pe_count")? });
        }
        let mut logical = BTreeMap::new();
        for (name, volume) in group.section("logical_volumes").unwrap_or(&Section::default()).sections() {
            let is_visible = volume.list("status").contains(&Value::Text("VISIBLE".into()));
            logical.insert(name.to_owned(), Logical { segments: segments(volume)?, is_visible });
        }
        Ok(Group {
            id: group.text("id").ok_or_else(|| wrong("identifier of the group"))?.to_owned(),
            name: name.to_owned(),
            number: number(group, "seqno")?,
            extent: extent.ok_or_else(|| wrong("sound extent_size"))?,
            physical,
            logical,
        })
    }
}

/// The segments of a logical volume, in order.
fn segments(volume: &Section) -> Result<Vec<Segment>, Failure> {
    let mut found = Vec::new();
    for (name, segment) in volume.sections().filter(|(name, _)| name.starts_with("segment")) {
        let wrong = || failure(None, format!("LVM2's metadata have a {name} that is not understood"));
        let number = |key: &str| segment.number(key).ok_or_else(wrong);
        let (first, count) = (number("start_extent")?, number("extent_count")?);
        found.push(Segment { first, count, kind: kind(segment).ok_or_else(wrong)? });
    }
    found.sort_by_key(|segment| segment.first);
    Ok(found)
}

/// The type of a segment, and where it lies.
fn kind(segment: &Section) -> Option<Kind> {
    let name = |key: &str| segment.text(key).map(str::to_owned);
    let kind = name("type")?;
    let chunk = || segment.number("stripe_size").and_then(|sectors| sectors.checked_mul(SECTOR));
    Some(match kind.as_str() {
        // One type with a flag, as `striped+...`, is another.
        "striped" | "linear" => {
            let stripes = pairs(segment.list("stripes"))?;
            let chunk = if stripes.len() > 1 { chunk()? } else { 0 };
            Kind::Striped(chunk, stripes)
        }
        "mirror" => Kind::Mirror(pairs(segment.list("mirrors"))?),
        "thin" => Kind::Thin(name("thin_pool")?, segment.number("device_id")?),
        "thin-pool" => Kind::Pool(name("metadata")?, name("pool")?),
        "snapshot" => Kind::Snapshot(name("origin")?, name("cow_store")?),
        _ if kind.starts_with("raid") => {
            let devices = match names(segment.list("raid0_lvs"))? {
                plain if !plain.is_empty() => plain.into_iter().map(|data| (None, data)).collect(),
                _ => {
                    let both = names(segment.list("raids"))?;
                    let pairs = both.chunks_exact(2);
                    pairs.map(|pair| (Some(pair[0].clone()), pair[1].clone())).collect()
                }
            };
            let copies = segment.number("data_copies").unwrap_or(2);
            Kind::Raid(Raid { name: kind, chunk: chunk().unwrap_or(0), copies, devices })
        }
        _ => Kind::Other(kind),
    })
}

fn names(list: &[Value]) -> Option<Vec<String>> {
    list.iter().map(|value| if let Value::Text(name) = value { Some(name.clone()) } else { None }).collect()
}

fn pairs(list: &[Value]) -> Option<Vec<(String, u64)>> {
    let pair = |pair: &[Value]| match pair {
        [Value::Text(name), Value::Number(from)] => Some((name.clone(), *from)),
        _ => None,
    };
    (!list.is_empty()).then(|| list.chunks(2).map(pair).collect())?
}
