//! One bounded run of a program.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::Injection;

/// The number of SIGHUP.
const SIGHUP: i32 = 1;

/// A program, its arguments, and the limits of its run.
#[derive(Debug)]
pub struct Trial {
    words: Vec<OsString>,
    input: Vec<u8>,
    directory: Option<PathBuf>,
    injection: Option<Injection>,
    limit: Duration,
    signal: Option<Signal>,
    output: Option<PathBuf>,
}

/// A signal that is yet to be sent.
#[derive(Debug)]
struct Signal {
    after: Duration,
    number: i32,
    /// The time counts from when the program catches it.
    caught: bool,
}

/// How a run ended.
#[derive(Debug)]
pub struct Outcome {
    /// The exit code, or 128 + the number of the signal that ended it; `None` when the time limit
    /// did.
    pub code: Option<i32>,
    /// Standard output, whole.
    pub stdout: Vec<u8>,
    /// Standard error, whole.
    pub stderr: String,
    /// Peak resident memory in bytes, sampled from `VmHWM` to the last milliseconds; strace's own
    /// when it injects; 0 where there is none.
    pub peak: u64,
    /// How many calls got an errno that was injected.
    pub injected: usize,
    /// From the start of the program to its end.
    pub wall: Duration,
}

impl Trial {
    /// A run of `program` without arguments, input or faults, for at most 5 minutes: a hang is
    /// reported from a busy machine.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Trial {
            words: vec![program.as_ref().to_owned()],
            input: Vec::new(),
            directory: None,
            injection: None,
            limit: Duration::from_secs(300),
            signal: None,
            output: None,
        }
    }

    /// One more argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.words.push(argument.as_ref().to_owned());
        self
    }

    /// More arguments.
    pub fn args<I: IntoIterator<Item: AsRef<OsStr>>>(mut self, arguments: I) -> Self {
        self.words.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        self
    }

    /// The program runs as the last argument of another command: `setpriv`, `prlimit`, `unshare`.
    pub fn under<I: IntoIterator<Item: AsRef<OsStr>>>(mut self, wrapper: I) -> Self {
        let wrapper: Vec<OsString> = wrapper.into_iter().map(|word| word.as_ref().to_owned()).collect();
        self.words.splice(0..0, wrapper);
        self
    }

    /// The bytes on the program's standard input; none otherwise.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = bytes.into();
        self
    }

    /// The working directory.
    pub fn directory(mut self, path: impl Into<PathBuf>) -> Self {
        self.directory = Some(path.into());
        self
    }

    /// An errno at chosen calls.
    pub fn inject(mut self, injection: Injection) -> Self {
        self.injection = Some(injection);
        self
    }

    /// After this long the run is killed and counts as hung.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Sends a signal this long after the start.
    pub fn signal(mut self, after: Duration, number: i32) -> Self {
        self.signal = Some(Signal { after, number, caught: false });
        self
    }

    /// Sends a signal this long after the program began to catch it: on a busy machine the program
    /// may take long to come that far.
    pub fn signal_once_caught(mut self, after: Duration, number: i32) -> Self {
        self.signal = Some(Signal { after, number, caught: true });
        self
    }

    /// Standard output goes to this file (`/dev/full`, say) and is not collected.
    pub fn output(mut self, path: impl Into<PathBuf>) -> Self {
        self.output = Some(path.into());
        self
    }

    /// Runs it to its end, or to the time limit.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn run(self) -> io::Result<Outcome> {
        let room = tempfile::tempdir()?;
        let log = room.path().join("strace");
        let mut words = self.injection.as_ref().map(|injection| injection.prefix(&log)).unwrap_or_default();
        // Under `nohup` the tests ignore it, and so would the program.
        if self.signal.as_ref().is_some_and(|signal| signal.number == SIGHUP) {
            words.extend(["env", "--default-signal=HUP"].map(OsString::from));
        }
        words.extend(self.words);
        // Files, not pipes: nothing blocks however much is printed, and nobody has to read
        // meanwhile.
        let mut input = tempfile::tempfile()?;
        input.write_all(&self.input)?;
        input.rewind()?;
        let (stdout, stderr) = (room.path().join("stdout"), room.path().join("stderr"));
        let out = match &self.output {
            Some(path) => fs::OpenOptions::new().write(true).open(path)?,
            None => fs::File::create(&stdout)?,
        };
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(input).stdout(out).stderr(Stdio::from(fs::File::create(&stderr)?));
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let start = Instant::now();
        let mut child = command.spawn()?;
        let (status, peak) = watch(&mut child, start, self.limit, self.signal)?;
        Ok(Outcome {
            code: status.map(code),
            stdout: if self.output.is_some() { Vec::new() } else { fs::read(&stdout)? },
            stderr: String::from_utf8_lossy(&fs::read(&stderr)?).into_owned(),
            peak,
            injected: injected(&log),
            wall: start.elapsed(),
        })
    }
}

