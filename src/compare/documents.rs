//! Documents that are containers: their members count as one content.

use pfh_digest::{Algorithm, Digest};
use pfh_pairs::{Collection, DigestRefusal};
use pfh_similarity::shingles::{Union, Unit};
use pfh_similarity::{Content, MethodName, ParseError, Similar};
use pfh_source::Inside;
use std::sync::Arc;

/// Containers that people take for one file: office files, packages of programs and other zip
/// archives; PDF.
const KINDS: [&str; 2] = ["zip", PDF];
const PDF: &str = "pdf";

/// The place of an input among documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A document whose members are compared.
    Document,
    /// In a document.
    Member,
    /// Neither.
    Outside,
}

/// No document.
const NONE: u32 = u32::MAX;

/// The documents among the inputs of all methods at once.
pub struct Documents {
    /// The windows of each document's members together.
    pub collection: Collection,
    /// By the place in the collection: the input.
    inputs: Vec<u32>,
    /// Those of them whose bytes show what they hold: PDF has streams as they are.
    bare: Vec<u32>,
    /// By the input: the document that it is in. Shorter than the inputs, if the last are in none.
    within: Vec<u32>,
    /// Inputs that are in a document.
    members: u64,
    /// The last input that is in no document, which may turn out to be one.
    last: Option<(Arc<[u8]>, u32)>,
    open: Option<Open>,
}

/// A document whose members come.
struct Open {
    name: Arc<[u8]>,
    input: u32,
    is_bare: bool,
    union: Union,
}

impl Open {
    fn take(&mut self, shingles: &Digest) {
        if let Some(Content::Shingles(digest)) = Similar::of(shingles).map(Similar::content) {
            self.union.take(digest);
        }
    }

    /// Whether it is the name of a member, or of a member of one.
    fn holds(&self, name: &[u8]) -> bool {
        name.strip_prefix(&*self.name).is_some_and(|rest| rest.starts_with(b"!/"))
    }
}

impl Documents {
    /// None yet. `algorithm`: that of shared bytes; `memory`: bytes for its windows.
    pub fn new(algorithm: Algorithm, memory: usize) -> Documents {
        let mut collection = Collection::with_features(algorithm, memory);
        collection.weigh();
        Documents {
            collection,
            inputs: Vec::new(),
            bare: Vec::new(),
            within: Vec::new(),
            members: 0,
            last: None,
            open: None,
        }
    }

    /// The next input, which comes after the container that it is in. `shingles`: its windows.
    ///
    /// # Errors
    /// The document before it cannot be taken in.
    pub fn take(
        &mut self,
        (name, input): (&Arc<[u8]>, u32),
        inside: Option<&Inside>,
        shingles: &Digest,
    ) -> Result<(), DigestRefusal> {
        if !self.open.as_ref().is_some_and(|open| open.holds(name)) {
            self.close()?;
            self.open = inside.and_then(|inside| self.opened(inside));
        }
        let Some(open) = &mut self.open else {
            self.last = Some((name.clone(), input));
            return Ok(());
        };
        open.take(shingles);
        self.within.resize(input as usize, NONE);
        self.within.push(open.input);
        self.members += 1;
        Ok(())
    }

    /// Takes a document that is an input, and after it its members, which are none.
    ///
    /// # Errors
    /// The document before it cannot be taken in.
    #[cfg(feature = "inside")]
    pub fn look(
        &mut self,
        name: &Arc<[u8]>,
        input: Option<u32>,
        inside: Option<&Inside>,
        shingles: &Digest,
    ) -> Result<(), DigestRefusal> {
        if let Some(input) = input {
            self.close()?;
            self.last = Some((name.clone(), input));
            return Ok(());
        }
        if self.open.is_none() {
            self.open = inside.and_then(|inside| self.opened(inside));
        }
        if let Some(open) = self.open.as_mut().filter(|open| open.holds(name)) {
            open.take(shingles);
        }
        Ok(())
    }

    /// The document of that name, or that a member of that name is in, is not known as a whole.
    #[cfg(feature = "inside")]
    pub fn forget(&mut self, name: &[u8]) {
        self.open.take_if(|open| *open.name == *name || open.holds(name));
        let holds =
            |whole: &[u8]| name.strip_prefix(whole).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"!/"));
        self.last.take_if(|(last, _)| holds(last));
    }

    /// Documents that are compared by their members.
    pub fn count(&self) -> u64 {
        self.inputs.len() as u64
    }

    /// The document that a member is in, where the last input is one.
    fn opened(&mut self, inside: &Inside) -> Option<Open> {
        let is_of = |(name, _): &(Arc<[u8]>, u32)| **name == *inside.container;
        let (name, input) = self.last.take_if(|last| KINDS.contains(&inside.kind) && is_of(last))?;
        Some(Open { name, input, is_bare: inside.kind == PDF, union: Union::new(Unit::Window) })
    }

    /// No more members of the open document come.
    ///
    /// # Errors
    /// It cannot be taken in.
    pub fn close(&mut self) -> Result<(), DigestRefusal> {
        let Some(open) = self.open.take() else { return Ok(()) };
        let before = self.collection.len();
        if let Ok(digest) = open.union.into_digest() {
            let similar = Similar::read(MethodName::Shingles, Content::Shingles(digest));
            let digest = Digest::from_value(self.collection.algorithm(), similar.into());
            self.collection.add(&open.name, &digest.map_err(|_| DigestRefusal::Malformed(ParseError::Marker))?)?;
        }
        if self.collection.len() > before {
            self.inputs.push(open.input);
            self.bare.extend(open.is_bare.then_some(open.input));
        }
        Ok(())
    }

    /// The document of a place in the collection.
    pub fn input(&self, place: u32) -> u32 {
        self.inputs[place as usize]
    }

    /// Whether an input is a document or in one.
    pub fn place(&self, input: u32) -> Place {
        if self.within.get(input as usize).is_some_and(|document| *document != NONE) {
            Place::Member
        } else if self.inputs.binary_search(&input).is_ok() {
            Place::Document
        } else {
            Place::Outside
        }
    }

    /// Whether two inputs are documents or in some, and are compared by contents alone: not two
    /// whose bytes lie open.
    pub fn hide(&self, inputs: [u32; 2]) -> bool {
        let is_bare = |input: &u32| self.bare.binary_search(input).is_ok();
        inputs.iter().all(|input| self.place(*input) != Place::Outside) && !inputs.iter().all(is_bare)
    }

    /// Inputs that are in documents.
    pub fn members(&self) -> u64 {
        self.members
    }
}
