//! Bloom filters of the DCSO library, in which CIRCL publishes hashlookup. They answer "no" or
//! "maybe", never "yes".
//!
//! Little-endian: flags (u64, low byte 1), n (u64), p (f64), k (u64), m (u64), N (u64), then ceil(m
//! / 64) words; what follows is not ours. The key is text: CIRCL's are SHA-1 digests in upper-case
//! hexadecimal. Positions: h = FNV-1(key) mod P, then k times h = (h * G mod 2^64) mod P and the
//! bit h mod m, with P = 18446744073709551557 and G = 18446744073709550147.

use std::error::Error;
use std::fmt;
use std::io::{self, Read};

/// The largest prime below 2^64.
const P: u64 = 18_446_744_073_709_551_557;
const G: u64 = 18_446_744_073_709_550_147;

/// The header of a filter, in front of its bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Header {
    /// Positions per key.
    pub hashes: u64,
    /// Bits.
    pub bits: u64,
    /// How many keys were put in, as the filter says.
    pub entries: u64,
    /// The probability of a false "maybe" that it was made for.
    pub probability: f64,
}

/// A Bloom filter in memory.
#[derive(Clone, Debug)]
pub struct Bloom {
    header: Header,
    words: Vec<u64>,
}

/// Why a file is not a Bloom filter that can be used.
#[derive(Debug)]
pub enum OpenError {
    /// Reading failed.
    Io(io::Error),
    /// It is not in this format, or says impossible things of itself.
    Malformed(&'static str),
    /// It needs more memory than was allowed: that many bytes.
    TooLarge(u64),
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenError::Io(error) => error.fmt(f),
            OpenError::Malformed(why) => write!(f, "not a Bloom filter: {why}"),
            OpenError::TooLarge(bytes) => write!(f, "the Bloom filter takes {bytes} bytes, more than allowed"),
        }
    }
}

impl Error for OpenError {}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Io(error)
    }
}

impl Header {
    /// Bytes of a header.
    pub const LENGTH: usize = 48;

    /// How a filter starts: the version.
    pub const MAGIC: [u8; 8] = [1, 0, 0, 0, 0, 0, 0, 0];

    /// Reads the header; the bits follow it.
    pub fn read(mut reader: impl Read) -> Result<Header, OpenError> {
        let mut header = [0; Header::LENGTH];
        reader.read_exact(&mut header).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => OpenError::Malformed("it is too short"),
            _ => OpenError::Io(error),
        })?;
        let field = |at: usize| header[8 * at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let [flags, probability, hashes, bits, entries] = [0, 2, 3, 4, 5].map(field);
        if flags & 0xFF != 1 {
            return Err(OpenError::Malformed("unknown version"));
        }
        // More positions per key than this no sane probability asks for.
        if bits == 0 || hashes == 0 || hashes > 1024 {
            return Err(OpenError::Malformed("impossible numbers of bits or positions"));
        }
        if bits.div_ceil(64).checked_mul(8).is_none() {
            return Err(OpenError::Malformed("impossible number of bits"));
        }
        Ok(Header { hashes, bits, entries, probability: f64::from_bits(probability) })
    }

    /// Bytes of the words that follow, 8 for every 64 bits begun.
    pub fn length(&self) -> u64 {
        self.bits.div_ceil(64) * 8
    }

    /// The bits that a key sets, counted from the lowest of the first word.
    pub fn positions(&self, key: &[u8]) -> impl Iterator<Item = u64> + use<> {
        let mut hash = key
            .iter()
            .fold(0xCBF2_9CE4_8422_2325, |hash: u64, &byte| hash.wrapping_mul(0x100_0000_01B3) ^ u64::from(byte))
            % P;
        let bits = self.bits;
        (0..self.hashes).map(move |_| {
            hash = hash.wrapping_mul(G) % P;
            hash % bits
        })
    }
}

impl Bloom {
    /// Reads a filter of at most `limit` bytes of bits.
    pub fn open(mut reader: impl Read, limit: u64) -> Result<Bloom, OpenError> {
        let header = Header::read(&mut reader)?;
        let length = header.length();
        if length > limit {
            return Err(OpenError::TooLarge(length));
        }
        // Read before it is believed: a header alone makes nobody allocate.
        let mut bytes = Vec::new();
        reader.take(length).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != length {
            return Err(OpenError::Malformed("its bits are cut off"));
        }
        let words = bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
        Ok(Bloom { header, words })
    }

    /// Whether the key may have been put in. `false` is certain.
    pub fn may_contain(&self, key: &[u8]) -> bool {
        // In bounds: bits are fewer than 64 times the words, which fit in memory.
        self.header.positions(key).all(|bit| self.words[(bit / 64) as usize] >> (bit % 64) & 1 == 1)
    }

    /// Its header.
    pub fn header(&self) -> &Header {
        &self.header
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A filter made from the definition, as the library's own test has it: n 1000, p 1e-6,
    /// k 20, m 28755.
    fn filter(keys: &[&[u8]]) -> Vec<u8> {
        let (k, m) = (20_u64, 28_755_u64);
        let mut words = vec![0_u64; 450];
        for key in keys {
            let mut hash: u128 = 0xCBF2_9CE4_8422_2325;
            for &byte in *key {
                hash = (hash * 0x100_0000_01B3 % (1 << 64)) ^ u128::from(byte);
            }
            hash %= u128::from(P);
            for _ in 0..k {
                hash = hash * u128::from(G) % (1 << 64) % u128::from(P);
                let bit = (hash % u128::from(m)) as usize;
                words[bit / 64] |= 1 << (bit % 64);
            }
        }
        let head = [1, 1000, 1e-6_f64.to_bits(), k, m, keys.len() as u64];
        head.iter().chain(&words).flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn finds_what_was_put_in() {
        let bytes = filter(&[b"foo", b"bar", b"baz"]);
        assert_eq!(bytes.len(), 3648);
        let bloom = Bloom::open(&bytes[..], 1 << 20).expect("a filter");
        assert!(bloom.may_contain(b"foo") && bloom.may_contain(b"bar") && bloom.may_contain(b"baz"));
        assert!(!bloom.may_contain(b"qux"));
        assert_eq!(bloom.header().entries, 3);
    }

    #[test]
    fn refuses_what_is_none() {
        let good = filter(&[b"foo"]);
        let open = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            Bloom::open(&bytes[..], 1 << 20)
        };
        assert!(matches!(open(&|bytes| bytes[0] = 2), Err(OpenError::Malformed(_))));
        assert!(matches!(open(&|bytes| bytes.truncate(47)), Err(OpenError::Malformed(_))));
        assert!(matches!(open(&|bytes| bytes.truncate(3000)), Err(OpenError::Malformed(_))));
        assert!(matches!(open(&|bytes| bytes[32..40].fill(0)), Err(OpenError::Malformed(_))));
        assert!(matches!(open(&|bytes| bytes[32..40].fill(0xFF)), Err(OpenError::TooLarge(_))));
        assert!(matches!(open(&|bytes| bytes[24..32].fill(0xFF)), Err(OpenError::Malformed(_))));
    }
}
