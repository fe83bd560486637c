//! Colours as luma, by ITU-R BT.601 in whole numbers of 16 bits, as Pillow computes its mode L.

/// The luma of a colour.
#[inline(always)]
pub fn luma([red, green, blue]: [u8; 3]) -> u8 {
    ((u32::from(red) * 19_595 + u32::from(green) * 38_470 + u32::from(blue) * 7_471 + 0x8000) >> 16) as u8
}

/// The same on white, which an `alpha` below 255 lets through.
#[inline(always)]
pub fn on_white(luma: u8, alpha: u8) -> u8 {
    let alpha = u32::from(alpha);
    ((u32::from(luma) * alpha + 255 * (255 - alpha) + 127) / 255) as u8
}

/// How pixels lie in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pixels {
    Luma,
    LumaAlpha,
    Rgb,
    Rgba,
}

impl Pixels {
    /// Bytes of a pixel.
    pub fn bytes(self) -> usize {
        match self {
            Pixels::Luma => 1,
            Pixels::LumaAlpha => 2,
            Pixels::Rgb => 3,
            Pixels::Rgba => 4,
        }
    }

    /// Writes the luma of a row of pixels.
    pub fn convert(self, row: &[u8], out: &mut [u8]) {
        match self {
            Pixels::Luma => out.iter_mut().zip(row).for_each(|(out, luma)| *out = *luma),
            Pixels::LumaAlpha => {
                out.iter_mut().zip(row.chunks_exact(2)).for_each(|(out, p)| *out = on_white(p[0], p[1]));
            }
            Pixels::Rgb => {
                out.iter_mut().zip(row.chunks_exact(3)).for_each(|(out, p)| *out = luma([p[0], p[1], p[2]]));
            }
            Pixels::Rgba => {
                let of = |p: &[u8]| on_white(luma([p[0], p[1], p[2]]), p[3]);
                out.iter_mut().zip(row.chunks_exact(4)).for_each(|(out, p)| *out = of(p));
            }
        }
    }
}