/// The exit code, or 128 + the number of the signal.
#[cfg(unix)]
fn code(status: ExitStatus) -> i32 {
    use std::os::unix::process::ExitStatusExt;
    status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0))
}

/// The exit code.
#[cfg(windows)]
fn code(status: ExitStatus) -> i32 {
    status.code().expect("a code")
}

/// Waits for the end, or kills at the limit (`None`). Also gives the peak of resident memory.
fn watch(
    child: &mut Child,
    start: Instant,
    limit: Duration,
    mut signal: Option<Signal>,
) -> io::Result<(Option<ExitStatus>, u64)> {
    let status_file = format!("/proc/{}/status", child.id());
    let (mut peak, mut from) = (0, start);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((Some(status), peak));
        }
        peak = peak.max(high_water_mark(&status_file).unwrap_or(0));
        if let Some(signal) = signal.as_mut().filter(|signal| signal.caught) {
            signal.caught = !catches(&status_file, signal.number);
            from = Instant::now();
        }
        if let Some(Signal { number, .. }) = signal.take_if(|signal| !signal.caught && from.elapsed() >= signal.after) {
            Command::new("kill").arg(format!("-{number}")).arg(child.id().to_string()).status()?;
        }
        if start.elapsed() > limit {
            child.kill()?;
            child.wait()?;
            return Ok((None, peak));
        }
        sleep(Duration::from_millis(1));
    }
}

/// Whether a process has a handler for a signal: `SigCgt` of proc(5), a bit mask in hex.
fn catches(status_file: &str, number: i32) -> bool {
    let status = fs::read_to_string(status_file).unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

/// `VmHWM` in bytes.
fn high_water_mark(status_file: &str) -> Option<u64> {
    let status = fs::read_to_string(status_file).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

fn injected(log: &Path) -> usize {
    fs::read_to_string(log).map_or(0, |text| text.lines().filter(|line| line.contains("(INJECTED)")).count())
}

impl Outcome {
    /// Standard output as lines, without their ends.
    pub fn lines(&self) -> Vec<&[u8]> {
        self.stdout.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::Trial;
    use std::time::Duration;

    #[test]
    fn a_run_gives_its_output_and_its_code() {
        let seen = Trial::new("sh").args(["-c", "cat; echo problem >&2; exit 3"]).input("words").run().unwrap();
        assert_eq!((seen.code, &seen.stdout[..], &seen.stderr[..]), (Some(3), &b"words"[..], "problem\n"));
    }

    #[test]
    fn a_hang_differs_from_an_end_and_a_signal_from_an_exit() {
        let hung = Trial::new("sleep").arg("30").limit(Duration::from_millis(50)).run().unwrap();
        assert_eq!(hung.code, None);
        let ended = Trial::new("sleep").arg("30").signal(Duration::from_millis(20), 15).run().unwrap();
        assert_eq!(ended.code, Some(128 + 15));
    }

    #[test]
    fn a_signal_waits_for_its_handler() {
        if crate::lacks(&[crate::Need::SignalMask]) {
            return;
        }
        let script = "sleep 0.3; trap 'echo caught; exit 7' TERM; while :; do sleep 0.01; done";
        let seen = Trial::new("sh").args(["-c", script]).signal_once_caught(Duration::ZERO, 15).run().unwrap();
        assert_eq!((seen.code, &seen.stdout[..]), (Some(7), &b"caught\n"[..]));
    }
}
