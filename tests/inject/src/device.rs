//! Real block devices that a test makes for itself: loop devices, zram, small file systems.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

fn run(program: &str, arguments: &[&OsStr]) -> io::Result<String> {
    let output = Command::new(program).args(arguments).output()?;
    if !output.status.success() {
        return Err(io::Error::other(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A loop device over a file; detached when dropped.
#[derive(Debug)]
pub struct Loop(PathBuf);

impl Loop {
    /// Attaches the first free device. Options are losetup's: `-r`, `-b 4096`, `--direct-io=on`.
    ///
    /// # Errors
    /// losetup's error.
    pub fn attach(file: &Path, options: &[&str]) -> io::Result<Loop> {
        let mut arguments: Vec<&OsStr> = ["--find", "--show"].iter().map(OsStr::new).collect();
        arguments.extend(options.iter().map(OsStr::new));
        arguments.push(file.as_os_str());
        // Two tests may be offered the same free device.
        let mut tries = 0;
        loop {
            match run("losetup", &arguments) {
                Ok(path) => return Ok(Loop(path.into())),
                Err(error) if tries == 20 => return Err(error),
                Err(_) => std::thread::sleep(std::time::Duration::from_millis(100)),
            }
            tries += 1;
        }
    }

    /// The device's name.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = run("losetup", &["--detach".as_ref(), self.0.as_os_str()]);
    }
}

/// A disk in compressed memory: writes beyond its memory limit fail when they are flushed, not when
/// they are made.
#[derive(Debug)]
pub struct Zram {
    number: u32,
    path: PathBuf,
}

impl Zram {
    /// A disk of `size` bytes that holds at most `limit` bytes of incompressible data.
    ///
    /// # Errors
    /// The kernel's error; it has no zram, for example.
    pub fn add(size: u64, limit: u64) -> io::Result<Zram> {
        let number: u32 =
            fs::read_to_string("/sys/class/zram-control/hot_add")?.trim().parse().map_err(io::Error::other)?;
        let zram = Zram { number, path: format!("/dev/zram{number}").into() };
        let set = |name: &str, value: u64| fs::write(format!("/sys/block/zram{number}/{name}"), value.to_string());
        set("disksize", size)?;
        set("mem_limit", limit)?;
        Ok(zram)
    }

    /// The device's name.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        let _ = fs::write(format!("/sys/block/zram{}/reset", self.number), "1");
        let _ = fs::write("/sys/class/zram-control/hot_remove", self.number.to_string());
    }
}

/// A file system in memory of a stated size; unmounted when dropped.
#[derive(Debug)]
pub struct Tmpfs(PathBuf);

impl Tmpfs {
    /// Mounts one of `size` bytes on `place`, which it makes.
    ///
    /// # Errors
    /// mount's error.
    pub fn mount(place: &Path, size: u64) -> io::Result<Tmpfs> {
        fs::create_dir_all(place)?;
        let option = format!("size={size}");
        run(
            "mount",
            &["-t", "tmpfs", "-o", &option, "none"]
                .map(OsStr::new)
                .into_iter()
                .chain([place.as_os_str()])
                .collect::<Vec<_>>(),
        )?;
        Ok(Tmpfs(place.to_owned()))
    }

    /// Where it is mounted.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = run("umount", &["-l".as_ref(), self.0.as_os_str()]);
    }
}
