//! The digests through the crate's public interface: published vectors, many messages, properties.
//! One binary, so that it is linked once.

mod cases;
mod keyed;
mod large;
mod many;
mod million;
mod places;
mod properties;
mod registry;
mod together;
mod vectors;
