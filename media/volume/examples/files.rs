//! Lists the files of a raw image with their SHA-256: `cargo run --example files -- disk.img`.
//!
//! A line has the digest and the name, behind the number of its partition. All that cannot be read
//! is a line on standard error, with its place, and never a digest; the exit code is 3 then.

use pfh_digest::Algorithm;
use pfh_volume::{Bytes, Failure, Node, Options, Usage, VolumeContent, file_system, partitions};
use std::error::Error;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let image = std::env::args_os().nth(1).ok_or("give an IMAGE")?;
    let file = File::open(&image)?;
    let size = file.metadata()?.len();
    let mut failed = false;
    for line in files(&(Arc::new(Plain(Mutex::new(file), size)) as Arc<dyn Bytes>)) {
        match line {
            Ok((name, digest)) => println!("{digest}  {name}"),
            Err(cause) => {
                eprintln!("{}: {cause}", image.display());
                failed = true;
            }
        }
    }
    Ok(if failed { ExitCode::from(3) } else { ExitCode::SUCCESS })
}

/// The name of each file on a medium with its digest, or the cause why it has none.
pub fn files(medium: &Arc<dyn Bytes>) -> Vec<Result<(String, String), String>> {
    let table = match partitions(medium) {
        Ok(table) => table,
        Err(failed) => return vec![Err(failed.to_string())],
    };
    let mut lines: Vec<_> = table.warnings.iter().map(|failed| Err(failed.to_string())).collect();
    // Without a table the medium is one volume.
    if table.partitions.iter().all(|part| part.usage != Usage::Partition) {
        volume("", medium.clone(), &mut lines);
    }
    for part in table.partitions.iter().filter(|part| part.usage == Usage::Partition) {
        let name = part.number.map_or_else(String::new, |number| format!("p{number}/"));
        match part.open(medium) {
            Ok(bytes) => volume(&name, bytes, &mut lines),
            Err(failed) => lines.push(Err(said(&name, &failed))),
        }
    }
    lines
}

fn volume(part: &str, bytes: Arc<dyn Bytes>, lines: &mut Vec<Result<(String, String), String>>) {
    let system = match file_system(bytes) {
        Ok(VolumeContent::FileSystem(system)) => system,
        Ok(VolumeContent::Volumes(volumes)) => {
            return lines.push(Err(format!("{part}: several volumes: {}", volumes.kind)));
        }
        Ok(VolumeContent::Encrypted(kind)) => return lines.push(Err(format!("{part}: encrypted: {kind}"))),
        Ok(VolumeContent::Locked(locked)) => return lines.push(Err(format!("{part}: encrypted: {}", locked.format))),
        Ok(VolumeContent::Unread(kind)) => return lines.push(Err(format!("{part}: not read: {kind}"))),
        Ok(VolumeContent::Unknown) => return lines.push(Err(format!("{part}: no file system that is known"))),
        Err(failed) => return lines.push(Err(said(part, &failed))),
    };
    lines.extend(system.warnings.iter().chain(&system.unread).map(|failed| Err(said(part, failed))));
    for node in system.nodes(Options::default()) {
        match node {
            Ok(node) if node.content.is_some() => {
                let name = format!("{part}{}", String::from_utf8_lossy(&node.path));
                lines.push(
                    digest(&node).map(|digest| (name.clone(), digest)).map_err(|cause| format!("{name}: {cause}")),
                );
            }
            Ok(_) => {}
            Err(failed) => lines.push(Err(said(part, &failed))),
        }
    }
}

/// The SHA-256 of a file; the cause if not all of it is read.
fn digest(node: &Node) -> Result<String, String> {
    let algorithm: Algorithm = "sha256".parse().map_err(|_| "SHA-256 is not built in")?;
    let (mut hasher, mut buffer) = (algorithm.hasher(), vec![0; 64 << 10]);
    let Some(content) = &node.content else { return Err("no content".to_owned()) };
    let mut reader = content.open().map_err(|failed| failed.to_string())?;
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finalize().to_string()),
            Ok(got) => hasher.update(&buffer[..got]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn said(part: &str, failed: &Failure) -> String {
    format!("{part}{}: {failed}", String::from_utf8_lossy(&failed.path))
}

/// A file as a medium.
struct Plain(Mutex<File>, u64);

impl Bytes for Plain {
    fn size(&self) -> u64 {
        self.1
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read(buffer)
    }
}
