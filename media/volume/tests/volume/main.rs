//! What other programs write onto images, against what this crate reads from them.

mod ext;
mod image;
mod listing;
mod mutants;
mod partitions;
mod tree;
