//! BLAKE2 (RFC 7693) with every field of the parameter block (BLAKE2's specification, section 2.5),
//! which hashlib's functions have: by blake2_simd. The registry's plain functions have kernels.

use blake2b_simd as b;
use blake2s_simd as s;

use crate::Value;

/// One of the two functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// BLAKE2b: 64-bit words, up to 64 bytes of output.
    B,
    /// BLAKE2s: 32-bit words, up to 32 bytes of output.
    S,
}

impl Variant {
    /// Bytes of the longest output, and of the longest key.
    pub fn longest(self) -> usize {
        match self {
            Variant::B => b::OUTBYTES,
            Variant::S => s::OUTBYTES,
        }
    }

    /// Bytes of the longest salt, and of the longest personalization.
    pub fn salt_length(self) -> usize {
        match self {
            Variant::B => b::SALTBYTES,
            Variant::S => s::SALTBYTES,
        }
    }

    /// Bytes of a block.
    pub fn block_length(self) -> usize {
        match self {
            Variant::B => b::BLOCKBYTES,
            Variant::S => s::BLOCKBYTES,
        }
    }

    /// The largest offset of a node: 64 bits of BLAKE2b's parameter block, 48 of BLAKE2s'.
    pub fn last_offset(self) -> u64 {
        match self {
            Variant::B => u64::MAX,
            Variant::S => (1 << 48) - 1,
        }
    }
}

/// The parameter block, and whether this is the last node of its level. The default is the plain
/// function with its longest output.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parameters<'a> {
    /// Bytes of output; 0 for the longest.
    pub length: usize,
    /// The key; none if it is empty.
    pub key: &'a [u8],
    /// The salt, filled with zeros.
    pub salt: &'a [u8],
    /// The personalization, filled with zeros.
    pub person: &'a [u8],
    /// The place in a tree; `None` in sequential mode.
    pub node: Option<Node>,
}

/// A node of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Children of each node; 0 for any number.
    pub fanout: u8,
    /// Levels, from 1; 255 for any number.
    pub depth: u8,
    /// Bytes of a leaf; 0 for any number.
    pub leaf: u32,
    /// The place of the node in its level.
    pub offset: u64,
    /// The level of the node; leaves are 0.
    pub level: u8,
    /// Bytes of a chaining value.
    pub inner: u8,
    /// Whether it is the last node of its level.
    pub last: bool,
}

/// One message on its way to a digest.
#[derive(Clone)]
pub struct Blake2(Inner);

#[derive(Clone)]
enum Inner {
    B(b::State),
    S(s::State),
}

impl Blake2 {
    /// The empty message under these parameters; `None` where one is longer or larger than its
    /// field, or the depth is 0.
    pub fn new(variant: Variant, given: &Parameters<'_>) -> Option<Blake2> {
        let Parameters { length, key, salt, person, node } = *given;
        let length = if length == 0 { variant.longest() } else { length };
        let fits = length.max(key.len()) <= variant.longest() && salt.len().max(person.len()) <= variant.salt_length();
        let node_fits = node.is_none_or(|node| {
            let inner = usize::from(node.inner) <= variant.longest();
            inner && node.depth > 0 && node.offset <= variant.last_offset()
        });
        if !fits || !node_fits {
            return None;
        }
        // The crates' builders have one shape and no type in common.
        macro_rules! state {
            ($crate_name:ident) => {{
                let mut parameters = $crate_name::Params::new();
                parameters.hash_length(length).key(key).salt(salt).personal(person);
                if let Some(node) = node {
                    parameters.fanout(node.fanout).max_depth(node.depth).max_leaf_length(node.leaf);
                    parameters.node_offset(node.offset).node_depth(node.level).inner_hash_length(node.inner.into());
                    parameters.last_node(node.last);
                }
                parameters.to_state()
            }};
        }
        Some(Blake2(match variant {
            Variant::B => Inner::B(state!(b)),
            Variant::S => Inner::S(state!(s)),
        }))
    }

