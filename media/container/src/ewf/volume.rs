//! The `volume` section, and its twin `data`: geometry of the medium and of the chunks.

use super::{EwfFault, is_sealed, seal, u32_at, u64_at};

/// The kind of the acquired medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Media {
    /// A disk that can be taken out.
    Removable,
    /// A fixed disk.
    #[default]
    Fixed,
    /// A CD, DVD or BD.
    Optical,
    /// Main memory.
    Memory,
    /// Some other number.
    Other(u8),
}

impl Media {
    const KNOWN: [(u8, Media); 4] =
        [(0x00, Media::Removable), (0x01, Media::Fixed), (0x03, Media::Optical), (0x10, Media::Memory)];

    fn number(self) -> u8 {
        match self {
            Media::Other(number) => number,
            known => Self::KNOWN.iter().find(|(_, m)| *m == known).map_or(1, |(n, _)| *n),
        }
    }

    fn from_number(number: u8) -> Self {
        Self::KNOWN.iter().find(|(n, _)| *n == number).map_or(Media::Other(number), |(_, m)| *m)
    }
}

/// Geometry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Volume {
    /// Kind of medium.
    pub media: Media,
    /// Whether a whole physical device was acquired (and not a volume on it).
    pub is_physical: bool,
    /// Number of chunks.
    pub chunks: u32,
    /// Sectors in a chunk.
    pub sectors_per_chunk: u32,
    /// Bytes in a sector.
    pub bytes_per_sector: u32,
    /// Number of sectors.
    pub sectors: u64,
    /// Compression: 0 none, 1 fast, 2 best.
    pub compression: u8,
    /// How many sectors were given up around an unreadable one.
    pub error_granularity: u32,
    /// Identifies the set of segment files (RFC 4122, version 4).
    pub set: [u8; 16],
}

/// Length of the volume section of EWF-S01, in bytes.
const SMART_LENGTH: usize = 94;
/// The fault of an image of EWF-S01, which has E01's signature: it is not damaged, but of another
/// format.
pub const SMART: &str = "the volume section of EWF-S01 (SMART), which is not read";

impl Volume {
    /// Length in bytes, without the section descriptor.
    pub const LENGTH: usize = 1052;

    /// Bytes of a whole chunk.
    pub fn chunk_length(&self) -> u64 {
        u64::from(self.sectors_per_chunk) * u64::from(self.bytes_per_sector)
    }

    /// Bytes of the medium.
    pub fn length(&self) -> u64 {
        self.sectors.saturating_mul(u64::from(self.bytes_per_sector))
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0; Self::LENGTH - 4];
        let mut put = |at: usize, value: &[u8]| bytes[at..at + value.len()].copy_from_slice(value);
        put(0, &[self.media.number()]);
        put(4, &self.chunks.to_le_bytes());
        put(8, &self.sectors_per_chunk.to_le_bytes());
        put(12, &self.bytes_per_sector.to_le_bytes());
        put(16, &self.sectors.to_le_bytes());
        // Media flags: 1 "is an image", which every file has; 2 "is physical".
        put(36, &[1 | u8::from(self.is_physical) << 1]);
        put(52, &[self.compression]);
        put(56, &self.error_granularity.to_le_bytes());
        put(64, &self.set);
        seal(&mut bytes, 0);
        bytes
    }

    /// Reads it.
    ///
    /// # Errors
    /// When the length or checksum is wrong, or the geometry contradicts itself.
    pub fn decode(bytes: &[u8]) -> Result<Self, EwfFault> {
        if bytes.len() == SMART_LENGTH {
            return Err(EwfFault::new(SMART));
        }
        if bytes.len() != Self::LENGTH || !is_sealed(bytes) {
            return Err(EwfFault::new("length or checksum of the volume section"));
        }
        let mut set = [0; 16];
        set.copy_from_slice(&bytes[64..80]);
        let volume = Volume {
            media: Media::from_number(bytes[0]),
            is_physical: bytes[36] & 2 != 0,
            chunks: u32_at(bytes, 4),
            sectors_per_chunk: u32_at(bytes, 8),
            bytes_per_sector: u32_at(bytes, 12),
            sectors: u64_at(bytes, 16),
            compression: bytes[52],
            error_granularity: u32_at(bytes, 56),
            set,
        };
        let geometry = volume.sectors_per_chunk > 0 && volume.bytes_per_sector > 0;
        if !geometry || volume.sectors.div_ceil(u64::from(volume.sectors_per_chunk)) != u64::from(volume.chunks) {
            return Err(EwfFault::new("the volume's chunks and sectors contradict each other"));
        }
        // 32,768 sectors are the most that EnCase offers; 16 MiB are that with sectors of 512
        // bytes.
        if volume.chunk_length() > 16 << 20 || volume.sectors.checked_mul(volume.bytes_per_sector.into()).is_none() {
            return Err(EwfFault::new("chunks of more than 16 MiB, or more bytes than 2^64"));
        }
        Ok(volume)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_flips() {
        let volume = Volume {
            media: Media::Fixed,
            is_physical: true,
            chunks: 10,
            sectors_per_chunk: 64,
            bytes_per_sector: 512,
            sectors: 592,
            compression: 1,
            error_granularity: 1,
            set: [7; 16],
        };
        assert_eq!(Volume::decode(&volume.encode()), Ok(volume));
        assert_eq!(volume.length(), 303_104);
        for bit in (0..Volume::LENGTH * 8).step_by(7) {
            let mut bytes = volume.encode();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(Volume::decode(&bytes).is_err(), "bit {bit}");
        }
        assert!(Volume::decode(&Volume { chunks: 11, ..volume }.encode()).is_err());
        let vast = Volume { sectors_per_chunk: 1 << 31, chunks: 1, ..volume };
        assert!(Volume::decode(&vast.encode()).is_err());
    }
}
