//! The digests of one algorithm that are to be compared, with their names.

use crate::families::Sketch;
use crate::sorter::Sorter;
use pfh_digest::{Algorithm, Digest};
use pfh_similarity::mrsh_v2::{self, Base, MrshV2};
use pfh_similarity::{Content, Degenerate, Foreign, MethodName, NoDigest, ParseError, Score, Similar};
use pfh_similarity::{crops, pdq, phash, sdhash, shingles, ssdeep, tlsh};
use std::cmp::Ordering;
use std::io;
use std::sync::Arc;

/// Digests of one algorithm, as it compares them.
#[derive(Debug)]
pub(crate) enum Digests {
    Ssdeep(Vec<ssdeep::Digest>),
    /// Of either mode: they can be compared with each other.
    Sdhash(Vec<sdhash::Digest>),
    MrshV2(MrshV2, Vec<mrsh_v2::Digest>),
    Tlsh(Vec<tlsh::Digest>),
    Pdq(Vec<pdq::Digest>),
    Phash(Vec<phash::Digest>),
    Crops(Vec<crops::Digest>),
    /// Of the unit of one method.
    Shingles(Vec<shingles::Digest>),
    /// Of digests whose windows are among the features.
    Outlines(Vec<shingles::Outline>),
    /// Of a method that is compared by its own code alone.
    Foreign(Vec<Foreign>),
    /// Of an algorithm that knows only equal and not equal.
    Exact(Vec<Digest>),
}

/// A feature with the place of a digest that has it.
pub(crate) fn posting(feature: u64, place: u32) -> u128 {
    u128::from(feature) << 32 | u128::from(place)
}

/// The features of a collection's digests, taken out of it: a search uses them up.
pub struct Features(pub(crate) Sorter<u128>);

/// Why a digest was not taken in.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DigestRefusal {
    /// It is not a digest of the method.
    #[error("not a digest: {0}")]
    Malformed(ParseError),
    /// There are 2^31 already.
    #[error("more digests than can be compared")]
    Full,
    /// The temporary file for features failed.
    #[error("temporary file: {0}")]
    Spill(#[source] io::Error),
}

/// The digests to compare: named digests of one algorithm, in the order in which they came, in one
/// set or two.
pub struct Collection {
    pub(crate) algorithm: Algorithm,
    pub(crate) names: Vec<Arc<[u8]>>,
    pub(crate) digests: Digests,
    pub(crate) split: Option<u32>,
    /// The method whose text pairs are written as: files that it makes no digest of are here.
    stands_for: Option<Algorithm>,
    without: u64,
    /// Those of them that are pictures in a format that is not read.
    unread: u64,
    /// The size of the file of each digest, in bytes; shorter than the names where the last are not
    /// known.
    sizes: Vec<Option<u64>>,
    /// Of each digest of sdhash, whether it matches random data.
    saturated: Vec<bool>,
    /// The places of programs that unpack themselves, ascending.
    packed: Vec<u32>,
    /// Inputs of the first set, where there are two.
    before: u64,
    /// Every feature with the places of the digests that hold it.
    pub(crate) features: Option<Sorter<u128>>,
    /// The weight of a window or string by the number of digests that hold it.
    pub(crate) rarity: shingles::Rarity,
    /// Of windows that [weigh](Self::weigh): what shows which digests are nearly the same.
    pub(crate) sketches: Vec<Sketch>,
    /// By the place: whether it is one of those that make no pairs with each other.
    pub(crate) apart: Vec<bool>,
    /// Whether pictures are compared in all orientations (PDQ).
    pub(crate) turning: bool,
}

