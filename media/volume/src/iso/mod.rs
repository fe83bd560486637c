//! ISO 9660 with Rock Ridge or Joliet. Own code: no kept crate gives runs and failures in place.

mod descriptor;
mod record;
mod rock_ridge;
mod tree;

pub use tree::open;
