//! What the auditor asks.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use super::Commitment;
use crate::Malformed;
use crate::outboard::Value;
use crate::wire::Reader;

const MAGIC: &[u8; 8] = b"pfh chal";
const VERSION: u8 = 1;
const CHECKSUM: &str = "pfh audit 1 challenge checksum";
const SAMPLE: &str = "pfh audit 1 sample of leaves";

/// Bytes of a file's identity at most.
const IDENTITY: usize = 255;

/// Which leaves must be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// This many different ones, drawn with the nonce; all if the file has no more.
    Leaves(u32),
    /// All: the only sample that is sure to find a single damaged leaf.
    All,
}

impl Sample {
    /// A number of leaves, at least one.
    ///
    /// # Errors
    /// For none.
    pub fn leaves(count: u32) -> Result<Sample, ImpossibleSample> {
        if count == 0 { Err(ImpossibleSample) } else { Ok(Sample::Leaves(count)) }
    }
}

/// The least number of leaves that misses a corruption of the fraction `corruption` of all leaves with a probability of at most
/// 1 − `confidence`: ⌈ln(1 − confidence) / ln(1 − corruption)⌉, as for drawing with replacement, which overstates the need a little.
/// `leaves_for(0.99, 0.01)` is 459.
///
/// # Errors
/// If either is not between 0 and 1, or more than 2³² − 1 leaves were needed.
pub fn leaves_for(confidence: f64, corruption: f64) -> Result<u32, ImpossibleSample> {
    let open = |fraction: f64| fraction > 0.0 && fraction < 1.0;
    if !open(confidence) || !open(corruption) {
        return Err(ImpossibleSample);
    }
    let leaves = ((-confidence).ln_1p() / (-corruption).ln_1p()).ceil();
    if leaves >= 1.0 && leaves <= f64::from(u32::MAX) { Ok(leaves as u32) } else { Err(ImpossibleSample) }
}

/// A sample of no leaves or of impossibly many, or an identity of more than 255 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImpossibleSample;

impl fmt::Display for ImpossibleSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a sample needs 1 to 4,294,967,295 leaves, fractions between 0 and 1, an identity of at most 255 bytes",
        )
    }
}

impl Error for ImpossibleSample {}

/// A question about one file: it binds nonce, identity, root, length and sample. Equal challenges have equal answers, so a nonce must
/// never be used twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    nonce: [u8; 32],
    identity: Vec<u8>,
    root: Value,
    length: u64,
    sample: Sample,
}

impl Challenge {
    /// * `nonce`: fresh from a cryptographic random generator, unknown to the server until now.
    /// * `identity`: what both sides call the file and, if the auditor likes, the server; at most 255 bytes.
    ///
    /// # Errors
    /// For a longer identity or a sample of no leaves.
    pub fn new(
        nonce: [u8; 32],
        identity: Vec<u8>,
        commitment: &Commitment,
        sample: Sample,
    ) -> Result<Challenge, ImpossibleSample> {
        if identity.len() > IDENTITY || sample == Sample::Leaves(0) {
            return Err(ImpossibleSample);
        }
        Ok(Challenge { nonce, identity, root: *commitment.root(), length: commitment.length(), sample })
    }

    /// What the file is called.
    pub fn identity(&self) -> &[u8] {
        &self.identity
    }

    /// The random number that makes the question new.
    pub fn nonce(&self) -> &[u8; 32] {
        &self.nonce
    }

    /// Which leaves are asked for.
    pub fn sample(&self) -> Sample {
        self.sample
    }

    /// Whether this is a question about that commitment.
    pub(super) fn is_about(&self, commitment: &Commitment) -> bool {
        (self.root, self.length) == (*commitment.root(), commitment.length())
    }

    /// The indices of the leaves to be shown, ascending, of a file of `leaves` leaves. Both sides derive them: a stream of 64-bit
    /// numbers, BLAKE3 in its key derivation mode over the challenge; numbers beyond the greatest multiple of `leaves` and repeated
    /// ones are passed over, so that every set is equally likely.
    pub fn indices(&self, leaves: u64) -> Vec<u64> {
        match self.sample {
            Sample::Leaves(count) if u64::from(count) < leaves => {
                let mut hasher = blake3::Hasher::new_derive_key(SAMPLE);
                hasher.update(&self.encode());
                let mut stream = hasher.finalize_xof();
                let beyond = u64::MAX - u64::MAX % leaves;
                let mut drawn = BTreeSet::new();
                while drawn.len() < count as usize {
                    let mut number = [0; 8];
                    stream.fill(&mut number);
                    let number = u64::from_le_bytes(number);
                    if number < beyond {
                        drawn.insert(number % leaves);
                    }
                }
                drawn.into_iter().collect()
            }
            _ => (0..leaves).collect(),
        }
    }

    /// The binary form, with a checksum against accidents.
    pub fn encode(&self) -> Vec<u8> {
        let count = match self.sample {
            Sample::Leaves(count) => count,
            Sample::All => 0,
        };
        let mut bytes = [&MAGIC[..], &[VERSION], &self.nonce, &self.root, &self.length.to_le_bytes()].concat();
        bytes.extend(count.to_le_bytes());
        // Cannot cut: `new` and `decode` see to the length.
        bytes.push(self.identity.len() as u8);
        bytes.extend(&self.identity);
        let checksum = blake3::derive_key(CHECKSUM, &bytes);
        bytes.extend(&checksum[..16]);
        bytes
    }

    /// Reads the binary form.
    ///
    /// # Errors
    /// If it is none, or has been changed.
    pub fn decode(bytes: &[u8]) -> Result<Challenge, Malformed> {
        let mut reader = Reader::open(bytes, MAGIC, VERSION)?;
        let nonce = reader.array()?;
        let root = reader.array()?;
        let length = reader.u64()?;
        let sample = match reader.u32()? {
            0 => Sample::All,
            count => Sample::Leaves(count),
        };
        let identity_length = usize::from(reader.byte()?);
        let identity = reader.bytes(identity_length)?.to_vec();
        let checked = bytes.len() - reader.rest();
        if reader.array::<16>()? != blake3::derive_key(CHECKSUM, &bytes[..checked])[..16] {
            return Err(Malformed::Checksum);
        }
        reader.close()?;
        Ok(Challenge { nonce, identity, root, length, sample })
    }
}
