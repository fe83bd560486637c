//! A catalogue of files as one hash tree that is updated by entry: adding, changing or removing an
//! entry costs its leaf and its path, and the root depends on the entries alone, not on their order
//! or on earlier entries.
//!
//! The tree is binary and goes by the bits of the entries' keys, digests of their names, the most
//! significant bit of the first byte first. A subtree without entries has the value of 32 zeros,
//! one with a single entry has that entry's value, any other has the value of a node over its two
//! halves. `docs/tree.md` has every byte.
//!
//! ```
//! use pfh_tree::catalogue::{key, leaf, root, top};
//! let entry = |name: &[u8], digest| (key(name), leaf(name, 3, digest));
//! let mut entries = [entry(b"a", b"one"), entry(b"b/c", b"two")];
//! entries.sort();
//! assert_ne!(root("sha256", 2, &top(&entries)), root("sha256", 1, &top(&entries[..1])));
//! ```

/// The place of an entry in the tree: a digest of its name.
pub type Key = [u8; 32];
/// The value of an entry, a subtree or a tree.
pub type Value = [u8; 32];

/// The value of a subtree without entries.
pub const EMPTY: Value = [0; 32];

/// The key of the entry of this name.
pub fn key(name: &[u8]) -> Key {
    blake3::derive_key("pfh catalogue 1 key", name)
}

/// The value of an entry: name, bytes and digest of a file.
pub fn leaf(name: &[u8], size: u64, digest: &[u8]) -> Value {
    let mut bytes = Vec::with_capacity(16 + name.len() + digest.len());
    bytes.extend((name.len() as u64).to_le_bytes());
    bytes.extend(name);
    bytes.extend(size.to_le_bytes());
    bytes.extend(digest);
    blake3::derive_key("pfh catalogue 1 leaf", &bytes)
}

/// The value of a subtree with several entries: over those whose next bit is 0 and is 1.
pub fn node(left: &Value, right: &Value) -> Value {
    blake3::derive_key("pfh catalogue 1 node", [*left, *right].as_flattened())
}

/// The root: of the algorithm that the digests are of, the number of entries and the value of all.
pub fn root(algorithm: &str, entries: u64, top: &Value) -> Value {
    let bytes = [&entries.to_le_bytes()[..], top, algorithm.as_bytes()].concat();
    blake3::derive_key("pfh catalogue 1 root", &bytes)
}

/// The key of a catalogue, as its root takes it in. Entries are bound to the root by the functions
/// above, which have no key: the root is a code of all of them.
#[derive(Clone)]
pub struct Lock {
    root: [u8; 32],
    mark: Mark,
}

/// The first bytes of a derivation from the key that nothing else uses: another key is not taken
/// for damage, but for one in 2^40.
pub type Mark = [u8; 5];

impl Lock {
    /// Of digests of this algorithm under this key.
    pub fn new(algorithm: &str, key: &[u8]) -> Lock {
        let bytes = [&(algorithm.len() as u64).to_le_bytes(), algorithm.as_bytes(), key].concat();
        let mark = blake3::derive_key("pfh catalogue 1 mark of a key", &bytes);
        let mark = mark[..5].try_into().expect("five bytes");
        Lock { root: blake3::derive_key("pfh catalogue 1 root under a key", &bytes), mark }
    }

    /// The mark by which a catalogue knows its key.
    pub fn mark(&self) -> Mark {
        self.mark
    }

    /// As [`root`], under the key.
    pub fn root(&self, algorithm: &str, entries: u64, top: &Value) -> Value {
        *blake3::keyed_hash(&self.root, &root(algorithm, entries, top)).as_bytes()
    }
}

/// Never what the key gives.
impl std::fmt::Debug for Lock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Lock")
    }
}

/// The value of all entries, given in ascending order of their keys, each once.
pub fn top(entries: &[(Key, Value)]) -> Value {
    subtree(entries, 0, &mut |_, _, _| {})
}

