//! Fields of a header: values with parameters (RFC 2045), in pieces and other alphabets (RFC 2231),
//! and encoded words (RFC 2047).

use super::transfer::{base64, hexadecimal};

/// The longest header of a message or part, in bytes.
pub const LONGEST: usize = 1 << 20;

/// The fields of a header that describe a part.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Header {
    /// Type and subtype in lower case, as `text/plain`; empty if none is stated.
    pub kind: String,
    /// The boundary between the parts of a multipart.
    pub boundary: Option<Vec<u8>>,
    /// The name of the file.
    pub name: Option<Vec<u8>>,
    /// The transfer encoding, in lower case.
    pub encoding: String,
}

/// Reads the fields of a header.
pub fn read(bytes: &[u8]) -> Header {
    let mut header = Header::default();
    let mut of_kind = None;
    for (name, value) in fields(bytes) {
        match name.to_ascii_lowercase().as_slice() {
            b"content-type" if header.kind.is_empty() => {
                let (first, parameters) = parameters(&value);
                header.kind = first;
                header.boundary = find(&parameters, "boundary");
                of_kind = find(&parameters, "name");
            }
            b"content-disposition" if header.name.is_none() => {
                header.name = find(&parameters(&value).1, "filename");
            }
            b"content-transfer-encoding" if header.encoding.is_empty() => {
                header.encoding = parameters(&value).0;
            }
            _ => {}
        }
    }
    header.name = header.name.or(of_kind);
    header
}

/// Whether a line may stand in a header: a field, the rest of one, or in front of all the line that
/// a store puts there.
pub fn is_field(line: &[u8], is_first: bool) -> bool {
    let colon = line.iter().position(|byte| *byte == b':');
    let is_name = |name: &[u8]| !name.is_empty() && name.iter().all(|byte| matches!(byte, 33..=126));
    match line.first() {
        Some(b' ' | b'\t') => !is_first,
        _ if line.starts_with(b"From ") || line.starts_with(b">From ") => true,
        _ => colon.is_some_and(|colon| is_name(line[..colon].trim_ascii_end())),
    }
}

/// Names and unfolded values.
fn fields(bytes: &[u8]) -> Vec<(&[u8], Vec<u8>)> {
    let mut found: Vec<(&[u8], Vec<u8>)> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if let (Some(b' ' | b'\t'), Some((_, value))) = (line.first(), found.last_mut()) {
            value.extend_from_slice(line);
            continue;
        }
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        found.push((line[..colon].trim_ascii(), line[colon + 1..].to_vec()));
    }
    found
}

/// The value in front of the parameters, in lower case, and these with their names in lower case.
fn parameters(value: &[u8]) -> (String, Vec<(String, Vec<u8>)>) {
    let mut pieces = Vec::new();
    let (mut piece, mut at, mut is_quoted, mut depth) = (Vec::new(), 0, false, 0_u32);
    while let Some(&byte) = value.get(at) {
        at += 1;
        match byte {
            b'\\' if is_quoted || depth > 0 => {
                if let Some(&next) = value.get(at).filter(|_| depth == 0) {
                    piece.push(next);
                }
                at += 1;
            }
            b'"' if depth == 0 => is_quoted = !is_quoted,
            // A comment.
            b'(' if !is_quoted => depth += 1,
            b')' if !is_quoted && depth > 0 => depth -= 1,
            _ if depth > 0 => {}
            b';' if !is_quoted => pieces.push(std::mem::take(&mut piece)),
            other => piece.push(other),
        }
    }
    pieces.push(piece);
    let mut pieces = pieces.into_iter();
    let first = pieces.next().unwrap_or_default();
    let first = String::from_utf8_lossy(first.trim_ascii()).to_ascii_lowercase();
    let parameters = pieces.filter_map(|piece| {
        let equals = piece.iter().position(|byte| *byte == b'=')?;
        let name = String::from_utf8_lossy(piece[..equals].trim_ascii()).to_ascii_lowercase();
        Some((name, piece[equals + 1..].trim_ascii().to_vec()))
    });
    (first, parameters.collect())
}

/// The value of a parameter: `name`, `name*`, or `name*0`, `name*1*` … in this order.
fn find(parameters: &[(String, Vec<u8>)], name: &str) -> Option<Vec<u8>> {
    let exact = |wanted: &str| parameters.iter().find(|(own, _)| own == wanted).map(|(_, value)| value);
    if let Some(value) = exact(&format!("{name}*")) {
        return Some(extended(value));
    }
    let mut joined: Option<Vec<u8>> = None;
    let mut charset = Vec::new();
    for number in 0..1000 {
        let plain = exact(&format!("{name}*{number}")).cloned();
        let coded = exact(&format!("{name}*{number}*")).map(|value| {
            let value = match (number, alphabet(value)) {
                (0, Some((own, rest))) => {
                    charset = own.to_vec();
                    rest
                }
                _ => value,
            };
            percent(value)
        });
        let Some(piece) = plain.or(coded) else { break };
        joined.get_or_insert_default().extend(piece);
    }
    joined.map(|bytes| text(&charset, bytes)).or_else(|| exact(name).map(|value| words(value)))
}

