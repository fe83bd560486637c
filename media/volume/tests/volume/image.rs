//! Images that the system's own tools make, and how they are opened: as files, for reading.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use pfh_volume::Bytes;
use tempfile::TempDir;

/// A directory for one test, which goes with it.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Bench { folder: tempfile::tempdir().expect("a directory") }
    }

    /// The path of a name in the directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file of `size` zeros, which takes no room.
    pub fn blank(&self, name: &str, size: u64) -> PathBuf {
        let path = self.path(name);
        File::create(&path).and_then(|file| file.set_len(size)).expect("a file");
        path
    }
}

/// A file as a medium.
struct Medium(File);

impl Bytes for Medium {
    fn size(&self) -> u64 {
        self.0.metadata().map_or(0, |metadata| metadata.len())
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }
}

/// An image for reading.
pub fn open(path: &Path) -> Arc<dyn Bytes> {
    Arc::new(Medium(File::open(path).expect("an image")))
}

/// Runs a program that must succeed; its output.
pub fn run(program: &str, arguments: &[&str]) -> String {
    run_with(program, arguments, b"")
}

/// Runs a program that must succeed with `input`; its output.
pub fn run_with(program: &str, arguments: &[&str], input: &[u8]) -> String {
    let mut child = Command::new(program)
        .args(arguments)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{program}: {error}"));
    child.stdin.take().expect("a pipe").write_all(input).expect("the input is read");
    let output = child.wait_with_output().expect("it ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Overwrites bytes of an image.
pub fn poke(path: &Path, offset: u64, bytes: &[u8]) {
    let file = fs::OpenOptions::new().write(true).open(path).expect("an image");
    file.write_all_at(bytes, offset).expect("written");
}

/// Unmounts the file system at `path`. A process that another test forks keeps it busy until it
/// runs its program, and so does a scan of all mounts (a desktop's, a monitor's).
pub fn unmount(path: &Path) {
    let unmounted = || Command::new("umount").arg(path).status().expect("umount").success();
    let is_gone = (0..100).any(|_| {
        unmounted() || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            false
        }
    });
    assert!(is_gone, "{} stays mounted", path.display());
}

/// A file system that a FUSE program holds mounted, in the foreground so that its end is seen.
pub struct Mount {
    /// Where it is mounted.
    pub path: PathBuf,
    child: Child,
    device: String,
}

impl Mount {
    /// Starts the program with a loop device over the image and the mount point as its last
    /// arguments, and waits until it serves.
    pub fn new(bench: &Bench, program: &str, arguments: &[&str], image: &Path, name: &str) -> Self {
        let device = run("losetup", &["--find", "--show", text(image)]).trim().to_owned();
        let path = bench.path(name);
        fs::create_dir(&path).expect("a mount point");
        let mut command = Command::new(program);
        command
            .args(arguments)
            .arg(&device)
            .arg(&path)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut mount =
            Mount { path, child: command.spawn().unwrap_or_else(|error| panic!("{program}: {error}")), device };
        for _ in 0..3000 {
            let mounted = fs::read_to_string("/proc/self/mounts").expect("mounts");
            if mounted.lines().any(|line| line.split(' ').nth(1) == Some(text(&mount.path))) {
                return mount;
            }
            assert!(mount.child.try_wait().expect("a child").is_none(), "{program} ended");
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("{program} does not mount");
    }

    /// Unmounts, and waits until everything is written.
    pub fn end(mut self) {
        unmount(&self.path);
        self.child.wait().expect("it ends");
        fs::remove_dir(&self.path).expect("the mount point is empty again");
        run("losetup", &["--detach", &self.device]);
        self.device.clear();
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            let _ = Command::new("umount").arg("-l").arg(&self.path).status();
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
        if !self.device.is_empty() {
            let _ = Command::new("losetup").args(["--detach", &self.device]).status();
        }
    }
}
