//! The progress bar of every job, on standard error if that is a terminal: bytes, files or steps,
//! rate, time left.

use crate::show::counted;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh::{Phase, Progress};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A line that is drawn again ten times a second.
pub struct Bar {
    bar: ProgressBar,
    /// Whether results go to a terminal as well.
    shares: bool,
    /// The line is off the screen while results are printed.
    cleared: AtomicBool,
    /// The current work, and its start.
    phase: Mutex<Option<(Phase, Instant)>>,
}

impl Bar {
    /// A bar, or none if standard error is not a terminal.
    pub fn open(wanted: bool) -> Option<Bar> {
        if !wanted || !std::io::stderr().is_terminal() {
            return None;
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        // Nothing but the message: a spinner would be drawn alone, as a line of its own, before
        // there is one.
        bar.set_style(style("{wide_msg}"));
        let shares = std::io::stdout().is_terminal();
        Some(Bar { bar, shares, cleared: AtomicBool::new(false), phase: Mutex::default() })
    }

    /// Draws how far the job is.
    pub fn show(&self, progress: &Progress) {
        let mut phase = self.phase.lock().unwrap_or_else(PoisonError::into_inner);
        let since = match *phase {
            Some((same, since)) if same == progress.phase() => since,
            _ => phase.insert((progress.phase(), Instant::now())).1,
        };
        self.bar.set_message(Words::of(progress, since.elapsed()).line(width()));
        self.bar.tick();
    }

    /// Prints a message without tearing the line.
    pub fn say(&self, message: &str) {
        if self.cleared.load(Ordering::Relaxed) {
            crate::exit::say(message);
        } else {
            self.bar.suspend(|| crate::exit::say(message));
        }
    }

    /// Runs `print`, which prints messages, without tearing the line.
    pub fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        // The bar is locked while it is suspended: a message meanwhile must not suspend it again.
        self.cleared.store(true, Ordering::Relaxed);
        let printed = self.bar.suspend(print);
        self.cleared.store(false, Ordering::Relaxed);
        printed
    }

    /// Runs `print`, which may print results, without tearing the line if they go to a terminal as
    /// well.
    pub fn around<T>(&self, print: impl FnOnce() -> T) -> T {
        if self.shares { self.suspended(print) } else { print() }
    }

    /// Takes the line off the screen.
    pub fn close(&self) {
        self.bar.finish_and_clear();
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.close();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Columns of the terminal.
fn width() -> usize {
    terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| usize::from(width.0))
}

/// Cells of the bar.
const CELLS: u64 = 12;

/// The parts of the line.
#[derive(Debug, Default)]
struct Words {
    phase: String,
    done: u64,
    total: Option<u64>,
    amount: String,
    files: String,
    rate: String,
    left: String,
    bad: String,
}

impl Words {
    fn of(progress: &Progress, since: Duration) -> Words {
        let left = |done: u64, total: Option<u64>, elapsed: Duration| match total {
            Some(total) if done > 0 => {
                format!("{} left", HumanDuration(elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64)))
            }
            _ => String::new(),
        };
        let rate = |bytes: u64, elapsed: Duration| {
            format!("{}/s", HumanBytes((bytes as f64 / elapsed.as_secs_f64().max(0.001)) as u64))
        };
        let amount = |bytes: u64, total: Option<u64>| match total {
            Some(total) => format!("{} of {}", HumanBytes(bytes), HumanBytes(total)),
            None => HumanBytes(bytes).to_string(),
        };
        let phase = progress.phase().to_string();
        match progress {
            Progress::Files(now) => {
                let bytes = now.bytes;
                // Files that grew, and a search that reads its finds: there is no such total.
                let all = now.total.filter(|(_, total)| *total >= bytes);
                let total = all.map(|(_, total)| total);
                let files = match all {
                    Some((1, _)) => format!("{} of 1 file", now.files),
                    Some((files, _)) => format!("{} of {files} files", now.files),
                    None => counted(now.files, "file"),
                };
                let (rate, left) = (rate(bytes, now.elapsed), left(bytes, total, now.elapsed));
                Words { phase, done: bytes, total, amount: amount(bytes, total), files, rate, left, bad: String::new() }
            }
            Progress::Medium(now) => {
                let total = now.total.filter(|total| *total >= now.bytes);
                let bad = if now.bad > 0 { format!("{} unreadable", HumanBytes(now.bad)) } else { String::new() };
                let (rate, left) = (rate(now.bytes, now.elapsed), left(now.bytes, total, now.elapsed));
                let amount = amount(now.bytes, total);
                Words { phase, done: now.bytes, total, amount, files: String::new(), rate, left, bad }
            }
            Progress::Steps { done, total, .. } => {
                let amount = match total {
                    Some(total) => {
                        format!("{} %", done.saturating_mul(100).checked_div(*total).unwrap_or(100).min(100))
                    }
                    None => done.to_string(),
                };
                Words {
                    phase,
                    done: *done,
                    total: *total,
                    amount,
                    left: left(*done, *total, since),
                    ..Words::default()
                }
            }
            _ => Words { phase, ..Words::default() },
        }
    }

    /// The line for `width` columns. The bar is left out first, then the number of files, the
    /// phase, the amount, and the rate; the time left stays.
    fn line(&self, width: usize) -> String {
        let bar = match self.total {
            Some(total) if total > 0 => {
                let cells = (u128::from(self.done.min(total)) * u128::from(CELLS) / u128::from(total)) as usize;
                format!(" [{}{}]", "█".repeat(cells), "░".repeat(CELLS as usize - cells))
            }
            _ => String::new(),
        };
        let Words { phase, amount, files, rate, left, bad, .. } = self;
        let joined = |parts: &[&String]| {
            let parts = parts.iter().filter(|part| !part.is_empty()).map(|part| part.as_str());
            parts.collect::<Vec<_>>().join(", ")
        };
        let last = if left.is_empty() { amount } else { left };
        let lines = [
            format!("{phase}{bar} {}", joined(&[amount, files, rate, left, bad])),
            format!("{phase} {}", joined(&[amount, files, rate, left, bad])),
            format!("{phase} {}", joined(&[amount, rate, left, bad])),
            joined(&[amount, rate, left, bad]),
            joined(&[rate, left, bad]),
            joined(&[rate, left]),
        ];
        lines.into_iter().find(|line| line.chars().count() < width).unwrap_or_else(|| last.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh::FileProgress;

    #[test]
    fn a_narrow_terminal_keeps_what_matters() {
        let mut now = FileProgress::default();
        (now.files, now.bytes, now.total) = (1, 98 << 20, Some((643, 500 << 20)));
        now.elapsed = Duration::from_secs(1);
        let words = Words::of(&Progress::Files(now), now.elapsed);
        let wide = words.line(120);
        assert_eq!(wide, "hashing [██░░░░░░░░░░] 98.00 MiB of 500.00 MiB, 1 of 643 files, 98.00 MiB/s, 4 seconds left");
        assert_eq!(words.line(80), "hashing 98.00 MiB of 500.00 MiB, 1 of 643 files, 98.00 MiB/s, 4 seconds left");
        for width in 16..120 {
            let line = words.line(width);
            assert!(line.chars().count() < width && line.ends_with("4 seconds left"), "{width}: {line}");
            assert!(width < 72 || line.contains("MiB/s"), "{width}: {line}");
        }
        // No total that is less than the bytes read.
        now.total = Some((1, 0));
        assert_eq!(Words::of(&Progress::Files(now), now.elapsed).line(80), "hashing 98.00 MiB, 1 file, 98.00 MiB/s");
    }
}
