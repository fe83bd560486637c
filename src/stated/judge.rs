//! The bytes of an object against the statements of its store.

use super::claim::{Claim, Claims};
use crate::Verdict;
use crate::verdict::Tally;
use pfh_digest::{Digest, Hasher};

const MIB: u64 = 1 << 20;
/// Sizes of parts that clients take, in MiB and in MB: those of Amazon's own tools and SDKs,
/// rclone, s3cmd, s3fs, MinIO's client and others, and their multiples.
const USUAL: [u64; 34] = [
    1, 2, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 25, 30, 32, 40, 48, 50, 60, 64, 80, 96, 100, 128, 150, 200, 250, 256,
    300, 400, 500, 512, 1000, 1024,
];
const LARGE: [u64; 4] = [2048, 3072, 4096, 5120];
/// Amazon's console.
const CONSOLE: u64 = 17_179_870;
/// The most parts that Amazon takes: clients let parts grow to stay below.
const MOST: u64 = 10_000;

/// The result of one stated value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// The object has it; of parts, by this size of a part in bytes.
    Same(Option<u64>),
    /// The object has this value in its place.
    Differs(Digest),
    /// It could not be compared, because of this.
    NotCompared(String),
}

/// The algorithm and the header of a compared value: `crc64nvme (x-amz-checksum-crc64nvme)`,
/// `md5 of parts (etag)`.
pub(super) fn compared(claim: &Claim) -> String {
    let of_parts = if claim.parts.is_some() { " of parts" } else { "" };
    format!("{}{of_parts} ({})", claim.digest.algorithm(), claim.by)
}

/// The result of an object.
#[derive(Debug, Clone, Default)]
pub struct ObjectJudgement {
    /// Each stated value.
    pub findings: Vec<(Claim, Came)>,
    /// Values that were stated and are not understood, a sentence each.
    pub unknown: Vec<String>,
    /// Why there is no more, where the store says so, a sentence each.
    pub remarks: Vec<String>,
}

impl ObjectJudgement {
    /// Why an object is not verified by every stated value, a sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let differs = self.findings.iter().filter_map(|(claim, came)| match came {
            Came::Differs(found) => {
                let parts = claim.parts.map(|parts| format!(" of {parts} parts")).unwrap_or_default();
                let (by, algorithm, stated) = (&claim.by, claim.digest.algorithm(), &claim.digest);
                Some(format!("{by} states {algorithm}{parts} {stated}, the object has {found}"))
            }
            _ => None,
        });
        let mut all: Vec<String> = differs.collect();
        all.extend(self.not_compared().map(|what| format!("not compared: {what}")));
        if self.verdict() == Verdict::NothingToCompareWith {
            all.extend(self.remarks.iter().cloned());
            if all.is_empty() {
                all.push("the store states nothing of it".into());
            }
        }
        all
    }

    /// Over all values: one that differs decides, then one that is the same.
    pub fn verdict(&self) -> Verdict {
        let count = |is_it: fn(&Came) -> bool| self.findings.iter().filter(|(_, came)| is_it(came)).count() as u64;
        let (equal, unequal) =
            (count(|came| matches!(came, Came::Same(_))), count(|came| matches!(came, Came::Differs(_))));
        Tally { equal, unequal, open: 0 }.verdict()
    }

    /// Values that were stated and not compared, a sentence each.
    pub fn not_compared(&self) -> impl Iterator<Item = String> {
        let values = self.findings.iter().filter_map(|(claim, came)| match came {
            Came::NotCompared(why) => Some(format!("{}: {why}", claim.by)),
            _ => None,
        });
        values.chain(self.unknown.iter().cloned())
    }
}

/// One size of parts that is tried.
struct Parts {
    size: u64,
    left: u64,
    part: Hasher,
    all: Hasher,
}

impl Parts {
    fn new(digest: &Digest, size: u64) -> Parts {
        let algorithm = digest.algorithm();
        Parts { size, left: size, part: algorithm.hasher(), all: algorithm.hasher() }
    }

    fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.left == 0 {
                self.end();
                self.left = self.size;
            }
            let (some, rest) = bytes.split_at(usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len()));
            self.part.update(some);
            self.left -= some.len() as u64;
            bytes = rest;
        }
    }

    fn end(&mut self) {
        let fresh = self.part.algorithm().hasher();
        let part = std::mem::replace(&mut self.part, fresh).finalize();
        self.all.update(part.bytes());
    }

    fn value(mut self) -> (u64, Digest) {
        self.end();
        (self.size, self.all.finalize())
    }
}