impl Collection {
    /// None yet, of this algorithm: a similarity method's digests are compared for likeness, others
    /// for equality.
    pub fn new(algorithm: Algorithm) -> Collection {
        let digests = match MethodName::of(algorithm) {
            Some(MethodName::Ssdeep) => Digests::Ssdeep(Vec::new()),
            Some(MethodName::Sdhash | MethodName::SdhashStream | MethodName::SdhashDd) => Digests::Sdhash(Vec::new()),
            Some(MethodName::MrshV2) => Digests::MrshV2(MrshV2::PLAIN, Vec::new()),
            Some(MethodName::MrshV2Network) => Digests::MrshV2(MrshV2::NETWORK, Vec::new()),
            Some(MethodName::Tlsh) => Digests::Tlsh(Vec::new()),
            Some(MethodName::Pdq) => Digests::Pdq(Vec::new()),
            Some(MethodName::Phash) => Digests::Phash(Vec::new()),
            Some(MethodName::Crops) => Digests::Crops(Vec::new()),
            Some(
                MethodName::Shingles | MethodName::Strings | MethodName::Imports | MethodName::Text | MethodName::Cells,
            ) => Digests::Shingles(Vec::new()),
            Some(MethodName::Foreign(_)) => Digests::Foreign(Vec::new()),
            None => Digests::Exact(Vec::new()),
        };
        let rarity = match MethodName::of(algorithm) {
            Some(MethodName::Imports) => shingles::Rarity::Even,
            _ => shingles::Rarity::Files,
        };
        Collection {
            algorithm,
            names: Vec::new(),
            digests,
            split: None,
            stands_for: None,
            without: 0,
            unread: 0,
            sizes: Vec::new(),
            saturated: Vec::new(),
            packed: Vec::new(),
            before: 0,
            features: None,
            rarity,
            sketches: Vec::new(),
            apart: Vec::new(),
            turning: false,
        }
    }

    /// The same, of digests that come with their features ([`Algorithm::keeping_features`]), for
    /// which that many bytes are kept in memory and the rest in a temporary file.
    pub fn with_features(algorithm: Algorithm, memory: usize) -> Collection {
        let mut collection = Collection { features: Some(Sorter::new(memory)), ..Collection::new(algorithm) };
        if let Digests::Shingles(_) = collection.digests {
            collection.digests = Digests::Outlines(Vec::new());
        }
        collection
    }

    /// Windows of bytes and of text count by [`Rarity::Related`](shingles::Rarity::Related) from
    /// here on, before there are any.
    pub fn weigh(&mut self) {
        if let Some(MethodName::Shingles | MethodName::Text) = MethodName::of(self.algorithm) {
            self.rarity = shingles::Rarity::Related;
        }
    }

    /// Pictures are compared in all eight orientations from here on, where the method can (PDQ): a
    /// distance is the least of the eight.
    pub fn turn(&mut self) {
        self.turning = true;
    }

    /// The digests of whole contents, for files that `method` makes no digest of.
    pub fn standing_for(algorithm: Algorithm, method: Option<Algorithm>) -> Collection {
        Collection { stands_for: method, ..Collection::new(algorithm) }
    }

    /// The algorithm as whose the text of a pair is written: that of the digests, or the method for
    /// which they stand.
    pub fn shown_as(&self) -> Algorithm {
        self.stands_for.unwrap_or(self.algorithm)
    }

    /// The algorithm of the digests.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Whether a digest of this algorithm belongs here: the same, or sdhash's other mode.
    pub fn takes(&self, algorithm: Algorithm) -> bool {
        let sdhash = |algorithm| MethodName::of(algorithm).is_some_and(MethodName::is_sdhash);
        algorithm == self.algorithm || (sdhash(algorithm) && sdhash(self.algorithm))
    }

    /// Two digests of these places make no pair by their windows or strings. Other methods find
    /// them.
    pub fn keep_apart(&mut self, is_kept: impl Fn(u32) -> bool) {
        self.apart = (0..self.names.len()).map(|place| is_kept(place as u32)).collect();
    }

    /// The first place of the second set, where there are two.
    pub fn split(&self) -> Option<u32> {
        self.split
    }