/// `utf-8'de'rest`: the alphabet and the rest.
fn alphabet(value: &[u8]) -> Option<(&[u8], &[u8])> {
    let first = value.iter().position(|byte| *byte == b'\'')?;
    let second = first + 1 + value[first + 1..].iter().position(|byte| *byte == b'\'')?;
    Some((&value[..first], &value[second + 1..]))
}

fn extended(value: &[u8]) -> Vec<u8> {
    let (charset, rest) = alphabet(value).unwrap_or((b"", value));
    text(charset, percent(rest))
}

fn percent(value: &[u8]) -> Vec<u8> {
    let (mut out, mut at) = (Vec::with_capacity(value.len()), 0);
    while let Some(&byte) = value.get(at) {
        let hex = (byte == b'%').then(|| value.get(at + 1..at + 3)).flatten().and_then(hexadecimal);
        out.push(hex.unwrap_or(byte));
        at += if hex.is_some() { 3 } else { 1 };
    }
    out
}

/// Text of Latin-1 and its relatives as UTF-8; text of other alphabets unchanged.
fn text(charset: &[u8], bytes: Vec<u8>) -> Vec<u8> {
    let charset = charset.to_ascii_lowercase();
    let is_latin = matches!(&charset[..], b"iso-8859-1" | b"latin1" | b"windows-1252" | b"us-ascii");
    if !is_latin || bytes.is_ascii() {
        return bytes;
    }
    bytes.iter().map(|byte| char::from(*byte)).collect::<String>().into_bytes()
}

/// A text with its encoded words decoded, `=?utf-8?B?…?=`. White space between two of them is
/// dropped.
pub fn words(value: &[u8]) -> Vec<u8> {
    let (mut out, mut at, mut end_of_word) = (Vec::with_capacity(value.len()), 0, None);
    while at < value.len() {
        if let Some((decoded, length)) = word(&value[at..]) {
            if let Some(end) = end_of_word.filter(|end| out[*end..].iter().all(u8::is_ascii_whitespace)) {
                out.truncate(end);
            }
            out.extend(decoded);
            at += length;
            end_of_word = Some(out.len());
        } else {
            out.push(value[at]);
            at += 1;
        }
    }
    out
}

/// The encoded word that stands here, and its length.
fn word(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let rest = bytes.strip_prefix(b"=?")?;
    let mark = |from: usize| Some(from + rest.get(from..)?.iter().take(512).position(|byte| *byte == b'?')?);
    let first = mark(0)?;
    let second = mark(first + 1)?;
    let third = mark(second + 1)?;
    if rest.get(third + 1) != Some(&b'=') {
        return None;
    }
    let charset = rest[..first].split(|byte| *byte == b'*').next().unwrap_or_default();
    let coded = &rest[second + 1..third];
    let decoded = match &rest[first + 1..second] {
        b"B" | b"b" => base64(coded)?,
        b"Q" | b"q" => {
            let plain: Vec<u8> = coded.iter().map(|byte| if *byte == b'_' { b' ' } else { *byte }).collect();
            let (mut out, mut at) = (Vec::new(), 0);
            while let Some(&byte) = plain.get(at) {
                let hex = (byte == b'=').then(|| plain.get(at + 1..at + 3)).flatten().and_then(hexadecimal);
                out.push(hex.unwrap_or(byte));
                at += if hex.is_some() { 3 } else { 1 };
            }
            out
        }
        _ => return None,
    };
    Some((text(charset, decoded), 2 + third + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(header: &str) -> String {
        String::from_utf8_lossy(&read(header.as_bytes()).name.unwrap_or_default()).into_owned()
    }

    #[test]
    fn names_in_each_form() {
        assert_eq!(name("Content-Disposition: attachment; filename=\"a; \\\"b\\\".pdf\"\r\n"), "a; \"b\".pdf");
        assert_eq!(name("content-type: image/png (a comment; x);\r\n\tname=a.png\r\n"), "a.png");
        assert_eq!(name("Content-Disposition: x; filename*=utf-8'de'gr%C3%BC%C3%9Fe.txt\n"), "grüße.txt");
        assert_eq!(name("Content-Disposition: x; filename*=iso-8859-1''gr%FC%DFe\n"), "grüße");
        let pieces = "Content-Disposition: x;\n filename*0*=utf-8''a%20;\n filename*1=\"b c\";\n filename*2*=%21\n";
        assert_eq!(name(pieces), "a b c!");
        let words = "Content-Type: a/b; name=\"=?utf-8?B?w6Q=?=\r\n =?iso-8859-1?q?_=F6?= x\"\r\n";
        assert_eq!(name(words), "ä ö x");
        assert_eq!(name("Content-Type: a/b; name=\"=?utf-8?X?w6Q=?= =?\""), "=?utf-8?X?w6Q=?= =?");
        let header = read(b"Content-Type: Multipart/Mixed; Boundary=\"=_a b\"\nContent-Transfer-Encoding: BASE64 \n");
        assert_eq!((header.kind.as_str(), header.encoding.as_str()), ("multipart/mixed", "base64"));
        assert_eq!(header.boundary.as_deref(), Some(&b"=_a b"[..]));
    }
}