    /// Takes in the next bytes of the message.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Inner::B(state) => drop(state.update(bytes)),
            Inner::S(state) => drop(state.update(bytes)),
        }
    }

    /// The digest of the message so far.
    pub fn value(&self) -> Value {
        match &self.0 {
            Inner::B(state) => Value::from_bytes(state.finalize().as_bytes()),
            Inner::S(state) => Value::from_bytes(state.finalize().as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::blake2::digest::{FixedOutput, KeyInit, Update};

    /// The keyed functions agree with another implementation, at several lengths of key.
    #[test]
    fn keyed_digests_are_those_of_rustcrypto() {
        let message: Vec<u8> = (0..1000u32).map(|n| n as u8).collect();
        let key: Vec<u8> = (0..64).collect();
        for length in [1, 16, 31, 32] {
            let ours = |variant| {
                let parameters = Parameters { key: &key[..length], ..Parameters::default() };
                let mut ours = Blake2::new(variant, &parameters).expect("within the bounds");
                message.chunks(33).for_each(|piece| ours.update(piece));
                ours.value()
            };
            let mut b = ::blake2::Blake2bMac512::new_from_slice(&key[..length]).expect("a key");
            b.update(&message);
            assert_eq!(ours(Variant::B).bytes(), &b.finalize_fixed()[..]);
            let mut s = ::blake2::Blake2sMac256::new_from_slice(&key[..length]).expect("a key");
            s.update(&message);
            assert_eq!(ours(Variant::S).bytes(), &s.finalize_fixed()[..]);
        }
    }

    #[test]
    fn each_field_of_the_parameter_block_counts_and_is_bounded() {
        let node = Node { fanout: 1, depth: 1, leaf: 0, offset: 0, level: 0, inner: 0, last: false };
        for variant in [Variant::B, Variant::S] {
            let plain = Parameters::default();
            // Sequential mode is a tree of one node.
            let same = Blake2::new(variant, &Parameters { node: Some(node), ..plain }).expect("a node").value();
            assert_eq!(same.bytes(), Blake2::new(variant, &plain).expect("none").value().bytes());
            // And the plain functions are the registry's.
            let name = if variant == Variant::B { "blake2b-512" } else { "blake2s-256" };
            let registered: crate::Algorithm = name.parse().expect("in the registry");
            for length in [0, 1, 63, 64, 65, 128, 129, 1000] {
                let mut ours = Blake2::new(variant, &plain).expect("none");
                ours.update(&[7; 1000][..length]);
                assert_eq!(ours.value().bytes(), registered.digest(&[7; 1000][..length]).bytes(), "{name} {length}");
            }
            let others = [
                Parameters { length: 20, ..plain },
                Parameters { key: b"k", ..plain },
                Parameters { salt: b"s", ..plain },
                Parameters { person: b"s", ..plain },
                Parameters { node: Some(Node { fanout: 2, ..node }), ..plain },
                Parameters { node: Some(Node { depth: 2, ..node }), ..plain },
                Parameters { node: Some(Node { leaf: 1, ..node }), ..plain },
                Parameters { node: Some(Node { offset: variant.last_offset(), ..node }), ..plain },
                Parameters { node: Some(Node { level: 1, ..node }), ..plain },
                Parameters { node: Some(Node { inner: 32, ..node }), ..plain },
                Parameters { node: Some(Node { last: true, ..node }), ..plain },
            ];
            let mut seen = vec![same.bytes().to_vec()];
            for other in others {
                seen.push(Blake2::new(variant, &other).expect("within the bounds").value().bytes().to_vec());
            }
            let count = seen.len();
            seen.sort();
            seen.dedup();
            assert_eq!(seen.len(), count, "two parameters are one");
            let long = [0; 65];
            let refused = [
                Parameters { length: variant.longest() + 1, ..plain },
                Parameters { key: &long[..=variant.longest()], ..plain },
                Parameters { salt: &long[..=variant.salt_length()], ..plain },
                Parameters { person: &long[..=variant.salt_length()], ..plain },
                Parameters { node: Some(Node { depth: 0, ..node }), ..plain },
                Parameters { node: Some(Node { inner: 65, ..node }), ..plain },
            ];
            assert!(refused.iter().all(|refused| Blake2::new(variant, refused).is_none()));
        }
        let far = Parameters { node: Some(Node { offset: 1 << 48, ..node }), ..Parameters::default() };
        assert!(Blake2::new(Variant::S, &far).is_none() && Blake2::new(Variant::B, &far).is_some());
    }
}
