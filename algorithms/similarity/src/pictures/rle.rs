//! Run lengths of bitmaps, in 8 and in 4 bits for a pixel.

/// The colours of the pixels, from the lowest row on; pixels in no run are of colour 0.
pub fn decode(data: &[u8], bits: u32, width: usize, pixels: usize) -> Vec<u8> {
    let mut out = vec![0; pixels];
    let mut bytes = data.iter().copied();
    let (mut x, mut y) = (0, 0);
    // Of four bits the higher ones come first.
    let nibble = |byte: u8, at: usize| if at.is_multiple_of(2) { byte >> 4 } else { byte & 15 };
    let mut put = |x: &mut usize, y: usize, colour: u8| {
        if *x < width
            && let Some(pixel) = out.get_mut(y * width + *x)
        {
            *pixel = colour;
        }
        *x += 1;
    };
    while let (Some(count), Some(value)) = (bytes.next(), bytes.next()) {
        let count = usize::from(count);
        match (count, value) {
            (0, 0) => (x, y) = (0, y + 1),
            (0, 1) => break,
            (0, 2) => {
                let (Some(right), Some(up)) = (bytes.next(), bytes.next()) else { break };
                (x, y) = (x + usize::from(right), y + usize::from(up));
            }
            (0, literal) => {
                let literal = usize::from(literal);
                let held = if bits == 8 { literal } else { literal.div_ceil(2) };
                let mut byte = 0;
                for at in 0..literal {
                    if bits == 8 || at.is_multiple_of(2) {
                        byte = bytes.next().unwrap_or(0);
                    }
                    put(&mut x, y, if bits == 8 { byte } else { nibble(byte, at) });
                }
                // They fill words of two bytes.
                if held % 2 == 1 {
                    bytes.next();
                }
            }
            (count, value) => {
                (0..count).for_each(|at| put(&mut x, y, if bits == 8 { value } else { nibble(value, at) }));
            }
        }
        if y * width >= pixels {
            break;
        }
    }
    out
}
