//! The similarity digests through the crate's public interface: published vectors, naive twins,
//! indexes, real files. One binary, so that it is linked once.

mod against_naive;
mod generated;
mod imports;
mod index;
mod inputs;
mod naive_vectors;
mod pictures;
mod programs;
mod real_files;
mod registry;
mod tables;
mod vectors;
