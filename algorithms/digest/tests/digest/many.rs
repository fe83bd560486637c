//! Many messages at once give the digests of each by itself, under every algorithm, for all mixes
//! of lengths, orders and pieces.

use pfh_digest::{Algorithm, Digest, Hasher, ROWS, Registry, advance_many, finalize_many, hash_many, update_many};
use proptest::prelude::*;

/// Bytes that repeat nowhere near: a wrong lane or offset shows.
fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e3779b97f4a7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// The digest by the crate of another author, where there is one.
fn oracle(algorithm: Algorithm, message: &[u8]) -> Option<Vec<u8>> {
    use md5::Digest as _;
    use shake::digest::{ExtendableOutput, Update, XofReader};
    fn xof<X: Default + Update + ExtendableOutput>(message: &[u8], length: usize) -> Vec<u8> {
        let mut hasher = X::default();
        hasher.update(message);
        let mut bytes = vec![0; length];
        hasher.finalize_xof().read(&mut bytes);
        bytes
    }
    Some(match algorithm.name() {
        "md5" => md5::Md5::digest(message).to_vec(),
        "sha1" => sha1::Sha1::digest(message).to_vec(),
        "sha224" => sha2::Sha224::digest(message).to_vec(),
        "sha256" => sha2::Sha256::digest(message).to_vec(),
        "sha384" => sha2::Sha384::digest(message).to_vec(),
        "sha512" => sha2::Sha512::digest(message).to_vec(),
        "sha512-224" => sha2::Sha512_224::digest(message).to_vec(),
        "sha512-256" => sha2::Sha512_256::digest(message).to_vec(),
        "sha3-224" => sha3::Sha3_224::digest(message).to_vec(),
        "sha3-256" => sha3::Sha3_256::digest(message).to_vec(),
        "sha3-384" => sha3::Sha3_384::digest(message).to_vec(),
        "sha3-512" => sha3::Sha3_512::digest(message).to_vec(),
        "shake128" => xof::<shake::Shake128>(message, algorithm.length()),
        "shake256" => xof::<shake::Shake256>(message, algorithm.length()),
        "ripemd160" => ripemd::Ripemd160::digest(message).to_vec(),
        "sm3" => sm3::Sm3::digest(message).to_vec(),
        "blake2b" if algorithm.length() == 64 => blake2::Blake2b512::digest(message).to_vec(),
        "blake2s" if algorithm.length() == 32 => blake2::Blake2s256::digest(message).to_vec(),
        _ => return under(algorithm, KEY, message),
    })
}

/// The code under a key by the crate of another author, of a row of HMAC.
fn under(algorithm: Algorithm, key: &[u8], message: &[u8]) -> Option<Vec<u8>> {
    use hmac::{KeyInit, Mac, SimpleHmac};
    macro_rules! code {
        ($function:ty) => {{
            let mut code = SimpleHmac::<$function>::new_from_slice(key).expect("keys of any length");
            code.update(message);
            code.finalize().into_bytes().to_vec()
        }};
    }
    Some(match algorithm.name() {
        "hmac-md5" => code!(md5::Md5),
        "hmac-sha1" => code!(sha1::Sha1),
        "hmac-sha224" => code!(sha2::Sha224),
        "hmac-sha256" => code!(sha2::Sha256),
        "hmac-sha384" => code!(sha2::Sha384),
        "hmac-sha512" => code!(sha2::Sha512),
        "hmac-sha3-256" => code!(sha3::Sha3_256),
        "hmac-sha3-512" => code!(sha3::Sha3_512),
        _ => return None,
    })
}

/// The key of a keyed function where no other is named: 32 bytes, as BLAKE3 wants them.
const KEY: &[u8] = b"whats the Elvish word for friend";

