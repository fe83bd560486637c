//! Answers that are made and judged while they pass: in the memory of a leaf and a value for each
//! leaf of a sample. The lengths of file and answer have no effect on it.

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};
use std::ops::Range;

use super::proof::{MAGIC, VERSION, leaf_of};
use super::transcript::Transcript;
use super::{Challenge, Commitment, ProofError, Rejection, Sample};
use crate::WireError;
use crate::outboard::{Fold, Value, Values, multiproof, proven};

/// Bytes of leaves that are hashed in one go.
const COMPANY: usize = 256 << 10;

/// The leaves of a challenge in ascending order; all of them take no memory.
pub(super) fn indices(challenge: &Challenge, leaves: u64) -> Box<dyn Iterator<Item = u64>> {
    match challenge.sample() {
        Sample::All => Box::new(0..leaves),
        Sample::Leaves(_) => Box::new(challenge.indices(leaves).into_iter()),
    }
}

/// Signs a transcript: the public key, and the signature.
pub type Sign<'a> = &'a dyn Fn(&[u8; 32]) -> ([u8; 32], [u8; 64]);

/// An answer that is ready to be written: the challenge fits, the paths of its leaves have been
/// read and proven.
pub struct Prover<'a> {
    challenge: &'a Challenge,
    commitment: Commitment,
    siblings: Vec<Value>,
}

impl<'a> Prover<'a> {
    /// Reads the paths that a challenge needs.
    ///
    /// # Errors
    /// If the challenge is about another file, or the tree cannot be used.
    pub fn new(challenge: &'a Challenge, tree: &dyn Values) -> Result<Prover<'a>, ProofError> {
        let commitment = Commitment::of(tree);
        if !challenge.is_about(&commitment) {
            return Err(ProofError::Challenge);
        }
        let siblings = match challenge.sample() {
            // The leaves give the root; the tree is not needed.
            Sample::All => Vec::new(),
            Sample::Leaves(_) => proven(tree, &challenge.indices(commitment.leaf_count())).map_err(ProofError::Tree)?.1,
        };
        Ok(Prover { challenge, commitment, siblings })
    }

    /// Bytes of the answer.
    pub fn length(&self, signed: bool) -> u64 {
        let leaves = self.commitment.leaf_count();
        let shown = self.challenge.sample().size(leaves);
        let bytes: u64 = match self.challenge.sample() {
            Sample::All => self.commitment.length(),
            Sample::Leaves(_) => {
                self.challenge.indices(leaves).into_iter().map(|index| self.commitment.leaf_length(index)).sum()
            }
        };
        let fixed = 8 + 1 + 8 + 8 + 32 + 1 + if signed { 96 } else { 0 };
        fixed + bytes + 4 * shown + 32 * self.siblings.len() as u64
    }

    /// Writes the answer. `read` gives the bytes of a range of the file; `settled` is asked when
    /// all have been read, whether the file has been the same all the time: if not, the answer is
    /// cut.
    ///
    /// # Errors
    /// If the file cannot be read or the answer not written.
    pub fn write(
        &self,
        read: &mut dyn FnMut(Range<u64>) -> io::Result<Vec<u8>>,
        settled: &mut dyn FnMut() -> io::Result<()>,
        sign: Option<Sign<'_>>,
        to: &mut dyn Write,
    ) -> Result<[u8; 32], ProofError> {
        let leaves = self.commitment.leaf_count();
        let shown = self.challenge.sample().size(leaves);
        let mut transcript = Transcript::new(self.challenge, &self.commitment, shown);
        let write = ProofError::Write;
        to.write_all(&[&MAGIC[..], &[VERSION], &shown.to_le_bytes()].concat()).map_err(write)?;
        for index in indices(self.challenge, leaves) {
            let leaf = leaf_of(&self.commitment, index, read)?;
            transcript.bind(&leaf);
            // Cannot cut: a leaf has at most 16 MiB.
            to.write_all(&(leaf.len() as u32).to_le_bytes()).and_then(|()| to.write_all(&leaf)).map_err(write)?;
        }
        settled().map_err(ProofError::Read)?;
        transcript.bind(self.siblings.as_flattened());
        let digest = *transcript.finish().as_bytes();
        let mut end = (self.siblings.len() as u64).to_le_bytes().to_vec();
        end.extend(self.siblings.as_flattened());
        end.extend(digest);
        match sign {
            None => end.push(0),
            Some(sign) => {
                let (key, signature) = sign(&digest);
                end.push(1);
                end.extend(key);
                end.extend(signature);
            }
        }
        to.write_all(&end).map_err(write)?;
        Ok(digest)
    }
}

/// An answer that proves the challenged leaves. Whether its signature, if it has one, is genuine,
/// its reader has to check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenAnswer {
    /// The digest that binds challenge and answer.
    pub transcript: [u8; 32],
    /// Ed25519: public key and signature of the transcript.
    #[cfg_attr(not(feature = "ed25519"), allow(dead_code))]
    pub(super) signature: Option<([u8; 32], [u8; 64])>,
}

