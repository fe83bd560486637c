//! The kernels through the crate's public interface: each row of each table against portable ones,
//! and the choice of the level. One binary, so that it is linked once.

mod blake2;
#[cfg(unix)]
mod edges;
mod isa;
mod rows;
mod stitched;
