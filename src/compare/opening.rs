//! Documents that were read as they are are opened, where no other container is: their outer form
//! hides what two of them have in common.

use super::documents::Documents;
use crate::input::Input;
use crate::inside::Options;
use crate::pass::{Failure, pass};
use pfh_container::named;
use pfh_digest::Algorithm;
use pfh_engine::{Control, Outcome, Plan, Record, Sink};
use pfh_source::is_address;
use pfh_source::os::names::OsStringExt;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::sync::Arc;

/// The documents among the inputs by their names, and how large each was.
#[derive(Default)]
pub struct HiddenDocuments(Vec<(Arc<[u8]>, u32, u64)>);

impl HiddenDocuments {
    /// Takes note of an input that is a document by its name.
    pub fn take(&mut self, name: &Arc<[u8]>, input: u32, size: u64) {
        if named::is_document(name) && !is_address(name) {
            self.0.push((name.clone(), input, size));
        }
    }

    /// Reads them once more with all that is in them; says whether that was interrupted. One that
    /// cannot be opened, or whose members cannot all be read, stays as it is.
    ///
    /// # Errors
    /// The run cannot begin, or a document cannot be taken in.
    pub fn open(
        self,
        (input, plan): (&Input, &Plan),
        shingles: Algorithm,
        documents: &mut Documents,
        control: &Control<'_>,
    ) -> Result<bool, Failure> {
        if self.0.is_empty() {
            return Ok(false);
        }
        let paths = self.0.iter().map(|(name, _, _)| OsString::from_vec(name.to_vec())).collect();
        let mut inside = Options::default();
        (inside.documents, inside.lenient) = (true, true);
        let inside = Some(inside);
        let mut input = Input { paths, inside, decoding: input.decoding.clone(), ..Input::default() };
        let plan = input.share(Plan { algorithms: vec![shingles], ..plan.clone() });
        let inputs = self.0.into_iter().map(|(name, input, size)| (name, (input, size))).collect();
        let source = input.source().map_err(|error| Failure::Sink(io::Error::other(error)))?;
        let mut opening = Opening { documents, inputs };
        let run = pass(source, || None, &plan, &mut opening, control)?;
        documents.close().map_err(|error| Failure::Sink(io::Error::other(error)))?;
        Ok(run.interrupted)
    }
}

/// Takes the members of documents.
struct Opening<'a> {
    documents: &'a mut Documents,
    /// By the name: the number of an input, and its size.
    inputs: HashMap<Arc<[u8]>, (u32, u64)>,
}

impl Sink for Opening<'_> {
    fn record(&mut self, record: Record) -> io::Result<()> {
        let name: Arc<[u8]> = record.name.into();
        let Outcome::Hashed(hashed) = &record.outcome else {
            if matches!(record.outcome, Outcome::Failed(_)) {
                self.documents.forget(&name);
            }
            return Ok(());
        };
        let host = self.inputs.get(&name).copied();
        // It is another file by now.
        if host.is_some_and(|(_, size)| size != hashed.closed.size) {
            self.documents.forget(&name);
            return Ok(());
        }
        let input = host.map(|(input, _)| input);
        let inside = hashed.closed.inside.as_deref();
        self.documents.look(&name, input, inside, &hashed.digests[0]).map_err(io::Error::other)
    }
}
