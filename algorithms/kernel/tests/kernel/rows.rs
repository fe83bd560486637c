//! Every kernel that this CPU can run, whichever it would choose, against two other
//! implementations: RustCrypto's single-message functions and those of AWS-LC, or of a further
//! crate where AWS-LC has none. Kernels that the CPU cannot run are counted in the output.

use pfh_kernel::{
    Compression, KECCAK12, KECCAK24, Kernel, MAX_LANES, MD5, RIPEMD160, SHA1, SHA256, SHA512, SM3, Word, md5,
    ripemd160, sha1, sha256, sha512, sm3,
};
use proptest::prelude::*;
use sha2::Digest as _;
use shake::digest::{ExtendableOutput, Update, XofReader};

/// Bytes that repeat nowhere near: a wrong lane or offset shows.
pub(crate) fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e3779b97f4a7c15) | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Merkle and Damgård's padding: a 1 bit, zeros, the length in bits.
pub(crate) fn padded(message: &[u8], block: usize, big_endian: bool) -> Vec<u8> {
    let length_field = block / 8;
    let mut bytes = message.to_vec();
    bytes.push(0x80);
    while bytes.len() % block != block - length_field {
        bytes.push(0);
    }
    let bits = 8 * message.len() as u128;
    if big_endian {
        bytes.extend(&bits.to_be_bytes()[16 - length_field..]);
    } else {
        bytes.extend(&bits.to_le_bytes()[..length_field]);
    }
    bytes
}

/// The sponge's padding after a domain byte.
fn sponge_padded(message: &[u8], rate: usize, domain: u8) -> Vec<u8> {
    let mut bytes = message.to_vec();
    bytes.push(domain);
    bytes.resize(bytes.len().next_multiple_of(rate), 0);
    *bytes.last_mut().unwrap() ^= 0x80;
    bytes
}

/// Runs padded messages, all of as many blocks, through a kernel, `steps` blocks at a time, and
/// returns the words of each lane.
fn run<W: Word>(kernel: &Kernel<W>, initial: &[W], messages: &[Vec<u8>], block: usize, steps: usize) -> Vec<Vec<W>> {
    let words = initial.len();
    let mut state = vec![W::default(); kernel.state_length()];
    for lane in 0..kernel.lanes() {
        for word in 0..words {
            state[kernel.position(word, lane)] = initial[word];
        }
    }
    // One buffer with gaps of odd lengths: no two messages are aligned alike.
    let mut buffer = Vec::new();
    let starts: Vec<usize> = messages
        .iter()
        .enumerate()
        .map(|(lane, message)| {
            buffer.resize(buffer.len() + 1 + lane % 7, 0);
            buffer.extend(message);
            buffer.len() - message.len()
        })
        .collect();
    let blocks = messages[0].len() / block;
    let mut done = 0;
    while done < blocks {
        let now = steps.min(blocks - done);
        let slices: Vec<&[u8]> = starts.iter().map(|start| &buffer[start + done * block..][..now * block]).collect();
        kernel.compress(&mut state, &slices, now, block);
        done += now;
    }
    (0..kernel.lanes()).map(|lane| (0..words).map(|word| state[kernel.position(word, lane)]).collect()).collect()
}

/// A message to its digest.
type Oracle = fn(&[u8]) -> Vec<u8>;

/// One function: how to start, pad and read the state, and the expected results.
struct Case<W: Word> {
    compression: &'static Compression<W>,
    initial: Vec<W>,
    block: usize,
    pad: fn(&[u8]) -> Vec<u8>,
    bytes: fn(&[W]) -> Vec<u8>,
    oracles: Vec<Oracle>,
}

