//! ssdeep's own file format: a header, then a line `digest,"name"` for each input.

use super::Digest;
use crate::{ParseError, UnprintableName};

/// The first line of a file, without its end.
pub const FILE_HEADER: &str = "ssdeep,1.1--blocksize:hash:hash,filename";

/// Appends the line of a digest without its end. A quotation mark in the name is escaped with a
/// backslash, as ssdeep does, and nothing else is: so a name that holds a line feed, or a backslash
/// before a quotation mark or at its end, would be misread and is refused.
pub fn print_line(digest: &Digest, name: &[u8], out: &mut Vec<u8>) -> Result<(), UnprintableName> {
    let misread = |pair: &[u8]| pair == b"\\\"";
    if name.contains(&b'\n') || name.windows(2).any(misread) || name.ends_with(b"\\") {
        return Err(UnprintableName);
    }
    out.extend_from_slice(digest.to_string().as_bytes());
    out.extend_from_slice(b",\"");
    for &byte in name {
        if byte == b'"' {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
    Ok(())
}

/// Reads a line without its end: the digest and the name.
pub fn parse_line(line: &[u8]) -> Result<(Digest, Vec<u8>), ParseError> {
    // The digest holds no comma; looking for one further on would only cost time.
    let comma = line.iter().take(150).position(|&c| c == b',').ok_or(ParseError::Fields)?;
    let digest = Digest::parse(&line[..comma])?;
    let quoted = &line[comma + 1..];
    let inner = match quoted {
        [b'"', inner @ .., b'"'] => inner,
        _ => return Err(ParseError::Name),
    };
    let mut name = Vec::with_capacity(inner.len());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek() == Some(&b'"') => name.extend(bytes.next()),
            b'"' => return Err(ParseError::Name),
            _ => name.push(byte),
        }
    }
    // A backslash before the closing quotation mark escapes it: then the name is not closed.
    if name.last() == Some(&b'\\') { Err(ParseError::Name) } else { Ok((digest, name)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let digest: Digest = "3:aaX8v:aV".parse().unwrap();
        for name in ["a", "", "with \"quotes\"", "comma, colon: and \\ within", "\"", "ü\t"] {
            let mut line = Vec::new();
            print_line(&digest, name.as_bytes(), &mut line).unwrap();
            assert_eq!(parse_line(&line), Ok((digest, name.as_bytes().to_vec())), "{name}");
        }
        for name in ["line\nfeed", "ends in \\", "\\\""] {
            assert_eq!(print_line(&digest, name.as_bytes(), &mut Vec::new()), Err(UnprintableName), "{name}");
        }
    }

    #[test]
    fn malformed_lines_are_named() {
        for (line, error) in [
            ("3:a:b", ParseError::Fields),
            ("3:a:b,", ParseError::Name),
            ("3:a:b,\"", ParseError::Name),
            ("3:a:b,\"x", ParseError::Name),
            ("3:a:b,\"x\"y\"", ParseError::Name),
            ("3:a:b,\"x\\\"", ParseError::Name),
            ("3:a,\"x\"", ParseError::Fields),
        ] {
            assert_eq!(parse_line(line.as_bytes()), Err(error), "{line}");
        }
    }
}
