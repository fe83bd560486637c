//! Where a decoder puts a picture.

use super::limits::MOST_PIXELS;
use crate::NoDigest;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes the rows of a picture.
pub trait Rows {
    /// The picture has this size in pixels; neither is 0.
    fn begin(&mut self, width: usize, height: usize);

    /// The next row from the top: the luma of each pixel, 0 for black.
    fn row(&mut self, luma: &[u8]);
}

/// Pictures above this number of pixels are decoded one after the other, however many threads there
/// are: a progressive JPEG needs some six bytes for each pixel.
const ALONE: u64 = 1 << 24;

/// Pixels of the longest side: more than JPEG, GIF and WebP can have.
const MOST_SIDE: usize = 1 << 16;

static TURN: Mutex<()> = Mutex::new(());

/// Where a decoder puts a picture, after its size was looked at.
pub struct Canvas<'a> {
    rows: &'a mut dyn Rows,
    turn: Option<MutexGuard<'static, ()>>,
    left: usize,
}

impl<'a> Canvas<'a> {
    /// A canvas that hands its rows on to `rows`.
    pub fn new(rows: &'a mut dyn Rows) -> Canvas<'a> {
        Canvas { rows, turn: None, left: 0 }
    }

    /// Says how large the picture is, before anything of that size is held. Returns the number of
    /// pixels.
    pub(super) fn begin(&mut self, width: usize, height: usize) -> Result<usize, NoDigest> {
        let pixels = (width as u64).saturating_mul(height as u64);
        if pixels == 0 {
            return Err(NoDigest::Damaged);
        }
        if pixels > MOST_PIXELS || width.max(height) > MOST_SIDE {
            return Err(NoDigest::TooManyPixels(MOST_PIXELS));
        }
        if pixels > ALONE {
            self.turn = Some(TURN.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.rows.begin(width, height);
        self.left = height;
        // Fits: at most MOST_PIXELS.
        Ok(pixels as usize)
    }

    /// Hands on a row; those beyond the height are left out.
    pub(super) fn row(&mut self, luma: &[u8]) {
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            self.rows.row(luma);
        }
    }

    /// Whether all rows came.
    pub(super) fn end(&self) -> Result<(), NoDigest> {
        if self.left == 0 { Ok(()) } else { Err(NoDigest::Damaged) }
    }
}
