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
use crate::{Content, Hasher, Method, MethodName, Similar};
use pfh_digest::Standing::Similarity;
use pfh_digest::{Output, Row, State, Value};

/// The methods, for a `pfh_digest::Registry`.
pub static ROWS: [Row; if cfg!(feature = "pictures") { 15 } else { 12 }] = [
    row(&MethodName::Ssdeep, |text| parse(MethodName::Ssdeep, text), || start(MethodName::Ssdeep, Ssdeep.hasher()))
        .with_whole(|bytes, _| {
            Similar::new(MethodName::Ssdeep, Ssdeep.digest(bytes).map(Content::Ssdeep), None).into()
        }),
    row(
        &MethodName::Sdhash,
        |text| parse(MethodName::Sdhash, text),
        || start(MethodName::Sdhash, sdhash::Either::new(false)),
    )
    .with_features(|| kept(MethodName::Sdhash, sdhash::Either::new(true))),
    row(
        &MethodName::SdhashStream,
        |text| parse(MethodName::SdhashStream, text),
        || start(MethodName::SdhashStream, Sdhash::STREAM.hasher()),
    )
    .with_features(|| kept(MethodName::SdhashStream, sdhash::Generator::keeping_features(Sdhash::STREAM))),
    row(
        &MethodName::SdhashDd,
        |text| parse(MethodName::SdhashDd, text),
        || start(MethodName::SdhashDd, Sdhash::BLOCKS.hasher()),
    )
    .with_features(|| kept(MethodName::SdhashDd, sdhash::Generator::keeping_features(Sdhash::BLOCKS))),
    row(
        &MethodName::MrshV2,
        |text| parse(MethodName::MrshV2, text),
        || start(MethodName::MrshV2, MrshV2::PLAIN.hasher()),
    )
    .with_features(|| kept(MethodName::MrshV2, mrsh_v2::Generator::keeping_features(MrshV2::PLAIN))),
    row(
        &MethodName::MrshV2Network,
        |text| parse(MethodName::MrshV2Network, text),
        || start(MethodName::MrshV2Network, MrshV2::NETWORK.hasher()),
    )
    .with_features(|| kept(MethodName::MrshV2Network, mrsh_v2::Generator::keeping_features(MrshV2::NETWORK))),
    row(&MethodName::Tlsh, |text| parse(MethodName::Tlsh, text), || start(MethodName::Tlsh, Tlsh.hasher())),
    // Their digests are their features.
    row(
        &MethodName::Shingles,
        |text| parse(MethodName::Shingles, text),
        || start(MethodName::Shingles, Shingles.hasher()),
    )
    .with_features(|| start(MethodName::Shingles, Shingles.hasher())),
    row(&MethodName::Strings, |text| parse(MethodName::Strings, text), || Box::new(OfStrings(Strings.hasher())))
        .with_features(|| Box::new(OfStrings(Strings.hasher()))),
    row(&MethodName::Imports, |text| parse(MethodName::Imports, text), || start(MethodName::Imports, Imports.hasher()))
        .with_features(|| start(MethodName::Imports, Imports.hasher())),
    row(&MethodName::Text, |text| parse(MethodName::Text, text), || start(MethodName::Text, Text.hasher()))
        .with_features(|| start(MethodName::Text, Text.hasher())),
    row(&MethodName::Cells, |text| parse(MethodName::Cells, text), || start(MethodName::Cells, Cells.hasher()))
        .with_features(|| start(MethodName::Cells, Cells.hasher())),
    #[cfg(feature = "pictures")]
    row(&MethodName::Pdq, |text| parse(MethodName::Pdq, text), || start(MethodName::Pdq, Pdq.hasher()))
        .with_whole(|bytes, _| Similar::new(MethodName::Pdq, Pdq.digest(bytes).map(Content::Pdq), None).into()),
    #[cfg(feature = "pictures")]
    row(&MethodName::Phash, |text| parse(MethodName::Phash, text), || start(MethodName::Phash, Phash.hasher()))
        .with_whole(|bytes, _| Similar::new(MethodName::Phash, Phash.digest(bytes).map(Content::Phash), None).into()),
    #[cfg(feature = "pictures")]
    row(&MethodName::Crops, |text| parse(MethodName::Crops, text), || start(MethodName::Crops, Crops.hasher()))
        .with_whole(|bytes, _| Similar::new(MethodName::Crops, Crops.digest(bytes).map(Content::Crops), None).into()),
];

const fn row(method: &'static MethodName, parse: fn(&str) -> Option<Value>, start: fn() -> Box<dyn State>) -> Row {
    let profile = method.profile();
    Row::new(profile.name, profile.aliases, Output::Text, Similarity, 1, start).with_parser(parse).with_fact(method)
}

fn parse(method: MethodName, text: &str) -> Option<Value> {
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
struct Running<H>(MethodName, H);

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

fn start<H>(method: MethodName, hasher: H) -> Box<dyn State>
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
        Similar::new(MethodName::Strings, self.0.finalize().map(Content::Shingles), None).of_packed(is_packed).into()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// A generator that keeps the features.
#[derive(Clone)]
struct FeatureKeeper<H>(MethodName, H);

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

impl<H: Keeping + 'static> State for FeatureKeeper<H> {
    fn update(&mut self, bytes: &[u8]) {
        self.1.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        let FeatureKeeper(method, hasher) = *self;
        match hasher.finish() {
            Some((content, features)) => Similar::new(method, Ok(content), Some(features)).into(),
            None => Similar::read(method, Content::Absent).into(),
        }
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(FeatureKeeper(self.0, self.1.clone()))
    }
}

fn kept<H: Keeping + 'static>(method: MethodName, hasher: H) -> Box<dyn State> {
    Box::new(FeatureKeeper(method, hasher))
}
