//! Calls that are made again until they are not interrupted, within the limit.

use super::handles::{AsFd, OwnedFd};
use super::patience::{Patience, patience};
use super::platform::{self, Errno};
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Writes to a descriptor; EINTR is retried, and one that does not block (O_NONBLOCK) is waited
/// for.
///
/// # Errors
/// As `write`; EINTR and EAGAIN when they did not end.
pub fn write(fd: impl AsFd, bytes: &[u8]) -> Result<usize, Errno> {
    let mut patience = Patience::default();
    loop {
        match platform::write_once(fd.as_fd(), bytes) {
            Err(Errno::INTR) => patience.again(Errno::INTR)?,
            Err(Errno::AGAIN) => patience.again_after(|| {
                // A signal ends the wait: the next attempt begins another.
                match platform::wait_writable(fd.as_fd()) {
                    Err(Errno::INTR) => Ok(()),
                    other => other,
                }
            })?,
            other => {
                patience.end();
                return other;
            }
        }
    }
}

/// The calls that are made again after EAGAIN too.
const WAITED: [&str; 3] = ["read", "write", "open"];

/// An errno of `call` as an I/O error. EINTR, and EAGAIN of a call that is made again after it,
/// come only after the limit and become an error of the kind `TimedOut` that names the call: the
/// standard library would repeat an `Interrupted` call forever.
pub fn broken(call: &str, errno: Errno) -> io::Error {
    match errno {
        Errno::INTR | Errno::AGAIN if errno == Errno::INTR || WAITED.contains(&call) => {
            let name = crate::problem::errno_name(errno.raw_os_error());
            let text = format!("stalled: {call} failed with {name} again and again for {} s", patience().as_secs());
            io::Error::new(io::ErrorKind::TimedOut, text)
        }
        other => other.into(),
    }
}

/// A reader or writer whose interrupted calls are made again, within the limit. Nothing behind it
/// sees `Interrupted`.
#[derive(Debug)]
pub struct Patient<T>(pub T);

/// Opens a file for reading. A FIFO is open at once, without a writer.
///
/// # Errors
/// As `open`.
pub fn open_document(path: &std::path::Path) -> io::Result<OwnedFd> {
    let mut patience = Patience::default();
    loop {
        match platform::open_once(path) {
            // EAGAIN: O_NONBLOCK while somebody's lease is broken.
            Err(errno @ (Errno::INTR | Errno::AGAIN)) => {
                patience.again(errno).map_err(|errno| broken("open", errno))?;
            }
            other => {
                patience.end();
                return other.map_err(|errno| broken("open", errno));
            }
        }
    }
}

/// Makes a call of the standard library until it is not interrupted.
fn retry_io<T>(name: &str, mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut patience = Patience::default();
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                patience.again(Errno::INTR).map_err(|errno| broken(name, errno))?;
            }
            other => {
                patience.end();
                return other;
            }
        }
    }
}

impl<R: Read> Read for Patient<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        retry_io("read", || self.0.read(buffer))
    }
}

impl<W: Write> Write for Patient<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        retry_io("write", || self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<S: Seek> Seek for Patient<S> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

#[cfg(test)]
mod tests {
    use super::super::patience::{retry, set_patience};
    use super::*;
    use std::time::{Duration, Instant};

    /// One test for all that depends on the limit, which is the process's.
    #[test]
    fn what_does_not_end_is_an_error_and_a_little_of_it_is_not() {
        let mut left = 9;
        let few = retry(|| {
            left -= 1;
            if left > 0 { Err(Errno::INTR) } else { Ok(7) }
        });
        assert_eq!(few, Ok(7));
        set_patience(Duration::from_millis(400));
        let from = Instant::now();
        let mut calls = 0;
        let always = retry(|| -> Result<(), Errno> {
            calls += 1;
            Err(Errno::INTR)
        });
        assert_eq!(always, Err(Errno::INTR));
        assert!(from.elapsed() >= Duration::from_millis(350));
        // It does not spin: the pauses add up to the limit.
        assert!(calls < 200, "{calls} calls");
        struct Never;
        impl Read for Never {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::Interrupted.into())
            }
        }
        let error = Patient(Never).read_to_end(&mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(error.to_string().starts_with("stalled: read failed with EINTR"), "{error}");
        set_patience(Duration::from_secs(60));
    }

    /// A call that is made once has not failed again and again.
    #[test]
    fn an_errno_of_one_call_is_that_errno() {
        assert_eq!(broken("fsync", Errno::AGAIN).raw_os_error(), Some(Errno::AGAIN.raw_os_error()));
        assert!(broken("write", Errno::AGAIN).to_string().starts_with("stalled: write failed with EAGAIN"));
    }
}
