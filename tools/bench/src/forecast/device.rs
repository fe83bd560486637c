//! How fast a device is, at places all over it.

use crate::Error;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::Instant;

/// Seconds per byte at 16 places of a file or device, opened for reading only, past the page cache
/// as far as the kernel lets it.
pub fn rates(path: &Path) -> Result<Vec<f64>, Error> {
    let read = || -> std::io::Result<Vec<f64>> {
        let mut file = File::open(path)?;
        let length = file.seek(SeekFrom::End(0))?;
        let part = (16u64 << 20).min(length / 16);
        let mut buffer = vec![0; 1 << 20];
        let mut rates = Vec::new();
        for place in 0..16 {
            let at = length / 16 * place;
            pfh::process::evict_range(&file, at, part)?;
            file.seek(SeekFrom::Start(at))?;
            let (start, mut got) = (Instant::now(), 0);
            while got < part {
                match file.read(&mut buffer)? {
                    0 => break,
                    n => got += n as u64,
                }
            }
            if got > 0 {
                rates.push(start.elapsed().as_secs_f64() / got as f64);
            }
        }
        Ok(rates)
    };
    let rates = read().map_err(Error::file(path))?;
    match rates.is_empty() {
        true => Err(Error::Usage(format!("{}: too short to measure", path.display()))),
        false => Ok(rates),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_sampled_and_a_short_one_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("evidence");
        std::fs::write(&path, vec![7; 1 << 20]).unwrap();
        assert_eq!(rates(&path).unwrap().len(), 16);
        std::fs::write(&path, []).unwrap();
        assert!(matches!(rates(&path), Err(Error::Usage(_))));
        assert!(matches!(rates(&directory.path().join("none")), Err(Error::File { .. })));
    }
}
