//! Text as XML 1.0 can hold it.

use data_encoding::BASE64;
use pfh_source::terminal;

/// Appends an element on a line of its own; content that XML cannot hold stands in `pfh:base64` as
/// well.
pub fn element(out: &mut Vec<u8>, indent: &str, name: &str, content: &[u8]) {
    out.extend_from_slice(format!("{indent}<{name}").as_bytes());
    if !is_exact(content) {
        out.extend_from_slice(format!(" pfh:base64='{}'", BASE64.encode(content)).as_bytes());
    }
    out.push(b'>');
    text(out, content);
    out.extend_from_slice(format!("</{name}>\n").as_bytes());
}

/// Whether XML 1.0 can hold these bytes as text.
pub fn is_exact(content: &[u8]) -> bool {
    str::from_utf8(content).is_ok_and(|text| text.chars().all(is_char))
}

/// XML 1.0 §2.2, production 2.
fn is_char(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..)
}

/// Text for content or an attribute's value; references where a raw character would be markup, be
/// normalised by the reader (line ends, §2.11; white space in attributes, §3.3.3), or steer a
/// terminal.
pub fn text(out: &mut Vec<u8>, content: &[u8]) {
    for c in String::from_utf8_lossy(content).chars() {
        match c {
            '&' => out.extend_from_slice(b"&amp;"),
            '<' => out.extend_from_slice(b"&lt;"),
            '>' => out.extend_from_slice(b"&gt;"),
            '\'' => out.extend_from_slice(b"&apos;"),
            '"' => out.extend_from_slice(b"&quot;"),
            c if !is_char(c) => out.extend_from_slice("\u{FFFD}".as_bytes()),
            c if terminal::is_unsafe(c) => out.extend_from_slice(format!("&#x{:X};", u32::from(c)).as_bytes()),
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}
