//! The auditor's questions.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use super::Commitment;
use crate::WireError;
use crate::outboard::Value;
use crate::wire::Reader;

const MAGIC: &[u8; 8] = b"pfh chal";
/// With a byte for the identity's length.
const VERSION: u8 = 1;
/// With two: only for identities that do not fit the first.
const VERSION_LONG: u8 = 2;
const CHECKSUM: &str = "pfh audit 1 challenge checksum";
const SAMPLE: &str = "pfh audit 1 sample of leaves";
const SPREAD: &str = "pfh audit 1 sample of files";

/// Bytes of a file's identity at most: those of the longest path.
pub const IDENTITY: usize = 4096;

/// Leaves of a sample at most: it takes memory for each. Beyond that, ask for all leaves.
pub const MOST_LEAVES: u32 = 1 << 22;

/// Which leaves must be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// This many different ones, drawn with the nonce; all if the file has no more.
    Leaves(u32),
    /// All: the only sample that is sure to find a single damaged leaf.
    All,
}

impl Sample {
    /// A number of leaves, from one to [`MOST_LEAVES`].
    ///
    /// # Errors
    /// For others.
    pub fn leaves(count: u32) -> Result<Sample, ImpossibleSample> {
        if (1..=MOST_LEAVES).contains(&count) { Ok(Sample::Leaves(count)) } else { Err(ImpossibleSample) }
    }

    /// How many of `leaves` leaves this is.
    pub fn size(self, leaves: u64) -> u64 {
        match self {
            Sample::Leaves(count) => leaves.min(u64::from(count)),
            Sample::All => leaves,
        }
    }
}

/// The probability with which a sample of `shown` of `leaves` leaves holds at least one of those
/// that are lost, if that is the fraction `loss` of all, rounded up to whole leaves. Drawn without
/// replacement: 1 − Π (leaves − lost − i) / (leaves − i), i from 0 below `shown`.
pub fn finds(leaves: u64, shown: u64, loss: f64) -> f64 {
    let lost = ((leaves as f64 * loss).ceil() as u64).clamp(1, leaves.max(1));
    if shown.saturating_add(lost) > leaves {
        return 1.0;
    }
    // Either count may be the number of factors; the smaller one takes less time.
    let (factors, other) = (shown.min(lost), shown.max(lost));
    let missed: f64 = (0..factors).map(|i| (-(other as f64) / (leaves - i) as f64).ln_1p()).sum();
    -missed.exp_m1()
}

/// The least number of leaves that misses a corruption of the fraction `corruption` of all
/// leaves with a probability of at most 1 − `confidence`: ⌈ln(1 − confidence) / ln(1 −
/// corruption)⌉, as for drawing with replacement, which overstates the need a little.
/// `leaves_for(0.99, 0.01)` is 459.
///
/// # Errors
/// If either is not between 0 and 1, or more than [`MOST_LEAVES`] leaves were needed.
pub fn leaves_for(confidence: f64, corruption: f64) -> Result<u32, ImpossibleSample> {
    let open = |fraction: f64| fraction > 0.0 && fraction < 1.0;
    if !open(confidence) || !open(corruption) {
        return Err(ImpossibleSample);
    }
    let leaves = ((-confidence).ln_1p() / (-corruption).ln_1p()).ceil();
    if leaves >= 1.0 && leaves <= f64::from(MOST_LEAVES) { Ok(leaves as u32) } else { Err(ImpossibleSample) }
}

/// Different numbers below `leaves`, fewer than `leaves`; each set is equally likely.
fn draw(stream: &mut blake3::OutputReader, leaves: u64, count: usize) -> BTreeSet<u64> {
    let beyond = u64::MAX - u64::MAX % leaves;
    let mut drawn = BTreeSet::new();
    while drawn.len() < count {
        let mut number = [0; 8];
        stream.fill(&mut number);
        let number = u64::from_le_bytes(number);
        if number < beyond {
            drawn.insert(number % leaves);
        }
    }
    drawn
}

/// How many leaves of each file a sample of a set of files holds, drawn from all leaves of all
/// files alike: `leaves` are those of each file, `seed` is random and known to nobody before.
pub fn spread(seed: &[u8; 32], leaves: &[u64], sample: Sample) -> Vec<u64> {
    let all = leaves.iter().fold(0u64, |sum, count| sum.saturating_add(*count));
    let shown = sample.size(all);
    if shown == all {
        return leaves.to_vec();
    }
    let mut stream = blake3::Hasher::new_derive_key(SPREAD).update(seed).finalize_xof();
    let mut drawn = draw(&mut stream, all, shown as usize).into_iter().peekable();
    let mut end = 0u64;
    let of_file = |count: &u64| {
        end = end.saturating_add(*count);
        let mut taken = 0;
        while drawn.next_if(|number| *number < end).is_some() {
            taken += 1;
        }
        taken
    };
    leaves.iter().map(of_file).collect()
}