/// The digest by a third implementation, of yet other authors.
fn second_oracle(algorithm: Algorithm, message: &[u8]) -> Option<Vec<u8>> {
    fn keccak(mut hasher: impl tiny_keccak::Hasher, message: &[u8], length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        hasher.update(message);
        hasher.finalize(&mut bytes);
        bytes
    }
    let length = algorithm.length();
    Some(match algorithm.name() {
        "md5" => md5_second::compute(message).to_vec(),
        "ripemd160" => bitcoin_hashes::ripemd160::Hash::hash(message).to_byte_array().to_vec(),
        "sha1" => bitcoin_hashes::sha1::Hash::hash(message).to_byte_array().to_vec(),
        "sha224" => sha2_const::Sha224::new().update(message).finalize().to_vec(),
        "sha256" => bitcoin_hashes::sha256::Hash::hash(message).to_byte_array().to_vec(),
        "sha384" => bitcoin_hashes::sha384::Hash::hash(message).to_byte_array().to_vec(),
        "sha512" => bitcoin_hashes::sha512::Hash::hash(message).to_byte_array().to_vec(),
        "sha512-224" => sha2_const::Sha512_224::new().update(message).finalize().to_vec(),
        "sha512-256" => bitcoin_hashes::sha512_256::Hash::hash(message).to_byte_array().to_vec(),
        "blake2b" => blake2b_simd::Params::new().hash_length(length).hash(message).as_bytes().to_vec(),
        "blake2s" => blake2s_simd::Params::new().hash_length(length).hash(message).as_bytes().to_vec(),
        "sha3-224" => keccak(tiny_keccak::Sha3::v224(), message, 28),
        "sha3-256" => keccak(tiny_keccak::Sha3::v256(), message, 32),
        "sha3-384" => keccak(tiny_keccak::Sha3::v384(), message, 48),
        "sha3-512" => keccak(tiny_keccak::Sha3::v512(), message, 64),
        "shake128" => keccak(tiny_keccak::Shake::v128(), message, length),
        "shake256" => keccak(tiny_keccak::Shake::v256(), message, length),
        "sm3" => plain_sm3(message),
        _ => return None,
    })
}

/// SM3 as GB/T 32905 writes it down, word by word.
fn plain_sm3(message: &[u8]) -> Vec<u8> {
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    bytes.resize((bytes.len() + 8).next_multiple_of(64) - 8, 0);
    bytes.extend((8 * message.len() as u64).to_be_bytes());
    let mut value: [u32; 8] =
        [0x7380_166f, 0x4914_b2b9, 0x1724_42d7, 0xda8a_0600, 0xa96f_30bc, 0x1631_38aa, 0xe38d_ee4d, 0xb0fb_0e4e];
    for block in bytes.chunks(64) {
        let mut w: Vec<u32> = block.chunks(4).map(|word| u32::from_be_bytes(word.try_into().unwrap())).collect();
        for j in 16..68 {
            let x = w[j - 16] ^ w[j - 9] ^ w[j - 3].rotate_left(15);
            let p1 = x ^ x.rotate_left(15) ^ x.rotate_left(23);
            w.push(p1 ^ w[j - 13].rotate_left(7) ^ w[j - 6]);
        }
        let mut r = value;
        for j in 0..64 {
            let [a, b, c, d, e, f, g, h] = r;
            let t = if j < 16 { 0x79cc_4519_u32 } else { 0x7a87_9d8a };
            let ss1 = a.rotate_left(12).wrapping_add(e).wrapping_add(t.rotate_left(j as u32 % 32)).rotate_left(7);
            let ss2 = ss1 ^ a.rotate_left(12);
            let ff = if j < 16 { a ^ b ^ c } else { (a & b) | (a & c) | (b & c) };
            let gg = if j < 16 { e ^ f ^ g } else { (e & f) | (!e & g) };
            let tt1 = ff.wrapping_add(d).wrapping_add(ss2).wrapping_add(w[j] ^ w[j + 4]);
            let tt2 = gg.wrapping_add(h).wrapping_add(ss1).wrapping_add(w[j]);
            let p0 = tt2 ^ tt2.rotate_left(9) ^ tt2.rotate_left(17);
            r = [tt1, a, b.rotate_left(9), c, p0, e, f.rotate_left(19), g];
        }
        value.iter_mut().zip(r).for_each(|(value, word)| *value ^= word);
    }
    value.iter().flat_map(|word| word.to_be_bytes()).collect()
}

/// Both oracles know every function that has kernels.
#[test]
fn no_function_with_kernels_lacks_an_oracle() {
    for algorithm in algorithms().into_iter().filter(|algorithm| algorithm.kernels().is_some()) {
        assert!(oracle(algorithm, b"").is_some(), "{algorithm}");
        assert!(algorithm.is_keyed() || second_oracle(algorithm, b"").is_some(), "{algorithm}");
    }
}

/// Every HMAC has the lanes of its function.
#[test]
fn a_keyed_function_has_the_lanes_of_the_one_below() {
    let hmacs: Vec<Algorithm> = KEYED.keyed().filter(|one| one.name().starts_with("hmac-")).collect();
    assert_eq!(hmacs.len(), 8);
    for algorithm in hmacs {
        let below: Algorithm = algorithm.name()["hmac-".len()..].parse().unwrap();
        assert_eq!((algorithm.lanes(), algorithm.kernels()), (below.lanes(), below.kernels()), "{algorithm}");
    }
}

