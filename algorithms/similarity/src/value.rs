//! A digest of any of the methods, as a value.

use crate::{
    Comparison, Foreign, Method, MethodName, NoDigest, ParseError, Score, crops, mrsh_v2, pdq, phash, sdhash, shingles,
    ssdeep, tlsh,
};
use pfh_digest::{Digest, Value};
use std::fmt;

/// The digest of an input by a method, or its absence.
#[derive(Clone)]
#[non_exhaustive]
pub enum Content {
    /// A digest of ssdeep.
    Ssdeep(ssdeep::Digest),
    /// A digest of sdhash, in either mode.
    Sdhash(sdhash::Digest),
    /// A digest of mrsh-v2, of either kind.
    MrshV2(mrsh_v2::Digest),
    /// A digest of TLSH.
    Tlsh(tlsh::Digest),
    /// The windows of shingles or text, or the strings of strings.
    Shingles(shingles::Digest),
    /// A digest of PDQ.
    Pdq(pdq::Digest),
    /// A digest of pHash.
    Phash(phash::Digest),
    /// The places of a picture.
    Crops(crops::Digest),
    /// A digest of a [`RegisteredMethod`](crate::RegisteredMethod) method.
    Foreign(Foreign),
    /// None: the input is too short, too long or too plain for the method.
    Absent,
}

/// A similarity digest: the value that a `pfh_digest::Digest` of one of these methods holds, from
/// the generator to the index. Encoders print it, decoders read it.
///
/// ```
/// use pfh_digest::Registry;
/// use pfh_similarity::{Content, ROWS, Similar};
/// static LISTS: [&[pfh_digest::Row]; 1] = [&ROWS];
/// let ssdeep = Registry::new(&LISTS).find("ssdeep")?;
/// let digest = ssdeep.digest(b"a message that is long enough for a few letters");
/// assert!(matches!(Similar::of(&digest).map(Similar::content), Some(Content::Ssdeep(_))));
/// # Ok::<(), pfh_digest::UnknownAlgorithm>(())
/// ```
#[derive(Clone)]
pub struct Similar {
    method: MethodName,
    content: Content,
    features: Option<Vec<u64>>,
    /// Why there is none, where it was made here.
    lacking: Option<NoDigest>,
    /// Whether the input says that it is a program that unpacks itself.
    is_packed: bool,
}

impl Similar {
    /// The digest that a method made of an input, with its features if they were kept.
    pub(crate) fn new(method: MethodName, content: Result<Content, NoDigest>, features: Option<Vec<u64>>) -> Similar {
        let lacking = content.as_ref().err().copied();
        Similar { method, content: content.unwrap_or(Content::Absent), features, lacking, is_packed: false }
    }

    /// The value of a digest; `None` if it is not a similarity digest.
    pub fn of(digest: &Digest) -> Option<&Similar> {
        digest.typed()
    }

    /// Reads the text of a digest with an empty name, or the word for an input that has none.
    ///
    /// # Errors
    /// The fault of the text.
    pub fn parse(method: MethodName, text: &str) -> Result<Similar, ParseError> {
        if text == method.profile().absent {
            return Ok(Similar::read(method, Content::Absent));
        }
        let content = match method {
            MethodName::Ssdeep => Content::Ssdeep(text.parse()?),
            MethodName::Sdhash => Content::Sdhash(text.parse()?),
            MethodName::SdhashStream | MethodName::SdhashDd => {
                let digest: sdhash::Digest = text.parse()?;
                if digest.block().is_some() != (method == MethodName::SdhashDd) {
                    return Err(ParseError::Marker);
                }
                Content::Sdhash(digest)
            }
            MethodName::MrshV2 | MethodName::MrshV2Network => Content::MrshV2(text.parse()?),
            MethodName::Tlsh => Content::Tlsh(text.parse()?),
            MethodName::Pdq => Content::Pdq(text.parse()?),
            MethodName::Phash => Content::Phash(text.parse()?),
            MethodName::Crops => Content::Crops(text.parse()?),
            MethodName::Foreign(profile) => {
                Content::Foreign(profile.read.map_or(Err(ParseError::Marker), |read| read(text))?)
            }
            MethodName::Shingles | MethodName::Strings | MethodName::Imports | MethodName::Text | MethodName::Cells => {
                let digest: shingles::Digest = text.parse()?;
                if digest.unit().method() != method {
                    return Err(ParseError::Marker);
                }
                Content::Shingles(digest)
            }
        };
        Ok(Similar::read(method, content))
    }

