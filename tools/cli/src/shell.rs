//! Words as a shell reads them.

use pfh::terminal::is_unsafe;
use std::ffi::OsStr;

/// A word as a shell reads it, and a terminal may see it.
pub fn quoted(word: &OsStr) -> String {
    let bytes = word.as_encoded_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=:,+%@".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(is_plain) {
        return word.to_string_lossy().into_owned();
    }
    match word.to_str() {
        Some(text) if !text.contains(is_unsafe) => format!("'{}'", text.replace('\'', "'\\''")),
        _ => {
            let byte = |byte: &u8| match byte {
                b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
                b' '..=b'~' => char::from(*byte).to_string(),
                byte => format!("\\x{byte:02x}"),
            };
            format!("$'{}'", bytes.iter().map(byte).collect::<String>())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell_and_the_terminal() {
        for (word, expected) in
            [("a.b", "a.b"), ("a b", "'a b'"), ("it's", "'it'\\''s'"), ("", "''"), ("\x1b[1m", "$'\\x1b[1m'")]
        {
            assert_eq!(quoted(OsStr::new(word)), expected);
        }
    }
}
