//! The third page: the acquisitions, one below the other.

use super::acquisition::{Acquisition, EndReport, JobReports};
use super::map;
use super::text::{self, CHOSEN, STRONG, WRONG, cut};
use crate::exit::Exit;
use crate::imaging::name;
use crate::show::counted;
use pfh::terminal::size_text;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use std::time::Duration;

/// Lines of a pane at least: title, state, map, zones, digest, a message.
const LEAST: usize = 7;

/// Draws the acquisitions; the chosen one is among those that fit.
pub fn draw(frame: &mut Frame<'_>, area: Rect, all: &[Acquisition], chosen: usize) {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let fit = (height / LEAST).clamp(1, all.len().max(1));
    let from = (chosen + 1).saturating_sub(fit);
    let each = height / fit;
    let mut lines = Vec::new();
    for (at, one) in all.iter().enumerate().skip(from).take(fit) {
        let mut pane = pane(one, at, at == chosen && all.len() > 1, width);
        pane.truncate(each);
        pane.resize(each, Line::default());
        lines.extend(pane);
    }
    frame.render_widget(Paragraph::new(lines), area);
}

fn pane(one: &Acquisition, at: usize, is_chosen: bool, width: usize) -> Vec<Line<'static>> {
    let targets: Vec<String> = one.targets.iter().map(|path| name(path)).collect();
    let to = if targets.is_empty() { "no image".to_owned() } else { targets.join(", ") };
    let mark = if is_chosen { "> " } else { "" };
    let title = text::rule(&format!("{mark}{}: {} → {to}", at + 1, name(&one.source)), width);
    let seen = one.seen();
    let mut lines = vec![Line::styled(title, if is_chosen { CHOSEN } else { STRONG })];
    match &one.ended {
        Some(ended) => lines.extend(of_ended(one, ended, &seen, width)),
        None => lines.extend(of_running(one.stops(), &seen, width)),
    }
    lines
}

/// A time left in words of a fixed width.
fn left(seconds: f64) -> String {
    let seconds = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s left"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s left"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min left"),
    }
}

fn of_running(is_stopping: bool, seen: &JobReports, width: usize) -> Vec<Line<'static>> {
    let Some(far) = seen.far else {
        let state = if is_stopping { "stopping …" } else { "opening the source …" };
        return std::iter::once(Line::from(format!("  {state}"))).chain(messages(seen, width)).collect();
    };
    let mut words = vec![if is_stopping { "stopping …".to_owned() } else { far.phase.to_string() }];
    match far.total.filter(|total| *total >= far.bytes) {
        Some(total) => {
            let share = (far.bytes as f64 * 100.0 / total.max(1) as f64) as u64;
            words.push(format!("{share} %"));
            words.push(format!("{} of {}", size_text(far.bytes), size_text(total)));
        }
        None => words.push(size_text(far.bytes)),
    }
    let rate = seen.rate();
    words.extend(rate.map(|rate| format!("{}/s", size_text(rate as u64))));
    let rest = far.total.map(|total| total.saturating_sub(far.bytes) as f64);
    words.extend(rest.zip(rate).filter(|(_, rate)| *rate > 0.0).map(|(rest, rate)| left(rest / rate)));
    words.extend(seen.temperature.map(|degrees| format!("{degrees:.0} °C")));
    let mut lines = vec![Line::from(cut(&format!("  {}", words.join("   ")), width))];
    if let Some(total) = far.total {
        // Before a checkpoint the zones are not known by place; another reading has its own place.
        lines.push(indented(map::line(total, far.bytes, &seen.bad, width.saturating_sub(4))));
    }
    lines.push(zones(seen, far.bad, width));
    lines.extend(digest(seen, width));
    lines.extend(messages(seen, width));
    lines
}

