//! The end of a console: its window is closed, its user logs off, the machine shuts down.

use std::io;
use std::sync::OnceLock;
use windows_sys::Win32::System::Console::{
    CTRL_CLOSE_EVENT, CTRL_LOGOFF_EVENT, CTRL_SHUTDOWN_EVENT, SetConsoleCtrlHandler,
};
use windows_sys::core::BOOL;

type Hears = Box<dyn Fn() + Send + Sync>;

static HEARS: OnceLock<Hears> = OnceLock::new();

/// Calls `hears` when the console goes, and then gives this process the seconds that Windows
/// allows: without that it would end at once, and leave its temporary files. `^C` and `^Break` are
/// left to the handlers of the C library. It can be asked for once.
///
/// # Errors
/// The system's; `AlreadyExists` the second time.
pub fn when_console_goes(hears: impl Fn() + Send + Sync + 'static) -> io::Result<()> {
    HEARS.set(Box::new(hears)).map_err(|_| io::Error::from(io::ErrorKind::AlreadyExists))?;
    // SAFETY: the handler is a function that lives as long as the process.
    if unsafe { SetConsoleCtrlHandler(Some(handler), 1) } == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Runs on a thread of its own, made by the system. The process ends when this returns, or when the
/// work is broken off and it ends by itself.
unsafe extern "system" fn handler(event: u32) -> BOOL {
    if !hear(event) {
        return 0;
    }
    loop {
        std::thread::park();
    }
}

/// Whether an event is the end of the console; it is reported.
fn hear(event: u32) -> bool {
    let is_end = matches!(event, CTRL_CLOSE_EVENT | CTRL_LOGOFF_EVENT | CTRL_SHUTDOWN_EVENT);
    if let (true, Some(hears)) = (is_end, HEARS.get()) {
        hears();
    }
    is_end
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use windows_sys::Win32::System::Console::{CTRL_BREAK_EVENT, CTRL_C_EVENT};

    #[test]
    fn the_end_of_the_console_is_heard_and_keys_are_not() {
        let heard = Arc::new(AtomicUsize::new(0));
        let hears = heard.clone();
        when_console_goes(move || {
            hears.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
        assert!(!hear(CTRL_C_EVENT) && !hear(CTRL_BREAK_EVENT));
        assert_eq!(heard.load(Ordering::SeqCst), 0);
        assert!(hear(CTRL_CLOSE_EVENT) && hear(CTRL_LOGOFF_EVENT) && hear(CTRL_SHUTDOWN_EVENT));
        assert_eq!(heard.load(Ordering::SeqCst), 3);
        assert!(when_console_goes(|| {}).is_err());
        // The handler keeps the process alive for as long as the system lets it.
        let waits = std::thread::spawn(|| {
            // SAFETY: it takes a number, and touches nothing else than what its own thread has.
            unsafe { handler(CTRL_CLOSE_EVENT) }
        });
        std::thread::sleep(std::time::Duration::from_millis(50));
        assert!(!waits.is_finished() && heard.load(Ordering::SeqCst) == 4);
    }
}
