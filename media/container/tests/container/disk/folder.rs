//! Images in a directory, and the disks that they hold.

use pfh_container::Bytes;
use pfh_container::disk::{Disk, END, Failure, Kind, START, Siblings, open};
use std::fs::File;
use std::io;
#[cfg(unix)]
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

struct Held(File);

impl Bytes for Held {
    fn size(&self) -> u64 {
        self.0.metadata().map_or(0, |metadata| metadata.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(windows)]
        return std::os::windows::fs::FileExt::seek_read(&self.0, buffer, offset);
        #[cfg(unix)]
        self.0.read_at(buffer, offset)
    }
}

/// A file of an image, and those beside it.
pub struct Folder(pub PathBuf);

impl Siblings for Folder {
    fn open(&self, name: &str) -> io::Result<Option<Arc<dyn Bytes>>> {
        match File::open(self.0.with_file_name(name)) {
            Ok(file) => Ok(Some(Arc::new(Held(file)))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn first(&self) -> &str {
        self.0.file_name().and_then(|name| name.to_str()).unwrap_or_default()
    }

    fn alike(&self) -> io::Result<Vec<String>> {
        let all = std::fs::read_dir(self.0.with_file_name(""))?;
        let names = all.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
        Ok(names.collect::<io::Result<Vec<_>>>()?.into_iter().filter(|name| name != self.first()).collect())
    }
}

/// Which image these bytes are.
pub fn kind(bytes: &dyn Bytes) -> Option<Kind> {
    let mut start = vec![0; START.min(bytes.size() as usize)];
    let mut end = vec![0; END.min(bytes.size() as usize)];
    bytes.read_exact_at(0, &mut start).ok()?;
    bytes.read_exact_at(bytes.size() - end.len() as u64, &mut end).ok()?;
    Kind::recognize(&start, &end)
}

/// Opens an image by its first file.
pub fn open_path(path: &Path) -> Result<Box<dyn Disk>, Failure> {
    let file: Arc<dyn Bytes> = Arc::new(Held(File::open(path)?));
    let kind = kind(&*file).ok_or_else(|| Failure::refused("not recognised"))?;
    open(kind, file, &Folder(path.to_owned()))
}

/// Runs a program that must succeed, in a directory.
pub fn run(directory: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program).args(arguments).current_dir(directory).output().expect(program);
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Bytes that do not repeat.
pub fn noise(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let words = (0..length.div_ceil(8)).flat_map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    });
    words.take(length).collect()
}

/// A disk of noise, text, zeros and one byte again and again, whose size is not a multiple of any
/// cluster.
pub fn disk() -> Vec<u8> {
    let mut disk = vec![0; (5 << 20) + 3 * 512];
    let mut put = |at: usize, bytes: &[u8]| disk[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &noise(1, 70_000));
    put(200_000, &b"The quick brown fox jumps over the lazy dog. ".repeat(5000));
    put(1 << 20, &super::aff4::unknown(1 << 16));
    put((2 << 20) - 700, &noise(2, 1400));
    put(3 << 20, &[0x5a; 300_000]);
    put((5 << 20) - 100, &noise(3, 3 * 512 + 100));
    disk
}

/// A disk that reads as `expected`, whole and in pieces of many sizes.
pub fn same(disk: &dyn Disk, expected: &[u8], what: &str) {
    assert_eq!(disk.size(), expected.len() as u64, "{what}");
    let mut whole = vec![1; expected.len()];
    disk.read_exact_at(0, &mut whole).unwrap_or_else(|error| panic!("{what}: {error}"));
    let differs = whole.iter().zip(expected).position(|(is, should)| is != should);
    assert_eq!(differs, None, "{what}");
    for seed in 1..200 {
        let numbers = noise(seed, 16);
        let number = |at: usize| u64::from_le_bytes(numbers[at..at + 8].try_into().unwrap());
        let at = (number(0) % expected.len() as u64) as usize;
        let length = ((number(8) % 70_000) as usize).min(expected.len() - at);
        let mut piece = vec![1; length];
        disk.read_exact_at(at as u64, &mut piece).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(piece == expected[at..at + length], "{what}: {at} + {length}");
    }
    assert_eq!(disk.read_at(disk.size(), &mut [0; 9]).unwrap(), 0);
    assert_eq!(disk.read_at(u64::MAX, &mut [0; 9]).unwrap(), 0);
    assert!(disk.read_exact_at(disk.size() - 1, &mut [0; 2]).is_err());
}
