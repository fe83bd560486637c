//! What a test needs of the machine.

use std::path::Path;
use std::process::{Command, Stdio};

/// Something that an injection needs and that a machine may not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Effective user 0: to mount, to make device nodes, to become somebody else.
    Root,
    /// `/dev/fuse`, and the right to mount on it.
    Fuse,
    /// Loop devices.
    Loop,
    /// Disks in compressed memory (`/sys/class/zram-control`).
    Zram,
    /// A program on the search path, `strace` say.
    Program(&'static str),
}

impl Need {
    fn is_met(self) -> bool {
        match self {
            Need::Loop => effective_user() == Some(0) && Path::new("/dev/loop-control").exists(),
            Need::Zram => effective_user() == Some(0) && Path::new("/sys/class/zram-control/hot_add").exists(),
            Need::Root => effective_user() == Some(0),
            Need::Fuse => {
                Path::new("/dev/fuse").exists()
                    && (effective_user() == Some(0) || Need::Program("fusermount3").is_met())
            }
            Need::Program(name) => Command::new("sh")
                .args(["-c", "command -v -- \"$1\"", "sh", name])
                .stdout(Stdio::null())
                .status()
                .is_ok_and(|status| status.success()),
        }
    }
}

fn effective_user() -> Option<u32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let uids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    uids.split_whitespace().nth(1)?.parse().ok()
}

/// Whether this machine lacks one of `needs`: the test then ends early. It says so on standard error, in a line that
/// starts with `skipped: `, and panics where `PFH_REQUIRE_INJECTORS` is set: there nothing may be missing.
pub fn lacks(needs: &[Need]) -> bool {
    let Some(missing) = needs.iter().find(|need| !need.is_met()) else { return false };
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    assert!(std::env::var_os("PFH_REQUIRE_INJECTORS").is_none(), "{test} needs {missing:?}, which is missing");
    eprintln!("skipped: {test} needs {missing:?}");
    true
}