    /// Number of digests.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Inputs that came, but have no digest under the algorithm.
    pub fn without(&self) -> u64 {
        self.without
    }

    /// Those of them that are pictures in a format that is not read.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// Takes the features out, for [`Search::run_with`](crate::Search::run_with).
    pub fn take_features(&mut self) -> Option<Features> {
        self.features.take().map(Features)
    }

    /// From here on the digests are those of the second set: only pairs across the two are asked
    /// for.
    pub fn begin_second_set(&mut self) {
        self.split = Some(self.names.len() as u32);
        self.before = self.names.len() as u64 + self.without;
    }

    /// Whether two inputs came, or one of each set where there are two; also such that have no
    /// digest.
    pub fn is_comparable(&self) -> bool {
        let all = self.names.len() as u64 + self.without;
        match self.split {
            None => all >= 2,
            Some(_) => self.before > 0 && all > self.before,
        }
    }

    /// Pairs that there are to decide: of each two, or of one from each set.
    pub fn possible(&self) -> u64 {
        let all = self.names.len() as u64;
        match self.split {
            Some(first) => u64::from(first) * (all - u64::from(first)),
            None => all * all.saturating_sub(1) / 2,
        }
    }

    /// The digests from this place on are of something of this size, in bytes.
    pub fn size_from(&mut self, before: usize, size: u64) {
        self.sizes.resize(before, None);
        self.sizes.resize(self.names.len(), Some(size));
    }

    /// The size in bytes of the file of the digest at a place, where that was said.
    pub fn size(&self, place: u32) -> Option<u64> {
        self.sizes.get(place as usize).copied().flatten()
    }

    /// Takes in a digest. An input that has none is counted. A digest of sdhash that its tool makes
    /// in segments of 128 MiB becomes as many, named as the tool names them; with features it stays
    /// whole, because those are the file's.
    ///
    /// # Errors
    /// When the digest is of another algorithm, there are too many, or the temporary file fails.
    pub fn add(&mut self, name: &Arc<[u8]>, digest: &Digest) -> Result<(), DigestRefusal> {
        let place =
            u32::try_from(self.names.len()).ok().filter(|&place| place < (1 << 31) - 1).ok_or(DigestRefusal::Full)?;
        let Some(similar) = Similar::of(digest) else {
            let Digests::Exact(digests) = &mut self.digests else {
                return Err(DigestRefusal::Malformed(ParseError::Marker));
            };
            digests.push(digest.clone());
            self.names.push(name.clone());
            return Ok(());
        };
        if self.is_blank(similar) {
            self.without += 1;
            self.unread += u64::from(similar.lacking() == Some(NoDigest::OtherPicture));
            return Ok(());
        }
        let features = match (&self.features, similar.content(), similar.features()) {
            (_, Content::Shingles(digest), _) => digest.windows(),
            (Some(_), _, None) => return Err(DigestRefusal::Malformed(ParseError::Fields)),
            (_, _, features) => features.unwrap_or_default(),
        };
        let is_unit = |digest: &shingles::Digest| Some(digest.unit().method()) == MethodName::of(self.algorithm);
        match (&mut self.digests, similar.content()) {
            (_, Content::Shingles(digest)) if !is_unit(digest) => {
                return Err(DigestRefusal::Malformed(ParseError::Marker));
            }
            (Digests::Ssdeep(digests), Content::Ssdeep(digest)) => digests.push(*digest),
            (Digests::Sdhash(digests), Content::Sdhash(digest)) => {
                if self.features.is_none() && digest.is_segmented() {
                    return self.add_segments(name, digest.clone());
                }
                self.saturated.push(digest.degenerate() == Some(Degenerate::Saturated));
                digests.push(digest.clone());
            }
            (Digests::MrshV2(_, digests), Content::MrshV2(digest)) => digests.push(digest.clone()),
            (Digests::Tlsh(digests), Content::Tlsh(digest)) => digests.push(digest.clone()),
            (Digests::Pdq(digests), Content::Pdq(digest)) => digests.push(*digest),
            (Digests::Phash(digests), Content::Phash(digest)) => digests.push(*digest),
            (Digests::Crops(digests), Content::Crops(digest)) => digests.push(digest.clone()),
            (Digests::Foreign(digests), Content::Foreign(digest)) => digests.push(digest.clone()),
            (Digests::Shingles(digests), Content::Shingles(digest)) => digests.push(digest.clone()),
            (Digests::Outlines(outlines), Content::Shingles(digest)) => outlines.push(digest.outline_by(self.rarity)),
            _ => return Err(DigestRefusal::Malformed(ParseError::Marker)),
        }
        if let (Content::Shingles(digest), true) = (similar.content(), self.rarity.has_templates()) {
            self.sketches.push(Sketch::of(digest.own_windows()));
        }
        if similar.is_packed() {
            self.packed.push(place);
        }
        self.names.push(name.clone());
        if let Some(sorter) = &mut self.features {
            for feature in features {
                sorter.push(posting(*feature, place)).map_err(DigestRefusal::Spill)?;
            }
        }
        Ok(())
    }

