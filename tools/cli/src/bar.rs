//! The progress bar of every job, on standard error if that is a terminal: bytes, files or steps,
//! rate, time left.

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
    /// What is being done, and since when.
    phase: Mutex<Option<(Phase, Instant)>>,
}

impl Bar {
    /// A bar, or none if standard error is no terminal.
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
            _ => {
                self.bar.reset();
                self.bar.unset_length();
                self.bar.set_style(style("{prefix}{wide_msg}"));
                self.bar.set_prefix(format!("{} ", progress.phase()));
                phase.insert((progress.phase(), Instant::now())).1
            }
        };
        let (done, total, text) = words(progress, since.elapsed());
        if let Some(total) = total {
            if self.bar.length() != Some(total) {
                self.bar.set_length(total);
                self.bar.set_style(style("{prefix}[{bar:12}] {wide_msg}"));
            }
            self.bar.set_position(done.min(total));
        }
        self.bar.set_message(text);
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

    /// Does what prints messages, without tearing the line.
    pub fn suspended<T>(&self, print: impl FnOnce() -> T) -> T {
        // The bar is locked while it is suspended: a message meanwhile must not suspend it again.
        self.cleared.store(true, Ordering::Relaxed);
        let printed = self.bar.suspend(print);
        self.cleared.store(false, Ordering::Relaxed);
        printed
    }

    /// Does what may print results, without tearing the line if they go to a terminal as well.
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

/// How much is done of how much, and the words behind the bar.
fn words(progress: &Progress, since: Duration) -> (u64, Option<u64>, String) {
    let left = |done: u64, total: Option<u64>, elapsed: Duration| match total {
        Some(total) if done > 0 => {
            let left = elapsed.mul_f64(total.saturating_sub(done) as f64 / done as f64);
            format!(", {} left", HumanDuration(left))
        }
        _ => String::new(),
    };
    let rate = |bytes: u64, elapsed: Duration| HumanBytes((bytes as f64 / elapsed.as_secs_f64().max(0.001)) as u64);
    let of = |total: Option<u64>| total.map_or_else(String::new, |total| format!(" of {}", HumanBytes(total)));
    match progress {
        Progress::Files(now) => {
            let (bytes, total) = (now.bytes, now.total.map(|(_, bytes)| bytes));
            let files = now.total.map_or_else(String::new, |(files, _)| format!(" of {files}"));
            let (rate, left) = (rate(bytes, now.elapsed), left(bytes, total, now.elapsed));
            let text = format!("{}{}, {}{files} files, {rate}/s{left}", HumanBytes(bytes), of(total), now.files);
            (bytes, total, text)
        }
        Progress::Medium(now) => {
            let (rate, left) = (rate(now.bytes, now.elapsed), left(now.bytes, now.total, now.elapsed));
            let bad = if now.bad > 0 { format!(", {} unreadable", HumanBytes(now.bad)) } else { String::new() };
            let text = format!("{}{}, {rate}/s{left}{bad}", HumanBytes(now.bytes), of(now.total));
            (now.bytes, now.total, text)
        }
        Progress::Steps { done, total, .. } => {
            let part = match total {
                Some(total) => format!("{} %", done.saturating_mul(100).checked_div(*total).unwrap_or(100).min(100)),
                None => done.to_string(),
            };
            (*done, *total, format!("{part}{}", left(*done, *total, since)))
        }
        _ => (0, None, String::new()),
    }
}
