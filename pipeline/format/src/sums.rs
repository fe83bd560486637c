//! Lists as `sha256sum` and its kin print them: digest, space, marker, name (coreutils manual, "md5sum invocation").
//!
//! A line holds one digest and does not say of which algorithm: readers tell by its length or are told. So a list may hold
//! several algorithms, a line each, only where their digests differ in length.

use pfh_digest::Output;

use crate::escape;
use crate::hex;
use crate::manifest::{Carried, Encode, End, Layout, Marker, Preamble, Problem, Row, Summary, Unrepresentable};

/// Writes `digest  name`, a line per algorithm and file.
pub struct Encoder {
    layout: Layout,
}

impl Encoder {
    /// A writer with this end of record and this marker.
    pub fn new(layout: Layout) -> Encoder {
        Encoder { layout }
    }
}

impl Encode for Encoder {
    fn head(&mut self, _: &mut Vec<u8>, preamble: &Preamble<'_>) -> Result<(), Unrepresentable> {
        for (n, algorithm) in preamble.algorithms.iter().enumerate() {
            if algorithm.output() == Output::Text {
                return Err(Unrepresentable::new(format!("sums cannot hold {algorithm}, whose digests are text")));
            }
            if let Some(twin) = preamble.algorithms[..n].iter().find(|other| other.length() == algorithm.length()) {
                return Err(Unrepresentable::new(format!(
                    "sums cannot tell {twin} from {algorithm}: their digests are equally long; use another format, such as bsd"
                )));
            }
        }
        Ok(())
    }

    fn row(&mut self, out: &mut Vec<u8>, row: &Row<'_>) -> Result<(), Unrepresentable> {
        if !row.pieces.is_empty() {
            return Err(Unrepresentable::new("sums has no form for the digests of pieces"));
        }
        let name = match self.layout.end {
            End::Line => escape::escape(row.name),
            End::Nul => row.name.into(),
        };
        let escaped = self.layout.end == End::Line && escape::is_needed(row.name);
        for digest in row.digests {
            if escaped {
                out.push(b'\\');
            }
            hex::push(out, digest.bytes());
            out.push(b' ');
            out.push(match self.layout.marker {
                Marker::Text => b' ',
                Marker::Binary => b'*',
            });
            out.extend_from_slice(&name);
            out.push(self.layout.end.byte());
        }
        Ok(())
    }

    fn problem(&mut self, _: &mut Vec<u8>, _: &Problem<'_>) -> Carried {
        Carried::No
    }

    fn tail(&mut self, _: &mut Vec<u8>, _: &Summary) {}
}
