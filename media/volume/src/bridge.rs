//! Discs: ISO 9660, UDF, or both over the same files, and HFS+ beside them.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::file_system::{FileSystem, Options, Volume, VolumeContent};
use crate::partition::apm;
use crate::recognise::{division, is_hfs};
use crate::{hfs, iso, udf};
use pfh_bytes::apart::{OtherTree, apart};
use pfh_bytes::bytes::Bytes;
use pfh_bytes::field::failure;
use pfh_bytes::node::{Failure, Kind, Node, Nodes};

/// In front of the names of files that only ISO 9660 lists, or only HFS+.
const APART: &[u8] = b"$ISO9660/";
const MAC: &[u8] = b"$HFS+/";

/// Types of partitions that hold HFS+ or HFS, and of those that stand for the disc's own files.
const MACS: [&str; 2] = ["Apple_HFS", "Apple_HFSX"];
const OWN: &str = "ISO9660_data";

/// Opens a disc; `None` for other bytes. If a disc has both, its names are those of UDF; files that
/// only ISO 9660 has follow, and then those that only HFS+ has.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let mut found = open_trees(bytes)?;
    if let Some(VolumeContent::FileSystem(disc)) = &mut found {
        beside(bytes, disc)?;
    }
    Ok(found)
}

/// Adds the files that Macs read of the disc, and names the parts that are not read.
fn beside(bytes: &Arc<dyn Bytes>, disc: &mut FileSystem) -> Result<(), Failure> {
    let mut unread = |offset: u64, what: String| {
        let what = format!("there is {what} beside the file system: not read");
        disc.unread.push(failure(Some(offset), what));
    };
    let mut places = Vec::new();
    match apm::read(&**bytes) {
        Ok(Some(map)) => {
            disc.warnings.extend(map.warnings);
            for part in map.partitions {
                match part.kind.as_str() {
                    kind if MACS.contains(&kind) => places.push(part.start),
                    OWN => {}
                    kind => unread(part.start, format!("a partition of the type {kind}")),
                }
            }
        }
        Ok(None) => match division(&**bytes)? {
            Some(name) => unread(0, name.to_owned()),
            None => places.push(0),
        },
        Err(failed) => unread(failed.offset.unwrap_or(0), format!("an Apple partition map ({})", failed.cause)),
    }
    let mut macs = Vec::new();
    for start in places {
        match hfs::open_at(bytes, start) {
            Ok(Some(mac)) => macs.push(mac),
            Ok(None) if is_hfs(&**bytes, start)? => unread(start, "HFS".to_owned()),
            Ok(None) if start == 0 => {}
            Ok(None) => unread(start, "a partition for Macs".to_owned()),
            Err(failed) => unread(start, format!("HFS+ ({failed})")),
        }
    }
    for mac in macs {
        disc.warnings.extend(mac.warnings);
        disc.unread.extend(mac.unread);
        disc.volume = Arc::new(TwoTrees { first: disc.volume.clone(), other: mac.volume, prefix: MAC });
    }
    Ok(())
}

/// The trees of a disc.
fn open_trees(bytes: &Arc<dyn Bytes>) -> Result<Option<VolumeContent>, Failure> {
    let (udf, iso) = (udf::open(bytes), iso::open(bytes));
    match (udf, iso) {
        (Ok(None), iso) => iso,
        (Ok(Some(VolumeContent::FileSystem(udf))), Ok(Some(VolumeContent::FileSystem(iso)))) => {
            let mut warnings = udf.warnings;
            warnings.extend(iso.warnings);
            let volume = Arc::new(TwoTrees { first: udf.volume, other: iso.volume, prefix: APART });
            Ok(Some(VolumeContent::FileSystem(FileSystem { warnings, volume, ..udf })))
        }
        // The half that can be read, and the fault of the other.
        (udf, Ok(Some(VolumeContent::FileSystem(mut iso)))) => {
            let what = match udf {
                Ok(Some(VolumeContent::Unread(what))) => format!("there is {what} beside it, which is not read"),
                Ok(_) => "there is a UDF volume beside it, which is not read".to_owned(),
                Err(failed) => format!("there is a UDF volume beside it, which cannot be read: {failed}"),
            };
            iso.warnings.push(failure(Some(32_768), what));
            Ok(Some(VolumeContent::FileSystem(iso)))
        }
        (Ok(Some(VolumeContent::FileSystem(mut udf))), Err(failed)) => {
            let what = format!("there is an ISO 9660 volume beside it, which cannot be read: {failed}");
            udf.warnings.push(failure(Some(32_768), what));
            Ok(Some(VolumeContent::FileSystem(udf)))
        }
        (udf, _) => udf,
    }
}

/// Two trees of names over one disc.
struct TwoTrees {
    first: Arc<dyn Volume>,
    other: Arc<dyn Volume>,
    /// In front of the names that only the other has.
    prefix: &'static [u8],
}

impl Volume for TwoTrees {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let other = OtherTree { prefix: self.prefix.to_vec(), nodes: self.other.clone().nodes(options) };
        apart(self.first.clone().nodes(options), vec![other], place)
    }
}

/// Where a file begins on the disc, and its size; `None` for a name without bytes there. For
/// content that is not stored plainly, a value of its number and name stands for the place.
fn place(node: &Node) -> Option<(u64, u64)> {
    let content = node.content.as_ref().filter(|_| matches!(node.kind, Kind::File | Kind::Stream))?;
    let size = node.size.filter(|&size| size > 0)?;
    match content.runs().unwrap_or_default().first().and_then(|run| run.medium_offset) {
        Some(offset) => Some((offset, size)),
        None => {
            let mut hasher = DefaultHasher::new();
            node.path.hash(&mut hasher);
            Some((!node.id.unwrap_or(0), hasher.finish()))
        }
    }
}