/// A sample of no leaves or of too many, or an identity of more than [`IDENTITY`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImpossibleSample;

impl fmt::Display for ImpossibleSample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a sample needs 1 to 4,194,304 leaves (for more ask for all), fractions between 0 and 1, an identity of at most 4,096 bytes",
        )
    }
}

impl Error for ImpossibleSample {}

/// A question about one file: it binds nonce, identity, root, length and sample. Equal challenges
/// have equal answers, so a nonce must never be used twice.
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
    /// * `identity`: the name that both sides have for the file and, if the auditor likes, for the
    ///   server; at most [`IDENTITY`] bytes.
    ///
    /// # Errors
    /// For a longer identity or a sample of no leaves.
    pub fn new(
        nonce: [u8; 32],
        identity: Vec<u8>,
        commitment: &Commitment,
        sample: Sample,
    ) -> Result<Challenge, ImpossibleSample> {
        if identity.len() > IDENTITY {
            return Err(ImpossibleSample);
        }
        if let Sample::Leaves(count) = sample {
            Sample::leaves(count)?;
        }
        Ok(Challenge { nonce, identity, root: *commitment.root(), length: commitment.length(), sample })
    }

    /// The name of the file.
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

    /// Bytes of the file that is asked about, as the challenge states them.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether this is a question about that commitment.
    pub fn is_about(&self, commitment: &Commitment) -> bool {
        (self.root, self.length) == (*commitment.root(), commitment.length())
    }

    /// The indices of the leaves to be shown, ascending, of a file of `leaves` leaves. Both sides
    /// derive them: a stream of 64-bit numbers, BLAKE3 in its key derivation mode over the
    /// challenge; numbers beyond the greatest multiple of `leaves` and repeated ones are passed
    /// over, so that every set is equally likely. Takes memory for each: look at [`Sample::size`]
    /// before, if all may be asked for.
    pub fn indices(&self, leaves: u64) -> Vec<u64> {
        match self.sample {
            Sample::Leaves(count) if u64::from(count) < leaves => {
                let mut hasher = blake3::Hasher::new_derive_key(SAMPLE);
                hasher.update(&self.encode());
                let mut stream = hasher.finalize_xof();
                draw(&mut stream, leaves, count as usize).into_iter().collect()
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
        let short = u8::try_from(self.identity.len());
        let version = if short.is_ok() { VERSION } else { VERSION_LONG };
        let mut bytes = [&MAGIC[..], &[version], &self.nonce, &self.root, &self.length.to_le_bytes()].concat();
        bytes.extend(count.to_le_bytes());
        match short {
            Ok(length) => bytes.push(length),
            // Cannot cut: `new` and `decode` see to the length.
            Err(_) => bytes.extend((self.identity.len() as u16).to_le_bytes()),
        }
        bytes.extend(&self.identity);
        let checksum = blake3::derive_key(CHECKSUM, &bytes);
        bytes.extend(&checksum[..16]);
        bytes
    }

    /// Reads the binary form.
    ///
    /// # Errors
    /// If the bytes are not a challenge, or have been changed.
    pub fn decode(bytes: &[u8]) -> Result<Challenge, WireError> {
        let long = bytes.get(MAGIC.len()) == Some(&VERSION_LONG);
        let mut reader = Reader::open(bytes, MAGIC, if long { VERSION_LONG } else { VERSION })?;
        let nonce = reader.array()?;
        let root = reader.array()?;
        let length = reader.u64()?;
        let sample = match reader.u32()? {
            0 => Sample::All,
            count => Sample::leaves(count).map_err(|_| WireError::Field("number of leaves"))?,
        };
        let identity_length = match long {
            false => usize::from(reader.byte()?),
            true => usize::from(u16::from_le_bytes(reader.array()?)),
        };
        // There is one form for each identity.
        if identity_length > IDENTITY || long != (identity_length > usize::from(u8::MAX)) {
            return Err(WireError::Field("length of the identity"));
        }
        let identity = reader.bytes(identity_length)?.to_vec();
        let checked = bytes.len() - reader.rest();
        if reader.array::<16>()? != blake3::derive_key(CHECKSUM, &bytes[..checked])[..16] {
            return Err(WireError::Checksum);
        }
        reader.close()?;
        Ok(Challenge { nonce, identity, root, length, sample })
    }
}
