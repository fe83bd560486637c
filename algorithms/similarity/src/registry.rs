//! The methods by name, as algorithms whose digests are values with a text.
//!
//! The text is that of the method's own format with an empty name. An input for which a method has
//! no digest has a text that says so: [`TLSH_ABSENT`](crate::TLSH_ABSENT), which is TLSH's own
//! word, or [`ABSENT`](crate::ABSENT).

use crate::cells::Cells;
#[cfg(feature = "pictures")]
use crate::crops::Crops;
use crate::imports::Imports;
use crate::mrsh_v2::{self, MrshV2};
#[cfg(feature = "pictures")]
use crate::pdq::Pdq;
#[cfg(feature = "pictures")]
use crate::phash::Phash;
use crate::sdhash::{self, Sdhash};
use crate::shingles::Shingles;
use crate::ssdeep::Ssdeep;
use crate::strings::{self, Strings};
use crate::text::Text;
use crate::tlsh::Tlsh;
use crate::{Content, Hasher, Method, Named, Similar};
use pfh_digest::Standing::Similarity;
use pfh_digest::{Output, Row, State, Value};

/// The methods, for a `pfh_digest::Registry`.
pub static ROWS: [Row; if cfg!(feature = "pictures") { 15 } else { 12 }] = [
    row(&Named::Ssdeep, |text| parse(Named::Ssdeep, text), || start(Named::Ssdeep, Ssdeep.hasher()))
        .with_whole(|bytes, _| Similar::new(Named::Ssdeep, Ssdeep.digest(bytes).map(Content::Ssdeep), None).into()),
    row(&Named::Sdhash, |text| parse(Named::Sdhash, text), || start(Named::Sdhash, sdhash::Either::new(false)))
        .with_features(|| kept(Named::Sdhash, sdhash::Either::new(true))),
    row(
        &Named::SdhashStream,
        |text| parse(Named::SdhashStream, text),
        || start(Named::SdhashStream, Sdhash::STREAM.hasher()),
    )
    .with_features(|| kept(Named::SdhashStream, sdhash::Generator::keeping_features(Sdhash::STREAM))),
    row(&Named::SdhashDd, |text| parse(Named::SdhashDd, text), || start(Named::SdhashDd, Sdhash::BLOCKS.hasher()))
        .with_features(|| kept(Named::SdhashDd, sdhash::Generator::keeping_features(Sdhash::BLOCKS))),
    row(&Named::MrshV2, |text| parse(Named::MrshV2, text), || start(Named::MrshV2, MrshV2::PLAIN.hasher()))
        .with_features(|| kept(Named::MrshV2, mrsh_v2::Generator::keeping_features(MrshV2::PLAIN))),
    row(
        &Named::MrshV2Network,
        |text| parse(Named::MrshV2Network, text),
        || start(Named::MrshV2Network, MrshV2::NETWORK.hasher()),
    )
    .with_features(|| kept(Named::MrshV2Network, mrsh_v2::Generator::keeping_features(MrshV2::NETWORK))),
    row(&Named::Tlsh, |text| parse(Named::Tlsh, text), || start(Named::Tlsh, Tlsh.hasher())),
    // Their digests are their features.
    row(&Named::Shingles, |text| parse(Named::Shingles, text), || start(Named::Shingles, Shingles.hasher()))
        .with_features(|| start(Named::Shingles, Shingles.hasher())),
    row(&Named::Strings, |text| parse(Named::Strings, text), || Box::new(OfStrings(Strings.hasher())))
        .with_features(|| Box::new(OfStrings(Strings.hasher()))),
    row(&Named::Imports, |text| parse(Named::Imports, text), || start(Named::Imports, Imports.hasher()))
        .with_features(|| start(Named::Imports, Imports.hasher())),
    row(&Named::Text, |text| parse(Named::Text, text), || start(Named::Text, Text.hasher()))
        .with_features(|| start(Named::Text, Text.hasher())),
    row(&Named::Cells, |text| parse(Named::Cells, text), || start(Named::Cells, Cells.hasher()))
        .with_features(|| start(Named::Cells, Cells.hasher())),
    #[cfg(feature = "pictures")]
    row(&Named::Pdq, |text| parse(Named::Pdq, text), || start(Named::Pdq, Pdq.hasher()))
        .with_whole(|bytes, _| Similar::new(Named::Pdq, Pdq.digest(bytes).map(Content::Pdq), None).into()),
    #[cfg(feature = "pictures")]
    row(&Named::Phash, |text| parse(Named::Phash, text), || start(Named::Phash, Phash.hasher()))
        .with_whole(|bytes, _| Similar::new(Named::Phash, Phash.digest(bytes).map(Content::Phash), None).into()),
    #[cfg(feature = "pictures")]
    row(&Named::Crops, |text| parse(Named::Crops, text), || start(Named::Crops, Crops.hasher()))
        .with_whole(|bytes, _| Similar::new(Named::Crops, Crops.digest(bytes).map(Content::Crops), None).into()),
];

