//! A field of the form: a line of text, or a choice.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A line that is typed.
#[derive(Debug, Clone, Default)]
pub struct Text {
    value: String,
    /// Where the next character goes, counted in characters.
    at: usize,
}

impl Text {
    /// A line with the cursor at its end.
    pub fn new(value: impl Into<String>) -> Text {
        let value = value.into();
        Text { at: value.chars().count(), value }
    }

    /// The typed text.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The part that a field of `width` columns shows, and the column of the cursor in it.
    pub fn window(&self, width: usize) -> (String, usize) {
        let from = (self.at + 1).saturating_sub(width);
        (self.value.chars().skip(from).take(width).collect(), self.at - from)
    }

    /// Takes a key; false if it means nothing here.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let mut letters: Vec<char> = self.value.chars().collect();
        match key.code {
            KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                letters.drain(..self.at);
                self.at = 0;
            }
            KeyCode::Char('a') if key.modifiers.contains(KeyModifiers::CONTROL) => self.at = 0,
            KeyCode::Char('e') if key.modifiers.contains(KeyModifiers::CONTROL) => self.at = letters.len(),
            KeyCode::Char(letter) if !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {
                letters.insert(self.at, letter);
                self.at += 1;
            }
            KeyCode::Backspace if self.at > 0 => {
                self.at -= 1;
                letters.remove(self.at);
            }
            KeyCode::Delete if self.at < letters.len() => drop(letters.remove(self.at)),
            KeyCode::Left => self.at = self.at.saturating_sub(1),
            KeyCode::Right => self.at = (self.at + 1).min(letters.len()),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = letters.len(),
            KeyCode::Backspace | KeyCode::Delete => {}
            _ => return false,
        }
        self.value = letters.into_iter().collect();
        true
    }
}

/// One of some words.
#[derive(Debug, Clone)]
pub struct Choice {
    words: &'static [&'static str],
    at: usize,
}

impl Choice {
    /// The first of these.
    pub fn new(words: &'static [&'static str]) -> Choice {
        Choice { words, at: 0 }
    }

    /// The word.
    pub fn value(&self) -> &'static str {
        self.words[self.at]
    }

    /// Takes a key; false if it means nothing here.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let count = self.words.len();
        match key.code {
            KeyCode::Right | KeyCode::Char(' ') => self.at = (self.at + 1) % count,
            KeyCode::Left => self.at = (self.at + count - 1) % count,
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(text: &mut Text, keys: &[KeyCode]) {
        for key in keys {
            text.key(KeyEvent::new(*key, KeyModifiers::NONE));
        }
    }

    #[test]
    fn a_line_is_edited_at_the_cursor() {
        let mut text = Text::new("cäse");
        typed(&mut text, &[KeyCode::Left, KeyCode::Left, KeyCode::Backspace, KeyCode::Char('a')]);
        assert_eq!(text.value(), "case");
        typed(&mut text, &[KeyCode::End, KeyCode::Char('7'), KeyCode::Home, KeyCode::Delete]);
        assert_eq!((text.value(), text.window(3)), ("ase7", ("ase".into(), 0)));
        typed(&mut text, &[KeyCode::End]);
        assert_eq!(text.window(3), ("e7".into(), 2));
        text.key(KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL));
        assert_eq!(text.value(), "");
    }

    #[test]
    fn a_choice_goes_round() {
        let mut choice = Choice::new(&["e01", "raw"]);
        choice.key(KeyEvent::new(KeyCode::Left, KeyModifiers::NONE));
        assert_eq!(choice.value(), "raw");
        choice.key(KeyEvent::new(KeyCode::Char(' '), KeyModifiers::NONE));
        assert_eq!(choice.value(), "e01");
        assert!(!choice.key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::NONE)));
    }
}
