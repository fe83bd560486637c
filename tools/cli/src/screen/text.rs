//! Text in lines of a width.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

/// Titles.
pub const STRONG: Style = Style::new().add_modifier(Modifier::BOLD);
/// The place that the keys act on.
pub const CHOSEN: Style = Style::new().add_modifier(Modifier::REVERSED);
/// Faults.
pub const WRONG: Style = Style::new().fg(Color::Red);

/// A text in lines of at most `width` columns, cut at blanks where there are some.
pub fn wrapped(text: &str, width: usize) -> Vec<String> {
    let width = width.max(8);
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let mut word = word.to_owned();
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            while word.chars().count() > width {
                let rest: String = word.chars().skip(width).collect();
                lines.push(word.chars().take(width).collect());
                word = rest;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&word);
        }
        lines.push(line);
    }
    lines
}

/// A text cut to `width` columns; `…` stands for the rest.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let kept: String = text.chars().take(width.saturating_sub(1)).collect();
    format!("{kept}…")
}

/// A rule across the screen with a title in it.
pub fn rule(title: &str, width: usize) -> String {
    let title = if title.is_empty() { String::new() } else { format!(" {} ", cut(title, width.saturating_sub(8))) };
    let rest = width.saturating_sub(2 + title.chars().count());
    format!("──{title}{}", "─".repeat(rest))
}

/// Lines without a style.
pub fn plain(lines: impl IntoIterator<Item = String>) -> Vec<Line<'static>> {
    lines.into_iter().map(Line::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_at_blanks_and_long_words_anywhere() {
        assert_eq!(wrapped("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrapped("abcdefghijklmnopqr s", 8), ["abcdefgh", "ijklmnop", "qr s"]);
        assert_eq!(wrapped("", 8), Vec::<String>::new());
        assert_eq!((cut("abcdef", 4), cut("abcd", 4)), ("abc…".into(), "abcd".into()));
        assert_eq!(rule("a", 10), "── a ─────");
    }
}
