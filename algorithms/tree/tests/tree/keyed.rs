//! Trees under keys: roots against plain recursive definitions, changes against trees built again,
//! and other keys.

use crate::reference;
use pfh_digest::Algorithm;
use pfh_tree::WireError;
use pfh_tree::audit::{Challenge, Commitment, Rejection, Renewal, Sample, prove};
use pfh_tree::outboard::{Builder, Function, Key, Outboard, PagedTree, Parameters, TreeKeyError, Unusable, Value};
use pfh_tree::range::{NoRange, RangeProof, Unshown};
use proptest::collection::vec;
use proptest::prelude::*;

const LEAF: usize = 1024;
const KEY: &[u8; 32] = b"whats the Elvish word for friend";
const OTHER: &[u8; 32] = b"whats the Elvish word for foe...";

fn parameters(function: Function, key: &'static [u8]) -> Parameters {
    Parameters::under(function, LEAF, Some(Key::new(key))).unwrap().unwrap()
}

fn build(function: Function, key: &'static [u8], data: &[u8]) -> Outboard {
    let mut builder = Builder::new(parameters(function, key));
    data.chunks(70_001).for_each(|piece| builder.update(piece));
    builder.finish()
}

fn noise(length: usize, seed: u64) -> Vec<u8> {
    (0..length as u64).map(|i| ((i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

/// HMAC as RFC 2104 writes it, over blocks of this many bytes.
fn hmac(name: &str, block: usize, key: &[u8], message: &[u8]) -> Value {
    let hash = |parts: &[&[u8]]| name.parse::<Algorithm>().unwrap().digest(&parts.concat()).bytes().to_vec();
    let mut padded = if key.len() > block { hash(&[key]) } else { key.to_vec() };
    padded.resize(block, 0);
    let with = |pad: u8| padded.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>();
    hash(&[&with(0x5c), &hash(&[&with(0x36), message])]).try_into().unwrap()
}

fn mac(function: Function, key: &[u8], message: &[u8]) -> Value {
    match function {
        Function::HmacSha256 => hmac("sha256", 64, key, message),
        Function::HmacSha3_256 => hmac("sha3-256", 136, key, message),
        _ => reference::kmac256(key, message, 32).try_into().unwrap(),
    }
}

/// The root as docs/spec/tree.md defines it, by recursion over the largest power of two.
fn plain_root(function: Function, key: &[u8], data: &[u8]) -> Value {
    if function == Function::Blake3Keyed {
        return *blake3::keyed_hash(key.try_into().unwrap(), data).as_bytes();
    }
    let mac = |parts: &[&[u8]]| mac(function, key, &parts.concat());
    fn node(mac: &dyn Fn(&[&[u8]]) -> Value, leaves: &[Value]) -> (Value, u64) {
        if let [leaf] = leaves {
            return (*leaf, 0);
        }
        let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
        let ((left, level), (right, _)) = (node(mac, left), node(mac, right));
        (mac(&[b"pfh tree 1: node", &level.to_le_bytes(), &left, &right]), level + 1)
    }
    let chunks: Vec<&[u8]> = if data.is_empty() { vec![b""] } else { data.chunks(LEAF).collect() };
    let leaf = |(index, leaf): (u64, &[u8])| {
        mac(&[b"pfh tree 1: leaf", &index.to_le_bytes(), &(leaf.len() as u64).to_le_bytes(), leaf])
    };
    let (top, _) = node(&mac, &(0..).zip(chunks).map(leaf).collect::<Vec<_>>());
    mac(&[b"pfh tree 1: root", &(LEAF as u64).to_le_bytes(), &(data.len() as u64).to_le_bytes(), &top])
}

/// NIST's sample 5 of KMAC (its value is also that of `openssl mac KMAC256`).
#[test]
fn the_reference_of_kmac_agrees_with_the_standard() {
    let (key, message): (Vec<u8>, Vec<u8>) = ((0x40..0x60).collect(), (0..0xc8).collect());
    let stated = "75358cf39e41494e949707927cee0af20a3ff553904c86b08f21cc414bcfd691\
                  589d27cf5e15369cbbff8b9a4c2eb17800855d0235ff635da82533ec6b759b69";
    assert_eq!(pfh_digest::hex::encode(&reference::kmac256(&key, &message, 64)), stated);
}

#[test]
fn the_root_is_the_defined_one_at_every_small_size() {
    let data = noise(20 * LEAF, 1);
    for function in Function::KEYED {
        for length in (0..=18).flat_map(|leaves| [leaves * LEAF, leaves * LEAF + 1, leaves * LEAF + LEAF - 1]) {
            let root = *build(function, KEY, &data[..length]).root();
            assert_eq!(root, plain_root(function, KEY, &data[..length]), "{function:?} of {length} bytes");
        }
        // A key of any length but none under HMAC and KMAC, which hash or pad it.
        if function != Function::Blake3Keyed {
            for key in [&[7][..], &[7; 136], &[7; 137], &[7; 5000]] {
                let key: &'static [u8] = key.to_vec().leak();
                let root = *build(function, key, &data[..3000]).root();
                assert_eq!(root, plain_root(function, key, &data[..3000]), "{function:?}, key of {}", key.len());
            }
        }
    }
}

/// Keys are compared before anything is computed, and a wrong one is not damage.
#[test]
fn other_keys_are_refused_and_not_shown_as_damage() {
    let data = noise(5000, 2);
    for function in Function::KEYED {
        let tree = build(function, KEY, &data);
        let bytes = tree.encode();
        assert!(!bytes.windows(8).any(|window| KEY.windows(8).any(|part| part == window)), "{function:?}: the key");
        let key = |bytes: &'static [u8]| Some(Key::new(bytes));
        let unfit = TreeKeyError::Unfit(function, "the key is empty");
        assert_eq!(Outboard::decode_under(&bytes, key(KEY)), Ok(tree.clone()));
        assert_eq!(Outboard::decode(&bytes), Err(WireError::Locked(TreeKeyError::Missing(function))));
        assert_eq!(Outboard::decode_under(&bytes, key(OTHER)), Err(WireError::Locked(TreeKeyError::Other(function))));
        let empty = Outboard::decode_under(&bytes, key(b""));
        match function {
            Function::Blake3Keyed => {
                assert!(matches!(empty, Err(WireError::Locked(TreeKeyError::Unfit(Function::Blake3Keyed, _)))));
                assert!(matches!(
                    Parameters::under(function, LEAF, key(&KEY[1..])),
                    Err(TreeKeyError::Unfit(Function::Blake3Keyed, "a key has 32 bytes, no more and no fewer"))
                ));
            }
            _ => assert_eq!(empty, Err(WireError::Locked(unfit))),
        }
        for bit in 0..8 * bytes.len() {
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let error = Outboard::decode_under(&damaged, key(KEY)).unwrap_err();
            // Bits of the mark are under the checksum, so they are damage too.
            assert!(!matches!(error, WireError::Locked(_)), "{function:?}, bit {bit}: {error}");
        }
        assert_eq!(Parameters::new(function, LEAF), None);
        assert_eq!(format!("{:?}", Key::new(KEY)), "Key");
        assert!(!format!("{tree:?}").contains("119, 104"), "the key's bytes");
    }
    let plain = Parameters::new(Function::Sha256, LEAF).unwrap();
    assert_eq!(Builder::new(plain).finish().header().parameters.unlock(None), Ok(plain));
    let needless = TreeKeyError::Needless(Function::Sha256);
    assert_eq!(plain.unlock(Some(Key::new(KEY))), Err(needless));
    assert_eq!(Parameters::under(Function::Sha256, LEAF, Some(Key::new(KEY))), Err(needless));
}

/// Another key gives another root, of every function; so does another function.
#[test]
fn roots_depend_on_key_and_function() {
    let data = noise(3000, 3);
    let mut roots: Vec<Value> = Vec::new();
    for function in Function::KEYED {
        roots.extend([KEY, OTHER].map(|key| *build(function, key, &data).root()));
    }
    roots.extend(Function::ALL.map(|function| {
        let mut builder = Builder::new(Parameters::new(function, LEAF).unwrap());
        builder.update(&data);
        *builder.finish().root()
    }));
    roots.sort();
    roots.dedup();
    assert_eq!(roots.len(), 11);
}

/// The text by which an auditor keeps the parameters.
#[test]
fn parameters_in_text() {
    for function in Function::KEYED {
        let made = parameters(function, KEY);
        let stated = Parameters::named(&made.name(), LEAF).unwrap();
        assert_eq!((stated, stated.unlock(Some(Key::new(KEY)))), (made, Ok(made)));
        assert_eq!(stated.unlocked(), Err(TreeKeyError::Missing(function)));
        assert_eq!(stated.unlock(Some(Key::new(OTHER))), Err(TreeKeyError::Other(function)));
        for wrong in [function.name().to_owned(), made.name() + "0", made.name().to_uppercase()] {
            assert_eq!(Parameters::named(&wrong, LEAF), None, "{wrong}");
        }
    }
    assert_eq!(Parameters::named("sha256", LEAF), Parameters::new(Function::Sha256, LEAF));
    assert_eq!(Parameters::named("sha256:0000000000", LEAF), None);
}

fn paged(bytes: &[u8]) -> PagedTree<'_> {
    let read = |offset: u64, buffer: &mut [u8]| {
        buffer.copy_from_slice(&bytes[offset as usize..][..buffer.len()]);
        Ok(())
    };
    PagedTree::open(bytes.len() as u64, None, Box::new(read)).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Updates, appended bytes, proofs of ranges and of changes, and audits.
    #[test]
    fn changes_and_proofs(
        function in prop::sample::select(Function::KEYED.to_vec()), data in vec(any::<u8>(), 1..20_000),
        seed: u64, more in vec(any::<u8>(), 0..5000), count in 1u32..9,
    ) {
        let key = Some(Key::new(KEY));
        let mut tree = build(function, KEY, &data);
        let bytes = tree.encode();
        // A server without the key answers; the auditor needs it.
        let commitment = Commitment::of(&tree);
        let challenge = Challenge::new([seed as u8; 32], b"f".to_vec(), &commitment, Sample::leaves(count).unwrap()).unwrap();
        let locked = paged(&bytes);
        let answer = prove(&challenge, &locked, |range| Ok(data[range.start as usize..range.end as usize].to_vec())).unwrap();
        prop_assert_eq!(commitment.verify(&challenge, &answer), Ok(()));
        prop_assert!(commitment.judge(&challenge, &mut &answer.encode()[..]).is_ok());
        let kept = Commitment::new(Parameters::named(&tree.parameters().name(), LEAF).unwrap(), tree.length(), *tree.root());
        prop_assert_eq!(kept.verify(&challenge, &answer), Err(Rejection::Locked(TreeKeyError::Missing(function))));
        prop_assert!(kept.judge(&challenge, &mut &answer.encode()[..]).is_err());
        prop_assert_eq!(kept.unlock(key).unwrap().verify(&challenge, &answer), Ok(()));
        prop_assert_eq!(kept.unlock(Some(Key::new(OTHER))), Err(TreeKeyError::Other(function)));
        // A range, by who has the key, for who has it.
        let start = seed as usize % data.len();
        let range = start as u64..(start + 1 + (seed >> 32) as usize % (data.len() - start)) as u64;
        let mut read = |range: std::ops::Range<u64>| Ok(data[range.start as usize..range.end as usize].to_vec());
        let refused = RangeProof::new(&locked, range.clone(), &mut read);
        prop_assert!(matches!(refused, Err(NoRange::Tree(Unusable::Malformed(WireError::Locked(_))))));
        let proof = RangeProof::new(&locked.unlock(key).unwrap(), range.clone(), &mut read).unwrap().encode();
        let proof = RangeProof::decode(&proof).unwrap();
        prop_assert_eq!(proof.verify(tree.root()), Err(Unshown::Locked(TreeKeyError::Missing(function))));
        prop_assert_eq!(proof.clone().unlock(Some(Key::new(OTHER))), Err(TreeKeyError::Other(function)));
        let shown = proof.unlock(key).unwrap();
        let shown = shown.verify(tree.root()).unwrap();
        prop_assert_eq!((shown.bytes, shown.length), (&data[range.start as usize..range.end as usize], data.len() as u64));
        // A change in place, with its proof.
        let mut now = data.clone();
        now[start] ^= 1;
        let leaf = start / LEAF;
        let changed = &now[leaf * LEAF..now.len().min((leaf + 1) * LEAF)];
        let whole = build(function, KEY, &now);
        let value = tree.parameters().leaves_of(tree.length(), &[(leaf as u64, changed)])[0];
        let locked = paged(&bytes);
        prop_assert!(matches!(locked.change(&[(leaf as u64, value)]), Err(Unusable::Malformed(WireError::Locked(_)))));
        let change = locked.unlock(key).unwrap().change(&[(leaf as u64, value)]).unwrap();
        prop_assert_eq!(change.new_header(), whole.header());
        let renewal = Renewal::decode(&Renewal::of(&change).encode()).unwrap();
        prop_assert_eq!(kept.renew(&renewal), Err(Rejection::Locked(TreeKeyError::Missing(function))));
        prop_assert_eq!(*kept.unlock(key).unwrap().renew(&renewal).unwrap().root(), *whole.root());
        tree.update(&[(leaf as u64, changed)]).unwrap();
        prop_assert_eq!(&tree, &whole);
        // Bytes behind the end.
        now.extend(&more);
        tree.append(&now[tree.append_start() as usize..]).unwrap();
        prop_assert_eq!(tree, build(function, KEY, &now));
    }
}
