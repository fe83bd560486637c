//! The tables and factors of one function.

/// A block's factors: for its first eight bytes, and for its last eight.
pub type Factors = [u64; 2];

/// One function: its tables and factors.
pub struct Crc {
    /// The remainder of each byte with k zero bytes behind it, for k below 8.
    tables: [[u64; 256]; 8],
    /// Moves a block 64 bytes ahead.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    pub far: Factors,
    /// Moves a block 16 bytes ahead.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    pub near: Factors,
}

impl Crc {
    /// That of a reflected polynomial of `width` bits.
    pub const fn new(polynomial: u64, width: u32) -> Crc {
        let mut tables = [[0; 256]; 8];
        let mut byte = 0;
        while byte < 256 {
            tables[0][byte] = times_x(byte as u64, polynomial, 8);
            byte += 1;
        }
        let mut zeros = 1;
        while zeros < 8 {
            byte = 0;
            while byte < 256 {
                let before = tables[zeros - 1][byte];
                tables[zeros][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
                byte += 1;
            }
            zeros += 1;
        }
        Crc { tables, far: factors_of(512, polynomial, width), near: factors_of(128, polynomial, width) }
    }

    /// The register after `bytes`, by the tables alone.
    pub fn by_tables(&self, mut register: u64, bytes: &[u8]) -> u64 {
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            let all = (register ^ u64::from_le_bytes(*word)).to_le_bytes();
            register = 0;
            for (byte, table) in all.iter().zip(self.tables.iter().rev()) {
                register ^= table[usize::from(*byte)];
            }
        }
        for byte in rest {
            register = register >> 8 ^ self.tables[0][usize::from(register as u8 ^ byte)];
        }
        register
    }
}

/// `value` times x^`power` modulo the polynomial.
pub const fn times_x(mut value: u64, polynomial: u64, power: u32) -> u64 {
    let mut step = 0;
    while step < power {
        value = if value & 1 == 1 { value >> 1 ^ polynomial } else { value >> 1 };
        step += 1;
    }
    value
}

/// The factors that move a block `bits` ahead.
const fn factors_of(bits: u32, polynomial: u64, width: u32) -> Factors {
    let one = 1 << (width - 1);
    let up = 64 - width;
    [times_x(one, polynomial, bits + 63) << up, times_x(one, polynomial, bits - 1) << up]
}
