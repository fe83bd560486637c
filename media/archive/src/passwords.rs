//! Passwords that may open members of archives.

use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Passwords, as bytes, in the order in which they are tried. They are never printed, and do not
/// stay in memory.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Passwords(Arc<[Zeroizing<Vec<u8>>]>);

impl Passwords {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(|password| &password[..])
    }
}

impl<'a> FromIterator<&'a [u8]> for Passwords {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(passwords: I) -> Passwords {
        Passwords(passwords.into_iter().map(|password| Zeroizing::new(password.to_vec())).collect())
    }
}

impl fmt::Debug for Passwords {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Passwords({})", self.0.len())
    }
}
