//! Keys that may open a volume.

use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use zeroize::Zeroizing;

/// Most bytes of a key file, as cryptsetup has it.
const LONGEST: usize = 8 << 20;

/// A key of 32 bytes.
pub(crate) type Secret = Zeroizing<[u8; 32]>;

/// A key that may open a volume. It is never printed.
#[derive(Clone)]
pub enum Key {
    /// A password or passphrase, as bytes. A password in the form of a recovery password is tried
    /// as one as well.
    Password(Zeroizing<Vec<u8>>),
    /// The whole content of a file: a startup key of BitLocker (`.BEK`) or a key file of LUKS.
    File(Zeroizing<Vec<u8>>),
}

impl fmt::Debug for Key {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Key::Password(_) => "Password(…)",
            Key::File(_) => "File(…)",
        })
    }
}

impl Key {
    /// A password as it was typed.
    pub fn password(text: String) -> Key {
        Key::Password(Zeroizing::new(text.into_bytes()))
    }

    /// The bytes of a recovery password: eight groups of six digits, each a multiple of eleven.
    pub(crate) fn recovery(&self) -> Option<Zeroizing<[u8; 16]>> {
        let Key::Password(text) = self else { return None };
        let text = std::str::from_utf8(text).ok()?;
        let groups: Vec<&str> = text.trim().split('-').collect();
        let mut bytes = Zeroizing::new([0; 16]);
        if groups.len() != 8 {
            return None;
        }
        for (group, two) in groups.iter().zip(bytes.chunks_exact_mut(2)) {
            if group.len() != 6 || !group.bytes().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            let number: u32 = group.parse().ok()?;
            let value = u16::try_from(number / 11).ok().filter(|_| number.is_multiple_of(11))?;
            two.copy_from_slice(&value.to_le_bytes());
        }
        Some(bytes)
    }

    /// SHA-256 of SHA-256 of the password in UTF-16LE: BitLocker's start of the stretching.
    pub(crate) fn utf16_hash(&self) -> Option<Secret> {
        let Key::Password(text) = self else { return None };
        let text = std::str::from_utf8(text).ok()?;
        let wide: Zeroizing<Vec<u8>> = Zeroizing::new(text.encode_utf16().flat_map(u16::to_le_bytes).collect());
        Some(Zeroizing::new(Sha256::digest(Sha256::digest(&*wide)).into()))
    }

    /// The bytes that a passphrase or a key file is for LUKS.
    pub(crate) fn bytes(&self) -> &[u8] {
        match self {
            Key::Password(bytes) | Key::File(bytes) => bytes,
        }
    }
}

/// The keys at hand, in the order in which they are tried, and the files that they came from.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    keys: Vec<Key>,
    paths: Vec<PathBuf>,
}

impl Keys {
    /// No key. Volumes whose protection is suspended open without one.
    pub fn new() -> Keys {
        Keys::default()
    }

    /// Adds a key.
    pub fn push(&mut self, key: Key) {
        self.keys.push(key);
    }

    /// Adds the passwords of a text: one a line, without the end of the line; empty lines are
    /// skipped.
    pub fn push_lines(&mut self, text: &[u8]) {
        for line in text.split(|byte| *byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            if !line.is_empty() {
                self.keys.push(Key::Password(Zeroizing::new(line.to_vec())));
            }
        }
    }

    /// Adds the content of a file as one key; `false` if it is longer than 8 MiB.
    #[must_use]
    pub fn push_file(&mut self, content: Vec<u8>) -> bool {
        let fits = content.len() <= LONGEST;
        if fits {
            self.keys.push(Key::File(Zeroizing::new(content)));
        }
        fits
    }

    /// Adds the passwords in a file, as [`Keys::push_lines`].
    ///
    /// # Errors
    /// The system's, and [`io::ErrorKind::FileTooLarge`] beyond 8 MiB.
    pub fn read_lines(&mut self, path: &Path) -> io::Result<()> {
        let text = self.read(path)?;
        self.push_lines(&text);
        Ok(())
    }

    /// Adds the content of a file as one key, as [`Keys::push_file`].
    ///
    /// # Errors
    /// As [`Keys::read_lines`].
    pub fn read_file(&mut self, path: &Path) -> io::Result<()> {
        let content = self.read(path)?;
        self.keys.push(Key::File(content));
        Ok(())
    }

    fn read(&mut self, path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
        let mut content = Zeroizing::new(Vec::new());
        File::open(path)?.take(LONGEST as u64 + 1).read_to_end(&mut content)?;
        if content.len() > LONGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "a key file has at most 8 MiB"));
        }
        self.paths.push(path.to_owned());
        Ok(content)
    }

    /// The files that keys came from.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The passwords and passphrases, as bytes.
    pub fn passwords(&self) -> impl Iterator<Item = &[u8]> {
        self.keys.iter().filter_map(|key| match key {
            Key::Password(bytes) => Some(&bytes[..]),
            Key::File(_) => None,
        })
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn password(text: &str) -> Key {
        Key::Password(Zeroizing::new(text.as_bytes().to_vec()))
    }

    #[test]
    fn recovery_passwords_have_groups_that_eleven_divides() {
        let whole = "131450-120197-153989-250338-511368-495572-680944-381546";
        let bytes = password(whole).recovery().unwrap();
        assert_eq!(bytes[..2], (131_450_u32 / 11).to_le_bytes()[..2]);
        for wrong in
            [&whole[1..], "131451-120197-153989-250338-511368-495572-680944-381546", &format!("{whole}-000000")]
        {
            assert!(password(wrong).recovery().is_none(), "{wrong}");
        }
    }

    #[test]
    fn a_key_is_not_printed() {
        let mut keys = Keys::new();
        keys.push_lines(b"first\r\n\nsecond");
        assert!(keys.push_file(vec![7; 32]) && !keys.push_file(vec![0; LONGEST + 1]));
        assert_eq!(format!("{keys:?}"), "Keys { keys: [Password(…), Password(…), File(…)], paths: [] }");
        assert_eq!(keys.iter().next().unwrap().bytes(), b"first");
    }
}
