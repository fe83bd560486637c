//! The number of records and their names, as the end of a manifest states them.

use pfh_digest::Algorithm;
use std::fmt;
use std::sync::OnceLock;

/// The sum of the first 64 bits of the SHA-256 of each name, modulo 2^64, which no order changes.
/// A name more, a name less or another name gives another sum: a record in the place of another
/// one is found though the number of records is the same. Against intent a seal protects, and not
/// this.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Names(u64);

impl Names {
    /// Adds a name: the first 64 bits of its SHA-256.
    fn add(&mut self, name: &[u8]) {
        static SHA256: OnceLock<Option<Algorithm>> = OnceLock::new();
        let Some(sha256) = SHA256.get_or_init(|| "sha256".parse().ok()) else { return };
        if let Some(first) = sha256.digest(name).bytes().first_chunk() {
            self.0 = self.0.wrapping_add(u64::from_be_bytes(*first));
        }
    }

    /// Reads sixteen hexadecimal digits.
    pub(crate) fn parse(text: &str) -> Option<Names> {
        let is_one = text.len() == 16 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
        u64::from_str_radix(text, 16).ok().filter(|_| is_one).map(Names)
    }
}

/// Sixteen hexadecimal digits.
impl fmt::Display for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// The number of records, and their names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Records: lines, or elements of a document.
    pub records: u64,
    /// The sum of their names.
    pub names: Names,
}

impl Count {
    /// Adds a record of this name.
    pub(crate) fn add(&mut self, name: &[u8]) {
        self.records += 1;
        self.names.add(name);
    }

    /// Adds the records of another count.
    pub fn join(&mut self, other: Count) {
        self.records += other.records;
        self.names.0 = self.names.0.wrapping_add(other.names.0);
    }

    /// The records that came since `before`.
    pub fn since(self, before: Count) -> Count {
        Count { records: self.records - before.records, names: Names(self.names.0.wrapping_sub(before.names.0)) }
    }

    /// A count whose names are written as this text; `None` where they are not.
    pub fn read(records: u64, names: &str) -> Option<Count> {
        Some(Count { records, names: Names::parse(names)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Count {
        let mut count = Count::default();
        names.iter().for_each(|name| count.add(name.as_bytes()));
        count
    }

    #[test]
    fn names_count_and_their_order_does_not() {
        assert_eq!(of(&["a", "b", "c"]), of(&["c", "a", "b"]));
        assert_ne!(of(&["a", "b"]).names, of(&["a", "a"]).names);
        assert_ne!(of(&["a1", "a4"]).names, of(&["a2", "a3"]).names);
        let mut joined = of(&["a"]);
        joined.join(of(&["b"]));
        assert_eq!((joined, joined.since(of(&["a"]))), (of(&["a", "b"]), of(&["b"])));
        // printf abc | sha256sum
        assert_eq!(of(&["abc"]).names.to_string(), "ba7816bf8f01cfea");
        assert_eq!(Count::read(2, &joined.names.to_string()), Some(joined));
        assert_eq!((Names::parse("12"), Names::parse("+000000000000012")), (None, None));
    }
}
