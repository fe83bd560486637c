//! Functions of a key and a message.

use crate::row::{KeyedFunction, Many};
use crate::{Algorithm, Digest, Hasher, State, Value};

/// HMAC (RFC 2104) over the function whose name follows `hmac-` in the row's own.
pub(crate) struct Hmac;

/// HMAC (RFC 2104) of a function that is under way: two hashers, each of which has taken in a block
/// of the key.
#[derive(Clone)]
pub struct Mac {
    pub(crate) inner: Hasher,
    pub(crate) outer: Hasher,
}

impl Mac {
    /// Begins a message under a key of any length, which is not kept.
    pub fn new(function: Algorithm, key: &[u8]) -> Mac {
        let mut block = vec![0; function.block_length()];
        if key.len() > block.len() {
            let short = function.digest(key);
            block[..short.bytes().len()].copy_from_slice(short.bytes());
        } else {
            block[..key.len()].copy_from_slice(key);
        }
        let padded = |pad: u8| {
            let mut hasher = function.hasher();
            hasher.update(&block.iter().map(|byte| byte ^ pad).collect::<Vec<u8>>());
            hasher
        };
        Mac { inner: padded(0x36), outer: padded(0x5c) }
    }

    /// Takes in the next bytes of the message.
    pub fn update(&mut self, bytes: &[u8]) {
        self.inner.update(bytes);
    }

    /// The code, as long as a digest of the function.
    pub fn finalize(mut self) -> Digest {
        self.outer.update(self.inner.finalize().bytes());
        self.outer.finalize()
    }
}

impl KeyedFunction for Hmac {
    fn refuses(&self, key: &[u8]) -> Option<&'static str> {
        key.is_empty().then_some("the key is empty")
    }

    fn start(&'static self, name: &str, key: &[u8]) -> Box<dyn State> {
        Box::new(Mac::new(function(name), key))
    }

    fn lanes(&self, name: &str) -> Option<&'static dyn Many> {
        // A function that counts holds the block of the key back until more comes.
        function(name).row().many().filter(|many| !many.is_sized())
    }
}

/// The function under a row of HMAC.
fn function(name: &str) -> Algorithm {
    let function = name.strip_prefix("hmac-").and_then(|name| name.parse::<Algorithm>().ok());
    function.expect("a row of HMAC is called after its function")
}

impl State for Mac {
    fn update(&mut self, bytes: &[u8]) {
        Mac::update(self, bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_bytes(Mac::finalize(*self).bytes())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
