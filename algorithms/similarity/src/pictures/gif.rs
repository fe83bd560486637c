//! GIF: the first frame, on white.

use super::canvas::Canvas;
use super::limits::MOST_PIXELS;
use super::luma::{luma, on_white};
use crate::NoDigest;
use gif::{ColorOutput, DecodeOptions, MemoryLimit};
use std::num::NonZeroU64;

pub fn decode(bytes: &[u8], canvas: &mut Canvas<'_>) -> Result<(), NoDigest> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::Indexed);
    options.set_memory_limit(NonZeroU64::new(MOST_PIXELS).map_or(MemoryLimit::Unlimited, MemoryLimit::Bytes));
    let mut decoder = options.read_info(bytes).map_err(|_| NoDigest::Damaged)?;
    let (width, height) = (usize::from(decoder.width()), usize::from(decoder.height()));
    canvas.begin(width, height)?;
    let global: Vec<u8> = decoder.global_palette().unwrap_or_default().to_vec();
    let frame = decoder.read_next_frame().map_err(|_| NoDigest::Damaged)?.ok_or(NoDigest::Damaged)?;
    let palette = frame.palette.as_deref().unwrap_or(&global);
    let mut colours = [0; 256];
    for (colour, entry) in colours.iter_mut().zip(palette.chunks_exact(3)) {
        *colour = luma([entry[0], entry[1], entry[2]]);
    }
    if let Some(transparent) = frame.transparent {
        colours[usize::from(transparent)] = on_white(0, 0);
    }
    let (left, top) = (usize::from(frame.left), usize::from(frame.top));
    let own = usize::from(frame.width);
    let mut row = vec![0; width];
    for y in 0..height {
        row.fill(on_white(0, 0));
        let line = y.checked_sub(top).and_then(|y| frame.buffer.get(y * own..(y + 1) * own));
        let (Some(line), Some(place)) = (line, row.get_mut(left..)) else {
            canvas.row(&row);
            continue;
        };
        place.iter_mut().zip(line).for_each(|(out, &index)| *out = colours[usize::from(index)]);
        canvas.row(&row);
    }
    canvas.end()
}
