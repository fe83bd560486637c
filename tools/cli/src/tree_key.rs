//! The option for the key of a keyed tree, of `pfh tree` and `pfh audit`.

use crate::exit::Failure;
use clap::Args;
use pfh::Secret;
use std::path::PathBuf;

/// The key of a keyed tree.
#[derive(Args)]
pub struct KeyArgs {
    /// Key of a tree by hmac-sha256, hmac-sha3-256, kmac256 or blake3-keyed: the bytes of FILE. The
    /// tree holds the algorithm and a mark of the key, never the key.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
}

impl KeyArgs {
    /// The key.
    pub fn secret(&self) -> Result<Option<Secret>, Failure> {
        crate::run::secret(self.key_file.as_ref(), None)
    }
}
