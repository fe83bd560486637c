//! Pictures: JPEG, PNG, GIF (its first frame), WebP and BMP, as rows of luma.
//!
//! A picture is decoded by maintained crates, and by this project's own reader of BMP. Luma is that
//! of ITU-R BT.601; transparent pixels are white. A note in the file that the picture is to be
//! turned (EXIF) is not followed, as the reference programs of both methods do not follow it.

mod bits;
mod limits;

#[cfg(feature = "pictures")]
mod bmp;
#[cfg(feature = "pictures")]
mod canvas;
#[cfg(feature = "pictures")]
mod cosine;
#[cfg(feature = "pictures")]
mod decode;
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
mod square;
#[cfg(feature = "pictures")]
mod webp;

pub use bits::Bits;
#[cfg(feature = "pictures")]
pub use canvas::{Canvas, Rows};
#[cfg(feature = "pictures")]
pub use decode::decode;
#[cfg(feature = "pictures")]
pub use kept::PictureBytes;
#[cfg(feature = "pictures")]
pub use kind::Kind;
pub use limits::{LARGEST, LEAST_QUALITY, MOST_PIXELS};

#[cfg(feature = "pictures")]
pub(crate) use cosine::transform;
#[cfg(feature = "pictures")]
pub(crate) use scale::Axis;
#[cfg(feature = "pictures")]
pub(crate) use square::Square;
