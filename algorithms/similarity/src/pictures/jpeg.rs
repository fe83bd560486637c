//! JPEG. Of YCbCr the luma is read as it is in the file.

use super::canvas::Canvas;
use super::luma::Pixels;
use crate::NoDigest;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// Scans of a progressive picture that are followed: each costs a pass over all of it.
const SCANS: usize = 100;

pub fn decode(bytes: &[u8], canvas: &mut Canvas<'_>) -> Result<(), NoDigest> {
    let side = usize::from(u16::MAX);
    let options = DecoderOptions::default().set_max_width(side).set_max_height(side).jpeg_set_max_scans(SCANS);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(|_| NoDigest::Damaged)?;
    let (width, height) = decoder.dimensions().ok_or(NoDigest::Damaged)?;
    canvas.begin(width, height)?;
    let pixels = match decoder.input_colorspace() {
        Some(ColorSpace::YCbCr | ColorSpace::Luma) => Pixels::Luma,
        _ => Pixels::Rgb,
    };
    let space = if pixels == Pixels::Luma { ColorSpace::Luma } else { ColorSpace::RGB };
    decoder.set_options(options.jpeg_set_out_colorspace(space));
    let decoded = decoder.decode().map_err(|_| NoDigest::Damaged)?;
    let mut luma = vec![0; width];
    for row in decoded.chunks_exact(width * pixels.bytes()) {
        pixels.convert(row, &mut luma);
        canvas.row(&luma);
    }
    canvas.end()
}
