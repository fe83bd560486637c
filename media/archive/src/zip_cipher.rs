//! Members of a zip under a password: PKWARE's traditional cipher (APPNOTE 6.3.10, section 6.1) and
//! AES in counter mode as WinZip specifies it ("AES Encryption Information", AE-1 and AE-2).

use super::tape::Tape;
use super::zip_directory::{Record, u16_at};
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use aes::{Aes128, Aes192, Aes256};
use pfh_bytes::bytes::Bytes;
use pfh_digest::{Algorithm, Mac};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

/// The flag of a member under a password.
pub const ENCRYPTED: u16 = 1;
/// The flag of PKWARE's own encryption with certificates, which nobody else reads.
pub const STRONG: u16 = 1 << 6;
/// The flag of sizes and a CRC behind the bytes.
const DESCRIPTOR: u16 = 8;
/// The method that stands for AES; the true one is in the extra field of this tag.
const AES: u16 = 99;
const AES_FIELD: u16 = 0x9901;
/// The random bytes in front of the traditional cipher's.
const HEADER: usize = 12;
/// The bytes of HMAC-SHA-1 behind those of AES.
const AUTHENTIC: u64 = 10;
/// Rounds of PBKDF2.
const ROUNDS: u32 = 1000;

/// The cipher of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cipher {
    /// PKWARE's three keys of 32 bits.
    Traditional,
    /// AES with a key of this many bytes.
    Aes { key: usize },
}

/// The form in which a member has its content, below a cipher if there is one.
pub struct MemberForm {
    /// The method of compression.
    pub method: u16,
    /// The CRC-32 of the content; AE-2 has none, since it tells about short contents.
    pub crc: Option<u32>,
}

impl MemberForm {
    /// As the directory states it.
    pub fn of(record: &Record) -> MemberForm {
        MemberForm { method: record.method, crc: Some(record.crc) }
    }
}

/// The cipher of a member under a password, and the form of the content below it.
///
/// # Errors
/// Why nobody can open it.
pub fn of(record: &Record) -> Result<(Cipher, MemberForm), String> {
    if record.flags & STRONG != 0 {
        return Err("is encrypted (PKWARE's strong encryption): not read".into());
    }
    if record.method != AES {
        return Ok((Cipher::Traditional, MemberForm::of(record)));
    }
    let field = record.field(AES_FIELD).filter(|field| field.len() >= 7 && &field[2..4] == b"AE");
    let field = field.ok_or("is encrypted, and does not say how")?;
    let key = match field[4] {
        strength @ 1..=3 => 8 + 8 * usize::from(strength),
        strength => return Err(format!("is encrypted (AES of the unknown strength {strength}): not read")),
    };
    let crc = match u16_at(field, 0) {
        1 => Some(record.crc),
        2 => None,
        version => return Err(format!("is encrypted (AE-{version}): not read")),
    };
    Ok((Cipher::Aes { key }, MemberForm { method: u16_at(field, 5), crc }))
}

/// The decrypted bytes of a member.
pub struct DecryptedMember {
    pub reader: Box<dyn Read + Send>,
    /// Compares the authentication code, once all decrypted bytes were taken.
    pub proof: Option<Proof>,
}

impl Cipher {
    /// Whether it is PKWARE's of old.
    pub fn is_traditional(self) -> bool {
        matches!(self, Cipher::Traditional)
    }

    /// The bytes of a member in `start .. end`, if this password fits. A wrong one fits the
    /// traditional cipher once in 256 times, and AES once in 65,536.
    ///
    /// # Errors
    /// Those of the medium; too few bytes for the cipher.
    pub fn open(
        self,
        bytes: &Arc<dyn Bytes>,
        (start, end): (u64, u64),
        record: &Record,
        password: &[u8],
    ) -> io::Result<Option<DecryptedMember>> {
        match self {
            Cipher::Traditional => {
                let mut tape = Tape::new(bytes.clone(), start, end);
                let mut header = [0; HEADER];
                tape.read_exact(&mut header)?;
                let mut keys = Keys::new(password);
                keys.decrypt(&mut header);
                let last = header[HEADER - 1];
                let by_time = record.flags & DESCRIPTOR != 0 && last == (record.time >> 8) as u8;
                let fits = by_time || last == (record.crc >> 24) as u8;
                Ok(fits.then(|| DecryptedMember { reader: Box::new(Traditional { tape, keys }), proof: None }))
            }
            Cipher::Aes { key } => {
                let salt = key / 2;
                let mut front = vec![0; salt + 2];
                Tape::new(bytes.clone(), start, end).read_exact(&mut front)?;
                let first = start + front.len() as u64;
                let last = end.checked_sub(AUTHENTIC).filter(|last| *last >= first);
                let last = last.ok_or(io::ErrorKind::UnexpectedEof)?;
                // A key for AES, one for HMAC, two bytes that say whether the password fits.
                let sha1: Algorithm = "sha1".parse().map_err(io::Error::other)?;
                let mut derived = Zeroizing::new(vec![0; 2 * key + 2]);
                Mac::new(sha1, password).derive(&front[..salt], ROUNDS, &mut derived);
                if derived[2 * key..] != front[salt..] {
                    return Ok(None);
                }
                let block = Block::new(&derived[..key]);
                let mac = Mac::new(sha1, &derived[key..2 * key]);
                let counter =
                    Counter { tape: Tape::new(bytes.clone(), first, last), block, mac, at: 0, stream: [0; 16] };
                let shared = Arc::new(Mutex::new(counter));
                let stated = Tape::new(bytes.clone(), last, end);
                let proof = Proof { of: shared.clone(), stated };
                Ok(Some(DecryptedMember { reader: Box::new(SharedCounter(shared)), proof: Some(proof) }))
            }
        }
    }
}

