//! ISO 9660 with Rock Ridge or Joliet. Own code: no maintained crate gives runs, and failures in
//! their places.

mod descriptor;
mod disc;
mod layers;
mod record;
mod rock_ridge;
mod tree;

pub use tree::open;