/// Codes of many messages under keys about the ends of a block, whole, in pieces, and both at once;
/// and hashers under several keys in one call.
#[test]
fn keys_of_any_length() {
    for algorithm in KEYED.keyed().filter(|one| one.name().starts_with("hmac-")) {
        let block = algorithm.block_length();
        let lengths = boundaries(block);
        let messages: Vec<Vec<u8>> = lengths.iter().map(|length| noise(*length as u64, *length)).collect();
        let slices: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        let mut mixed = Vec::new();
        for length in [1, 20, block - 1, block, block + 1, 3 * block] {
            let key: &'static [u8] = noise(length as u64, length).leak();
            let algorithm = algorithm.with_key(key).unwrap();
            let expected: Vec<Vec<u8>> =
                messages.iter().map(|message| under(algorithm, key, message).unwrap()).collect();
            let bytes = |digests: &[Digest]| digests.iter().map(|one| one.bytes().to_vec()).collect::<Vec<_>>();
            assert_eq!(bytes(&hash_many(algorithm, &slices)), expected, "{algorithm} key of {length}");
            assert_eq!(bytes(&streamed(algorithm, &messages, 3, length as u64)), expected, "{algorithm} {length}");
            let mut hashers: Vec<Hasher> = slices.iter().map(|_| algorithm.hasher()).collect();
            let mut pieces: Vec<(&mut Hasher, &[u8])> = hashers.iter_mut().zip(slices.iter().copied()).collect();
            assert_eq!(bytes(&advance_many(algorithm, &mut pieces, &slices)), expected, "{algorithm} {length}");
            assert_eq!(bytes(&finalize_many(hashers)), expected, "{algorithm} {length}");
            mixed.extend(slices.iter().zip(expected).map(|(message, code)| (algorithm.hasher(), *message, code)));
        }
        let mut jobs: Vec<(&mut Hasher, &[u8])> =
            mixed.iter_mut().map(|(hasher, message, _)| (hasher, *message)).collect();
        update_many(&mut jobs);
        let (hashers, codes): (Vec<Hasher>, Vec<Vec<u8>>) =
            mixed.into_iter().map(|(hasher, _, code)| (hasher, code)).unzip();
        for (digest, code) in finalize_many(hashers).iter().zip(codes) {
            assert_eq!((digest.algorithm(), digest.bytes()), (algorithm, &code[..]));
        }
    }
}

static KEYED: Registry = Registry::new(&[&ROWS]);

fn algorithms() -> Vec<Algorithm> {
    let long = ["shake128:1", "shake128:400", "shake256:137", "shake256:1000"].map(|name| name.parse().unwrap());
    let keyed = KEYED.keyed().map(|algorithm| algorithm.with_key(KEY).unwrap());
    Algorithm::all().chain(long).chain(keyed).collect()
}

fn assert_oracles(algorithm: Algorithm, message: &[u8], digest: &Digest) {
    for expected in [oracle(algorithm, message), second_oracle(algorithm, message)].into_iter().flatten() {
        assert_eq!(digest.bytes(), expected, "{algorithm} of {} bytes", message.len());
    }
}

/// Lengths at which blocks, padding and lanes change their ways.
fn boundaries(block: usize) -> Vec<usize> {
    let field = block / 8;
    let mut lengths = vec![0, 1, 2, 3, 7];
    for blocks in 1..=3 {
        let end = blocks * block;
        lengths.extend([end - field - 2, end - field - 1, end - field, end - 2, end - 1, end, end + 1]);
    }
    lengths.extend([5 * block, 16 * block + 5]);
    lengths
}

#[test]
fn one_message_at_every_boundary_agrees_with_the_oracles() {
    for algorithm in algorithms() {
        for length in boundaries(algorithm.block_length().max(16)) {
            let message = noise(length as u64, length);
            let digest = algorithm.digest(&message);
            assert_oracles(algorithm, &message, &digest);
            assert_eq!(hash_many(algorithm, &[&message]), [digest]);
        }
    }
}

#[test]
fn no_message_gives_no_digest() {
    for algorithm in algorithms() {
        assert!(hash_many(algorithm, &[]).is_empty());
    }
    update_many(&mut []);
    assert!(finalize_many(Vec::new()).is_empty());
}

