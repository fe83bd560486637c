//! Why a hash of file and nonce is not an audit: servers that have deleted the file answer the
//! naive challenges rightly from saved states. (Ristenpart, Shacham, Shrimpton, *Careful with
//! composition*, EUROCRYPT 2011: iterated hashes are online.) The same servers fail against the
//! audit of this crate.

use blake3::hazmat::{self, HasherExt, Mode};
use pfh_digest::Algorithm;
use pfh_tree::audit::{Challenge, Commitment, ProofError, Sample, prove};
use pfh_tree::outboard::{Builder, Function, Parameters};

/// One MiB and an odd tail.
fn file() -> Vec<u8> {
    (0..(1u64 << 20) + 77).map(|i| (i.wrapping_mul(0x9e3779b97f4a7c15) >> 56) as u8).collect()
}

fn honest(name: &str, parts: [&[u8]; 2]) -> Vec<u8> {
    let algorithm: Algorithm = name.parse().unwrap();
    algorithm.digest(&parts.concat()).bytes().to_vec()
}

/// SHA-256(file ‖ nonce): 32 bytes of state, the tail of less than a block, the length.
#[test]
fn sha256_of_file_then_nonce_is_forged_from_112_bytes() {
    let file = file();
    // Before: the server hashes the file once and keeps this.
    let whole = file.len() / 64;
    let mut state = pfh_kernel::sha256::INITIAL;
    pfh_kernel::SHA256.one().compress(&mut state, &[&file[..64 * whole]], whole, 64);
    let (tail, length) = (file[64 * whole..].to_vec(), file.len() as u64);
    assert!(32 + tail.len() + 8 <= 112);
    let expected = |nonce: &[u8]| honest("sha256", [&file, nonce]);

    // After: any nonce.
    for nonce in [[1; 32], [2; 32]] {
        let mut end = [&tail[..], &nonce, &[0x80]].concat();
        end.resize((end.len() + 8).next_multiple_of(64) - 8, 0);
        end.extend((8 * (length + 32)).to_be_bytes());
        let mut state = state;
        pfh_kernel::SHA256.one().compress(&mut state, &[&end], end.len() / 64, 64);
        let answer: Vec<u8> = state.iter().flat_map(|word| word.to_be_bytes()).collect();
        assert_eq!(answer, expected(&nonce));
    }
}

/// SHA3-256(file ‖ nonce): the 200 bytes of the sponge's state, into which the tail is already
/// xored, and where it stands.
#[test]
fn sha3_of_file_then_nonce_is_forged_from_201_bytes() {
    let file = file();
    let whole = file.len() / 136;
    let mut state = [0u64; 25];
    pfh_kernel::KECCAK24.one().compress(&mut state, &[&file[..136 * whole]], whole, 136);
    let mut saved: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).collect();
    let tail = &file[136 * whole..];
    saved.iter_mut().zip(tail).for_each(|(byte, tail)| *byte ^= tail);
    let place = tail.len() as u8;
    assert_eq!(saved.len() + size_of_val(&place), 201);

    for nonce in [[3; 32], [4; 32]] {
        let mut state = [0u64; 25];
        for (word, bytes) in state.iter_mut().zip(saved.chunks(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap());
        }
        // The tail has gone in: zeros in its place change nothing.
        let mut end = [&vec![0; place.into()][..], &nonce, &[0x06]].concat();
        end.resize(end.len().next_multiple_of(136), 0);
        *end.last_mut().unwrap() |= 0x80;
        pfh_kernel::KECCAK24.one().compress(&mut state, &[&end], end.len() / 136, 136);
        let answer: Vec<u8> = state.iter().flat_map(|word| word.to_le_bytes()).take(32).collect();
        assert_eq!(answer, honest("sha3-256", [&file, &nonce]));
    }
}

/// The value of BLAKE3's subtree over `bytes`, which begin at `offset` of the whole.
fn subtree(bytes: &[u8], offset: u64) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    hasher.set_input_offset(offset);
    hasher.update(bytes);
    hasher.finalize_non_root()
}