fn indented(line: Line<'static>) -> Line<'static> {
    let mut spans = vec![ratatui::text::Span::from("  ")];
    spans.extend(line.spans);
    Line::from(spans)
}

/// The unreadable zones in a line.
fn zones(seen: &JobReports, bytes: u64, width: usize) -> Line<'static> {
    let known: u64 = seen.bad.iter().map(|zone| zone.length).sum();
    let text = match (seen.bad.first(), bytes.max(known)) {
        (_, 0) => return Line::from("  nothing is unreadable so far"),
        (None, bytes) => format!("  unreadable: {}", size_text(bytes)),
        (Some(first), bytes) => {
            let (count, size) = (counted(seen.bad.len() as u64, "zone"), size_text(bytes));
            format!("  unreadable: {count}, {size}, the first at byte {}", first.offset)
        }
    };
    Line::styled(cut(&text, width), WRONG)
}

/// The digest so far.
fn digest(seen: &JobReports, width: usize) -> Vec<Line<'static>> {
    let Some((algorithm, digest)) = &seen.digest else { return Vec::new() };
    let what = format!("{algorithm} of the first {}, which are on the targets:", size_text(seen.upto));
    let lines = std::iter::once(what).chain(text::wrapped(digest, width.saturating_sub(4)));
    lines.map(|line| Line::from(cut(&format!("  {line}"), width))).collect()
}

fn messages(seen: &JobReports, width: usize) -> Vec<Line<'static>> {
    let all = seen.messages.iter().rev().flat_map(|message| text::wrapped(message, width.saturating_sub(2)));
    all.map(|line| Line::from(format!("  {line}"))).collect()
}

fn of_ended(one: &Acquisition, ended: &EndReport, seen: &JobReports, width: usize) -> Vec<Line<'static>> {
    let state = match ended.exit {
        Exit::Good => "complete",
        Exit::Incomplete => "complete, but not all of it could be read",
        Exit::Verdict => "A TARGET DIFFERS FROM THE SOURCE",
        Exit::Usage => "refused",
        Exit::Signal(_) => "stopped",
        Exit::Aborted => "ABORTED",
    };
    let style = if ended.exit == Exit::Good { STRONG } else { WRONG };
    let mut lines = vec![Line::styled(format!("  {state}"), style)];
    let known = seen.far.and_then(|far| far.total).map(|total| (total, seen.upto));
    if let Some((total, done)) = ended.bytes.map(|bytes| (bytes, bytes)).or(known) {
        lines.push(indented(map::line(total, done, &seen.bad, width.saturating_sub(4))));
    }
    let wrapped = |text: &str| text::wrapped(text, width.saturating_sub(2)).into_iter().map(|line| format!("  {line}"));
    lines.extend(text::plain(ended.failure.iter().flat_map(|failure| wrapped(failure))));
    if ended.resumes {
        lines.push(Line::styled("  the bytes on the targets stay; this goes on from there (r):", STRONG));
        lines.extend(text::plain(wrapped(&one.line())));
    }
    lines.extend(text::plain(wrapped(&ended.report)));
    lines.extend(messages(seen, width));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page shows the screen of a running acquisition.
    #[test]
    fn a_running_acquisition_is_drawn_as_the_page_shows() {
        let seen = JobReports::of_a_bad_disk();
        let lines = of_running(false, &seen, 100).into_iter().map(|line| line.to_string().trim_end().to_owned());
        let drawn = lines.collect::<Vec<_>>().join("\n");
        let page = include_str!("../../../../docs/screen.md");
        let (_, rest) = page.split_once("## While it runs\n").expect("the heading");
        let (_, rest) = rest.split_once("```text\n").expect("the frame");
        let (shown, _) = rest.split_once("\n```").expect("its end");
        assert_eq!(drawn, shown, "{drawn}");
    }

    #[test]
    fn time_left_is_in_two_units() {
        assert_eq!((left(59.9), left(61.0)), ("59 s left".into(), "1 min 01 s left".into()));
        assert_eq!(left(3_700.0), "1 h 01 min left");
        assert_eq!(left(f64::INFINITY).split(' ').next_back(), Some("left"));
    }
}
