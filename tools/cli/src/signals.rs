//! Signals end a run with whole records; a second one ends the process at once.

#[cfg(windows)]
use signal_hook::consts::SIGBREAK;
#[cfg(unix)]
use signal_hook::consts::SIGHUP;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// The signals that end a run. On Windows SIGINT is `^C`, SIGBREAK `^Break` and the end of the
/// console.
#[cfg(unix)]
const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];
#[cfg(windows)]
const ENDING: [i32; 3] = [SIGINT, SIGTERM, SIGBREAK];

/// The signal that came first since the process began to catch them.
static CAME: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// The signal that came, if one did.
pub fn came() -> Option<i32> {
    CAME.get().map(|number| number.load(Ordering::SeqCst) as i32).filter(|number| *number != 0)
}

/// A write beyond the limit of a file's size (`ulimit -f`) is an error that is reported, and its
/// file is removed; by default it is the end of the process, without a word.
pub fn let_writes_fail() {
    #[cfg(unix)]
    let _ = flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// The signals that have come so far.
pub struct Signals {
    number: Arc<AtomicUsize>,
    flag: Arc<AtomicBool>,
}

impl Signals {
    /// Catches SIGINT, SIGTERM and SIGHUP.
    pub fn catch() -> std::io::Result<Self> {
        let (number, asked) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        for signal in caught() {
            // The second one, while the first is being obeyed, ends the process.
            flag::register_conditional_shutdown(signal, 128 + signal, asked.clone())?;
            flag::register_usize(signal, number.clone(), signal as usize)?;
            flag::register(signal, asked.clone())?;
        }
        #[cfg(windows)]
        {
            let (number, asked) = (number.clone(), asked.clone());
            let went = pfh::process::when_console_goes(move || {
                number.store(SIGBREAK as usize, Ordering::SeqCst);
                asked.store(true, Ordering::SeqCst);
            });
            // A program that carries out several commands asks for it once.
            went.or_else(|error| if error.kind() == std::io::ErrorKind::AlreadyExists { Ok(()) } else { Err(error) })?;
        }
        let _ = CAME.set(number.clone());
        Ok(Signals { number, flag: asked })
    }

    /// From now on a signal that no job notices ends the process soon. On Windows it does not.
    ///
    /// # Errors
    /// As `sigaction`.
    pub fn end_when_overdue(&self) -> std::io::Result<()> {
        #[cfg(unix)]
        pfh::process::end_when_overdue(&caught())?;
        Ok(())
    }

    /// The flag that is set when one came.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.flag.clone()
    }

    /// The signal that came.
    pub fn number(&self) -> i32 {
        self.number.load(Ordering::SeqCst) as i32
    }
}

/// The signals that are caught: SIGHUP unless it is ignored, as under `nohup`.
fn caught() -> Vec<i32> {
    #[cfg(unix)]
    let is_caught = |signal: &i32| *signal != SIGHUP || !is_ignored(SIGHUP);
    #[cfg(windows)]
    let is_caught = |_: &i32| true;
    ENDING.into_iter().filter(is_caught).collect()
}

/// Whether a signal was ignored when the process began, as the kernel reports it (SigIgn in
/// /proc/self/status).
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = pfh::process::kernel_text("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).map(str::trim);
    mask.and_then(|m| u64::from_str_radix(m, 16).ok()).is_some_and(|m| m >> (signal - 1) & 1 == 1)
}
