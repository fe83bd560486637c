//! Pictures: JPEG, PNG, GIF (its first frame), WebP and BMP, as rows of luma.
//!
//! A picture is decoded by maintained crates, and by this project's own reader of BMP. Luma is that
//! of ITU-R BT.601; what is transparent is white. A note in the file that the picture is to be
//! turned (EXIF) is not followed, as the reference programs of both methods do not follow it.

mod bits;

#[cfg(feature = "pictures")]
mod bmp;
#[cfg(feature = "pictures")]
mod canvas;
#[cfg(feature = "pictures")]
mod cosine;
#[cfg(feature = "pictures")]
mod gif;
#[cfg(feature = "pictures")]
mod jpeg;
#[cfg(feature = "pictures")]
mod kept;
#[cfg(feature = "pictures")]
mod kind;
#[cfg(feature = "pictures")]
mod luma;
#[cfg(feature = "pictures")]
mod png;
#[cfg(feature = "pictures")]
mod rle;
#[cfg(feature = "pictures")]
mod scale;
#[cfg(feature = "pictures")]
mod webp;

#[cfg(feature = "pictures")]
use std::panic::{AssertUnwindSafe, catch_unwind};

pub use bits::Bits;
#[cfg(feature = "pictures")]
pub use canvas::{Canvas, Rows};
#[cfg(feature = "pictures")]
pub use kept::Kept;
#[cfg(feature = "pictures")]
pub use kind::Kind;

#[cfg(feature = "pictures")]
pub(crate) use cosine::transform;
#[cfg(feature = "pictures")]
pub(crate) use scale::{Axis, Scaler};

/// The largest file that is decoded, in bytes: it is in memory meanwhile.
pub const LARGEST: u64 = 64 << 20;
/// The most pixels of a picture that is decoded: they are in memory meanwhile, with up to six bytes
/// each.
pub const MOST_PIXELS: u64 = 1 << 26;
/// A picture with less contrast than this, in PDQ's measure of 0 to 100, has no digest: all such
/// pictures are alike.
pub const LEAST_QUALITY: u32 = 50;

/// Hands the rows of a picture to `rows`, from top to bottom.
///
/// # Errors
/// [`NoDigest::OtherKind`](crate::NoDigest::OtherKind) for a file of another kind; other reasons
/// for a picture that is damaged or too large.
#[cfg(feature = "pictures")]
pub fn decode(bytes: &[u8], rows: &mut dyn Rows) -> Result<(), crate::NoDigest> {
    let kind = Kind::of(bytes).ok_or(crate::NoDigest::OtherKind)?;
    if bytes.len() as u64 > LARGEST {
        return Err(crate::NoDigest::TooLong(LARGEST));
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
    catch_unwind(AssertUnwindSafe(decode)).unwrap_or(Err(crate::NoDigest::Damaged))
}