/// CRC-32 of each byte, reflected, as the traditional cipher uses it.
const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// The state of the traditional cipher.
struct Keys(Zeroizing<[u32; 3]>);

impl Keys {
    fn new(password: &[u8]) -> Keys {
        let mut keys = Keys(Zeroizing::new([0x1234_5678, 0x2345_6789, 0x3456_7890]));
        password.iter().for_each(|byte| keys.update(*byte));
        keys
    }

    fn update(&mut self, plain: u8) {
        let step = |crc: u32, byte: u8| CRC[usize::from(crc as u8 ^ byte)] ^ crc >> 8;
        let [first, second, third] = &mut *self.0;
        *first = step(*first, plain);
        *second = second.wrapping_add(*first & 0xff).wrapping_mul(134_775_813).wrapping_add(1);
        *third = step(*third, (*second >> 24) as u8);
    }

    fn decrypt(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            let low = self.0[2] | 2;
            *byte ^= ((low & 0xffff).wrapping_mul(low & 0xffff ^ 1) >> 8) as u8;
            self.update(*byte);
        }
    }
}

struct Traditional {
    tape: Tape,
    keys: Keys,
}

impl Read for Traditional {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.tape.read(buffer)?;
        self.keys.decrypt(&mut buffer[..got]);
        Ok(got)
    }
}

/// AES with a key of each length.
enum Block {
    Short(Aes128),
    Middle(Aes192),
    Long(Box<Aes256>),
}

impl Block {
    /// `key`: 16, 24 or 32 bytes.
    fn new(key: &[u8]) -> Block {
        let wrong = "a key of AES";
        match key.len() {
            16 => Block::Short(Aes128::new_from_slice(key).expect(wrong)),
            24 => Block::Middle(Aes192::new_from_slice(key).expect(wrong)),
            _ => Block::Long(Box::new(Aes256::new_from_slice(key).expect(wrong))),
        }
    }

    fn encrypt(&self, block: &mut [u8; 16]) {
        let block = block.into();
        match self {
            Block::Short(aes) => aes.encrypt_block(block),
            Block::Middle(aes) => aes.encrypt_block(block),
            Block::Long(aes) => aes.encrypt_block(block),
        }
    }
}

/// AES in counter mode, whose counter is little-endian and begins at 1, with the code over what was
/// encrypted.
struct Counter {
    tape: Tape,
    block: Block,
    mac: Mac,
    at: u64,
    stream: [u8; 16],
}

impl Read for Counter {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.tape.read(buffer)?;
        self.mac.update(&buffer[..got]);
        for byte in &mut buffer[..got] {
            let within = (self.at % 16) as usize;
            if within == 0 {
                self.stream = u128::from(self.at / 16 + 1).to_le_bytes();
                self.block.encrypt(&mut self.stream);
            }
            *byte ^= self.stream[within];
            self.at += 1;
        }
        Ok(got)
    }
}

/// The counter mode as its decompressor has it, while the proof waits for its end.
struct SharedCounter(Arc<Mutex<Counter>>);

impl Read for SharedCounter {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).read(buffer)
    }
}

/// The code behind the encrypted bytes, to be compared with theirs.
pub struct Proof {
    of: Arc<Mutex<Counter>>,
    stated: Tape,
}

impl Proof {
    /// Reads the encrypted bytes to their end, and compares.
    fn compare(&mut self) -> io::Result<()> {
        let mut counter = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        io::copy(&mut *counter, &mut io::sink())?;
        let mut stated = [0; AUTHENTIC as usize];
        self.stated.read_exact(&mut stated)?;
        match counter.mac.clone().finalize().bytes().starts_with(&stated) {
            true => Ok(()),
            false => Err(io::Error::other("its authentication code differs: changed, or damaged")),
        }
    }
}

/// Decompressed bytes whose end is the authentication code's to allow.
pub struct Authentic<R> {
    pub inner: R,
    /// `None` once it held.
    pub proof: Option<Proof>,
}

impl<R: Read> Read for Authentic<R> {
    pfh_bytes::reading::shared_reads!();

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        if got == 0
            && !buffer.is_empty()
            && let Some(proof) = &mut self.proof
        {
            proof.compare()?;
            self.proof = None;
        }
        Ok(got)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cipher whose key follows the plain bytes is undone by the same steps, and by no other key.
    #[test]
    fn the_traditional_cipher_is_its_own_inverse_by_the_plain_bytes() {
        let plain: Vec<u8> = (0..=255).collect();
        let mut keys = Keys::new(b"infected");
        let sealed: Vec<u8> = plain
            .iter()
            .map(|byte| {
                let low = keys.0[2] | 2;
                let sealed = byte ^ ((low & 0xffff).wrapping_mul(low & 0xffff ^ 1) >> 8) as u8;
                keys.update(*byte);
                sealed
            })
            .collect();
        let mut opened = sealed.clone();
        Keys::new(b"infected").decrypt(&mut opened);
        assert_eq!(opened, plain);
        Keys::new(b"Infected").decrypt(&mut opened);
        assert_ne!(opened, plain);
    }
}
