//! The standard streams as the process was given them, and other descriptors that it inherited.
//!
//! Before `main`, the standard library opens `/dev/null` for each standard stream that is closed.
//! From then on a closed standard input reads as an empty one, and bytes that are written to a
//! closed standard output are lost without an error. The closed streams are therefore noted before
//! that, by a function that the loader calls first. `/dev/null` itself says nothing: services and
//! test harnesses start programs with it on purpose, opened in the same way.

use super::{Errno, retry};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, Ordering};

/// A bit for each of the descriptors 0 to 2 that was closed at the start.
static CLOSED: AtomicU8 = AtomicU8::new(0);

/// The loader calls the function that this section points to before the standard library begins; of
/// a library that is loaded later (the Python package), when it is loaded.
#[used]
#[cfg_attr(any(target_os = "linux", target_os = "freebsd"), unsafe(link_section = ".init_array"))]
#[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
static LOOK: extern "C" fn() = look;

extern "C" fn look() {
    for number in 0..3 {
        if flags(number).is_none() {
            CLOSED.fetch_or(1 << number, Ordering::Relaxed);
        }
    }
}

/// The flags of a descriptor (F_GETFD); `None` if it is not open.
fn flags(number: i32) -> Option<i32> {
    // SAFETY: F_GETFD takes any number and touches no memory.
    let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
    (flags >= 0).then_some(flags)
}

/// Whether this descriptor, from 0 to 2, was closed when the process started.
pub fn was_closed(number: i32) -> bool {
    (0..3).contains(&number) && CLOSED.load(Ordering::Relaxed) & (1 << number) != 0
}

/// A copy of a descriptor that the process was started with. It shares its position with the
/// original.
///
/// # Errors
/// EBADF for one that was not open then: a file that this process opened itself is not an input.
pub fn inherited(number: i32) -> Result<OwnedFd, Errno> {
    // Descriptors that the standard library and this folder open are closed when another program is
    // started; inherited ones are not, or they would not be here.
    if was_closed(number) || flags(number).is_none_or(|flags| flags & libc::FD_CLOEXEC != 0) {
        return Err(Errno::BADF);
    }
    // SAFETY: it is open, as was just seen, and nothing here closes inherited descriptors.
    let given = unsafe { BorrowedFd::borrow_raw(number) };
    retry(|| {
        given.as_fd().try_clone_to_owned().map_err(|error| Errno::from_raw_os_error(error.raw_os_error().unwrap_or(0)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsRawFd;

    #[test]
    fn own_descriptors_are_not_inherited() {
        let own = std::fs::File::open("/dev/null").unwrap();
        assert_eq!(inherited(own.as_raw_fd()).unwrap_err(), Errno::BADF);
        assert_eq!(inherited(1 << 20).unwrap_err(), Errno::BADF);
    }
}
