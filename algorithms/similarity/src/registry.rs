//! The methods by name, as algorithms whose digests are values with a text.
//!
//! The text is that of the method's own format with an empty name. An input for which a method has
//! no digest has a text that says so: [`TLSH_ABSENT`](crate::TLSH_ABSENT), which is TLSH's own
//! word, or [`ABSENT`](crate::ABSENT).
//!
//! Each row stands in the file of its method. One that needs nothing but its own code is a
//! [`Listed`](crate::Listed).

use crate::{Content, Hasher, Named, Similar};
use crate::{cells, imports, mrsh_v2, sdhash, shingles, ssdeep, strings, text, tlsh};
#[cfg(feature = "pictures")]
use crate::{crops, pdq, phash};
use pfh_digest::Standing::Similarity;
use pfh_digest::{Output, Row, State, Value};

/// The methods, for a `pfh_digest::Registry`.
pub static ROWS: [Row; if cfg!(feature = "pictures") { 15 } else { 12 }] = [
    ssdeep::ROW,
    sdhash::ROW,
    sdhash::STREAM_ROW,
    sdhash::BLOCKS_ROW,
    mrsh_v2::ROW,
    mrsh_v2::NETWORK_ROW,
    tlsh::ROW,
    shingles::ROW,
    strings::ROW,
    imports::ROW,
    text::ROW,
    cells::ROW,
    #[cfg(feature = "pictures")]
    pdq::ROW,
    #[cfg(feature = "pictures")]
    phash::ROW,
    #[cfg(feature = "pictures")]
    crops::ROW,
];

/// The row of a method that has its own kind of [`Content`].
pub(crate) const fn row(
    method: &'static Named,
    parse: fn(&str) -> Option<Value>,
    start: fn() -> Box<dyn State>,
) -> Row {
    let profile = method.profile();
    Row::new(profile.name, profile.aliases, Output::Text, Similarity, 1, start).with_parser(parse).with_fact(method)
}

/// Reads the text of a digest of a row.
pub(crate) fn parse(method: Named, text: &str) -> Option<Value> {
    Similar::parse(method, text).ok().map(Value::from)
}

/// A generator of a method.
#[derive(Clone)]
struct Running<H>(Named, H);

impl<H> State for Running<H>
where
    H: Hasher + 'static,
    H::Digest: Into<Content>,
{
    fn update(&mut self, bytes: &[u8]) {
        self.1.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        let Running(method, hasher) = *self;
        Similar::new(method, hasher.finalize().map(Into::into), None).into()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Running(self.0, self.1.clone()))
    }
}

/// The state of a row from its method's generator.
pub(crate) fn start<H>(method: Named, hasher: H) -> Box<dyn State>
where
    H: Hasher + 'static,
    H::Digest: Into<Content>,
{
    Box::new(Running(method, hasher))
}

/// A generator that keeps the features.
#[derive(Clone)]
struct Kept<H>(Named, H);

/// A generator that ends in the digest with its features; without a digest in none.
pub(crate) trait Keeping: Hasher {
    fn finish(self) -> Option<(Content, Vec<u64>)>;
}

impl<H: Keeping + 'static> State for Kept<H> {
    fn update(&mut self, bytes: &[u8]) {
        self.1.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        let Kept(method, hasher) = *self;
        match hasher.finish() {
            Some((content, features)) => Similar::new(method, Ok(content), Some(features)).into(),
            None => Similar::read(method, Content::Absent).into(),
        }
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Kept(self.0, self.1.clone()))
    }
}

/// The state of a row from a generator that keeps the features.
pub(crate) fn kept<H: Keeping + 'static>(method: Named, hasher: H) -> Box<dyn State> {
    Box::new(Kept(method, hasher))
}
