//! Discs: ISO 9660, UDF, or both over the same files.

use std::sync::Arc;

use crate::apart::{Other, apart};
use crate::bytes::Bytes;
use crate::file_system::{FileSystem, Options, Recognised, Volume};
use crate::iso;
use crate::node::{Failure, Kind, Node, Nodes};
use crate::recognise::division;
use crate::udf;

/// In front of the names of files that only ISO 9660 lists.
const APART: &[u8] = b"$ISO9660/";

/// Opens a disc; `None` if it is none. Of a disc with both the names are those of UDF, and files
/// that only ISO 9660 has follow.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure> {
    let mut found = open_trees(bytes)?;
    if let Some(Recognised::FileSystem(disc)) = &mut found
        && let Some(name) = division(&**bytes)?
    {
        let what = format!("there is {name} beside the file system: its parts are not read");
        disc.unread.push(crate::field::failure(None, what));
    }
    Ok(found)
}

/// The trees of a disc.
fn open_trees(bytes: &Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure> {
    let (udf, iso) = (udf::open(bytes), iso::open(bytes));
    match (udf, iso) {
        (Ok(None), iso) => iso,
        (Ok(Some(Recognised::FileSystem(udf))), Ok(Some(Recognised::FileSystem(iso)))) => {
            let mut warnings = udf.warnings;
            warnings.extend(iso.warnings);
            let volume = Arc::new(Both { udf: udf.volume, iso: iso.volume });
            Ok(Some(Recognised::FileSystem(FileSystem { warnings, volume, ..udf })))
        }
        // The half that can be read, and what is wrong with the other.
        (udf, Ok(Some(Recognised::FileSystem(mut iso)))) => {
            let what = match udf {
                Ok(Some(Recognised::Unread(what))) => format!("there is {what} beside it, which is not read"),
                Ok(_) => "there is a UDF volume beside it, which is not read".to_owned(),
                Err(failed) => format!("there is a UDF volume beside it, which cannot be read: {failed}"),
            };
            iso.warnings.push(crate::field::failure(Some(32_768), what));
            Ok(Some(Recognised::FileSystem(iso)))
        }
        (Ok(Some(Recognised::FileSystem(mut udf))), Err(failed)) => {
            let what = format!("there is an ISO 9660 volume beside it, which cannot be read: {failed}");
            udf.warnings.push(crate::field::failure(Some(32_768), what));
            Ok(Some(Recognised::FileSystem(udf)))
        }
        (udf, _) => udf,
    }
}

/// Two trees of names over one disc.
struct Both {
    udf: Arc<dyn Volume>,
    iso: Arc<dyn Volume>,
}

impl Volume for Both {
    fn nodes(self: Arc<Self>, options: Options) -> Nodes {
        let iso = Other { prefix: APART.to_vec(), nodes: self.iso.clone().nodes(options) };
        apart(self.udf.clone().nodes(options), vec![iso], place)
    }
}

/// Where a file begins on the disc, and its size; `None` for what has no bytes there.
fn place(node: &Node) -> Option<(u64, u64)> {
    let content = node.content.as_ref().filter(|_| matches!(node.kind, Kind::File | Kind::Stream))?;
    Some((content.runs()?.first()?.medium_offset?, node.size?))
}
