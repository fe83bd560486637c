//! Words that the sentences of several jobs have.

/// A number with the words behind it: `1 file is`, `2 files are`.
pub fn many(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// A number of things: `1 file`, `2 files`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
