//! The needs of a test on the machine.

use std::io::Write;
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
    /// Which signals a process catches, as the system says it: an emulator catches all of them from
    /// its start, long before the program that it runs does.
    SignalMask,
    /// The most memory that a process had, as the system counts it: that of an emulated program is
    /// counted with its emulator's.
    Peak,
    /// Some ten seconds and more on an idle machine of two cores: of computing, or of waiting for a
    /// disk.
    Time,
    /// A program on the search path, `strace` say.
    Program(&'static str),
}

impl Need {
    /// Whether an emulator of user programs (qemu-user) cannot carry it: `strace` would see the
    /// emulator's calls, a limit on memory would be the emulator's, a compiler makes programs for
    /// this machine against libraries for the other, and the root of a user namespace can neither
    /// mount disks, nor make device nodes, nor become somebody else.
    fn is_beyond_emulators(self) -> bool {
        match self {
            Need::Program(name) => ["cc", "prlimit", "setpriv", "strace"].contains(&name),
            Need::Time => false,
            Need::Root | Need::Fuse | Need::Loop | Need::Zram | Need::SignalMask | Need::Peak => true,
        }
    }

    /// The tier of tests that need this; none for a need that every machine with a shell meets.
    fn tier(self) -> Option<&'static str> {
        match self {
            Need::Fuse | Need::Loop | Need::Zram | Need::Program("strace") => Some("faults"),
            Need::Time => Some("slow"),
            Need::SignalMask
            | Need::Peak
            | Need::Root
            | Need::Program("env" | "perl" | "prlimit" | "script" | "setpriv" | "taskset" | "unshare") => None,
            Need::Program(_) => Some("foreign"),
        }
    }

    fn is_met(self) -> bool {
        match self {
            need if emulator().is_some() && need.is_beyond_emulators() => false,
            Need::Time => true,
            Need::SignalMask | Need::Peak => Path::new("/proc/self/status").exists(),
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

/// The emulator that runs the tests, as stated in the environment.
fn emulator() -> Option<String> {
    std::env::var("PFH_EMULATOR").ok()
}

fn effective_user() -> Option<u32> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let uids = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    uids.split_whitespace().nth(1)?.parse().ok()
}

/// Whether tests of a tier run: those that `PFH_TIERS` names (`faults,foreign,slow`), and without
/// it all of them where `PFH_REQUIRE_INJECTORS` is set, or under an emulator, which is not a place
/// for haste.
fn runs(tier: &str) -> bool {
    match std::env::var("PFH_TIERS") {
        Ok(named) => named.split(',').any(|named| named == tier),
        Err(_) => std::env::var_os("PFH_REQUIRE_INJECTORS").is_some() || emulator().is_some(),
    }
}

/// Prints past the output of the test, which only a failure shows.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {line}");
}

/// Whether this machine lacks one of `needs`, or the tests that need it are of a tier that does not
/// run: the test then ends early. It says so on standard error, in a line that starts with
/// `skipped: ` and is seen although the test passes, and panics where `PFH_REQUIRE_INJECTORS` is
/// set: there nothing may be missing. Under an emulator, which `PFH_EMULATOR` names, what it cannot
/// carry is missing.
///
/// The tiers are `faults` (FUSE, strace, loop devices, disks in memory), `foreign` (other programs)
/// and `slow`; `make faults`, `make foreign` and `make slow` run them, and the continuous
/// integration runs all.
pub fn lacks(needs: &[Need]) -> bool {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    // A test is of the tier of the first thing that it needs of one.
    let first = needs.iter().find_map(|&need| Some((need, need.tier()?)));
    if let Some((need, tier)) = first.filter(|(_, tier)| !runs(tier)) {
        say(&format!("{test} needs {need:?}; `make {tier}` runs it"));
        return true;
    }
    let Some(missing) = needs.iter().find(|need| !need.is_met()) else { return false };
    assert!(std::env::var_os("PFH_REQUIRE_INJECTORS").is_none(), "{test} needs {missing:?}, which is missing");
    let why = match emulator() {
        Some(emulator) if missing.is_beyond_emulators() => format!(", which {emulator} cannot carry"),
        _ => String::new(),
    };
    say(&format!("{test} needs {missing:?}{why}"));
    true
}