/// Why a stream of bytes is not an answer that proves the challenged leaves.
#[derive(Debug)]
pub enum AnswerError {
    /// It could not be read to its end.
    Read(io::Error),
    /// It is not an answer.
    Malformed(WireError),
    /// It proves nothing.
    Rejected(Rejection),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Read(error) => write!(f, "the answer cannot be read: {error}"),
            AnswerError::Malformed(malformed) => write!(f, "not an answer: {malformed}"),
            AnswerError::Rejected(rejected) => rejected.fmt(f),
        }
    }
}

impl Error for AnswerError {}

impl From<WireError> for AnswerError {
    fn from(malformed: WireError) -> AnswerError {
        AnswerError::Malformed(malformed)
    }
}

impl From<Rejection> for AnswerError {
    fn from(rejected: Rejection) -> AnswerError {
        AnswerError::Rejected(rejected)
    }
}

/// The outcome of judging an answer.
pub type AnswerJudgement = Result<ProvenAnswer, AnswerError>;

struct Bytes<'a>(&'a mut dyn Read);

impl Bytes<'_> {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), AnswerError> {
        self.0.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => WireError::Truncated.into(),
            _ => AnswerError::Read(error),
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], AnswerError> {
        let mut array = [0; N];
        self.fill(&mut array)?;
        Ok(array)
    }
}

/// The leaves of an answer on their way to the root.
enum Climb {
    All(Fold),
    Sample(Vec<(u64, Value)>),
}

impl Commitment {
    /// Judges an answer as it comes, as [`verify`](Commitment::verify) does one in memory. All
    /// leaves of a file of any length take the memory of a few leaves; a sample takes 40 bytes for
    /// each leaf beside that. Every number in the answer is compared with its only possible value
    /// before anything is read or kept for it.
    ///
    /// # Errors
    /// If the answer cannot be read, has another form, or proves nothing.
    pub fn judge(&self, challenge: &Challenge, from: &mut dyn Read) -> AnswerJudgement {
        self.parameters().unlocked().map_err(Rejection::Locked)?;
        if !challenge.is_about(self) {
            return Err(Rejection::Challenge.into());
        }
        let (count, mut from) = (self.leaf_count(), Bytes(from));
        if from.array::<8>()? != *MAGIC {
            return Err(WireError::Magic.into());
        }
        match from.array::<1>()? {
            [VERSION] => {}
            [other] => return Err(WireError::Version(other).into()),
        }
        let shown = challenge.sample().size(count);
        if u64::from_le_bytes(from.array()?) != shown {
            return Err(Rejection::Leaves.into());
        }
        let mut transcript = Transcript::new(challenge, self, shown);
        let (mut climb, wanted) = match challenge.sample() {
            Sample::All => (Climb::All(Fold::new(self.parameters(), self.length())), 0),
            Sample::Leaves(_) => {
                let wanted = multiproof::sibling_count(count, &challenge.indices(count));
                (Climb::Sample(Vec::with_capacity(shown as usize)), wanted)
            }
        };
        let mut held: Vec<(u64, Vec<u8>)> = Vec::new();
        let mut bytes = 0;
        for index in indices(challenge, count) {
            let length = u64::from(u32::from_le_bytes(from.array()?));
            if length != self.leaf_length(index) {
                return Err(Rejection::Leaves.into());
            }
            let mut leaf = vec![0; length as usize];
            from.fill(&mut leaf)?;
            transcript.bind(&leaf);
            bytes += leaf.len();
            held.push((index, leaf));
            if bytes >= COMPANY {
                self.climb(&mut climb, &held);
                held.clear();
                bytes = 0;
            }
        }
        self.climb(&mut climb, &held);
        drop(held);
        if u64::from_le_bytes(from.array()?) != wanted {
            return Err(Rejection::Shape.into());
        }
        let siblings: Vec<Value> = (0..wanted).map(|_| from.array()).collect::<Result<_, _>>()?;
        transcript.bind(siblings.as_flattened());
        let stated = blake3::Hash::from_bytes(from.array()?);
        let signature = match from.array::<1>()? {
            [0] => None,
            [1] => Some((from.array()?, from.array()?)),
            _ => return Err(WireError::Field("signature mark").into()),
        };
        if from.0.read(&mut [0]).map_err(AnswerError::Read)? > 0 {
            return Err(WireError::Trailing.into());
        }
        // blake3::Hash compares in constant time.
        if transcript.finish() != stated {
            return Err(Rejection::Transcript.into());
        }
        let root = match climb {
            Climb::All(fold) => fold.finish(),
            Climb::Sample(known) => multiproof::root(&self.parameters(), self.length(), known, &siblings),
        };
        match root {
            None => Err(Rejection::Shape.into()),
            Some(root) if blake3::Hash::from_bytes(root) == blake3::Hash::from_bytes(*self.root()) => {
                Ok(ProvenAnswer { transcript: *stated.as_bytes(), signature })
            }
            Some(_) => Err(Rejection::Root.into()),
        }
    }

    fn climb(&self, climb: &mut Climb, leaves: &[(u64, Vec<u8>)]) {
        let leaves: Vec<(u64, &[u8])> = leaves.iter().map(|(index, leaf)| (*index, &leaf[..])).collect();
        let values = self.parameters().leaves_of(self.length(), &leaves);
        match climb {
            Climb::All(fold) => values.into_iter().for_each(|value| fold.push(value)),
            Climb::Sample(known) => known.extend(leaves.iter().map(|(index, _)| *index).zip(values)),
        }
    }
}
