//! The auditor's record: a line of text for each file.
//!
//! `pfh-commitment 1 FUNCTION LEAF LENGTH ROOT IDENTITY`, one space between fields: `blake3`,
//! `sha256`, `sha3-256`, or a keyed function with `:` and the mark of its key in 10 hexadecimal
//! digits; bytes of a leaf and of the file in decimal; the root as 64 lower-case hexadecimal
//! digits; the identity with `%` and two digits for every byte that is not printable ASCII, for `%`
//! and for space. There is one way to write each commitment.

use crate::Error;
use pfh_digest::hex;
use pfh_tree::audit::{Commitment, IDENTITY};
use pfh_tree::outboard::Parameters;
use std::fmt;

/// A commitment, and the name of the file on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptCommitment {
    /// At least one byte, at most those of the longest path (4,096).
    pub identity: Vec<u8>,
    /// Root, length and parameters.
    pub commitment: Commitment,
}

const HEAD: &str = "pfh-commitment";
const VERSION: &str = "1";
/// A length that leaves of every function have.
const LEAF: usize = 1024;

impl fmt::Display for KeptCommitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (parameters, commitment) = (self.commitment.parameters(), &self.commitment);
        let (function, leaf) = (parameters.name(), parameters.leaf_length());
        write!(f, "{HEAD} {VERSION} {function} {leaf} {} ", commitment.length())?;
        write!(f, "{} ", hex::encode(commitment.root()))?;
        self.identity.iter().try_for_each(|&byte| match byte {
            b'!'..=b'~' if byte != b'%' => write!(f, "{}", char::from(byte)),
            _ => write!(f, "%{byte:02x}"),
        })
    }
}

/// Reads lines of commitments; empty lines are passed over.
///
/// # Errors
/// For the first line that is none.
pub fn parse(text: &[u8]) -> Result<Vec<KeptCommitment>, Error> {
    let lines = text.split(|&byte| byte == b'\n').enumerate().filter(|(_, line)| !line.is_empty());
    lines.map(|(number, line)| one(line).map_err(|why| Error::Kept { line: number + 1, why })).collect()
}

fn one(line: &[u8]) -> Result<KeptCommitment, &'static str> {
    let text = str::from_utf8(line).map_err(|_| "not text")?;
    let fields: Vec<&str> = text.split(' ').collect();
    let [HEAD, version, function, leaf, length, root, identity] = fields[..] else {
        return Err("it has not the seven fields of one");
    };
    if version != VERSION {
        return Err("unknown version");
    }
    let parameters = |leaf| Parameters::named(function, leaf);
    parameters(LEAF).ok_or("unknown function")?;
    let leaf = leaf.parse().ok().and_then(parameters).ok_or("impossible leaf length")?;
    let length = length.parse().map_err(|_| "impossible length")?;
    let mut value = [0; 32];
    hex::decode_into(root.as_bytes(), &mut value).ok_or("the root has not 64 hexadecimal digits")?;
    let identity = identity_of(identity.as_bytes()).ok_or("impossible identity")?;
    let kept = KeptCommitment { identity, commitment: Commitment::new(leaf, length, value) };
    // `+5`, capital digits, needless escapes.
    if kept.to_string() == text { Ok(kept) } else { Err("not in the one form that there is") }
}

fn identity_of(mut text: &[u8]) -> Option<Vec<u8>> {
    let mut identity = Vec::new();
    while let Some((&byte, rest)) = text.split_first() {
        text = rest;
        if byte == b'%' {
            let (digits, rest) = text.split_at_checked(2)?;
            identity.extend(hex::decode(digits)?);
            text = rest;
        } else {
            identity.push(byte);
        }
    }
    (1..=IDENTITY).contains(&identity.len()).then_some(identity)
}

impl KeptCommitment {
    /// A line's commitment, for those who keep one among other lines.
    ///
    /// # Errors
    /// The fault.
    pub fn read(line: &[u8]) -> Result<KeptCommitment, &'static str> {
        one(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_tree::outboard::Function;
    use proptest::prelude::*;

    const LINE: &str = "pfh-commitment 1 sha3-256 16384 5 \
        000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f a%20b%25%ff";

    #[test]
    fn a_line_reads_back_and_wrong_ones_do_not() {
        let kept = &parse(format!("{LINE}\n").as_bytes()).unwrap()[0];
        assert_eq!((kept.to_string().as_str(), &kept.identity[..]), (LINE, &b"a b%\xff"[..]));
        for (from, to) in [
            (" 1 ", " 2 "),
            ("sha3-256", "md5"),
            ("16384", "16383"),
            (" 5 ", " +5 "),
            (" 5 ", " -5 "),
            ("0001", "001"),
            ("0f10", "0F10"),
            ("a%20b", "a b"),
            ("a%20b", "%61%20b"),
            ("%ff", "%f"),
            ("%ff", "%fg"),
            ("a%20b%25%ff", ""),
            ("pfh-", "pfh"),
        ] {
            let line = LINE.replacen(from, to, 1);
            assert!(matches!(parse(format!("\n{line}").as_bytes()), Err(Error::Kept { line: 2, .. })), "{line}");
        }
        let long = LINE.replace("a%20b", &"a".repeat(4097));
        assert!(parse(long.as_bytes()).is_err());
        assert!(parse(b"\n\n").unwrap().is_empty());
    }

    /// Any byte of a line is changed, left out or added: the line is refused, or it is another
    /// commitment, which no answer for this one satisfies. Nothing in it is free.
    #[test]
    fn no_byte_of_a_line_is_free() {
        let genuine = parse(LINE.as_bytes()).unwrap();
        let mut parsed = 0;
        for at in 0..=LINE.len() {
            for byte in 0..=255 {
                let mut changed = LINE.as_bytes().to_vec();
                let mut added = changed.clone();
                if at < changed.len() && changed[at] != byte {
                    changed[at] = byte;
                    if let Ok(kept) = parse(&changed) {
                        assert_ne!(kept, genuine, "byte {at} made {byte}");
                        parsed += 1;
                    }
                }
                added.insert(at, byte);
                if let Ok(kept) = parse(&added) {
                    // An empty line says nothing; it can stand before or after any other.
                    assert!(kept != genuine || byte == b'\n' && (at == 0 || at == LINE.len()), "{byte} added at {at}");
                }
            }
        }
        assert!(parsed > 100, "{parsed} changed lines are commitments");
    }

    proptest! {
        #[test]
        fn every_commitment_reads_back(identity in prop::collection::vec(any::<u8>(), 1..600), length: u64, root: [u8; 32], log in 10u32..25) {
            let parameters = Parameters::new(Function::Sha256, 1 << log).unwrap();
            let kept = KeptCommitment { identity, commitment: Commitment::new(parameters, length, root) };
            prop_assert_eq!(parse(kept.to_string().as_bytes()).unwrap(), [kept]);
        }

        #[test]
        fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
            let _ = parse(&[LINE.as_bytes(), &bytes].concat());
        }
    }
}