enum Trial {
    Whole(Hasher),
    Parts(Vec<Parts>),
}

/// Takes the bytes of one object.
pub(super) struct Judge {
    claims: Vec<(Claim, Trial)>,
    unknown: Vec<String>,
    remarks: Vec<String>,
    given: Option<u64>,
}

impl Judge {
    /// For an object of this size in bytes. `given` is the size of its parts, if that is known.
    pub(super) fn new(claims: Claims, size: u64, given: Option<u64>) -> Judge {
        let trial = |claim: &Claim| match claim.parts {
            None => Trial::Whole(claim.digest.algorithm().hasher()),
            Some(parts) => {
                let sizes = part_sizes(size, parts.get(), given);
                Trial::Parts(sizes.into_iter().map(|size| Parts::new(&claim.digest, size)).collect())
            }
        };
        let Claims { values, unknown, remarks } = claims;
        let claims = values.into_iter().map(|claim| (trial(&claim), claim)).map(|(trial, claim)| (claim, trial));
        Judge { claims: claims.collect(), unknown, remarks, given }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        for (_, trial) in &mut self.claims {
            match trial {
                Trial::Whole(hasher) => hasher.update(bytes),
                Trial::Parts(sizes) => sizes.iter_mut().for_each(|size| size.update(bytes)),
            }
        }
    }

    pub(super) fn judge(self) -> ObjectJudgement {
        let Judge { claims, unknown, remarks, given } = self;
        let findings = claims.into_iter().map(|(claim, trial)| {
            let came = match trial {
                Trial::Whole(hasher) => match hasher.finalize() {
                    found if found == claim.digest => Came::Same(None),
                    found => Came::Differs(found),
                },
                Trial::Parts(sizes) => of_parts(&claim, sizes, given),
            };
            (claim, came)
        });
        ObjectJudgement { findings: findings.collect(), unknown, remarks }
    }
}

fn of_parts(claim: &Claim, sizes: Vec<Parts>, given: Option<u64>) -> Came {
    let parts = claim.parts.map_or(0, u64::from);
    let mut found: Vec<(u64, Digest)> = sizes.into_iter().map(Parts::value).collect();
    if let Some((size, _)) = found.iter().find(|(_, found)| *found == claim.digest) {
        return Came::Same(Some(*size));
    }
    match (given, parts) {
        // One part is the whole, for any size of parts.
        (_, 1) | (Some(_), _) if !found.is_empty() => Came::Differs(found.remove(0).1),
        (Some(size), _) => {
            Came::NotCompared(format!("the object in parts of {size} bytes has not the {parts} parts that are stated"))
        }
        (None, _) => Came::NotCompared(format!(
            "of {parts} parts of no usual size, or the object differs: name the size of its parts"
        )),
    }
}

