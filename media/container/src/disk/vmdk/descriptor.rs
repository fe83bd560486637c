//! The descriptor: lines `KEY=VALUE` and lines of extents.

use crate::Bytes;
use crate::disk::Failure;

/// Longer texts are not descriptors.
const LONGEST: u64 = 1 << 20;
/// More extents than any program writes: 64 TiB in pieces of 2 GiB are 32,768.
const MOST: usize = 1 << 16;

/// Where an extent is.
#[derive(Debug, PartialEq, Eq)]
pub enum ExtentPlace {
    /// In a sparse file of this name.
    Sparse(String),
    /// In a file of this name, from a sector on.
    Flat(String, u64),
    /// Nowhere: zeros.
    Zero,
}

/// A line of an extent.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// Its length.
    pub sectors: u64,
    /// Where it is.
    pub held: ExtentPlace,
}

/// The content of a descriptor.
#[derive(Debug)]
pub struct Descriptor {
    /// The extents, in order of the disk.
    pub extents: Vec<Line>,
    /// The identifier of the content, which changes whenever the disk does.
    pub id: String,
    /// For a difference: the identifier of its parent's content, and where the parent was.
    pub parent: Option<(String, String)>,
}

impl Descriptor {
    /// Reads the descriptor at an offset of a file.
    pub fn read(file: &dyn Bytes, at: u64, length: u64) -> Result<Descriptor, Failure> {
        if length > LONGEST {
            return Err(Failure::at(at, format!("a descriptor of {length} bytes")));
        }
        let mut bytes = vec![0; length as usize];
        file.read_exact_at(at, &mut bytes)?;
        // Padded with zeros to whole sectors.
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Descriptor::parse(&String::from_utf8_lossy(&bytes[..end]))
    }

    fn parse(text: &str) -> Result<Descriptor, Failure> {
        if !text.starts_with("# Disk DescriptorFile") {
            return Err(Failure::malformed("no descriptor of a disk"));
        }
        let (mut extents, mut id, mut parent_id, mut hint) = (Vec::new(), String::new(), None, String::new());
        for line in text.lines().map(str::trim) {
            if let Some((key, value)) = line.split_once('=').filter(|(key, _)| !key.contains(['"', ' '])) {
                let value = value.trim().trim_matches('"');
                let value = value.to_owned();
                match key.trim().to_ascii_lowercase().as_str() {
                    "cid" => id = value.clone(),
                    "parentcid" if !value.eq_ignore_ascii_case("ffffffff") => parent_id = Some(value.clone()),
                    "parentfilenamehint" => hint = value.clone(),
                    _ => {}
                }
                let value = value.as_str();
                if key.eq_ignore_ascii_case("encoding") || !key.eq_ignore_ascii_case("createType") {
                    continue;
                }
                if ["fullDevice", "partitionedDevice", "vmfsRaw", "vmfsRawDeviceMap"].contains(&value) {
                    return Err(Failure::refused(format!("a disk of the type {value}: the device itself")));
                }
                continue;
            }
            let is_extent = ["RW ", "RDONLY ", "NOACCESS "].iter().any(|access| line.starts_with(access));
            if is_extent {
                extents.push(extent(line)?);
            }
            if extents.len() > MOST {
                return Err(Failure::malformed(format!("more than {MOST} extents")));
            }
        }
        Ok(Descriptor { extents, id, parent: parent_id.map(|parent| (parent, hint)) })
    }
}

/// `RW 4192256 SPARSE "disk-s001.vmdk"`, `RW 63 FLAT "disk-flat.vmdk" 0`, `RW 63 ZERO`.
fn extent(line: &str) -> Result<Line, Failure> {
    let wrong = || Failure::malformed(format!("an extent that is not understood: {line:?}"));
    let (head, name, tail) = match line.split_once('"') {
        Some((head, rest)) => {
            let (name, tail) = rest.rsplit_once('"').ok_or_else(wrong)?;
            (head, name, tail)
        }
        None => (line, "", ""),
    };
    let mut words = head.split_ascii_whitespace().skip(1);
    let sectors = words.next().and_then(|word| word.parse().ok()).ok_or_else(wrong)?;
    let held = match words.next().ok_or_else(wrong)? {
        "ZERO" => ExtentPlace::Zero,
        "SPARSE" => ExtentPlace::Sparse(name.to_owned()),
        "FLAT" | "VMFS" => {
            let offset = tail.trim();
            ExtentPlace::Flat(name.to_owned(), if offset.is_empty() { 0 } else { offset.parse().map_err(|_| wrong())? })
        }
        other => return Err(Failure::refused(format!("an extent of the type {other}"))),
    };
    Ok(Line { sectors, held })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let text = "# Disk DescriptorFile\nversion=1\nCID=1\nparentCID=ffffffff\ncreateType=\"x\"\n\n\
                    RW 4192256 SPARSE \"a b-s001.vmdk\"\nRW 63 FLAT \"f.vmdk\" 7\nRW 5 ZERO\nddb.x = \"1\"\n";
        let found = Descriptor::parse(text).unwrap().extents;
        let held: Vec<_> = found.iter().map(|line| (line.sectors, &line.held)).collect();
        let sparse = ExtentPlace::Sparse("a b-s001.vmdk".into());
        assert_eq!(held, [(4_192_256, &sparse), (63, &ExtentPlace::Flat("f.vmdk".into(), 7)), (5, &ExtentPlace::Zero)]);
        for wrong in ["RW x FLAT \"f\"", "RW 1", "RW 1 SESPARSE \"f\"", "RW 1 FLAT \"f"] {
            assert!(Descriptor::parse(&format!("# Disk DescriptorFile\n{wrong}\n")).is_err(), "{wrong}");
        }
        assert!(Descriptor::parse("").is_err());
        let child = Descriptor::parse(
            "# Disk DescriptorFile\nCID=Ab1\nparentCID=fe0\nparentFileNameHint=\"/vm/base.vmdk\"\nRW 1 ZERO\n",
        );
        let child = child.unwrap();
        assert_eq!((child.id.as_str(), child.parent), ("Ab1", Some(("fe0".into(), "/vm/base.vmdk".into()))));
    }
}
