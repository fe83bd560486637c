//! The window of a decoder, which copies from its own output.

/// The last bytes of the output, and those that stood in the window at its start.
pub struct Ring {
    bytes: Vec<u8>,
    at: usize,
}

impl Ring {
    /// A window of these bytes, a power of two, whose next one goes to `at`.
    pub fn new(bytes: Vec<u8>, at: usize) -> Ring {
        debug_assert!(bytes.len().is_power_of_two());
        Ring { bytes, at }
    }

    /// Puts out a byte.
    pub fn push(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.bytes[self.at] = byte;
        self.at = (self.at + 1) & (self.bytes.len() - 1);
        out.push(byte);
    }

    /// Puts out bytes again from this distance, at least 1 and at most the window.
    pub fn again(&mut self, distance: usize, length: usize, out: &mut Vec<u8>) {
        self.from(self.at.wrapping_sub(distance), length, out);
    }

    /// Puts out bytes again from this place in the window.
    pub fn from(&mut self, place: usize, length: usize, out: &mut Vec<u8>) {
        let mask = self.bytes.len() - 1;
        for index in 0..length {
            let byte = self.bytes[place.wrapping_add(index) & mask];
            self.push(byte, out);
        }
    }

    /// How many bytes it has.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }
}
