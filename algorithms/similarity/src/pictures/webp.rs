//! WebP: the picture, or the first frame of a moving one.

use super::canvas::Canvas;
use super::limits::MOST_PIXELS;
use super::luma::Pixels;
use crate::NoDigest;
use image_webp::WebPDecoder;
use std::io::Cursor;

pub fn decode(bytes: &[u8], canvas: &mut Canvas<'_>) -> Result<(), NoDigest> {
    let mut decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(|_| NoDigest::Damaged)?;
    let (width, height) = decoder.dimensions();
    let (width, height) = (width as usize, height as usize);
    canvas.begin(width, height)?;
    decoder.set_memory_limit(4 * MOST_PIXELS as usize);
    let pixels = if decoder.has_alpha() { Pixels::Rgba } else { Pixels::Rgb };
    let mut decoded = vec![0; decoder.output_buffer_size().ok_or(NoDigest::Damaged)?];
    decoder.read_image(&mut decoded).map_err(|_| NoDigest::Damaged)?;
    let mut luma = vec![0; width];
    for row in decoded.chunks_exact(width * pixels.bytes()) {
        pixels.convert(row, &mut luma);
        canvas.row(&luma);
    }
    canvas.end()
}
