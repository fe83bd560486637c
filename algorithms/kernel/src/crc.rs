//! Cyclic redundancy checks with reflected polynomials of up to 64 bits: by tables, and by
//! carry-less multiplication where the CPU has it.
//!
//! The polynomials modulo P are words whose lowest bit is the coefficient of x^63. The carry-less
//! product of two such words is their product times x, in 128 bits. A block of 16 bytes is moved D
//! bits ahead by multiplying its halves with x^(D+63) and x^(D-1) modulo P (Gopal et al., *Fast CRC
//! Computation for Generic Polynomials Using PCLMULQDQ Instruction*, Intel 2009).

#[cfg(target_arch = "aarch64")]
mod arm;
mod function;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use function::Crc;

/// CRC-32C of RFC 3720 (polynomial 0x1EDC6F41, as in iSCSI, ext4 and VHDX).
pub static CRC32C: Crc = Crc::new(0x1EDC_6F41_u32.reverse_bits() as u64, 32);

/// CRC-64/NVME of the NVM Command Set Specification (polynomial 0xAD93D23594C93659).
pub static CRC64_NVME: Crc = Crc::new(0xAD93_D235_94C9_3659_u64.reverse_bits(), 64);

/// Shorter messages go through the tables alone.
const LONG: usize = 128;

impl Crc {
    /// The register after `bytes`, if it was `register` before: without the inversions at the start
    /// and the end of a message.
    pub fn update(&self, register: u64, bytes: &[u8]) -> u64 {
        if bytes.len() >= LONG {
            #[cfg(target_arch = "x86_64")]
            if x86::is_available() {
                // SAFETY: the CPU has the instructions that the function needs.
                return unsafe { x86::update(self, register, bytes) };
            }
            #[cfg(target_arch = "aarch64")]
            if arm::is_available() {
                // SAFETY: the CPU has the instructions that the function needs.
                return unsafe { arm::update(self, register, bytes) };
            }
        }
        self.by_tables(register, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::function::times_x;
    use super::*;

    /// The check values of the catalogue of parametrised CRC algorithms.
    #[test]
    fn the_check_values_of_the_catalogue() {
        assert_eq!(!CRC32C.update(0xffff_ffff, b"123456789") as u32, 0xe306_9283);
        assert_eq!(!CRC64_NVME.update(!0, b"123456789"), 0xae8b_1486_0a79_9888);
    }

    /// Every length and offset by multiplication is as bit by bit.
    #[test]
    fn all_lengths_are_as_bit_by_bit() {
        let bytes: Vec<u8> = (0..700u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for (crc, polynomial, mask) in
            [(&CRC32C, 0x82f6_3b78, 0xffff_ffff), (&CRC64_NVME, 0x9a6c_9329_ac4b_c9b5, u64::MAX)]
        {
            for start in [0, 1, 7] {
                let mut register = mask;
                for end in start..bytes.len() {
                    assert_eq!(crc.update(mask, &bytes[start..end]), register, "{start}..{end}");
                    assert_eq!(crc.by_tables(mask, &bytes[start..end]), register, "{start}..{end}");
                    register = times_x(register ^ u64::from(bytes[end]), polynomial, 8);
                }
            }
            // In pieces of any length.
            let (whole, cut) =
                (crc.update(mask, &bytes), |at| crc.update(crc.update(mask, &bytes[..at]), &bytes[at..]));
            assert!((0..bytes.len()).all(|at| cut(at) == whole));
        }
    }
}
