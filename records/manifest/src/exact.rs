//! A name in two forms: exact in Base64, and shown.

use crate::entry::Fault;
use data_encoding::BASE64;
use pfh_source::terminal;

/// The name that `path_b64` holds. The shown one beside it, if there is one, is of the same name:
/// escaped, or with U+FFFD in the place of bytes that are not UTF-8.
///
/// # Errors
/// Text that is not Base64, and two names.
pub fn name(exact: &[u8], shown: Option<&[u8]>) -> Result<Vec<u8>, Fault> {
    let name = BASE64.decode(exact).map_err(|_| Fault::Malformed("path_b64 is not base64"))?;
    let is_shown_so = |shown: &[u8]| {
        shown == terminal::render(&name).as_bytes() || shown == String::from_utf8_lossy(&name).as_bytes()
    };
    match shown {
        Some(shown) if !is_shown_so(shown) => Err(Fault::Malformed("path and path_b64 are two names")),
        _ => Ok(name),
    }
}
