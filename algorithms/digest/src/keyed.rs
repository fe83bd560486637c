//! Functions of a key and a message.

use crate::row::Keyed;
use crate::{Algorithm, Hasher, State, Value};

/// HMAC (RFC 2104) over the function whose name follows `hmac-` in the row's own.
pub(crate) struct Hmac;

/// The two hashers, each of which has taken in a block of the key.
#[derive(Clone)]
struct Keying {
    inner: Hasher,
    outer: Hasher,
}

impl Keyed for Hmac {
    fn refuses(&self, key: &[u8]) -> Option<&'static str> {
        key.is_empty().then_some("the key is empty")
    }

    fn start(&self, name: &str, key: &[u8]) -> Box<dyn State> {
        let function = name.strip_prefix("hmac-").and_then(|name| name.parse::<Algorithm>().ok());
        let function = function.expect("a row of HMAC is called after its function");
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
        Box::new(Keying { inner: padded(0x36), outer: padded(0x5c) })
    }
}

impl State for Keying {
    fn update(&mut self, bytes: &[u8]) {
        self.inner.update(bytes);
    }

    fn finalize(mut self: Box<Self>, _length: usize) -> Value {
        self.outer.update(self.inner.finalize().bytes());
        Value::from_bytes(self.outer.finalize().bytes())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}