const fn row(method: &'static Named, parse: fn(&str) -> Option<Value>, start: fn() -> Box<dyn State>) -> Row {
    let profile = method.profile();
    Row::new(profile.name, profile.aliases, Output::Text, Similarity, 1, start).with_parser(parse).with_fact(method)
}

fn parse(method: Named, text: &str) -> Option<Value> {
    Similar::parse(method, text).ok().map(Value::from)
}

/// The digest in which a generator ends, as a value.
trait IntoContent {
    fn into_content(self) -> Content;
}

impl IntoContent for crate::ssdeep::Digest {
    fn into_content(self) -> Content {
        Content::Ssdeep(self)
    }
}

impl IntoContent for sdhash::Digest {
    fn into_content(self) -> Content {
        Content::Sdhash(self)
    }
}

impl IntoContent for mrsh_v2::Digest {
    fn into_content(self) -> Content {
        Content::MrshV2(self)
    }
}

impl IntoContent for crate::tlsh::Digest {
    fn into_content(self) -> Content {
        Content::Tlsh(self)
    }
}

impl IntoContent for crate::shingles::Digest {
    fn into_content(self) -> Content {
        Content::Shingles(self)
    }
}

#[cfg(feature = "pictures")]
impl IntoContent for crate::pdq::Digest {
    fn into_content(self) -> Content {
        Content::Pdq(self)
    }
}

#[cfg(feature = "pictures")]
impl IntoContent for crate::phash::Digest {
    fn into_content(self) -> Content {
        Content::Phash(self)
    }
}

#[cfg(feature = "pictures")]
impl IntoContent for crate::crops::Digest {
    fn into_content(self) -> Content {
        Content::Crops(self)
    }
}

/// A generator of a method.
#[derive(Clone)]
struct Running<H>(Named, H);

impl<H> State for Running<H>
where
    H: Hasher + 'static,
    H::Digest: IntoContent,
{
    fn update(&mut self, bytes: &[u8]) {
        self.1.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        let Running(method, hasher) = *self;
        Similar::new(method, hasher.finalize().map(IntoContent::into_content), None).into()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Running(self.0, self.1.clone()))
    }
}

fn start<H>(method: Named, hasher: H) -> Box<dyn State>
where
    H: Hasher + 'static,
    H::Digest: IntoContent,
{
    Box::new(Running(method, hasher))
}

/// The generator of strings, which also sees whether a program is packed.
#[derive(Clone)]
struct OfStrings(strings::Generator);

impl State for OfStrings {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        let is_packed = self.0.is_packed();
        Similar::new(Named::Strings, self.0.finalize().map(Content::Shingles), None).of_packed(is_packed).into()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// A generator that keeps the features.
#[derive(Clone)]
struct Kept<H>(Named, H);

trait Keeping: Hasher {
    fn finish(self) -> Option<(Content, Vec<u64>)>;
}

impl Keeping for sdhash::Either {
    fn finish(self) -> Option<(Content, Vec<u64>)> {
        let featured = self.finalize_featured().ok()?;
        Some((Content::Sdhash(featured.digest), featured.features))
    }
}

impl Keeping for sdhash::Generator {
    fn finish(self) -> Option<(Content, Vec<u64>)> {
        let featured = self.finalize_featured().ok()?;
        Some((Content::Sdhash(featured.digest), featured.features))
    }
}

impl Keeping for mrsh_v2::Generator {
    fn finish(self) -> Option<(Content, Vec<u64>)> {
        let featured = self.finalize_featured();
        Some((Content::MrshV2(featured.digest), featured.chunks))
    }
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

fn kept<H: Keeping + 'static>(method: Named, hasher: H) -> Box<dyn State> {
    Box::new(Kept(method, hasher))
}
