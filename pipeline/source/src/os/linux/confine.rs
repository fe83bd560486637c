//! Confinement of a process that reads hostile input: Landlock for files and TCP, seccomp for
//! system calls that no command has a use for.

use super::super::Confinement;
use std::ffi::CString;
use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

// linux/landlock.h
const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const REMOVE_DIR: u64 = 1 << 4;
const MAKE_SYM: u64 = 1 << 12;
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
/// Removing and making names of all kinds: bits 4 to 12.
const NAMES: u64 = (MAKE_SYM << 1) - REMOVE_DIR;
const TCP: u64 = 3;
const VERSION: libc::c_uint = 1;
const PATH_BENEATH: libc::c_int = 1;

/// `struct landlock_ruleset_attr`, as far as it is used.
#[repr(C)]
struct Ruleset {
    files: u64,
    network: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct Beneath {
    allowed: u64,
    parent: libc::c_int,
}

/// System calls that are refused with EPERM: other programs, other processes, the network, the
/// kernel itself, and rings, by which the others could be made.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
];

/// Which of them this kernel has.
pub fn confinement() -> Confinement {
    // SAFETY: with this flag the call reads nothing and gives a number.
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0_usize, 0_usize, VERSION) };
    let filters = audit_arch().is_some() && {
        // SAFETY: a question that touches no memory: EFAULT says that there are filters.
        let answer = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, 0_usize, 0, 0) };
        answer == -1 && io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT)
    };
    Confinement { landlock: u32::try_from(version).unwrap_or(0), seccomp: filters }
}

/// Gives up the rights that hostile input must not use: from here on this thread, and all that it
/// starts, write only below `writable`, start no program and open no connection. Open files stay
/// open, and everything may be read. Returns the means that are in force.
///
/// # Errors
/// When the kernel has Landlock or seccomp and refuses them.
pub fn confine(writable: &[PathBuf]) -> io::Result<Confinement> {
    let there = confinement();
    if there == Confinement::default() {
        return Ok(there);
    }
    // SAFETY: a switch of this thread that touches no memory.
    succeeded(unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1_usize, 0_usize, 0_usize, 0_usize) }.into())?;
    if there.landlock > 0 {
        files(there.landlock, writable)?;
    }
    if there.seccomp {
        calls()?;
    }
    Ok(there)
}

fn succeeded(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn files(version: u32, writable: &[PathBuf]) -> io::Result<()> {
    let mut handled = EXECUTE | WRITE_FILE | NAMES;
    handled |= if version >= 2 { REFER } else { 0 };
    handled |= if version >= 3 { TRUNCATE } else { 0 };
    let ruleset = Ruleset { files: handled, network: if version >= 4 { TCP } else { 0 } };
    let size = if version >= 4 { size_of::<Ruleset>() } else { size_of::<u64>() };
    // SAFETY: the structure is there, and the kernel reads `size` bytes of it at most.
    let made = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, &raw const ruleset, size, 0) };
    // SAFETY: the kernel has just opened this descriptor for us.
    let rules = unsafe { OwnedFd::from_raw_fd(succeeded(made)? as libc::c_int) };
    for path in writable {
        let Some(parent) = opened(path) else { continue };
        let allowed = if path.is_dir() { handled & !EXECUTE } else { handled & (WRITE_FILE | TRUNCATE) };
        let beneath = Beneath { allowed, parent: parent.as_raw_fd() };
        // SAFETY: the structure is there, and both descriptors are open.
        let added = unsafe {
            libc::syscall(libc::SYS_landlock_add_rule, rules.as_raw_fd(), PATH_BENEATH, &raw const beneath, 0)
        };
        succeeded(added)?;
    }
    // SAFETY: takes an open descriptor and touches no memory.
    succeeded(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) }).map(drop)
}

