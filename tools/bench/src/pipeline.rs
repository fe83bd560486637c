//! Measurements of the real pipeline: trees of our own making through `pfh::run`.

use crate::{Error, message::Message};
use pfh::{Control, Descend, Operands, Outcome, Plan, Record, Recurse};
use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A directory of files of one size.
#[derive(Debug, Clone)]
pub struct FileTree {
    /// Where.
    pub root: PathBuf,
    /// Number of files.
    pub files: u64,
    /// Bytes of all files together.
    pub bytes: u64,
}

impl FileTree {
    /// Writes `files` files of `length` bytes each, all different, below `root`, and waits until
    /// the device has them.
    pub fn create(root: &Path, files: u64, length: u64, seed: u64) -> Result<FileTree, Error> {
        for index in 0..files {
            let folder = root.join(format!("{:03}", index / 100));
            std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
            let message = Message::create(&folder, length, seed.wrapping_add(index))?;
            let sync = || OpenOptions::new().write(true).open(&message.path)?.sync_all();
            sync().map_err(Error::file(&message.path))?;
        }
        Ok(FileTree { root: root.to_owned(), files, bytes: files * length })
    }
}

/// The result of one run over a tree.
#[derive(Debug, Clone)]
pub struct Pass {
    /// Time that passed.
    pub wall: Duration,
    /// CPU time of all threads, in seconds.
    pub cpu: f64,
    /// Name and digests of every file, in the run's order.
    pub digests: Vec<String>,
}

fn cpu_seconds() -> f64 {
    pfh::process::cpu_time().as_secs_f64()
}

/// Hashes everything below `root` as `pfh hash -r` does. Any file without a digest is an error: a
/// time that skips work says nothing.
pub fn pass(root: &Path, plan: &Plan) -> Result<Pass, Error> {
    let source = Operands::new(
        vec![root.as_os_str().as_encoded_bytes().to_vec()],
        Descend { recurse: Recurse::Yes, ..Descend::default() },
    );
    let mut digests = Vec::new();
    let mut trouble = None;
    let (start, used) = (Instant::now(), cpu_seconds());
    let summary = pfh::run(
        Box::new(source),
        plan,
        &mut |record: Record| {
            match &record.outcome {
                Outcome::Hashed(file) => {
                    let all: Vec<String> = file.digests.iter().map(|digest| digest.to_string()).collect();
                    digests.push(format!("{} {}", String::from_utf8_lossy(&record.name), all.join(" ")));
                }
                Outcome::Skipped(why) => trouble = Some(format!("skipped: {}", why.reason())),
                Outcome::Failed(problem) => trouble = Some(problem.to_string()),
            }
            Ok(())
        },
        &Control::new(),
    );
    let (wall, cpu) = (start.elapsed(), cpu_seconds() - used);
    summary.map_err(|error| Error::Failed(error.to_string()))?;
    match trouble {
        Some(reason) => Err(Error::Failed(format!("{}: {reason}", root.display()))),
        None => Ok(Pass { wall, cpu, digests }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_has_every_file_and_the_right_digests() {
        let directory = tempfile::tempdir().unwrap();
        let tree = FileTree::create(directory.path(), 120, 1000, 3).unwrap();
        let plan = Plan::new(["sha256".parse::<pfh::Algorithm>().unwrap()]);
        let (first_pass, second_pass) = (pass(&tree.root, &plan).unwrap(), pass(&tree.root, &plan).unwrap());
        assert_eq!(first_pass.digests.len(), 120);
        assert_eq!(first_pass.digests, second_pass.digests);
        let first = Message::create(&tree.root.join("000"), 1000, 3).unwrap();
        let expected = first.expected(crate::message::Method::Sha256).unwrap();
        assert!(first_pass.digests.iter().any(|line| line.ends_with(&expected)), "{expected}");
        assert!(pass(&tree.root.join("nowhere"), &plan).is_err());
    }
}