impl<W: Word> Case<W> {
    /// Messages of other lengths in every lane, padded to the same number of blocks. Every kernel
    /// gets the same ones, so that each oracle is asked once: under an emulator they take longer
    /// than the kernels.
    fn holds(&self, seed: u64, blocks: usize, steps: usize) {
        let whole = blocks * self.block;
        // From the shortest to the longest message that pads to that many blocks.
        let mut lengths = (0..=whole).filter(|&n| (self.pad)(&vec![0; n]).len() == whole);
        let shortest = lengths.next().unwrap();
        let count = lengths.count() + 1;
        let most = self.compression.kernels().map(Kernel::lanes).max().unwrap_or(0);
        let messages: Vec<Vec<u8>> =
            (0..most).map(|lane| noise(seed + lane as u64, shortest + (seed as usize + 5 * lane) % count)).collect();
        let padded: Vec<Vec<u8>> = messages.iter().map(|message| (self.pad)(message)).collect();
        let expected: Vec<Vec<Vec<u8>>> =
            messages.iter().map(|message| self.oracles.iter().map(|oracle| oracle(message)).collect()).collect();
        for kernel in self.compression.kernels() {
            let states = run(kernel, &self.initial, &padded[..kernel.lanes()], self.block, steps);
            for (lane, state) in states.iter().enumerate() {
                let got = (self.bytes)(state);
                for expected in &expected[lane] {
                    assert_eq!(
                        got[..expected.len()],
                        expected[..],
                        "{} {} lane {lane}, {} bytes",
                        self.compression.name(),
                        kernel.name(),
                        messages[lane].len()
                    );
                }
            }
        }
        let skipped = self.compression.absent().count();
        if skipped > 0 {
            println!("{}: {skipped} kernels skipped, this CPU lacks their instructions", self.compression.name());
        }
    }

    /// One to nine blocks, in steps of one to all.
    fn holds_for_many(&self) {
        for blocks in 1..=9 {
            for seed in 0..6 {
                self.holds(1000 * blocks as u64 + seed, blocks, 1 + seed as usize % blocks);
            }
        }
    }
}

pub(crate) fn big(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}
pub(crate) fn little(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
fn big64(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_be_bytes()).collect()
}
fn little64(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
// The second hand of SHA-1 and SHA-2: rust-bitcoin's.
pub(crate) fn sha1_second(message: &[u8]) -> Vec<u8> {
    bitcoin_hashes::sha1::Hash::hash(message).to_byte_array().to_vec()
}
pub(crate) fn sha256_second(message: &[u8]) -> Vec<u8> {
    bitcoin_hashes::sha256::Hash::hash(message).to_byte_array().to_vec()
}
pub(crate) fn sha512_second(message: &[u8]) -> Vec<u8> {
    bitcoin_hashes::sha512::Hash::hash(message).to_byte_array().to_vec()
}
fn shake128(message: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 168];
    let mut hasher = shake::Shake128::default();
    hasher.update(message);
    hasher.finalize_xof().read(&mut bytes);
    bytes
}
fn shake128_second(message: &[u8]) -> Vec<u8> {
    tiny_keccak_digest(tiny_keccak::Shake::v128(), message, 168)
}
fn tiny_keccak_digest(mut hasher: impl tiny_keccak::Hasher, message: &[u8], length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    hasher.update(message);
    hasher.finalize(&mut bytes);
    bytes
}
fn md5_case() -> Case<u32> {
    Case {
        compression: &MD5,
        initial: md5::INITIAL.to_vec(),
        block: 64,
        pad: |message| padded(message, 64, false),
        bytes: little,
        oracles: vec![|message| md5_oracle(message), |message| md5_second::compute(message).to_vec()],
    }
}
pub(crate) fn md5_oracle(message: &[u8]) -> Vec<u8> {
    <::md5::Md5 as ::md5::Digest>::digest(message).to_vec()
}
fn sha1_case() -> Case<u32> {
    Case {
        compression: &SHA1,
        initial: sha1::INITIAL.to_vec(),
        block: 64,
        pad: |message| padded(message, 64, true),
        bytes: big,
        oracles: vec![|message| <::sha1::Sha1 as ::sha1::Digest>::digest(message).to_vec(), sha1_second],
    }
}
fn sha256_case(initial: [u32; 8], oracles: Vec<Oracle>) -> Case<u32> {
    Case {
        compression: &SHA256,
        initial: initial.to_vec(),
        block: 64,
        pad: |message| padded(message, 64, true),
        bytes: big,
        oracles,
    }
}
fn sha512_case(initial: [u64; 8], oracles: Vec<Oracle>) -> Case<u64> {
    Case {
        compression: &SHA512,
        initial: initial.to_vec(),
        block: 128,
        pad: |message| padded(message, 128, true),
        bytes: big64,
        oracles,
    }
}
fn sponge_case(
    compression: &'static Compression<u64>,
    block: usize,
    pad: fn(&[u8]) -> Vec<u8>,
    oracles: Vec<Oracle>,
) -> Case<u64> {
    Case { compression, initial: vec![0; 25], block, pad, bytes: little64, oracles }
}
fn ripemd160_case() -> Case<u32> {
    Case {
        compression: &RIPEMD160,
        initial: ripemd160::INITIAL.to_vec(),
        block: 64,
        pad: |message| padded(message, 64, false),
        bytes: little,
        oracles: vec![|message| <ripemd::Ripemd160 as ripemd::Digest>::digest(message).to_vec(), |message| {
            bitcoin_hashes::ripemd160::Hash::hash(message).to_byte_array().to_vec()
        }],
    }
}

