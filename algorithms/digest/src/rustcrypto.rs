//! Adapters from RustCrypto's traits to [`State`].

use digest::{FixedOutput, Update};

use crate::{State, Value};

/// A hash of fixed length.
#[derive(Clone)]
struct FixedHash<D>(D);

impl<D: Clone + Update + FixedOutput + Send + Sync + 'static> State for FixedHash<D> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self: Box<Self>, _length: usize) -> Value {
        Value::from_bytes(&self.0.finalize_fixed())
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(self.clone())
    }
}

/// The empty message under a hash of fixed length.
pub(crate) fn fixed<D: Clone + Default + Update + FixedOutput + Send + Sync + 'static>() -> Box<dyn State> {
    Box::new(FixedHash(D::default()))
}
