//! NIST's vectors, and those of MD5 and RIPEMD-160, through every kernel of the table, whichever
//! this machine would choose: whole messages, messages in pieces, and the Monte Carlo tests.

#[path = "../../tests/digest/cases/mod.rs"]
mod cases;

use cases::{Case, cases};
use pfh_kernel::{Kernel, Word};

use super::{lanes, queue};
use crate::function::Blocks;
use crate::{Algorithm, Digest, Function, Hasher, functions};

/// A function under the name that its vectors have, with one kernel to run on.
struct ForcedKernel<W: 'static, const N: usize, const B: usize> {
    function: &'static Function<W, N, B>,
    algorithm: Algorithm,
    kernel: &'static Kernel<W>,
}

impl<W: Word, const N: usize, const B: usize> ForcedKernel<W, N, B> {
    /// Digests of whole messages; none but this kernel is used.
    fn hash(&self, length: usize, messages: &[&[u8]]) -> Vec<Digest> {
        let algorithm = self.sized(length);
        let mut queue = queue::Messages::new(Blocks::sized(self.function, length), algorithm, messages);
        lanes::run(&|_| self.kernel, &mut queue);
        queue.digests()
    }

    fn sized(&self, length: usize) -> Algorithm {
        self.algorithm.with_length(length).unwrap_or_else(|| panic!("{}: {length} bytes", self.algorithm))
    }

    fn check(&self, message: &[u8], expected: &[u8], got: &Digest) {
        assert_eq!(got.bytes(), expected, "{} on {}, {} bytes", self.algorithm, self.kernel.name(), message.len());
    }

