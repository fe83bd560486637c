//! The progress bar of every job, on standard error if that is a terminal: bytes, files or steps,
//! rate, time left.

use crate::show::counted;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use pfh::terminal::size_text;
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

/// Cells of the bar at least, and at most.
const CELLS: [usize; 2] = [10, 40];

/// A duration in at most eight letters: `45 s`, `12:05 min`, `3:07 h`, `2 d 4 h`.
fn span(time: Duration) -> String {
    // The rest is rounded up: `0 s` would be over.
    let seconds = time.as_secs_f64().ceil().min(1e15) as u64;
    match seconds {
        0..=99 => format!("{seconds} s"),
        100..=5999 => format!("{}:{:02} min", seconds / 60, seconds % 60),
        6000..=359_999 => format!("{}:{:02} h", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

/// The parts of the line.
#[derive(Debug, Default)]
struct Words {
    phase: String,
    done: u64,
    total: Option<u64>,
    amount: String,
    files: String,
    /// Columns of the longest number of files of this run.
    files_most: usize,
    rate: String,
    left: String,
    bad: String,
}

impl Words {
    fn of(progress: &Progress, since: Duration) -> Words {
        let left = |done: u64, total: Option<u64>, elapsed: Duration| match total {
            Some(total) if done > 0 => {
                let left = elapsed.as_secs_f64() * total.saturating_sub(done) as f64 / done as f64;
                format!("{} left", span(Duration::try_from_secs_f64(left).unwrap_or(Duration::MAX)))
            }
            _ => String::new(),
        };
        let rate = |bytes: u64, elapsed: Duration| {
            format!("{}/s", size_text((bytes as f64 / elapsed.as_secs_f64().max(0.001)) as u64))
        };
        let amount = |bytes: u64, total: Option<u64>| match total {
            Some(total) => format!("{} of {}", size_text(bytes), size_text(total)),
            None => size_text(bytes),
        };
        let phase = progress.phase().to_string();
        match progress {
            Progress::Files(now) => {
                let bytes = now.bytes;
                // Files that grew, and a search that reads its finds: there is no such total.
                let all = now.total.filter(|(_, total)| *total >= bytes);
                let total = all.map(|(_, total)| total);
                let files = match all {
                    Some((files, _)) => format!("{} of {}", now.files, counted(files, "file")),
                    None => counted(now.files, "file"),
                };
                let files_most = all.map_or(0, |(all, _)| format!("{all} of {}", counted(all, "file")).len());
                let (rate, left) = (rate(bytes, now.elapsed), left(bytes, total, now.elapsed));
                let amount = amount(bytes, total);
                Words { phase, done: bytes, total, amount, files, files_most, rate, left, ..Words::default() }
            }
            Progress::Medium(now) => {
                let total = now.total.filter(|total| *total >= now.bytes);
                let bad = if now.bad > 0 { format!("{} unreadable", size_text(now.bad)) } else { String::new() };
                let (rate, left) = (rate(now.bytes, now.elapsed), left(now.bytes, total, now.elapsed));
                let amount = amount(now.bytes, total);
                Words { phase, done: now.bytes, total, amount, rate, left, bad, ..Words::default() }
            }
            Progress::Steps { done, total, .. } => {
                let amount = if total.is_some() { String::new() } else { done.to_string() };
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

    /// How much is done, in percent; a part is never all.
    fn percent(&self) -> Option<u64> {
        let total = self.total?;
        let whole = (u128::from(self.done.min(total)) * 100).checked_div(u128::from(total)).unwrap_or(100) as u64;
        Some(whole)
    }

    /// The line for `width` columns. Percentage, amount, rate and time left are there at 60
    /// columns; unreadable bytes always. A bar fills the room that is left, if that is enough, then
    /// the number of files has its place. The choice depends on the widest numbers that the
    /// line can have, so that nothing vanishes while they grow.
    fn line(&self, width: usize) -> String {
        let Words { phase, amount, files, files_most, rate, left, bad, .. } = self;
        let percent = self.percent().map_or_else(String::new, |percent| format!("{percent:>3} %"));
        let joined = |parts: &[&String]| {
            let parts = parts.iter().filter(|part| !part.is_empty()).map(|part| part.as_str());
            parts.collect::<Vec<_>>().join(", ")
        };
        // `19 %  98.0 MB of 500.0 MB`: the two are one statement.
        let done = if percent.is_empty() || amount.is_empty() {
            format!("{percent}{amount}")
        } else {
            format!("{percent}  {amount}")
        };
        let facts = joined(&[&done, rate, left, bad]);
        let room = width.saturating_sub(1);
        let count = |text: &str| text.chars().count();
        let named = format!("{phase} {facts}");
        // Room for the longest numbers, as in `999.9 MB of 999.9 MB, 999.9 MB/s, 99:59 min left`.
        let most = count(phase) + 1 + if bad.is_empty() { 0 } else { 2 + count(bad) } + MOST;
        let Some(total) = self.total.filter(|total| *total > 0) else {
            let lines = [format!("{phase} {}", joined(&[amount, files, rate, left, bad])), named, facts];
            return lines.into_iter().find(|line| count(line) <= room).unwrap_or_else(|| amount.clone());
        };
        let with_files = if *files_most == 0 { 0 } else { 2 + files_most };
        let spare = room.saturating_sub(most + 3);
        let has_files = with_files > 0 && spare >= with_files + CELLS[0];
        let cells = spare.saturating_sub(if has_files { with_files } else { 0 }).min(CELLS[1]);
        if cells >= CELLS[0] {
            let full = (u128::from(self.done.min(total)) * cells as u128 / u128::from(total)) as usize;
            let bar = format!("[{}{}]", "█".repeat(full), "░".repeat(cells - full));
            let files = if has_files { files } else { &String::new() };
            let line = format!("{phase} {bar} {}", joined(&[&done, files, rate, left, bad]));
            if count(&line) <= room {
                return line;
            }
        }
        let lines = [named, facts, joined(&[&percent, rate, left, bad]), joined(&[&percent, left, bad])];
        let last = percent.trim_start().to_owned();
        lines.into_iter().find(|line| count(line) <= room).unwrap_or(last)
    }
}

/// Columns of the longest percentage, amount, rate and time left.
const MOST: usize = "100 %  999.9 MB of 999.9 MB, 999.9 MB/s, 99:59 min left".len();

#[cfg(test)]
mod tests {
    use super::*;
    use pfh::FileProgress;

    fn words(now: FileProgress) -> Words {
        Words::of(&Progress::Files(now), now.elapsed)
    }

    #[test]
    fn percentage_bytes_rate_and_time_left_are_there_at_60_columns() {
        let mut now = FileProgress::default();
        (now.files, now.bytes, now.total) = (1, 98_000_000, Some((643, 500_000_000)));
        now.elapsed = Duration::from_secs(1);
        let of = |width| words(now).line(width);
        assert_eq!(of(60), "hashing  19 %  98.0 MB of 500.0 MB, 98.0 MB/s, 5 s left");
        assert_eq!(of(80), "hashing [██░░░░░░░░░░░]  19 %  98.0 MB of 500.0 MB, 98.0 MB/s, 5 s left");
        assert_eq!(
            of(120),
            "hashing [██████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░]  19 %  98.0 MB of 500.0 MB, 1 of 643 files, 98.0 MB/s, 5 s left"
        );
        for width in 16..120 {
            let line = of(width);
            assert!(line.chars().count() < width && line.contains("19 %"), "{width}: {line}");
            assert!(width < 60 || ["MB of", "MB/s", "left"].iter().all(|word| line.contains(word)), "{width}: {line}");
        }
        // No total that is less than the bytes read.
        now.total = Some((1, 0));
        assert_eq!(words(now).line(80), "hashing 98.0 MB, 1 file, 98.0 MB/s");
    }

    /// A bar that comes and goes as numbers grow catches the eye for nothing.
    #[test]
    fn nothing_vanishes_while_numbers_grow() {
        for width in [60, 80, 100, 120] {
            let mut had = None;
            for step in 0..=1000_u64 {
                let mut now = FileProgress::default();
                (now.files, now.bytes) = (step * 5, step * 998_700_000);
                (now.total, now.elapsed) = (Some((5000, 998_700_000_000)), Duration::from_millis(step * 2700 + 1));
                let line = words(now).line(width);
                let has = (line.contains('░') || line.contains('█'), line.contains("files"));
                assert!(*had.get_or_insert(has) == has && line.chars().count() < width, "{width}, {step}: {line}");
            }
        }
    }

    #[test]
    fn spans_are_short() {
        for (seconds, text) in [
            (0.2, "1 s"),
            (99.0, "99 s"),
            (725.0, "12:05 min"),
            (11_220.0, "3:07 h"),
            (187_200.0, "52:00 h"),
            (400_000.0, "4 d 15 h"),
        ] {
            assert_eq!(span(Duration::from_secs_f64(seconds)), text);
        }
    }
}