fn sm3_case() -> Case<u32> {
    Case {
        compression: &SM3,
        initial: sm3::INITIAL.to_vec(),
        block: 64,
        pad: |message| padded(message, 64, true),
        bytes: big,
        oracles: vec![|message| <::sm3::Sm3 as ::sm3::Digest>::digest(message).to_vec()],
    }
}

#[test]
fn md5() {
    md5_case().holds_for_many();
}
#[test]
fn sha1() {
    sha1_case().holds_for_many();
}
#[test]
fn sha256() {
    sha256_case(sha256::INITIAL, vec![|m| sha2::Sha256::digest(m).to_vec(), sha256_second]).holds_for_many();
    sha256_case(
        sha256::INITIAL_224,
        vec![|m| sha2::Sha224::digest(m).to_vec(), |m| sha2_const::Sha224::new().update(m).finalize().to_vec()],
    )
    .holds_for_many();
}
#[test]
fn sha512() {
    sha512_case(sha512::INITIAL, vec![|m| sha2::Sha512::digest(m).to_vec(), sha512_second]).holds_for_many();
    sha512_case(
        sha512::INITIAL_384,
        vec![|m| sha2::Sha384::digest(m).to_vec(), |m| bitcoin_hashes::sha384::Hash::hash(m).to_byte_array().to_vec()],
    )
    .holds_for_many();
    sha512_case(
        sha512::INITIAL_512_256,
        vec![|m| sha2::Sha512_256::digest(m).to_vec(), |m| {
            bitcoin_hashes::sha512_256::Hash::hash(m).to_byte_array().to_vec()
        }],
    )
    .holds_for_many();
    sha512_case(
        sha512::INITIAL_512_224,
        vec![|m| sha2::Sha512_224::digest(m).to_vec(), |m| sha2_const::Sha512_224::new().update(m).finalize().to_vec()],
    )
    .holds_for_many();
}
#[test]
fn keccak24_at_every_rate_in_use() {
    let pad224 = |m: &[u8]| sponge_padded(m, 144, 0x06);
    let pad256 = |m: &[u8]| sponge_padded(m, 136, 0x06);
    let pad384 = |m: &[u8]| sponge_padded(m, 104, 0x06);
    let pad512 = |m: &[u8]| sponge_padded(m, 72, 0x06);
    let pad_shake = |m: &[u8]| sponge_padded(m, 168, 0x1f);
    sponge_case(
        &KECCAK24,
        144,
        pad224,
        vec![|m| sha3::Sha3_224::digest(m).to_vec(), |m| tiny_keccak_digest(tiny_keccak::Sha3::v224(), m, 28)],
    )
    .holds_for_many();
    sponge_case(
        &KECCAK24,
        136,
        pad256,
        vec![|m| sha3::Sha3_256::digest(m).to_vec(), |m| tiny_keccak_digest(tiny_keccak::Sha3::v256(), m, 32)],
    )
    .holds_for_many();
    sponge_case(
        &KECCAK24,
        104,
        pad384,
        vec![|m| sha3::Sha3_384::digest(m).to_vec(), |m| tiny_keccak_digest(tiny_keccak::Sha3::v384(), m, 48)],
    )
    .holds_for_many();
    sponge_case(
        &KECCAK24,
        72,
        pad512,
        vec![|m| sha3::Sha3_512::digest(m).to_vec(), |m| tiny_keccak_digest(tiny_keccak::Sha3::v512(), m, 64)],
    )
    .holds_for_many();
    sponge_case(&KECCAK24, 168, pad_shake, vec![shake128, shake128_second]).holds_for_many();
}
#[test]
fn ripemd160() {
    ripemd160_case().holds_for_many();
}
#[test]
fn sm3() {
    sm3_case().holds_for_many();
}

