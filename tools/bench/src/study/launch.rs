//! Processes and time, behind traits so that a test can make both up.

use crate::machine::Activity;
use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How a process ended.
#[derive(Debug, Clone, PartialEq)]
pub enum ProcessEnd {
    /// With exit code 0, and this on its standard output.
    Finished(String),
    /// Otherwise: why.
    Failed(String),
}

/// Starts a process and waits for its end.
pub trait Launch {
    /// Runs `command` (a program and its operands), for at most `limit`.
    fn launch(&mut self, command: &[String], limit: Duration) -> ProcessEnd;
}

/// Tells the time and how busy the machine is.
pub trait Clock {
    /// Time since any fixed moment; never goes back.
    fn now(&self) -> Duration;
    /// How busy the machine is.
    fn activity(&self) -> Activity;
}

/// The system's clock.
#[derive(Debug)]
pub struct Monotonic(Instant);

impl Monotonic {
    /// A clock that begins at zero.
    #[allow(clippy::new_without_default)] // a default clock would hide that it starts here
    pub fn new() -> Self {
        Monotonic(Instant::now())
    }
}

impl Clock for Monotonic {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn activity(&self) -> Activity {
        Activity::now()
    }
}

/// Starts real processes.
#[derive(Debug, Default)]
pub struct Spawn;

impl Launch for Spawn {
    fn launch(&mut self, command: &[String], limit: Duration) -> ProcessEnd {
        let child = Command::new(&command[0])
            .args(&command[1..])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = match child {
            Ok(child) => child,
            Err(error) => return ProcessEnd::Failed(format!("{}: {error}", command[0])),
        };
        // Both streams are emptied by threads, so that neither the process nor this one ever waits
        // for a full pipe.
        let (sender, receiver) = mpsc::channel();
        let read = |stream: Option<Box<dyn Read + Send>>| {
            let sender = sender.clone();
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                let read = stream.map(|mut stream| stream.read_to_end(&mut bytes));
                sender.send(()).ok();
                read.and_then(Result::ok).map(|_| bytes)
            })
        };
        let out = read(child.stdout.take().map(|s| Box::new(s) as _));
        let err = read(child.stderr.take().map(|s| Box::new(s) as _));
        let end = Instant::now() + limit;
        let both = (0..2).all(|_| receiver.recv_timeout(end.saturating_duration_since(Instant::now())).is_ok());
        if !both {
            child.kill().ok();
        }
        let status = child.wait();
        if !both {
            return ProcessEnd::Failed(format!("not done after {} s", limit.as_secs()));
        }
        let text = |bytes: std::thread::Result<Option<Vec<u8>>>| {
            String::from_utf8_lossy(&bytes.ok().flatten().unwrap_or_default()).into_owned()
        };
        let (out, err) = (text(out.join()), text(err.join()));
        match status {
            Err(error) => ProcessEnd::Failed(error.to_string()),
            Ok(status) if status.success() => ProcessEnd::Finished(out),
            Ok(status) => ProcessEnd::Failed(format!("{status}: {}", err.lines().next().unwrap_or("no reason given"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: u64) -> ProcessEnd {
        Spawn.launch(&["sh".into(), "-c".into(), script.into()], Duration::from_millis(limit))
    }

    #[test]
    fn ends_of_processes() {
        assert_eq!(shell("echo yes", 60_000), ProcessEnd::Finished("yes\n".into()));
        assert_eq!(shell("echo no >&2; exit 3", 60_000), ProcessEnd::Failed("exit status: 3: no".into()));
        assert_eq!(shell("exec sleep 600", 50), ProcessEnd::Failed("not done after 0 s".into()));
        let ProcessEnd::Failed(reason) = Spawn.launch(&["/nonexistent".into()], Duration::from_secs(9)) else {
            panic!()
        };
        // Under qemu-user the error of execve is lost: its vfork copies the memory.
        let lost = std::env::var_os("PFH_EMULATOR").is_some() && reason.starts_with("exit status: 127");
        assert!(lost || reason.starts_with("/nonexistent: "), "{reason}");
    }

    #[test]
    fn much_output_on_both_streams_does_not_block() {
        let ProcessEnd::Finished(out) = shell("yes | head -c 1000000; yes | head -c 1000000 >&2", 60_000) else {
            panic!()
        };
        assert_eq!(out.len(), 1_000_000);
    }
}
