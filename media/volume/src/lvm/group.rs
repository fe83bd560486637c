//! A volume group, out of its text.

use std::collections::BTreeMap;

use crate::field::failure;
use crate::node::Failure;

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

/// A range of a linear logical volume, in extents.
pub struct Segment {
    /// Its first extent.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// The physical volume, by its name in the text.
    pub physical: String,
    /// The first extent there.
    pub from: u64,
}

/// A logical volume that people see.
pub struct Logical {
    /// Its name.
    pub name: String,
    /// Its segments in order; or of what type it is, if it is not linear.
    pub segments: Result<Vec<Segment>, String>,
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
    pub logical: Vec<Logical>,
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
        let mut logical = Vec::new();
        for (name, volume) in group.section("logical_volumes").unwrap_or(&Section::default()).sections() {
            // Others are parts of those that people see.
            if !volume.list("status").contains(&Value::Text("VISIBLE".into())) {
                continue;
            }
            logical.push(Logical { name: name.to_owned(), segments: segments(volume)? });
        }
        logical.sort_by(|a, b| a.name.cmp(&b.name));
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

/// The segments of a logical volume, in order; the type of the first that is not linear.
fn segments(volume: &Section) -> Result<Result<Vec<Segment>, String>, Failure> {
    let mut found = Vec::new();
    for (name, segment) in volume.sections().filter(|(name, _)| name.starts_with("segment")) {
        let wrong = || failure(None, format!("LVM2's metadata have a {name} that is not understood"));
        let kind = segment.text("type").ok_or_else(wrong)?;
        let stripes = segment.number("stripe_count").unwrap_or(0);
        // What LVM2 calls linear is written as one stripe.
        match (kind, stripes) {
            ("striped" | "linear", 1) => {}
            ("striped", _) => return Ok(Err(format!("striped over {stripes} physical volumes"))),
            _ => return Ok(Err(kind.to_owned())),
        }
        let [Value::Text(physical), Value::Number(from)] = segment.list("stripes") else { return Err(wrong()) };
        let number = |key: &str| segment.number(key).ok_or_else(wrong);
        let (first, count) = (number("start_extent")?, number("extent_count")?);
        found.push(Segment { first, count, physical: physical.clone(), from: *from });
    }
    found.sort_by_key(|segment| segment.first);
    Ok(Ok(found))
}
