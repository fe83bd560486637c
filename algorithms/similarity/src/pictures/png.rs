//! PNG, row by row unless it is interlaced. The checksums of its parts are not looked at.

use super::canvas::Canvas;
use super::luma::Pixels;
use crate::NoDigest;
use png::{BitDepth, ColorType, DecodeOptions, Decoder, Limits, Transformations};
use std::io::Cursor;

/// Bytes for the decoder's own rows and parts of the file.
const MEMORY: usize = 64 << 20;

pub fn decode(bytes: &[u8], canvas: &mut Canvas<'_>) -> Result<(), NoDigest> {
    let mut options = DecodeOptions::default();
    options.set_ignore_text_chunk(true);
    options.set_ignore_iccp_chunk(true);
    options.set_ignore_checksums(true);
    let mut decoder = Decoder::new_with_options(Cursor::new(bytes), options);
    decoder.set_limits(Limits { bytes: MEMORY });
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|_| NoDigest::Damaged)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    canvas.begin(width, height)?;
    let pixels = match reader.output_color_type() {
        (ColorType::Grayscale, BitDepth::Eight) => Pixels::Luma,
        (ColorType::GrayscaleAlpha, BitDepth::Eight) => Pixels::LumaAlpha,
        (ColorType::Rgb, BitDepth::Eight) => Pixels::Rgb,
        (ColorType::Rgba, BitDepth::Eight) => Pixels::Rgba,
        _ => return Err(NoDigest::Damaged),
    };
    let mut luma = vec![0; width];
    if reader.info().interlaced {
        let mut all = vec![0; reader.output_buffer_size().ok_or(NoDigest::Damaged)?];
        reader.next_frame(&mut all).map_err(|_| NoDigest::Damaged)?;
        for row in all.chunks_exact(width * pixels.bytes()) {
            pixels.convert(row, &mut luma);
            canvas.row(&luma);
        }
    } else {
        while let Some(row) = reader.next_row().map_err(|_| NoDigest::Damaged)? {
            pixels.convert(row.data(), &mut luma);
            canvas.row(&luma);
        }
    }
    canvas.end()
}