/// The root over subtrees from left to right, all but the last of a power of two of chunks,
/// descending.
fn root_of(subtrees: &[[u8; 32]]) -> [u8; 32] {
    let (first, rest) = subtrees.split_first().unwrap();
    let mut right = *rest.last().unwrap();
    for left in rest[..rest.len() - 1].iter().rev() {
        right = hazmat::merge_subtrees_non_root(left, &right, Mode::Hash);
    }
    *hazmat::merge_subtrees_root(first, &right, Mode::Hash).as_bytes()
}

/// BLAKE3(file ‖ nonce): the values of the complete subtrees and the tail of less than a chunk.
/// Here one value suffices: the file's whole MiB is one subtree.
#[test]
fn blake3_of_file_then_nonce_is_forged_from_subtree_values() {
    let file = file();
    let mib = subtree(&file[..1 << 20], 0);
    let tail = file[1 << 20..].to_vec();
    assert!(size_of_val(&mib) + tail.len() < 1900);
    for nonce in [[5; 32], [6; 32]] {
        let last = subtree(&[&tail[..], &nonce].concat(), 1 << 20);
        assert_eq!(root_of(&[mib, last]).to_vec(), honest("blake3", [&file, &nonce]));
    }
}

/// BLAKE3(nonce ‖ file), although the nonce comes first: only the first chunk depends on it. The
/// server keeps the 992 bytes that share the nonce's chunk, and the values of the subtrees after
/// it, which double in size: 32 bytes for each.
#[test]
fn blake3_of_nonce_then_file_is_forged_from_1400_bytes() {
    let file = file();
    let head = file[..992].to_vec();
    // Chunk 1, chunks 2 and 3, 4 to 7, …, 512 to 1023, and the rest.
    let mut saved = Vec::new();
    let mut start = 1024u64;
    while start < 1 << 20 {
        saved.push(subtree(&file[start as usize - 32..2 * start as usize - 32], start));
        start *= 2;
    }
    saved.push(subtree(&file[start as usize - 32..], start));
    assert!(head.len() + 32 * saved.len() <= 1400);

    for nonce in [[7; 32], [8; 32]] {
        let mut left = subtree(&[&nonce[..], &head].concat(), 0);
        let (last, middle) = saved.split_last().unwrap();
        for right in middle {
            left = hazmat::merge_subtrees_non_root(&left, right, Mode::Hash);
        }
        assert_eq!(root_of(&[left, *last]).to_vec(), honest("blake3", [&nonce, &file]));
    }
}

/// The cure: a server that kept the whole tree, but not the file, cannot answer; nor can one who
/// kept all answers so far.
#[test]
fn the_same_server_fails_the_audit() {
    let file = file();
    for function in Function::ALL {
        let mut builder = Builder::new(Parameters::new(function, 16384).unwrap());
        builder.update(&file);
        let outboard = builder.finish();
        let commitment = Commitment::of(&outboard);
        let ask = |nonce| Challenge::new([nonce; 32], b"file".to_vec(), &commitment, Sample::Leaves(20)).unwrap();
        let read = |range: std::ops::Range<u64>| Ok(file[range.start as usize..range.end as usize].to_vec());
        let kept: Vec<_> = (0..50).map(|nonce| prove(&ask(nonce), &outboard, read).unwrap()).collect();

        let challenge = ask(200);
        assert!(kept.iter().all(|proof| commitment.verify(&challenge, proof).is_err()));
        let gone = prove(&challenge, &outboard, |_| Err(std::io::ErrorKind::NotFound.into()));
        assert!(matches!(gone, Err(ProofError::Read(_))));
        let zeros = prove(&challenge, &outboard, |range| Ok(vec![0; (range.end - range.start) as usize])).unwrap();
        assert!(commitment.verify(&challenge, &zeros).is_err());
    }
}