/// A path opened as a place only; `None` if it is not there.
fn opened(path: &Path) -> Option<OwnedFd> {
    let path = CString::new(path.as_os_str().as_bytes()).ok()?;
    // SAFETY: the name ends with a zero and lives as long as the call.
    let fd = unsafe { libc::open(path.as_ptr(), libc::O_PATH | libc::O_CLOEXEC) };
    // SAFETY: the kernel has just opened this descriptor for us.
    (fd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The kernel's name of this architecture (linux/audit.h).
fn audit_arch() -> Option<u32> {
    match (cfg!(target_arch = "x86_64"), cfg!(target_arch = "aarch64")) {
        (true, _) => Some(0xC000_003E),
        (_, true) => Some(0xC000_00B7),
        _ => None,
    }
}

/// The filter: another architecture, and calls by x32's numbers, are refused as well.
fn program(arch: u32) -> Vec<libc::sock_filter> {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let step = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let refused = u8::try_from(REFUSED.len()).unwrap_or(u8::MAX);
    // `struct seccomp_data` has the call's number at 0 and the architecture at 4.
    let mut steps = vec![step(LOAD, 0, 0, 4), step(EQUAL, 0, refused + 3, arch), step(LOAD, 0, 0, 0)];
    steps.push(step(AT_LEAST, refused + 1, 0, 0x4000_0000));
    for (at, call) in (0..).zip(REFUSED) {
        steps.push(step(EQUAL, refused - at, 0, u32::try_from(*call).unwrap_or(u32::MAX)));
    }
    steps.push(step(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW));
    steps.push(step(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32));
    steps
}

fn calls() -> io::Result<()> {
    let Some(arch) = audit_arch() else { return Ok(()) };
    let mut steps = program(arch);
    let length = u16::try_from(steps.len()).map_err(io::Error::other)?;
    let filter = libc::sock_fprog { len: length, filter: steps.as_mut_ptr() };
    // SAFETY: the program lives as long as the call, and states its length.
    let set = unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const filter, 0, 0) };
    succeeded(set.into()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, UdpSocket};
    use std::process::Command;

    /// Both hold for the thread that asks for them, so that the test's other threads stay free.
    #[test]
    fn what_is_left_to_a_confined_thread() {
        let room = tempfile::tempdir().unwrap();
        let (inside, outside) = (room.path().join("inside"), room.path().join("outside"));
        for directory in [&inside, &outside] {
            std::fs::create_dir(directory).unwrap();
            std::fs::write(directory.join("file"), "before").unwrap();
        }
        std::fs::write(room.path().join("single"), "before").unwrap();
        let writable = [inside.clone(), room.path().join("single"), room.path().join("missing")];
        let confined = std::thread::spawn(move || {
            let took = confine(&writable).unwrap();
            let denied =
                |result: io::Result<()>| result.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
            if took.landlock > 0 {
                assert!(denied(std::fs::write(outside.join("file"), "after")));
                assert!(denied(std::fs::write(outside.join("new"), "after")));
                assert!(denied(std::fs::remove_file(outside.join("file"))));
                assert!(denied(std::fs::create_dir(outside.join("directory"))));
                assert!(denied(std::fs::rename(inside.join("file"), outside.join("moved"))));
                assert!(denied(std::os::unix::fs::symlink("x", outside.join("link"))));
            }
            assert_eq!(std::fs::read(outside.join("file")).unwrap(), b"before", "everything may be read");
            std::fs::write(inside.join("file"), "after").unwrap();
            std::fs::write(inside.join("new"), "after").unwrap();
            std::fs::write(&writable[1], "after").unwrap();
            std::fs::rename(inside.join("new"), inside.join("newer")).unwrap();
            if took.seccomp {
                assert!(denied(Command::new("/bin/true").status().map(drop)));
                assert!(denied(UdpSocket::bind("127.0.0.1:0").map(drop)));
                assert!(denied(TcpListener::bind("127.0.0.1:0").map(drop)));
                assert!(super::super::Ring::new().is_none());
            }
            std::thread::spawn(move || denied(std::fs::write(outside.join("file"), "after"))).join().unwrap()
        });
        assert!(confined.join().unwrap() || confinement().landlock == 0, "and so are the threads that it starts");
        assert_eq!(std::fs::read(room.path().join("outside/file")).unwrap(), b"before");
        std::fs::write(room.path().join("outside/file"), "free").unwrap();
    }

    #[test]
    fn the_filter_jumps_within_itself() {
        let steps = program(7);
        let end = steps.len();
        assert!(end == REFUSED.len() + 6 && REFUSED.len() < 250);
        for (at, step) in steps.iter().enumerate() {
            assert!(at + 1 + usize::from(step.jt.max(step.jf)) < end || at >= end - 2, "{at}");
        }
        // Each refused call jumps to the last step.
        for (at, step) in steps.iter().enumerate().take(end - 2).skip(4) {
            assert_eq!(at + 1 + usize::from(step.jt), end - 1);
        }
        assert_eq!(1 + 1 + usize::from(steps[1].jf), end - 1);
        assert_eq!(3 + 1 + usize::from(steps[3].jt), end - 1);
    }
}
