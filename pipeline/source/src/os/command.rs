//! Commands to a disk that change nothing, and their answers.

/// An ATA command that reads the disk's own data (ACS-2, 7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// IDENTIFY DEVICE.
    Identify,
    /// READ NATIVE MAX ADDRESS: 28 bits.
    NativeMax,
    /// READ NATIVE MAX ADDRESS EXT: 48 bits.
    NativeMaxExt,
    /// GET NATIVE MAX ADDRESS EXT (ACS-3): the successor of the one before.
    AccessibleMax,
    /// DEVICE CONFIGURATION IDENTIFY.
    Configuration,
}

impl Command {
    /// Whether it answers with 512 bytes; else with registers alone.
    pub fn has_data(self) -> bool {
        matches!(self, Command::Identify | Command::Configuration)
    }

    /// ATA PASS-THROUGH (16), which asks for the registers as well where there are no data.
    pub fn pass_through(self) -> [u8; 16] {
        let (features, code, extend) = match self {
            Command::Identify => (0, 0xec, 0),
            Command::NativeMax => (0, 0xf8, 0),
            Command::NativeMaxExt => (0, 0x27, 1),
            Command::AccessibleMax => (0, 0x78, 1),
            Command::Configuration => (0xc2, 0xb1, 0),
        };
        // PIO data-in is protocol 4, non-data 3; t_dir, byt_blok and "as the count says"; ck_cond.
        let (protocol, transfer, count) = if self.has_data() { (4_u8, 0x0e, 1) } else { (3, 0x20, 0) };
        // The bit LBA of the device register.
        let device = if self.has_data() { 0 } else { 0x40 };
        let mut block = [0; 16];
        (block[0], block[1], block[2]) = (0x85, protocol << 1 | extend, transfer);
        (block[4], block[6], block[13], block[14]) = (features, count, device, code);
        block
    }
}

/// A disk's answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The 512 bytes, if they came.
    pub data: Option<[u8; 512]>,
    /// Sense data: the registers, or why there is no answer.
    pub sense: Vec<u8>,
    /// SCSI status: 0 good, 2 check condition.
    pub status: u8,
    /// The host adapter's status; 0 good.
    pub host: u16,
}
