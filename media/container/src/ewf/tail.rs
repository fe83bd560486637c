//! The sections at the end of the last segment: the sectors that could not be read, and the
//! digests.

use super::{EwfFault, is_sealed, seal, u32_at};

/// The `error2` section: runs of sectors that could not be read, as (first sector, number of
/// sectors).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Errors(pub Vec<(u32, u32)>);

impl Errors {
    /// Runs of byte ranges, in sectors. The format's 32 bits end at sector 2^32 (2 TiB with
    /// 512-byte sectors).
    ///
    /// # Errors
    /// Names the first run that the section has no room for.
    pub fn from_ranges(ranges: impl Iterator<Item = (u64, u64)>, sector: u64) -> Result<Self, (u64, u64)> {
        let run = |(offset, length): (u64, u64)| {
            let first = u32::try_from(offset / sector).map_err(|_| (offset, length))?;
            let count = u32::try_from((offset + length).div_ceil(sector) - offset / sector);
            Ok((first, count.map_err(|_| (offset, length))?))
        };
        ranges.map(run).collect::<Result<_, _>>().map(Errors)
    }

    /// Bytes that this many runs take, without the section descriptor.
    pub const fn length(runs: usize) -> u64 {
        520 + 8 * runs as u64 + 4
    }

    /// As bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = (self.0.len() as u32).to_le_bytes().to_vec();
        bytes.resize(516, 0);
        seal(&mut bytes, 0);
        for (first, count) in &self.0 {
            bytes.extend_from_slice(&first.to_le_bytes());
            bytes.extend_from_slice(&count.to_le_bytes());
        }
        seal(&mut bytes, 520);
        bytes
    }

    /// Reads it.
    ///
    /// # Errors
    /// When a checksum or the length is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, EwfFault> {
        let Some((header, body)) = bytes.split_at_checked(520) else {
            return Err(EwfFault::new("error section cut short"));
        };
        let runs = u32_at(header, 0) as usize;
        if !is_sealed(header) || body.len() as u64 != 8 * runs as u64 + 4 || !is_sealed(body) {
            return Err(EwfFault::new("length or checksum of the error section"));
        }
        Ok(Errors(body[..8 * runs].chunks_exact(8).map(|run| (u32_at(run, 0), u32_at(run, 4))).collect()))
    }
}

/// The digests that the format has room for, of the media data as stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digests {
    /// MD5, in `hash` and `digest`.
    pub md5: Option<[u8; 16]>,
    /// SHA-1, in `digest`.
    pub sha1: Option<[u8; 20]>,
}

impl Digests {
    /// Length of the `digest` section in bytes, without its descriptor.
    pub const DIGEST: usize = 80;
    /// Length of the `hash` section in bytes, without its descriptor.
    pub const HASH: usize = 36;

    /// The `digest` section.
    pub fn encode_digest(&self) -> Vec<u8> {
        let mut bytes = self.md5.unwrap_or_default().to_vec();
        bytes.extend_from_slice(&self.sha1.unwrap_or_default());
        bytes.resize(Self::DIGEST - 4, 0);
        seal(&mut bytes, 0);
        bytes
    }

    /// The `hash` section.
    pub fn encode_hash(&self) -> Vec<u8> {
        let mut bytes = self.md5.unwrap_or_default().to_vec();
        bytes.resize(Self::HASH - 4, 0);
        seal(&mut bytes, 0);
        bytes
    }

    /// Takes in a `digest` section.
    ///
    /// # Errors
    /// When length or checksum is wrong, or its MD5 is another than one seen before.
    pub fn read_digest(&mut self, bytes: &[u8]) -> Result<(), EwfFault> {
        if bytes.len() != Self::DIGEST || !is_sealed(bytes) {
            return Err(EwfFault::new("length or checksum of the digest section"));
        }
        self.set_md5(&bytes[..16])?;
        // All zeros: the writer had no SHA-1.
        let sha1: [u8; 20] = bytes[16..36].try_into().unwrap_or_default();
        self.sha1 = (sha1 != [0; 20]).then_some(sha1);
        Ok(())
    }

    /// Takes in a `hash` section.
    ///
    /// # Errors
    /// As for [`read_digest`](Digests::read_digest).
    pub fn read_hash(&mut self, bytes: &[u8]) -> Result<(), EwfFault> {
        if bytes.len() != Self::HASH || !is_sealed(bytes) {
            return Err(EwfFault::new("length or checksum of the hash section"));
        }
        self.set_md5(&bytes[..16])
    }

    fn set_md5(&mut self, bytes: &[u8]) -> Result<(), EwfFault> {
        let md5: [u8; 16] = bytes.try_into().unwrap_or_default();
        if md5 == [0; 16] {
            return Ok(());
        }
        if self.md5.is_some_and(|before| before != md5) {
            return Err(EwfFault::new("two sections state different MD5s"));
        }
        self.md5 = Some(md5);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_round_trip() {
        let errors = Errors::from_ranges([(0, 512), (51_200, 2048)].into_iter(), 512).unwrap();
        assert_eq!(errors.0, [(0, 1), (100, 4)]);
        let bytes = errors.encode();
        assert_eq!(bytes.len() as u64, Errors::length(2));
        assert_eq!(Errors::decode(&bytes), Ok(errors));
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1;
            assert!(Errors::decode(&flipped).is_err(), "byte {at}");
        }
        assert_eq!(Errors::from_ranges([(3 << 41, 512)].into_iter(), 512), Err((3 << 41, 512)));
    }

    #[test]
    fn digests_round_trip() {
        let digests = Digests { md5: Some([1; 16]), sha1: Some([2; 20]) };
        let mut read = Digests::default();
        read.read_digest(&digests.encode_digest()).unwrap();
        read.read_hash(&digests.encode_hash()).unwrap();
        assert_eq!(read, digests);
        assert!(read.read_hash(&Digests { md5: Some([3; 16]), sha1: None }.encode_hash()).is_err());
    }
}
