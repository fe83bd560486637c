//! The methods by name, as algorithms whose digests are text.
//!
//! The text is that of the method's own format with an empty name. An input for which a method has no digest has a text that says so:
//! [`TLSH_ABSENT`], which is TLSH's own word, or [`ABSENT`].

use crate::mrsh_v2::{self, MrshV2};
use crate::sdhash::{self, Sdhash};
use crate::ssdeep::Ssdeep;
use crate::tlsh::Tlsh;
use crate::{Hasher, Method, NoDigest};
use pfh_digest::Output::Text;
use pfh_digest::Standing::Similarity;
use pfh_digest::{Row, State, Value};
use std::fmt::Display;

/// The text of an input that has no digest: shorter than 512 bytes for sdhash, longer than 192 GiB for ssdeep.
pub const ABSENT: &str = "none";
/// The same for TLSH, as its own program prints it: shorter than 50 bytes, longer than 4 GiB, or hardly varied.
pub const TLSH_ABSENT: &str = "TNULL";

/// The methods, for a `pfh_digest::Registry`.
#[rustfmt::skip]
pub static ROWS: &[Row] = &[
    Row::new("ssdeep", &["ctph"], Text, Similarity, 1, || start(Ssdeep)).with_whole(|bytes, _| whole(Ssdeep, bytes)),
    Row::new("sdhash", &["sdbf"], Text, Similarity, 1, || Box::new(Running(sdhash::Either::new(false)))),
    Row::new("sdhash-stream", &[], Text, Similarity, 1, || start(Sdhash::STREAM)),
    Row::new("sdhash-dd", &["sdbf-dd"], Text, Similarity, 1, || start(Sdhash::BLOCKS)),
    Row::new("mrsh-v2", &["mrsh", "mrshv2"], Text, Similarity, 1, || start(MrshV2::PLAIN)),
    Row::new("mrsh-v2-network", &["mrsh-v2n"], Text, Similarity, 1, || start(MrshV2::NETWORK)),
    Row::new("tlsh", &[], Text, Similarity, 1, || start(Tlsh)),
];

/// Methods that keep their features: the text is the digest's, a line feed, and the features in hexadecimal digits, sixteen each, ascending
/// and each once. They are for comparisons with evidence and in no registry, as no format has a place for them.
#[rustfmt::skip]
pub static WITH_FEATURES: &[Row] = &[
    Row::new("sdhash", &[], Text, Similarity, 1, || Box::new(Kept(sdhash::Either::new(true)))),
    Row::new("sdhash-stream", &[], Text, Similarity, 1, || Box::new(Kept(sdhash::Generator::keeping_features(Sdhash::STREAM)))),
    Row::new("sdhash-dd", &[], Text, Similarity, 1, || Box::new(Kept(sdhash::Generator::keeping_features(Sdhash::BLOCKS)))),
    Row::new("mrsh-v2", &[], Text, Similarity, 1, || Box::new(Kept(mrsh_v2::Generator::keeping_features(MrshV2::PLAIN)))),
    Row::new("mrsh-v2-network", &[], Text, Similarity, 1, || Box::new(Kept(mrsh_v2::Generator::keeping_features(MrshV2::NETWORK)))),
];

/// Takes the text of one [`WITH_FEATURES`] apart into the digest's and the features.
pub fn split_features(text: &str) -> Option<(&str, Vec<u64>)> {
    let (digest, digits) = text.split_once('\n')?;
    let (words, rest) = digits.as_bytes().as_chunks::<16>();
    let word = |word: &[u8; 16]| u64::from_str_radix(std::str::from_utf8(word).ok()?, 16).ok();
    let features: Option<Vec<u64>> = words.iter().map(word).collect();
    features.filter(|_| rest.is_empty()).map(|features| (digest, features))
}

#[derive(Clone)]
struct Running<H>(H);

impl<H> State for Running<H>
where
    H: Hasher + 'static,
    H::Digest: Display,
    Running<H>: Absence,
{
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        text(self.0.finalize(), Self::WORD)
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Running(self.0.clone()))
    }
}

/// The word for an input without a digest.
trait Absence {
    const WORD: &'static str = ABSENT;
}

impl Absence for Running<crate::ssdeep::Generator> {}
impl Absence for Running<sdhash::Generator> {}
impl Absence for Running<sdhash::Either> {}
impl Absence for Running<mrsh_v2::Generator> {}
impl Absence for Running<crate::tlsh::Generator> {
    const WORD: &'static str = TLSH_ABSENT;
}

fn text<D: Display>(digest: Result<D, NoDigest>, absent: &str) -> Value {
    match digest {
        Ok(digest) => Value::from_text(digest.to_string()),
        Err(_) => Value::from_text(absent),
    }
}

fn start<M: Method>(method: M) -> Box<dyn State>
where
    Running<M::Hasher>: State,
{
    Box::new(Running(method.hasher()))
}

fn whole<M: Method>(method: M, message: &[u8]) -> Value
where
    Running<M::Hasher>: Absence,
{
    text(method.digest(message), <Running<M::Hasher>>::WORD)
}

/// A generator that keeps the features.
#[derive(Clone)]
struct Kept<H>(H);

trait Keeping: Hasher {
    fn finish(self) -> Option<(String, Vec<u64>)>;
}

impl Keeping for sdhash::Either {
    fn finish(self) -> Option<(String, Vec<u64>)> {
        let featured = self.finalize_featured().ok()?;
        Some((featured.digest.to_string(), featured.features))
    }
}

impl Keeping for sdhash::Generator {
    fn finish(self) -> Option<(String, Vec<u64>)> {
        let featured = self.finalize_featured().ok()?;
        Some((featured.digest.to_string(), featured.features))
    }
}

impl Keeping for mrsh_v2::Generator {
    fn finish(self) -> Option<(String, Vec<u64>)> {
        let featured = self.finalize_featured();
        Some((featured.digest.to_string(), featured.chunks))
    }
}

impl<H: Keeping + 'static> State for Kept<H> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let Some((mut text, features)) = self.0.finish() else { return Value::from_text(ABSENT) };
        text.reserve_exact(1 + 16 * features.len());
        text.push('\n');
        for feature in features {
            text.extend((0..16).rev().map(|i| char::from(DIGITS[(feature >> (4 * i) & 15) as usize])));
        }
        Value::from_text(text)
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Kept(self.0.clone()))
    }
}