    /// All messages together, and one lane's worth after the other.
    fn whole(&self, messages: &[(Vec<u8>, Vec<u8>)]) {
        let mut lengths: Vec<usize> = messages.iter().map(|(_, digest)| digest.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        for length in lengths {
            let group: Vec<_> = messages.iter().filter(|(_, digest)| digest.len() == length).collect();
            for size in [group.len(), self.kernel.lanes()] {
                for part in group.chunks(size) {
                    let slices: Vec<&[u8]> = part.iter().map(|(message, _)| &message[..]).collect();
                    for ((message, digest), got) in part.iter().zip(self.hash(length, &slices)) {
                        self.check(message, digest, &got);
                    }
                }
            }
        }
    }

    /// Every message in three pieces, all messages of an output length together.
    fn pieces(&self, messages: &[(Vec<u8>, Vec<u8>)]) {
        let mut hashers: Vec<Hasher> = messages.iter().map(|(_, digest)| self.sized(digest.len()).hasher()).collect();
        for third in 0..3 {
            let pieces: Vec<(&mut Blocks<W, N, B>, &[u8])> = hashers
                .iter_mut()
                .zip(messages)
                .map(|(hasher, (message, _))| {
                    let state = self.function.state(hasher).expect("a hasher of this function");
                    (state, &message[third * message.len() / 3..(third + 1) * message.len() / 3])
                })
                .collect();
            lanes::run(&|_| self.kernel, &mut queue::Pieces::new(pieces));
        }
        let mut ends = queue::Ends::new(self.function, hashers);
        lanes::run(&|_| self.kernel, &mut ends);
        for ((message, digest), got) in messages.iter().zip(ends.digests()) {
            self.check(message, digest, &got);
        }
    }

    /// The Monte Carlo tests (SHAVS section 6.4; SHA3VS sections 6.2.3 and 6.3.3). The way from one
    /// checkpoint to the next does not depend on how the first was reached, so that all hundred run
    /// at the same time; returned is how many there were.
    fn monte_carlo(&self, cases: &[Case]) -> usize {
        let mut checkpoints = 0;
        for case in cases {
            match case {
                Case::Message { .. } => {}
                Case::Monte { seed, digests } => {
                    let from = std::iter::once(seed).chain(digests).take(digests.len());
                    // SHA-1 and SHA-2 hash the last three digests, SHA-3 the last one.
                    let last = if self.algorithm.name().starts_with("sha3-") { 1 } else { 3 };
                    let mut chains: Vec<Vec<Vec<u8>>> = from.map(|seed| vec![seed.clone(); last]).collect();
                    for _ in 0..1000 {
                        let messages: Vec<Vec<u8>> = chains.iter().map(|chain| chain.concat()).collect();
                        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
                        for (chain, digest) in chains.iter_mut().zip(self.hash(seed.len(), &slices)) {
                            chain.rotate_left(1);
                            chain[last - 1] = digest.bytes().to_vec();
                        }
                    }
                    for (chain, expected) in chains.iter().zip(digests) {
                        assert_eq!(chain[last - 1], *expected, "{} on {}", self.algorithm, self.kernel.name());
                    }
                    checkpoints += digests.len();
                }
                Case::ShakeMonte { minimum, maximum, seed, digests } => {
                    let next = |output: &[u8]| {
                        let [.., high, low] = *output else { panic!("an output of {} bytes", output.len()) };
                        minimum + usize::from(u16::from_be_bytes([high, low])) % (maximum - minimum + 1)
                    };
                    let mut chains: Vec<(Vec<u8>, usize)> = vec![(seed.clone(), *maximum)];
                    chains.extend(digests.iter().map(|digest| (digest.clone(), next(digest))));
                    chains.truncate(digests.len());
                    for _ in 0..1000 {
                        let messages: Vec<Vec<u8>> = chains.iter().map(|(output, _)| message_of(output)).collect();
                        let slices: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
                        // The longest output begins with all shorter ones.
                        let longest = chains.iter().map(|(_, length)| *length).max().expect("a hundred");
                        for ((output, length), digest) in chains.iter_mut().zip(self.hash(longest, &slices)) {
                            *output = digest.bytes()[..*length].to_vec();
                            *length = next(output);
                        }
                    }
                    for ((output, _), expected) in chains.iter().zip(digests) {
                        assert_eq!(output, expected, "{} on {}", self.algorithm, self.kernel.name());
                    }
                    checkpoints += digests.len();
                }
            }
        }
        checkpoints
    }
}

/// The next message of SHAKE's Monte Carlo test: the first 128 bits of the output, with zeros where
/// it has fewer.
fn message_of(output: &[u8]) -> Vec<u8> {
    let mut message = output.to_vec();
    message.resize(16, 0);
    message
}

fn holds<W: Word, const N: usize, const B: usize>(
    function: &'static Function<W, N, B>,
    name: &str,
    expected: usize,
    checkpoints: usize,
) {
    let messages: Vec<_> = cases(name).into_iter().filter_map(Case::message).collect();
    let cases = cases(name);
    assert_eq!(messages.len(), expected, "{name}");
    let mut names = Vec::new();
    for kernel in function.compression().kernels() {
        let forced = ForcedKernel { function, algorithm: name.parse().unwrap(), kernel };
        forced.whole(&messages);
        forced.pieces(&messages);
        assert_eq!(forced.monte_carlo(&cases), checkpoints, "{name}");
        names.push(kernel.name());
    }
    let absent: Vec<_> = function.compression().absent().map(|(name, _)| name).collect();
    println!(
        "{name}: {} messages and {checkpoints} checkpoints through {names:?}; not on this CPU: {absent:?}",
        messages.len()
    );
}

/// A test per function: its vectors, the number of messages and of checkpoints that must be there.
macro_rules! functions {
    ($($test:ident $function:ident $name:literal $messages:literal $checkpoints:literal;)*) => {$(
        #[test]
        fn $test() {
            holds(&functions::$function, $name, $messages, $checkpoints);
        }
    )*};
}
functions! {
    md5 MD5 "md5" 323 0;
    sha1 SHA1 "sha1" 129 100;
    sha224 SHA224 "sha224" 129 100;
    sha256 SHA256 "sha256" 129 100;
    sha384 SHA384 "sha384" 257 100;
    sha512 SHA512 "sha512" 257 100;
    sha512_224 SHA512_224 "sha512-224" 257 100;
    sha512_256 SHA512_256 "sha512-256" 257 100;
    sha3_224 SHA3_224 "sha3-224" 245 100;
    sha3_256 SHA3_256 "sha3-256" 237 100;
    sha3_384 SHA3_384 "sha3-384" 205 100;
    sha3_512 SHA3_512 "sha3-512" 173 100;
    shake128 SHAKE128 "shake128" 1563 100;
    shake256 SHAKE256 "shake256" 1619 100;
    ripemd160 RIPEMD160 "ripemd160" 325 0;
    blake2b BLAKE2B "blake2b" 428 0;
    blake2s BLAKE2S "blake2s" 398 0;
}