    /// A digest that was read from a list of the method's own.
    pub fn read(method: MethodName, content: Content) -> Similar {
        Similar { method, content, features: None, lacking: None, is_packed: false }
    }

    /// The method.
    pub fn method(&self) -> MethodName {
        self.method
    }

    /// The digest itself.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// How alike the inputs of both are; `None` if one of them has no digest, or their methods
    /// cannot be compared.
    pub fn compare(&self, other: &Similar) -> Option<Comparison> {
        let distance = |bits| Comparison { score: Score::Distance(bits), ..Comparison::none() };
        Some(match (&self.content, &other.content) {
            (Content::Ssdeep(a), Content::Ssdeep(b)) => ssdeep::Ssdeep.compare(a, b),
            (Content::Sdhash(a), Content::Sdhash(b)) => sdhash::Sdhash::STREAM.compare(a, b),
            (Content::MrshV2(a), Content::MrshV2(b)) if self.method == MethodName::MrshV2Network => {
                mrsh_v2::MrshV2::NETWORK.compare(a, b)
            }
            (Content::MrshV2(a), Content::MrshV2(b)) => mrsh_v2::MrshV2::PLAIN.compare(a, b),
            (Content::Tlsh(a), Content::Tlsh(b)) => tlsh::Tlsh.compare(a, b),
            (Content::Pdq(a), Content::Pdq(b)) => distance(a.distance(b)),
            (Content::Phash(a), Content::Phash(b)) => distance(a.distance(b)),
            (Content::Crops(a), Content::Crops(b)) => {
                Comparison { score: Score::Similarity(crops::common(a, b)), ..Comparison::none() }
            }
            (Content::Shingles(a), Content::Shingles(b)) => a.compare(b),
            (Content::Foreign(a), Content::Foreign(b)) => a.compare(b)?,
            _ => return None,
        })
    }

    /// Why the input has no digest, where it was read and not a text.
    pub fn lacking(&self) -> Option<NoDigest> {
        self.lacking
    }

    /// The same of a program that unpacks itself.
    pub(crate) fn of_packed(self, is_packed: bool) -> Similar {
        Similar { is_packed, ..self }
    }

    /// Whether the input said that it is a program that unpacks itself (`strings`).
    pub fn is_packed(&self) -> bool {
        self.is_packed
    }

    /// The features that it was made of, ascending and each once, if they were kept.
    pub fn features(&self) -> Option<&[u64]> {
        self.features.as_deref()
    }

    /// Whether the input has no digest under the method.
    pub fn is_absent(&self) -> bool {
        matches!(self.content, Content::Absent)
    }
}

impl fmt::Display for Similar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            Content::Ssdeep(digest) => digest.fmt(f),
            Content::Sdhash(digest) => digest.fmt(f),
            Content::MrshV2(digest) => digest.fmt(f),
            Content::Tlsh(digest) => digest.fmt(f),
            Content::Shingles(digest) => digest.fmt(f),
            Content::Pdq(digest) => digest.fmt(f),
            Content::Phash(digest) => digest.fmt(f),
            Content::Crops(digest) => digest.fmt(f),
            Content::Foreign(digest) => digest.fmt(f),
            Content::Absent => f.write_str(self.method.profile().absent),
        }
    }
}

impl From<Similar> for Value {
    fn from(similar: Similar) -> Value {
        Value::typed(similar)
    }
}
