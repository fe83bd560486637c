//! Adapters from RustCrypto's traits to [`State`].

use digest::block_api::{Buffer, UpdateCore, VariableOutputCore};
use digest::{FixedOutput, Update};

use crate::{State, Value};

/// A hash of fixed length.
#[derive(Clone)]
struct Fixed<D>(D);

impl<D: Clone + Update + FixedOutput + Send + Sync + 'static> State for Fixed<D> {
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
    Box::new(Fixed(D::default()))
}

/// A hash whose state depends on the length of its output.
struct Sized<C: VariableOutputCore> {
    core: C,
    buffer: Buffer<C>,
}

impl<C: VariableOutputCore + UpdateCore + Clone + Send + Sync + 'static> State for Sized<C>
where
    Buffer<C>: Send + Sync,
{
    fn update(&mut self, bytes: &[u8]) {
        let core = &mut self.core;
        self.buffer.digest_blocks(bytes, |blocks| core.update_blocks(blocks));
    }

    fn finalize(mut self: Box<Self>, length: usize) -> Value {
        let mut whole = Default::default();
        self.core.finalize_variable_core(&mut self.buffer, &mut whole);
        Value::from_bytes(&whole[..length])
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Sized { core: self.core.clone(), buffer: self.buffer.clone() })
    }
}

/// The empty message under a hash with `length` bytes of output, which its row allows.
pub(crate) fn sized<C>(length: usize) -> Box<dyn State>
where
    C: VariableOutputCore + UpdateCore + Clone + Send + Sync + 'static,
    Buffer<C>: Send + Sync,
{
    let core = C::new(length).expect("a length within the row's maximum");
    Box::new(Sized { core, buffer: Buffer::<C>::default() })
}
