//! KMAC (NIST SP 800-185, section 4) with an empty customization string.

use pfh_kernel::KECCAK24;

use crate::encoding::{padded, right_encode};
use crate::function::Blocks;
use crate::row::KeyedFunction;
use crate::{Function, State, Value};

/// KMAC over blocks of `B` bytes: 168 for KMAC128, 136 for KMAC256.
pub(crate) struct Kmac<const B: usize>(Function<u64, 25, B>);

/// The suffix of cSHAKE and the first bit of the padding.
const DOMAIN: u8 = 0x04;
/// KMAC128.
pub(crate) static KMAC128: Kmac<168> = Kmac(Function::sponge(&KECCAK24, DOMAIN));
/// KMAC256.
pub(crate) static KMAC256: Kmac<136> = Kmac(Function::sponge(&KECCAK24, DOMAIN));

/// The whole blocks of `rate` bytes that stand before a message under a key.
pub fn front(key: &[u8], rate: usize) -> Vec<u8> {
    [padded(&[b"KMAC", b""], rate), padded(&[key], rate)].concat()
}

/// One message under a key.
#[derive(Clone)]
struct Message<const B: usize>(Blocks<u64, 25, B>);

impl<const B: usize> KeyedFunction for Kmac<B> {
    fn refuses(&self, key: &[u8]) -> Option<&'static str> {
        key.is_empty().then_some("the key is empty")
    }

    fn start(&'static self, _name: &str, key: &[u8]) -> Box<dyn State> {
        let mut blocks = Blocks::new(&self.0);
        blocks.update(&front(key, B));
        Box::new(Message(blocks))
    }

    fn is_sized(&self) -> bool {
        true
    }
}

impl<const B: usize> State for Message<B> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(mut self: Box<Self>, length: usize) -> Value {
        self.0.update(&right_encode(8 * length as u64));
        Box::new(self.0).finalize(length)
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