    /// Whether two digests have a distance, and not a similarity.
    pub(crate) fn has_distances(&self) -> bool {
        MethodName::of(self.algorithm).is_some_and(|method| method.profile().has_distances())
    }

    /// Whether it is the digest of an input that has none: there is nothing in it to compare. The
    /// reference tools print something even so.
    fn is_blank(&self, similar: &Similar) -> bool {
        let few = Some(Degenerate::FewFeatures);
        match (&self.digests, similar.content()) {
            (_, Content::Absent) => true,
            (Digests::MrshV2(method, _), Content::MrshV2(digest)) => digest.degenerate(method) == few,
            (Digests::Sdhash(_), Content::Sdhash(digest)) => digest.plain() == few,
            (_, Content::Shingles(digest)) => (digest.windows().len() as u64) < shingles::LEAST_SHARED,
            _ => false,
        }
    }

    fn add_segments(&mut self, name: &[u8], digest: sdhash::Digest) -> Result<(), DigestRefusal> {
        let Digests::Sdhash(digests) = &mut self.digests else { return Ok(()) };
        for segment in digest.into_segments() {
            if self.names.len() >= (1 << 31) - 1 {
                return Err(DigestRefusal::Full);
            }
            self.names.push(segment.name(name).into());
            self.saturated.push(segment.digest.degenerate() == Some(Degenerate::Saturated));
            digests.push(segment.digest);
        }
        Ok(())
    }

    /// The name of the digest at a place.
    pub fn name(&self, place: u32) -> &[u8] {
        &self.names[place as usize]
    }

    /// The digest at a place, as its method prints it; without its features where those are kept
    /// apart.
    pub fn text(&self, place: u32) -> String {
        let place = place as usize;
        match &self.digests {
            Digests::Ssdeep(digests) => digests[place].to_string(),
            Digests::Sdhash(digests) => digests[place].to_string(),
            Digests::MrshV2(_, digests) => digests[place].to_string(),
            Digests::Tlsh(digests) => digests[place].to_string(),
            Digests::Pdq(digests) => digests[place].to_string(),
            Digests::Phash(digests) => digests[place].to_string(),
            Digests::Crops(digests) => digests[place].to_string(),
            Digests::Foreign(digests) => digests[place].to_string(),
            Digests::Shingles(digests) => digests[place].to_string(),
            Digests::Outlines(outlines) => outlines[place].to_string(),
            Digests::Exact(digests) => digests[place].to_string(),
        }
    }

    /// The names of all, in the order of their places; cheap to copy.
    pub fn names(&self) -> Arc<[Arc<[u8]>]> {
        self.names.clone().into()
    }

