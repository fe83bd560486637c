//! KMAC256 (NIST SP 800-185, section 4) with an empty customization string and 32 bytes of output.

use pfh_digest::encoding::right_encode;
use pfh_digest::kmac::front;
use pfh_kernel::KECCAK24;

use crate::lanes::Leaf;
use crate::sponge::Sponge;

/// Bytes per block.
const RATE: usize = 136;
/// Bytes of output.
const LENGTH: usize = 32;
/// The sponge behind the key; the domain is the suffix of cSHAKE and the first bit of the padding.
const SPONGE: Leaf = Leaf { permutation: &KECCAK24, rate: RATE, domain: 0x04, value: LENGTH };

/// The function under a key: the state before any message.
pub(crate) struct Kmac([u64; 25]);

impl Kmac {
    pub(crate) fn under(key: &[u8]) -> Kmac {
        let mut sponge = Sponge::new(&KECCAK24, RATE);
        sponge.absorb(&front(key, RATE));
        Kmac(sponge.state())
    }

    /// The codes of messages, in lanes where neighbours have one length.
    pub(crate) fn values(&self, mut messages: Vec<Vec<u8>>) -> Vec<[u8; LENGTH]> {
        let end = right_encode(8 * LENGTH as u64);
        messages.iter_mut().for_each(|message| message.extend(&end));
        let mut values = vec![[0; LENGTH]; messages.len()];
        let mut rest = &mut values[..];
        for alike in messages.chunk_by(|one, next| one.len() == next.len()) {
            let (now, later) = rest.split_at_mut(alike.len());
            let alike: Vec<&[u8]> = alike.iter().map(Vec::as_slice).collect();
            SPONGE.chain_from(&self.0, &alike, now.as_flattened_mut());
            rest = later;
        }
        values
    }
}