/// As many messages as there are lanes, one more, one less, and several times as many, of all
/// boundary lengths.
#[test]
fn any_number_of_messages() {
    for algorithm in algorithms() {
        let lengths = boundaries(algorithm.block_length().max(16));
        let messages: Vec<Vec<u8>> =
            (0..200).map(|i| noise(i as u64, lengths[(i * 7 + i / 24) % lengths.len()])).collect();
        let expected: Vec<Digest> = messages.iter().map(|message| algorithm.digest(message)).collect();
        for count in (0..=70).chain([95, 96, 97, 127, 128, 129, 191, 192, 193, 200]) {
            let slices: Vec<&[u8]> = messages[..count].iter().map(|message| &message[..]).collect();
            assert_eq!(hash_many(algorithm, &slices), expected[..count], "{algorithm}, {count} messages");
        }
        for (message, digest) in messages.iter().zip(&expected) {
            assert_oracles(algorithm, message, digest);
        }
    }
}

/// Hashers that are advanced now alone, now together.
fn streamed(algorithm: Algorithm, messages: &[Vec<u8>], pieces: usize, seed: u64) -> Vec<Digest> {
    let mut hashers: Vec<Hasher> = messages.iter().map(|_| algorithm.hasher()).collect();
    let mut starts = vec![0; messages.len()];
    for round in 0..=pieces {
        let ends: Vec<usize> = messages
            .iter()
            .zip(&starts)
            .enumerate()
            .map(|(i, (message, start))| {
                let left = message.len() - start;
                let some = (seed as usize + 31 * i + 17 * round) % (left + 1);
                if round == pieces { message.len() } else { start + some }
            })
            .collect();
        let piece = |i: usize| &messages[i][starts[i]..ends[i]];
        if (seed as usize + round).is_multiple_of(3) {
            for (i, hasher) in hashers.iter_mut().enumerate() {
                hasher.update(piece(i));
            }
        } else {
            let mut jobs: Vec<(&mut Hasher, &[u8])> =
                hashers.iter_mut().enumerate().map(|(i, hasher)| (hasher, piece(i))).collect();
            update_many(&mut jobs);
        }
        starts = ends;
    }
    finalize_many(hashers)
}

#[test]
fn pieces_alone_and_together() {
    for algorithm in algorithms() {
        let lengths = boundaries(algorithm.block_length().max(16));
        for (seed, count) in [1, 2, 3, 4, 5, 15, 17, 33, 64, 80].into_iter().enumerate() {
            let messages: Vec<Vec<u8>> =
                (0..count).map(|i| noise((seed * 100 + i) as u64, lengths[(i * 5 + seed) % lengths.len()])).collect();
            let slices: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
            let expected = hash_many(algorithm, &slices);
            assert_eq!(streamed(algorithm, &messages, 4, seed as u64), expected, "{algorithm}, {count} messages");
        }
    }
}

/// The contract asks for hashers of one algorithm; a mix must still not give a wrong digest.
#[test]
fn hashers_of_several_algorithms_are_not_mixed_up() {
    let message = noise(9, 1000);
    let algorithms = algorithms();
    let mut hashers: Vec<Hasher> = algorithms.iter().map(|algorithm| algorithm.hasher()).collect();
    let mut jobs: Vec<(&mut Hasher, &[u8])> = hashers.iter_mut().map(|hasher| (hasher, &message[..])).collect();
    update_many(&mut jobs);
    let expected: Vec<Digest> = algorithms.iter().map(|algorithm| algorithm.digest(&message)).collect();
    assert_eq!(finalize_many(hashers), expected);
}

#[test]
fn a_copied_and_a_reset_hasher_go_their_own_way() {
    for algorithm in algorithms() {
        let mut hasher = algorithm.hasher();
        hasher.update(&noise(1, 777));
        let copy = hasher.clone();
        hasher.update(b"more");
        hasher.reset();
        hasher.update(b"abc");
        assert_eq!(hasher.finalize(), algorithm.digest(b"abc"));
        assert_eq!(copy.finalize(), algorithm.digest(&noise(1, 777)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_lengths_in_any_order(
        lengths in prop::collection::vec(prop_oneof![0usize..300, 0usize..5000, Just(64usize), Just(128usize)], 0..150),
        seed in 0u64..1000,
        pieces in 0usize..5,
    ) {
        let messages: Vec<Vec<u8>> = lengths.iter().enumerate().map(|(i, length)| noise(seed + i as u64, *length)).collect();
        let slices: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        for algorithm in algorithms() {
            let digests = hash_many(algorithm, &slices);
            for (message, digest) in messages.iter().zip(&digests) {
                assert_oracles(algorithm, message, digest);
            }
            prop_assert_eq!(&streamed(algorithm, &messages, pieces, seed), &digests);
        }
    }
}