/// RFC 9861, section 5: TurboSHAKE128 with domain 0x1f of the messages of 17^i bytes in the pattern
/// 00..fa.
#[test]
fn keccak12_computes_the_examples_of_rfc_9861() {
    let expected = [
        (0, "1e415f1c5983aff2169217277d17bb538cd945a397ddec541f1ce41af2c1b74c"),
        (1, "55cedd6f60af7bb29a4042ae832ef3f58db7299f893ebb9247247d856958daa9"),
        (17, "9c97d036a3bac819db70ede0ca554ec6e4c2a1a4ffbfd9ec269ca6a111161233"),
        (289, "96c77c279e0126f7fc07c9b07f5cdae1e0be60bdbe10620040e75d7223a624d2"),
        (4913, "d4976eb56bcf118520582b709f73e1d6853e001fdaf80e1b13e0d0599d5fb372"),
        (83521, "da67c7039e98bf530cf7a37830c6664e14cbab7f540f58403b1b82951318ee5c"),
    ];
    for (length, hex) in expected {
        let message: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        let blocks = sponge_padded(&message, 168, 0x1f);
        for kernel in KECCAK12.kernels() {
            for state in run(kernel, &[0; 25], &vec![blocks.clone(); kernel.lanes()], 168, usize::MAX) {
                let got: String = little64(&state[..4]).iter().map(|byte| format!("{byte:02x}")).collect();
                assert_eq!(got, hex, "{} of {length} bytes", kernel.name());
            }
        }
    }
}

/// Absorbing a block of zeros permutes as squeezing does, and with different states in the lanes.
#[test]
fn permute_agrees_with_absorbing_zeros() {
    let zeros = [0u8; 168];
    for compression in [&KECCAK24, &KECCAK12] {
        for kernel in compression.kernels() {
            let mut absorbed: Vec<u64> = (0..kernel.state_length() as u64).map(|i| i * i).collect();
            let mut permuted = absorbed.clone();
            for _ in 0..3 {
                kernel.compress(&mut absorbed, &vec![&zeros[..]; kernel.lanes()], 1, 168);
            }
            kernel.permute(&mut permuted, 3);
            assert_eq!(absorbed, permuted, "{}", kernel.name());
        }
    }
}

#[test]
fn kernels_of_this_machine_pass_their_own_test() {
    fn all_pass<W: Word>(compression: &'static Compression<W>) {
        assert!(compression.kernels().all(|kernel| (1..=MAX_LANES).contains(&kernel.lanes())));
        assert!(compression.refused().is_empty(), "{}: {:?}", compression.name(), compression.refused());
        assert_eq!(compression.one().lanes(), 1);
        for messages in 1..200 {
            assert!(compression.many(messages).lanes() <= 2 * messages.max(32));
        }
    }
    all_pass(&MD5);
    all_pass(&SHA1);
    all_pass(&SHA256);
    all_pass(&SHA512);
    all_pass(&KECCAK24);
    all_pass(&KECCAK12);
    all_pass(&RIPEMD160);
    all_pass(&SM3);
}

#[test]
#[should_panic(expected = "shorter than the blocks")]
fn a_short_message_is_refused() {
    SHA256.one().compress(&mut [0; 8], &[&[0; 127]], 2, 64);
}

#[test]
#[should_panic(expected = "one message for each lane")]
fn a_missing_message_is_refused() {
    SHA256.one().compress(&mut [0; 8], &[], 1, 64);
}

#[test]
#[should_panic(expected = "block length")]
fn a_foreign_block_length_is_refused() {
    KECCAK24.one().compress(&mut [0; 25], &[&[0; 200]], 1, 200);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn any_blocks_in_any_steps(seed in 0u64..1 << 40, blocks in 1usize..20, steps in 1usize..20) {
        md5_case().holds(seed, blocks, steps);
        sha1_case().holds(seed, blocks, steps);
        sha256_case(sha256::INITIAL, vec![|m| sha2::Sha256::digest(m).to_vec()]).holds(seed, blocks, steps);
        sha512_case(sha512::INITIAL, vec![|m| sha2::Sha512::digest(m).to_vec()]).holds(seed, blocks, steps);
        sponge_case(&KECCAK24, 168, |m| sponge_padded(m, 168, 0x1f), vec![shake128]).holds(seed, blocks, steps);
        ripemd160_case().holds(seed, blocks, steps);
        sm3_case().holds(seed, blocks, steps);
    }
}
