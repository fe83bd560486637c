//! Undoes predictors, which store differences between neighbouring samples (ISO 32000-1, 7.4.4.4):
//! the filters of PNG, a byte in front of each row, and predictor 2 of TIFF.

use std::io::{self, Read};

/// The longest row, in bytes.
const ROW: u64 = 64 << 20;

/// How samples are laid out.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Samples of a column.
    pub colors: u64,
    /// Bits of a sample.
    pub bits: u64,
    /// Columns of a row.
    pub columns: u64,
}

impl Layout {
    /// The bytes of a row, and those of a column, at least one.
    fn sizes(self) -> Option<(usize, usize)> {
        if !matches!(self.bits, 1 | 2 | 4 | 8 | 16) || self.colors == 0 || self.columns == 0 {
            return None;
        }
        let column = self.colors.checked_mul(self.bits)?;
        let row = column.checked_mul(self.columns)?.div_ceil(8);
        (row <= ROW).then_some((row as usize, column.div_ceil(8) as usize))
    }
}

/// Samples in place of differences.
pub struct PredictorReader<R> {
    input: R,
    layout: Layout,
    is_png: bool,
    row_length: usize,
    column: usize,
    /// The row at hand, and the one before it.
    row: Vec<u8>,
    before: Vec<u8>,
    taken: usize,
}

fn wrong(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

impl<R: Read> PredictorReader<R> {
    /// The samples behind the differences of `input`: PNG's, or TIFF's.
    ///
    /// # Errors
    /// When there is no such layout.
    pub fn new(input: R, layout: Layout, is_png: bool) -> io::Result<Self> {
        let (row_length, column) = layout.sizes().ok_or_else(|| wrong("rows that cannot be"))?;
        let (row, before, taken) = (Vec::new(), Vec::new(), 0);
        Ok(PredictorReader { input, layout, is_png, row_length, column, row, before, taken })
    }

    /// Reads the next row; a last one may be shorter.
    fn advance(&mut self) -> io::Result<()> {
        std::mem::swap(&mut self.row, &mut self.before);
        self.row.clear();
        self.taken = 0;
        let mut tag = [0];
        if self.is_png && self.input.read(&mut tag)? == 0 {
            return Ok(());
        }
        (&mut self.input).take(self.row_length as u64).read_to_end(&mut self.row)?;
        match self.is_png {
            true => self.png(tag[0]),
            false => {
                self.tiff();
                Ok(())
            }
        }
    }

    fn png(&mut self, tag: u8) -> io::Result<()> {
        if tag > 4 {
            return Err(wrong(format!("a row with the filter {tag}, which PNG does not have")));
        }
        for at in 0..self.row.len() {
            let left = at.checked_sub(self.column).map_or(0, |left| self.row[left]);
            let up = self.before.get(at).copied().unwrap_or(0);
            let corner = at.checked_sub(self.column).and_then(|left| self.before.get(left).copied()).unwrap_or(0);
            let added = match tag {
                0 => 0,
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                _ => paeth(left, up, corner),
            };
            self.row[at] = self.row[at].wrapping_add(added);
        }
        Ok(())
    }

    fn tiff(&mut self) {
        let row = &mut self.row;
        match self.layout.bits {
            8 => (self.column..row.len()).for_each(|at| row[at] = row[at].wrapping_add(row[at - self.column])),
            16 => {
                for at in (self.column..row.len().saturating_sub(1)).step_by(2) {
                    let before = u16::from_be_bytes([row[at - self.column], row[at - self.column + 1]]);
                    let sample = u16::from_be_bytes([row[at], row[at + 1]]).wrapping_add(before).to_be_bytes();
                    row[at..at + 2].copy_from_slice(&sample);
                }
            }
            bits => {
                let bits = bits as usize;
                let colors = self.layout.colors as usize;
                let mask = (1_u8 << bits) - 1;
                let samples = (row.len() * 8 / bits).min(self.layout.columns as usize * colors);
                let place = |sample: usize| (sample * bits / 8, 8 - bits - sample * bits % 8);
                for sample in colors..samples {
                    let ((byte, shift), (before, shift_before)) = (place(sample), place(sample - colors));
                    let value = (row[byte] >> shift & mask).wrapping_add(row[before] >> shift_before & mask) & mask;
                    row[byte] = row[byte] & !(mask << shift) | value << shift;
                }
            }
        }
    }
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(up) - i16::from(corner);
    let far = |value: u8| (guess - i16::from(value)).abs();
    if far(left) <= far(up) && far(left) <= far(corner) {
        left
    } else if far(up) <= far(corner) {
        up
    } else {
        corner
    }
}

impl<R: Read> Read for PredictorReader<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.row.len() {
            self.advance()?;
        }
        let got = (self.row.len() - self.taken).min(buffer.len());
        buffer[..got].copy_from_slice(&self.row[self.taken..self.taken + got]);
        self.taken += got;
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], (colors, bits, columns): (u64, u64, u64), is_png: bool) -> Result<Vec<u8>, String> {
        let layout = Layout { colors, bits, columns };
        let mut all = Vec::new();
        let mut reader = PredictorReader::new(bytes, layout, is_png).map_err(|error| error.to_string())?;
        reader.read_to_end(&mut all).map(|_| all).map_err(|error| error.to_string())
    }

    #[test]
    fn rows_of_png() {
        let rows = [0, 1, 2, 3, 1, 1, 1, 1, 2, 1, 1, 1, 3, 2, 2, 2, 4, 1, 1, 1];
        let found = read(&rows, (1, 8, 3), true).unwrap();
        assert_eq!(found, [1, 2, 3, 1, 2, 3, 2, 3, 4, 3, 5, 6, 4, 6, 7]);
        assert!(read(&[5, 1, 2, 3], (1, 8, 3), true).is_err());
        // A last row may be cut off.
        assert_eq!(read(&[0, 1, 2, 3, 2, 1], (1, 8, 3), true).unwrap(), [1, 2, 3, 2]);
    }

    #[test]
    fn differences_of_tiff() {
        assert_eq!(read(&[1, 2, 3, 1, 1, 1], (1, 8, 3), false).unwrap(), [1, 3, 6, 1, 2, 3]);
        assert_eq!(read(&[1, 2, 3, 4, 5, 6], (3, 8, 2), false).unwrap(), [1, 2, 3, 5, 7, 9]);
        assert_eq!(read(&[0, 255, 0, 2], (1, 16, 2), false).unwrap(), [0, 255, 1, 1]);
        assert_eq!(read(&[0b1111_0000], (1, 1, 8), false).unwrap(), [0b1010_0000]);
        assert_eq!(read(&[0x12, 0x34], (1, 4, 4), false).unwrap(), [0x13, 0x6A]);
        assert!(read(&[1], (1, 3, 1), false).is_err() && read(&[1], (u64::MAX, 16, 9), true).is_err());
    }
}
