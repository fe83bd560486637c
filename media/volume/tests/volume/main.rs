//! What other programs write onto images, against what this crate reads from them.

mod image;
mod partitions;
