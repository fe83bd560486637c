//! LZO1X, after the description of the stream in the kernel's documentation (`staging/lzo.rst`):
//! own code, since existing crates bind the C library or copy it.

/// Bytes that are read one after the other.
struct Input<'a>(&'a [u8]);

impl Input<'_> {
    fn byte(&mut self) -> Option<usize> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(usize::from(first))
    }

    /// A length that did not fit into its bits: 255 for each zero byte, then a byte that is not
    /// zero.
    fn longer(&mut self, base: usize) -> Option<usize> {
        let mut length = base;
        loop {
            match self.byte()? {
                0 => length = length.checked_add(255)?,
                last => return length.checked_add(last),
            }
        }
    }
}

/// The bytes of one stream, `most` at the most; `None` if it is damaged.
pub fn unpack(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    append(packed, &mut out, most).map(|()| out)
}

/// Appends the bytes of one stream, up to a length of `end` in all.
pub fn append(packed: &[u8], out: &mut Vec<u8>, end: usize) -> Option<()> {
    let start = out.len();
    let mut input = Input(packed);
    // Literals that the last instruction copied: 4 for more than three.
    let mut state = 0;
    // Runs of zeros have an instruction in a stream that states version 1.
    let has_runs = packed.len() >= 5 && packed[0] == 17 && packed[1] == 1;
    if has_runs {
        input.0 = &packed[2..];
    }
    if let Some(&first) = input.0.first().filter(|&&first| first > 17) {
        input.byte();
        let length = usize::from(first) - 17;
        literals(&mut input, out, length, end)?;
        state = length.min(4);
    }
    loop {
        let code = input.byte()?;
        let (length, distance, next) = match code {
            0..=15 if state == 0 => {
                let length = 3 + if code == 0 { input.longer(15)? } else { code };
                literals(&mut input, out, length, end)?;
                state = 4;
                continue;
            }
            0..=15 => {
                let high = input.byte()? << 2;
                let near = high + (code >> 2) + 1;
                if state == 4 { (3, near + 2048, code & 3) } else { (2, near, code & 3) }
            }
            24..=31 if has_runs && matches!(input.0, [0xfc..=0xff, 0xff, _, ..]) => {
                let next = input.byte()? & 3;
                input.byte()?;
                let length = ((input.byte()? << 3) | (code & 7)) + 4;
                if length > end - out.len() {
                    return None;
                }
                out.resize(out.len() + length, 0);
                literals(&mut input, out, next, end)?;
                state = next;
                continue;
            }
            16..=31 => {
                let length = 2 + if code & 7 == 0 { input.longer(7)? } else { code & 7 };
                let low = input.byte()? | input.byte()? << 8;
                let distance = 16_384 + ((code & 8) << 11) + (low >> 2);
                if distance == 16_384 {
                    // The end, behind which nothing may be.
                    return (length == 3 && input.0.is_empty()).then_some(());
                }
                (length, distance, low & 3)
            }
            32..=63 => {
                let length = 2 + if code & 31 == 0 { input.longer(31)? } else { code & 31 };
                let low = input.byte()? | input.byte()? << 8;
                (length, (low >> 2) + 1, low & 3)
            }
            _ => {
                let length = if code < 128 { 3 + (code >> 5 & 1) } else { 5 + (code >> 5 & 3) };
                (length, (input.byte()? << 3) + (code >> 2 & 7) + 1, code & 3)
            }
        };
        let from = out.len().checked_sub(distance).filter(|&from| from >= start)?;
        if length > end - out.len() {
            return None;
        }
        for at in from..from + length {
            out.push(out[at]);
        }
        literals(&mut input, out, next, end)?;
        state = next;
    }
}

fn literals(input: &mut Input, out: &mut Vec<u8>, length: usize, end: usize) -> Option<()> {
    let (held, rest) = input.0.split_at_checked(length)?;
    if length > end - out.len() {
        return None;
    }
    out.extend_from_slice(held);
    input.0 = rest;
    Some(())
}