    /// Whether the digest at a place is of a program that says that it unpacks itself (strings).
    pub fn is_packed(&self, place: u32) -> bool {
        self.packed.binary_search(&place).is_ok()
    }

    /// Whether the digest at a place matches random data.
    pub(crate) fn is_saturated(&self, place: u32) -> bool {
        self.saturated.get(place as usize) == Some(&true)
    }

    /// Whether one does.
    pub(crate) fn has_saturated(&self) -> bool {
        self.saturated.contains(&true)
    }

    pub(crate) fn degenerate(&self, place: u32) -> Option<Degenerate> {
        let place = place as usize;
        match &self.digests {
            Digests::Ssdeep(digests) => digests[place].degenerate(),
            // Asked for once, and not for each pair.
            Digests::Sdhash(_) if self.saturated[place] => Some(Degenerate::Saturated),
            Digests::Sdhash(digests) => digests[place].plain(),
            Digests::MrshV2(method, digests) => digests[place].degenerate(method),
            Digests::Tlsh(_) | Digests::Pdq(_) | Digests::Phash(_) | Digests::Crops(_) | Digests::Foreign(_) => None,
            Digests::Shingles(_) | Digests::Outlines(_) | Digests::Exact(_) => None,
        }
    }

    /// Whether the digests at two places are equal, as far as they are kept.
    pub fn equal(&self, a: u32, b: u32) -> bool {
        let (a, b) = (a as usize, b as usize);
        match &self.digests {
            Digests::Ssdeep(digests) => digests[a] == digests[b],
            Digests::Sdhash(digests) => digests[a] == digests[b],
            Digests::MrshV2(_, digests) => digests[a] == digests[b],
            Digests::Tlsh(digests) => digests[a] == digests[b],
            Digests::Pdq(digests) => digests[a] == digests[b],
            Digests::Phash(digests) => digests[a] == digests[b],
            Digests::Crops(digests) => digests[a] == digests[b],
            Digests::Foreign(digests) => digests[a] == digests[b],
            Digests::Shingles(digests) => digests[a] == digests[b],
            Digests::Outlines(outlines) => outlines[a] == outlines[b],
            Digests::Exact(digests) => digests[a] == digests[b],
        }
    }

    /// How alike the digests at two places are, the earlier one first, as [`Search`](crate::Search)
    /// scores them; none of digests whose features are kept apart.
    pub fn score(&self, a: u32, b: u32) -> Option<Score> {
        let (a, b) = (a as usize, b as usize);
        Some(match &self.digests {
            Digests::Ssdeep(digests) => {
                Score::Similarity(ssdeep::Target::new(&digests[b].collapsed()).score(&digests[a].collapsed()))
            }
            Digests::Sdhash(digests) => {
                Score::Similarity(sdhash::compare(&digests[a], &digests[b], Ordering::Equal).unwrap_or(0))
            }
            Digests::MrshV2(method, digests) => {
                Score::Similarity(mrsh_v2::compare(method, &digests[a], &digests[b], Base::Smaller))
            }
            Digests::Tlsh(digests) => Score::Distance(digests[a].distance(&digests[b])),
            Digests::Pdq(digests) if self.turning => Score::Distance(pdq::nearest(&digests[a], &digests[b]).0),
            Digests::Pdq(digests) => Score::Distance(digests[a].distance(&digests[b])),
            Digests::Phash(digests) => Score::Distance(digests[a].distance(&digests[b])),
            Digests::Crops(digests) => Score::Similarity(crops::common(&digests[a], &digests[b])),
            Digests::Foreign(digests) => digests[a].compare(&digests[b])?.score,
            Digests::Shingles(digests) => digests[a].compare(&digests[b]).score,
            Digests::Outlines(_) => return None,
            Digests::Exact(digests) => Score::Similarity(if digests[a] == digests[b] { 100 } else { 0 }),
        })
    }
}
