//! Discs: ISO 9660, UDF, or both over the same files.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use crate::bytes::Bytes;
use crate::file_system::{FileSystem, Options, Recognised, Volume};
use crate::iso;
use crate::node::{Failure, Kind, Node, Nodes};
use crate::udf;

/// In front of the names of files that only ISO 9660 lists.
const APART: &[u8] = b"$ISO9660/";

/// Opens a disc; `None` if it is none. Of a disc with both the names are those of UDF, and files
/// that only ISO 9660 has follow.
pub fn open(bytes: &Arc<dyn Bytes>) -> Result<Option<Recognised>, Failure> {
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
        // Where the files of UDF begin: what ISO 9660 has at the same place is the same file.
        let seen: Arc<Mutex<HashSet<u64>>> = Arc::default();
        let places = seen.clone();
        let udf = self.udf.clone().nodes(options).inspect(move |node| {
            if let Some(place) = node.as_ref().ok().and_then(place) {
                places.lock().unwrap_or_else(PoisonError::into_inner).insert(place);
            }
        });
        let iso = self.iso.clone().nodes(options).filter_map(move |node| match node {
            Ok(node) => {
                let place = place(&node)?;
                let is_new = !seen.lock().unwrap_or_else(PoisonError::into_inner).contains(&place);
                is_new.then(|| Ok(Node { path: [APART, &node.path].concat(), ..node }))
            }
            Err(failed) => Some(Err(Failure { path: [APART, &failed.path].concat(), ..failed })),
        });
        Box::new(udf.chain(iso))
    }
}

/// Where a file begins on the disc; `None` for what is no file, or has no bytes there.
fn place(node: &Node) -> Option<u64> {
    let content = node.content.as_ref().filter(|_| matches!(node.kind, Kind::File | Kind::Stream))?;
    content.runs()?.first()?.medium_offset
}
