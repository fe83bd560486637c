//! Kernels on dedicated instructions: messages advance one by one or a few interleaved, each with a state of its own.

pub(crate) mod sha1_ni;
pub(crate) mod sha256_ni;
pub(crate) mod sha256_ni_asm;
pub(crate) mod sha512_mixed;
