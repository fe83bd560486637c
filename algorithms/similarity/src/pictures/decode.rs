//! From a file to rows of luma.

use super::canvas::{Canvas, Rows};
use super::kind::Kind;
use super::limits::LARGEST;
use super::{bmp, gif, jpeg, png, webp};
use crate::NoDigest;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Hands the rows of a picture to `rows`, from top to bottom.
///
/// # Errors
/// [`NoDigest::OtherKind`] for a file of another kind, [`NoDigest::OtherPicture`] for one in a
/// format that is not read; other reasons for a picture that is damaged or too large.
pub fn decode(bytes: &[u8], rows: &mut dyn Rows) -> Result<(), NoDigest> {
    let kind = Kind::of(bytes).ok_or_else(|| Kind::lacking(bytes))?;
    if bytes.len() as u64 > LARGEST {
        return Err(NoDigest::TooLong(LARGEST));
    }
    let mut canvas = Canvas::new(rows);
    let decode = || match kind {
        Kind::Jpeg => jpeg::decode(bytes, &mut canvas),
        Kind::Png => png::decode(bytes, &mut canvas),
        Kind::Gif => gif::decode(bytes, &mut canvas),
        Kind::WebP => webp::decode(bytes, &mut canvas),
        Kind::Bmp => bmp::decode(bytes, &mut canvas),
    };
    // No picture of many thousands made a decoder panic; one that does is damaged, and must not
    // end a run over evidence.
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or(Err(NoDigest::Damaged))
}