/// As [`top`]; each node of several entries is handed to `keep` with one of their keys, its depth,
/// which is the number of bits that they share at least, and its value. The root of the tree has
/// the depth 0.
pub fn nodes(entries: &[(Key, Value)], keep: &mut dyn FnMut(&Key, u32, &Value)) -> Value {
    subtree(entries, 0, keep)
}

fn subtree(entries: &[(Key, Value)], depth: u32, keep: &mut dyn FnMut(&Key, u32, &Value)) -> Value {
    match entries {
        [] => EMPTY,
        [(_, value)] => *value,
        several => {
            let (left, right) = several.split_at(several.partition_point(|(key, _)| !bit(key, depth)));
            let value = node(&subtree(left, depth + 1, keep), &subtree(right, depth + 1, keep));
            keep(&several[0].0, depth, &value);
            value
        }
    }
}

/// A bit of a key, 0 being the most significant one of its first byte.
pub fn bit(key: &Key, depth: u32) -> bool {
    key[depth as usize / 8] >> (7 - depth % 8) & 1 == 1
}

/// The first `depth` bits of a key, and zeros behind them: where a subtree begins.
pub fn prefix(key: &Key, depth: u32) -> Key {
    let mut prefix = *key;
    for (index, byte) in (0..).zip(&mut prefix) {
        let kept = depth.saturating_sub(8 * index).min(8);
        *byte &= !(0xff_u32 >> kept) as u8;
    }
    prefix
}

/// The last key of the subtree that begins at `prefix` and whose keys share `depth` bits.
pub fn last(prefix: &Key, depth: u32) -> Key {
    let mut last = *prefix;
    for (index, byte) in (0..).zip(&mut last) {
        let kept = depth.saturating_sub(8 * index).min(8);
        *byte |= (0xff_u32 >> kept) as u8;
    }
    last
}

/// How many bits two keys share at their front.
pub fn shared(one: &Key, other: &Key) -> u32 {
    let mut shared = 0;
    for (a, b) in one.iter().zip(other) {
        let same = (a ^ b).leading_zeros();
        shared += same;
        if same < 8 {
            break;
        }
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits() {
        let mut key = [0; 32];
        (key[0], key[1], key[31]) = (0b1010_0000, 0b0100_0001, 1);
        assert!(bit(&key, 0) && !bit(&key, 1) && bit(&key, 2) && bit(&key, 9) && bit(&key, 15) && bit(&key, 255));
        assert_eq!(prefix(&key, 0), [0; 32]);
        assert_eq!(prefix(&key, 2)[..2], [0b1000_0000, 0]);
        assert_eq!(prefix(&key, 10)[..3], [0b1010_0000, 0b0100_0000, 0]);
        assert_eq!((prefix(&key, 256), last(&key, 256)), (key, key));
        assert_eq!(last(&[0; 32], 0), [0xff; 32]);
        assert_eq!(last(&prefix(&key, 10), 10)[..2], [0b1010_0000, 0b0111_1111]);
        let mut other = key;
        assert_eq!(shared(&key, &other), 256);
        other[1] ^= 1;
        assert_eq!(shared(&key, &other), 15);
        other[0] ^= 0x80;
        assert_eq!(shared(&key, &other), 0);
    }

    #[test]
    fn each_part_of_an_entry_is_in_the_root() {
        let value = |name: &[u8], size, digest: &[u8]| root("a", 1, &top(&[(key(name), leaf(name, size, digest))]));
        let usual = value(b"name", 1, b"d");
        assert!([value(b"nam", 1, b"d"), value(b"name", 2, b"d"), value(b"name", 1, b"e")].iter().all(|v| *v != usual));
        assert_ne!(root("a", 0, &EMPTY), root("b", 0, &EMPTY));
        // The key and the algorithm's name are apart, and so are both from what has no key.
        let under = |algorithm: &str, key: &[u8]| Lock::new(algorithm, key).root(algorithm, 0, &EMPTY);
        let all = [under("a", b"bc"), under("ab", b"c"), under("a", b"bd"), root("a", 0, &EMPTY)];
        let different: std::collections::BTreeSet<_> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        assert_ne!(Lock::new("a", b"bc").mark(), Lock::new("ab", b"c").mark());
    }
}
