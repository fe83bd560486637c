//! The engine through the crate's public interface: its backends, its identities, its long entries.
//! One binary, so that it is linked once.

mod backends;
mod blocks;
mod direct;
mod identity;
mod message;
mod one_large;
mod ranges;
