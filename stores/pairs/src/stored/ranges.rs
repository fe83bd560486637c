//! TLSH digests of an index: those whose lengths and ratios are near enough, and of them those
//! whose bodies are.

use super::layout::RANGED;
use super::{StoredIndex, damaged};
use pfh_similarity::tlsh::{BYTES, Digest};
use std::io;

impl StoredIndex {
    /// The TLSH digests at most `most` from one, in the order of the list, with their names and
    /// distances.
    ///
    /// # Errors
    /// The file's; [`io::ErrorKind::InvalidData`] where it is damaged.
    pub fn near(&self, digest: &Digest, most: u32) -> io::Result<Vec<(Digest, Vec<u8>, u32)>> {
        let mut found = Vec::new();
        let mut malformed = false;
        let keys: Vec<u64> = digest.ranges(most).map(u64::from).collect();
        let key_of = |posting: &[u8; RANGED as usize]| u64::from(posting[1]) << 8 | u64::from(posting[2]);
        self.postings(&keys, key_of, &mut |posting| {
            let other = posting.first_chunk::<BYTES>().and_then(Digest::from_bytes);
            let number = posting.last_chunk().map(|number| u32::from_le_bytes(*number));
            let (Some(other), Some(number)) = (other, number) else {
                malformed = true;
                return;
            };
            let distance = digest.distance(&other);
            if distance <= most {
                found.push((number, other, distance));
            }
        })?;
        if malformed {
            return Err(damaged("a malformed digest"));
        }
        found.sort_unstable_by_key(|(number, ..)| *number);
        if found.windows(2).any(|two| two[0].0 == two[1].0) {
            return Err(damaged("two postings of one digest"));
        }
        let named = |(number, posted, distance)| {
            let (other, name) = self.ranged(number)?;
            if other != posted {
                return Err(damaged("a posting of another digest"));
            }
            Ok((other, name, distance))
        };
        found.into_iter().map(named).collect()
    }

    /// A TLSH digest, and its name.
    pub(super) fn ranged(&self, number: u32) -> io::Result<(Digest, Vec<u8>)> {
        let (text, name) = self.bytes_of(number)?;
        Ok((Digest::parse(&text).map_err(|_| damaged("a malformed digest"))?, name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::{Collection, Digests};
    use crate::stored::{layout::PAGE, write};
    use pfh_digest::{Algorithm, Digest as Any};
    use pfh_source::os::positioned::FileExt;
    use std::sync::Arc;

    /// Digests near a few others, with lengths and ratios near theirs.
    fn collection(count: u64) -> Collection {
        let row = pfh_similarity::ROWS.iter().map(Algorithm::from_row).find(|a| a.name() == "tlsh").unwrap();
        let mut collection = Collection::new(row);
        let mut state = 9u64;
        let mut next = move |most: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % most
        };
        let mut made: Vec<[u8; BYTES]> = Vec::new();
        for number in 0..count {
            let mut bytes: [u8; BYTES] = std::array::from_fn(|_| next(256) as u8);
            if number % 16 != 0 {
                bytes = made[next(number) as usize];
                (0..next(12)).for_each(|_| bytes[3 + next(32) as usize] ^= 1 << next(8));
            }
            bytes[1] = 40 + next(4) as u8;
            bytes[2] = (next(3) | (7 + next(3)) << 4) as u8;
            made.push(bytes);
            let name: Arc<[u8]> = format!("n{number}\n").into_bytes().into();
            let text = Digest::from_bytes(&bytes).unwrap().to_string();
            collection.add(&name, &Any::parse(row, &text).unwrap()).unwrap();
        }
        collection
    }

    #[test]
    fn the_index_finds_what_brute_force_finds() {
        let mut collection = collection(3 * PAGE + 50);
        let Digests::Tlsh(digests) = &collection.digests else { unreachable!() };
        let digests = digests.clone();
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index");
        let mut out = Vec::new();
        write(&mut collection, 0, &mut out).unwrap();
        std::fs::write(&path, &out).unwrap();
        let stored = StoredIndex::open(&path).unwrap();
        assert_eq!((stored.method().name(), stored.len()), ("tlsh", digests.len() as u64));
        let kept: Vec<_> = stored.records().map(Result::unwrap).collect();
        assert!(kept.iter().zip(&collection.names).all(|((_, name), of)| name[..] == of[..]));
        let mut pairs = 0;
        for digest in digests.iter().step_by(61) {
            for most in [0, 13, 30, 60, 500, u32::MAX] {
                let of = |(other, name): (&Digest, &Arc<[u8]>)| {
                    let distance = digest.distance(other);
                    (distance <= most).then(|| (other.clone(), name.to_vec(), distance))
                };
                let expected: Vec<_> = digests.iter().zip(&collection.names).filter_map(of).collect();
                assert_eq!(stored.near(digest, most).unwrap(), expected, "{most}");
                pairs += if most == 60 { expected.len() } else { 0 };
            }
        }
        assert!((500..50_000).contains(&pairs), "{pairs}");
    }

    /// With any wrong byte: an error, as all digests are asked.
    #[test]
    fn a_damaged_index_is_an_error() {
        let mut collection = collection(40);
        let mut out = Vec::new();
        write(&mut collection, 0, &mut out).unwrap();
        let Digests::Tlsh(digests) = &collection.digests else { unreachable!() };
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index");
        std::fs::write(&path, &out).unwrap();
        let answers = || -> io::Result<Vec<_>> {
            let stored = StoredIndex::open(&path)?;
            digests.iter().map(|digest| stored.near(digest, 2000)).collect()
        };
        let right = answers().unwrap();
        let index = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        for (at, byte) in (0..).zip(&out) {
            index.write_all_at(&[byte ^ 1 << (at % 8)], at).unwrap();
            assert!(answers().is_err(), "byte {at} was not missed");
            index.write_all_at(&[*byte], at).unwrap();
        }
        assert_eq!(answers().unwrap(), right);
    }
}