/// The sizes of parts, in bytes, that divide an object of this size into this number of parts.
fn part_sizes(size: u64, parts: u64, given: Option<u64>) -> Vec<u64> {
    let fits = |part: &u64| *part > 0 && size.div_ceil(*part).max(1) == parts;
    if parts == 1 {
        return vec![size.max(1)];
    }
    if let Some(given) = given {
        return Some(given).into_iter().filter(fits).collect();
    }
    let equal = size.div_ceil(parts.max(1));
    let grown = size.div_ceil(MOST);
    let mebibytes = USUAL.into_iter().chain(LARGE).map(|size| size * MIB);
    let megabytes = USUAL.into_iter().map(|size| size * 1_000_000);
    let others = [equal, equal.next_multiple_of(MIB), grown, grown.next_multiple_of(MIB), CONSOLE];
    let mut sizes: Vec<u64> = mebibytes.chain(megabytes).chain(others).filter(fits).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judged over the bytes in pieces of an odd length.
    fn judged(bytes: &[u8], headers: &[(&str, &str)], given: Option<u64>) -> ObjectJudgement {
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let mut judge = Judge::new(Claims::read(b"s3://b/k", &headers), bytes.len() as u64, given);
        bytes.chunks(77_777).for_each(|piece| judge.update(piece));
        judge.judge()
    }

    fn pattern(length: usize) -> Vec<u8> {
        (0..length).map(|at| (at % 251) as u8).collect()
    }

    /// By Python's hashlib, zlib and awscrt: `bytes(n % 251 for n in range(13_000_000))`, and the
    /// same with parts of 5 MiB.
    const WHOLE: [(&str, &str); 6] = [
        ("x-amz-checksum-crc32", "QoqIqg=="),
        ("x-amz-checksum-crc32c", "vqdZFQ=="),
        ("x-amz-checksum-crc64nvme", "nFgAd2vz+8A="),
        ("x-amz-checksum-sha1", "aoLxMlu1QECwEdupzooqhbQu8dg="),
        ("x-amz-checksum-sha256", "lk+wZw/N+SdpRQjo8PE7Z+TZfGegWqi5eOJHU8QW6tg="),
        ("etag", "\"a7af8168b82717869647ae797968992e\""),
    ];
    const OF_PARTS: [(&str, &str); 5] = [
        ("x-amz-checksum-crc32", "kHHxPQ==-3"),
        ("x-amz-checksum-crc32c", "MpxauQ==-3"),
        ("x-amz-checksum-sha1", "WWyvBFkFEtdqXYOdps19EZvM9Zo=-3"),
        ("x-amz-checksum-sha256", "5dJUjwuSXjIj3OOsbx8fqpBIXU57zEkA9jnGeynA2tA=-3"),
        ("etag", "\"f3ca18f8c2eb24e2bd8497f9ee8b277b-3\""),
    ];

    #[test]
    fn each_algorithm_as_a_whole_and_in_parts() {
        let bytes = pattern(13_000_000);
        for stated in WHOLE {
            let found = judged(&bytes, &[stated], None);
            assert_eq!((found.verdict(), &found.findings[0].1), (Verdict::Verified, &Came::Same(None)), "{stated:?}");
            assert_eq!(judged(&bytes[1..], &[stated], None).verdict(), Verdict::Differs, "{stated:?}");
        }
        for stated in OF_PARTS {
            let found = judged(&bytes, &[stated], None);
            let size = Came::Same(Some(5 << 20));
            assert_eq!((found.verdict(), &found.findings[0].1), (Verdict::Verified, &size), "{stated:?}");
            assert_eq!(judged(&bytes, &[stated], Some(5 << 20)).verdict(), Verdict::Verified);
            // In three parts of another size, or of other bytes: nobody can tell, until it is said.
            let mut other = bytes.clone();
            other[9] ^= 1;
            assert_eq!(judged(&other, &[stated], None).verdict(), Verdict::NothingToCompareWith);
            assert_eq!(judged(&other, &[stated], Some(5 << 20)).verdict(), Verdict::Differs);
            assert_eq!(judged(&bytes, &[stated], Some(6 << 20)).verdict(), Verdict::Differs);
            let found = judged(&bytes, &[stated], Some(8 << 20));
            assert_eq!((found.verdict(), found.not_compared().count()), (Verdict::NothingToCompareWith, 1));
        }
    }

    #[test]
    fn one_value_that_differs_decides() {
        let bytes = pattern(13_000_000);
        let found = judged(&bytes, &[WHOLE[0], ("x-amz-checksum-crc32", "AAAAAA==")], None);
        assert_eq!(found.verdict(), Verdict::Differs);
        let found = judged(&bytes, &[WHOLE[0], ("x-amz-checksum-later", "AAAAAA==")], None);
        assert_eq!((found.verdict(), found.not_compared().count()), (Verdict::Verified, 1));
        assert_eq!(judged(&bytes, &[], None).verdict(), Verdict::NothingToCompareWith);
    }

    #[test]
    fn empty_objects_and_strange_numbers_of_parts() {
        let empty = ("etag", "\"d41d8cd98f00b204e9800998ecf8427e\"");
        assert_eq!(judged(b"", &[empty], None).verdict(), Verdict::Verified);
        // MD5 of the MD5 of nothing.
        let parted = ("etag", "\"59adb24ef3cdbe0297f05b395827453f-1\"");
        assert_eq!(judged(b"", &[parted], None).verdict(), Verdict::Verified);
        assert_eq!(judged(b"x", &[parted], None).verdict(), Verdict::Differs);
        for parts in ["2", "10000", "18446744073709551615"] {
            let tag = format!("\"59adb24ef3cdbe0297f05b395827453f-{parts}\"");
            let found = judged(b"abc", &[("etag", &tag)], None);
            assert_ne!(found.verdict(), Verdict::Verified, "{parts}");
        }
        assert_eq!(part_sizes(100 << 20, 13, None), [100 * MIB / 13 + 1, 8 << 20]);
        assert!(part_sizes(0, 2, None).is_empty() && part_sizes(5, 0, Some(5)).is_empty());
    }
}
