//! Bitmaps of Windows and OS/2: 1 to 32 bits for a pixel, masks, and both forms of run lengths
//! (Microsoft, *Bitmap Storage*). Alpha is not looked at, since most writers leave it 0.

use super::canvas::Canvas;
use super::luma::luma;
use super::rle;
use crate::NoDigest;

/// Bytes of the file header; the other header is behind it.
const FILE_HEADER: usize = 14;

/// A number of two or four bytes at a place.
fn word<const BYTES: usize>(bytes: &[u8], at: usize) -> Result<u32, NoDigest> {
    let bytes = at.checked_add(BYTES).and_then(|end| bytes.get(at..end)).ok_or(NoDigest::Damaged)?;
    Ok(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

/// Where a colour is in a pixel.
#[derive(Clone, Copy)]
struct Mask {
    shift: u32,
    most: u32,
}

impl Mask {
    fn new(mask: u32) -> Mask {
        let shift = mask.trailing_zeros().min(31);
        Mask { shift, most: mask >> shift }
    }

    /// The colour in 8 bits.
    fn of(self, pixel: u32) -> u8 {
        let value = u64::from(pixel >> self.shift & self.most);
        if self.most == 0 { 0 } else { (value * 255 / u64::from(self.most)) as u8 }
    }
}

/// How the pixels are written.
enum Form {
    /// A colour of the table, in that many bits.
    Indexed(u32),
    /// Run lengths of colours of the table, in that many bits.
    Runs(u32),
    /// Masks for red, green and blue in that many bytes.
    Masked(usize, [Mask; 3]),
}

struct Header {
    width: usize,
    height: usize,
    is_upright: bool,
    form: Form,
    /// The luma of the colours of the table.
    colours: Vec<u8>,
    /// Where the pixels begin.
    start: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Header, NoDigest> {
        let start = word::<4>(bytes, 10)? as usize;
        let own = word::<4>(bytes, FILE_HEADER)? as usize;
        let is_old = own == 12;
        let (width, height, at) = match is_old {
            true => (word::<2>(bytes, 18)? as i32, word::<2>(bytes, 20)? as i32, 22),
            false => (word::<4>(bytes, 18)? as i32, word::<4>(bytes, 22)? as i32, 26),
        };
        let bits = word::<2>(bytes, at + 2)?;
        let (compression, used) = match is_old {
            true => (0, 0),
            false => (word::<4>(bytes, 30)?, word::<4>(bytes, 46)?),
        };
        let mut table = FILE_HEADER + own;
        let form = match (bits, compression) {
            (1 | 2 | 4 | 8, 0) => Form::Indexed(bits),
            (8, 1) | (4, 2) => Form::Runs(bits),
            (16, 0) => Form::Masked(2, [0x7c00, 0x03e0, 0x001f].map(Mask::new)),
            (24 | 32, 0) => Form::Masked(bits as usize / 8, [0xff_0000, 0xff00, 0xff].map(Mask::new)),
            (16 | 32, 3 | 6) => {
                let masks = [word::<4>(bytes, 54)?, word::<4>(bytes, 58)?, word::<4>(bytes, 62)?];
                table += if own == 40 { 12 } else { 0 };
                Form::Masked(bits as usize / 8, masks.map(Mask::new))
            }
            _ => return Err(NoDigest::Damaged),
        };
        let mut colours = Vec::new();
        if let Form::Indexed(bits) | Form::Runs(bits) = form {
            let most = 1 << bits;
            let count = if used == 0 { most } else { most.min(used as usize) };
            let entry = if is_old { 3 } else { 4 };
            let entries = bytes.get(table..).unwrap_or_default().chunks_exact(entry).take(count);
            colours.extend(entries.map(|entry| luma([entry[2], entry[1], entry[0]])));
            colours.resize(256, 0);
        }
        let width = usize::try_from(width).map_err(|_| NoDigest::Damaged)?;
        Ok(Header { width, height: height.unsigned_abs() as usize, is_upright: height < 0, form, colours, start })
    }
}

pub fn decode(bytes: &[u8], canvas: &mut Canvas<'_>) -> Result<(), NoDigest> {
    let Header { width, height, is_upright, form, colours, start } = Header::read(bytes)?;
    let pixels = canvas.begin(width, height)?;
    let data = bytes.get(start..).ok_or(NoDigest::Damaged)?;
    let mut luma_row = vec![0; width];
    let (bits, data, stride) = match form {
        Form::Runs(bits) => (8, rle::decode(data, bits, width, pixels).into(), width),
        Form::Indexed(bits) => (bits, std::borrow::Cow::Borrowed(data), (width * bits as usize).div_ceil(32) * 4),
        Form::Masked(size, _) => (0, std::borrow::Cow::Borrowed(data), (width * size).div_ceil(4) * 4),
    };
    for y in 0..height {
        let line = if is_upright { y } else { height - 1 - y };
        // The last one may lack the bytes that fill it up.
        let row = data.get(line * stride..).ok_or(NoDigest::Damaged)?;
        match form {
            Form::Masked(size, [red, green, blue]) => {
                let row = row.get(..width * size).ok_or(NoDigest::Damaged)?;
                for (out, pixel) in luma_row.iter_mut().zip(row.chunks_exact(size)) {
                    let pixel = pixel.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte));
                    *out = luma([red.of(pixel), green.of(pixel), blue.of(pixel)]);
                }
            }
            Form::Indexed(_) | Form::Runs(_) => {
                let row = row.get(..(width * bits as usize).div_ceil(8)).ok_or(NoDigest::Damaged)?;
                for (x, out) in luma_row.iter_mut().enumerate() {
                    let at = x * bits as usize;
                    let index = row[at / 8] >> (8 - bits as usize - at % 8) & (0xff >> (8 - bits));
                    *out = colours[usize::from(index)];
                }
            }
        }
        canvas.row(&luma_row);
    }
    canvas.end()
}
