//! Small text files of the kernel about this process and its machine.

use super::super::{Patience, retry};
use rustix::fs::{CWD, Mode, OFlags, openat};
use rustix::io::Errno;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

/// How long such a file is asked for where every call is interrupted: a run does not depend on its
/// contents.
const PATIENCE: Duration = Duration::from_millis(300);
/// Bytes asked for at once.
const PIECE: usize = 16 << 10;
/// The longest that is read: a table of tens of thousands of mounts.
const LONGEST: usize = 16 << 20;

/// A small text file of the kernel's (`/proc`, `/sys`); `None` where it is not there or cannot be
/// read. Unlike the standard library's functions it gives up when every call is interrupted.
pub fn kernel_text(path: impl AsRef<Path>) -> Option<String> {
    let mut patience = Patience::within(PATIENCE);
    let file: OwnedFd = loop {
        match openat(CWD, path.as_ref(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) {
            Err(Errno::INTR) => patience.again(Errno::INTR).ok()?,
            other => break other.ok()?,
        }
    };
    let (mut text, mut filled) = (vec![0; PIECE], 0);
    while filled < LONGEST {
        if filled == text.len() {
            text.resize(filled + PIECE, 0);
        }
        match rustix::io::read(&file, &mut text[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(errno @ (Errno::INTR | Errno::AGAIN)) => patience.again(errno).ok()?,
            Err(_) => return None,
        }
    }
    text.truncate(filled);
    String::from_utf8(text).ok()
}

/// The names in a directory, in no order; as many as there were before the first error, none where
/// it cannot be opened. Unlike the standard library's function it does not panic when the system
/// refuses to close the directory.
pub fn names_in(path: impl AsRef<Path>) -> Vec<OsString> {
    let mut names = Vec::new();
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    if let Ok(directory) = retry(|| openat(CWD, path.as_ref(), flags, Mode::empty())) {
        let _ = super::files::list(&directory, |name, _| {
            names.push(OsString::from_vec(name.to_vec()));
            Ok(())
        });
    }
    names
}

/// The kernel's name and release, as uname(2) has them.
pub fn system_name() -> String {
    let name = rustix::system::uname();
    format!("{} {}", name.sysname().to_string_lossy(), name.release().to_string_lossy())
}

/// Processor time that all threads of this process have used.
pub fn cpu_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.max(0) as u64, time.tv_nsec as u32)
}

/// Processors that this process may use: its affinity, and the quota of its control groups; at
/// least one.
pub fn processors() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| affinity().min(quota().unwrap_or(usize::MAX)).max(1))
}

fn affinity() -> usize {
    let set = rustix::thread::sched_getaffinity(None);
    set.map_or(1, |set| set.count() as usize)
}

/// Processors' worth of time that the control groups leave, rounded down; `None` where they set no
/// limit.
fn quota() -> Option<usize> {
    let groups = kernel_text("/proc/self/cgroup")?;
    let mut least: Option<f64> = None;
    let mut take = |quota: Option<f64>| least = quota.into_iter().chain(least).reduce(f64::min);
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let mounts: &[&str] = match controllers {
            "" => &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"],
            "cpu" => &["/sys/fs/cgroup/cpu"],
            "cpu,cpuacct" => &["/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu"],
            _ => continue,
        };
        let mut here = path.trim_end_matches('/');
        loop {
            for mount in mounts {
                take(if controllers.is_empty() { second(mount, here) } else { first(mount, here) });
            }
            match here.rfind('/') {
                Some(cut) => here = &here[..cut],
                None => break,
            }
        }
    }
    least.map(|quota| quota as usize)
}

/// The limit of a group of the second version: `cpu.max`, "max 100000" or "150000 100000".
fn second(mount: &str, path: &str) -> Option<f64> {
    let text = kernel_text(format!("{mount}{path}/cpu.max"))?;
    let mut numbers = text.split_whitespace().map(str::parse::<f64>);
    Some(numbers.next()?.ok()? / numbers.next()?.ok()?)
}

/// The limit of a group of the first version; -1 is none.
fn first(mount: &str, path: &str) -> Option<f64> {
    let number = |name| kernel_text(format!("{mount}{path}/{name}"))?.trim().parse::<f64>().ok();
    let (quota, period) = (number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?);
    (quota > 0.0 && period > 0.0).then(|| quota / period)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_library_counts_the_same_processors() {
        assert_eq!(processors(), std::thread::available_parallelism().unwrap().get());
        assert!(kernel_text("/proc/self/status").unwrap().contains("SigIgn:"));
        assert_eq!(kernel_text("/proc/self/no-such-file"), None);
    }
}
