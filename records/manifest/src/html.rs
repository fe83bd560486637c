//! Pages in HTML that hold lists: HashMyFiles' reports, tables and preformatted text of download
//! pages. [`Page`] gives their text as lines, which the other readers understand: a row of a table
//! with tabs between its cells, a row of a label and a value as `label: value`.

use std::io::{self, BufRead, Read};

use pfh_digest::Registry;

use crate::digits;
use crate::roles::{self, Role};

/// Bytes of text or of a tag that are held together: longer ones are cut.
const PART: u64 = 1 << 16;
/// Bytes of a row: the rest of a longer one is passed over.
const ROW: usize = 1 << 20;

/// Whether a text begins as a page does.
pub(crate) fn is_page(start: &[u8]) -> bool {
    let start = start.trim_ascii_start();
    let begins = |with: &[u8]| start.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins(b"<!doctype html") || begins(b"<html")
}

/// Whether the first lines of a page's text hold a digest.
pub(crate) fn holds_digests(text: &[u8]) -> bool {
    text.split(|byte| byte.is_ascii_whitespace() || b":=*|".contains(byte)).any(digits::is_digest)
}

/// The text of a page, line by line.
pub(crate) struct Page<R> {
    reader: R,
    registry: Registry,
    /// Text that is ready, and how much of it was given.
    ready: Vec<u8>,
    given: usize,
    /// The cells of the row at hand.
    cells: Vec<Vec<u8>>,
    bytes: usize,
    in_cell: bool,
    in_pre: bool,
    /// The element whose content is code, if one is open: a script or a style.
    passed_over: Option<&'static [u8]>,
}

impl<R: BufRead> Page<R> {
    pub(crate) fn new(reader: R, registry: Registry) -> Page<R> {
        Page {
            reader,
            registry,
            ready: Vec::new(),
            given: 0,
            cells: Vec::new(),
            bytes: 0,
            in_cell: false,
            in_pre: false,
            passed_over: None,
        }
    }

    /// Takes text up to a tag, and the tag; `false` at the end.
    fn step(&mut self) -> io::Result<bool> {
        let mut text = Vec::new();
        self.reader.by_ref().take(PART).read_until(b'<', &mut text)?;
        let is_tag = text.pop_if(|byte| *byte == b'<').is_some();
        if text.is_empty() && !is_tag {
            self.row();
            return Ok(false);
        }
        self.text(&text);
        if is_tag {
            let mut tag = Vec::new();
            self.reader.by_ref().take(PART).read_until(b'>', &mut tag)?;
            self.tag(&tag);
        }
        Ok(true)
    }

    fn text(&mut self, text: &[u8]) {
        if self.passed_over.is_some() || self.bytes > ROW {
            return;
        }
        let text = decoded(text);
        if self.in_pre {
            self.ready.extend_from_slice(&text);
        } else if self.in_cell
            && let Some(cell) = self.cells.last_mut()
        {
            // Line ends and tabs are blanks here.
            self.bytes += text.len();
            cell.extend(text.iter().map(|byte| if byte.is_ascii_whitespace() { b' ' } else { *byte }));
        }
    }

    fn tag(&mut self, tag: &[u8]) {
        let end = tag.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'/');
        let name = tag[..end.unwrap_or(tag.len())].to_ascii_lowercase();
        if let Some(open) = self.passed_over {
            // A script may hold `<` as well.
            let end = [b"/", open, b">"].concat();
            if tag.to_ascii_lowercase().ends_with(&end) {
                self.passed_over = None;
            }
            return;
        }
        if let Some(link) = (name == b"a").then(|| link(tag)).flatten() {
            self.ready.extend([b"\n", &decoded(link)[..], b"\n"].concat());
        }
        match &name[..] {
            b"script" => self.passed_over = Some(b"script"),
            b"style" => self.passed_over = Some(b"style"),
            b"tr" | b"/tr" => self.row(),
            b"table" | b"/table" => {
                self.row();
                self.ready.push(b'\n');
            }
            b"td" | b"th" => {
                self.cells.push(Vec::new());
                self.in_cell = true;
            }
            b"/td" | b"/th" => self.in_cell = false,
            b"pre" => self.in_pre = true,
            b"/pre" => {
                self.in_pre = false;
                self.ready.push(b'\n');
            }
            b"br" | b"p" | b"li" | b"/p" | b"/li" if self.in_pre => self.ready.push(b'\n'),
            _ => {}
        }
    }

    /// Ends a row.
    fn row(&mut self) {
        self.in_cell = false;
        self.bytes = 0;
        let cells = std::mem::take(&mut self.cells);
        let cells: Vec<&[u8]> = cells.iter().map(|cell| cell.trim_ascii()).collect();
        let is_label = |cell: &[u8]| roles::of(self.registry, &String::from_utf8_lossy(cell)) != Role::Other;
        match cells[..] {
            [] => return,
            [label, value] if is_label(label) && !is_label(value) => {
                self.ready.extend_from_slice(&[label, b": ", value].concat());
            }
            _ => self.ready.extend_from_slice(&cells.join(&b'\t')),
        }
        self.ready.push(b'\n');
    }
}

impl<R: BufRead> Read for Page<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let read = available.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Page<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.given == self.ready.len() {
            self.ready.clear();
            self.given = 0;
            while self.ready.is_empty() && self.step()? {}
        }
        Ok(&self.ready[self.given..])
    }

    fn consume(&mut self, amount: usize) {
        self.given += amount;
    }
}

/// The address of a tag if it holds a digest: a link of networks that share files.
fn link(tag: &[u8]) -> Option<&[u8]> {
    let at = [&b"ed2k://|file|"[..], b"magnet:?"].into_iter().find_map(|begin| {
        let found = tag.windows(begin.len()).position(|window| window == begin)?;
        // A quote opens it.
        found.checked_sub(1).filter(|before| b"\"'=".contains(&tag[*before])).map(|_| found)
    })?;
    let ends = if tag[at - 1] == b'=' { &b" >"[..] } else { std::slice::from_ref(&tag[at - 1]) };
    let end = tag[at..].iter().position(|byte| ends.contains(byte))?;
    Some(&tag[at..at + end])
}

/// A text without the character references of HTML that lists have.
fn decoded(text: &[u8]) -> Vec<u8> {
    let (mut plain, mut rest) = (Vec::with_capacity(text.len()), text);
    while let Some(at) = rest.iter().position(|byte| *byte == b'&') {
        plain.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.iter().take(10).position(|byte| *byte == b';');
        let found = end.and_then(|end| Some((character(str::from_utf8(&rest[..end]).ok()?)?, end)));
        match found {
            Some((character, end)) => {
                plain.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                rest = &rest[end + 1..];
            }
            None => plain.push(b'&'),
        }
    }
    plain.extend_from_slice(rest);
    plain
}

fn character(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let number = name.strip_prefix('#')?;
            let hexadecimal = number.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16).ok());
            char::from_u32(hexadecimal.unwrap_or_else(|| number.parse().ok())?).filter(|c| *c != '\0')
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pfh_digest::{ROWS, Row};

    fn text(page: &str) -> String {
        static LISTS: [&[Row]; 1] = [&ROWS];
        let mut text = String::new();
        Page::new(page.as_bytes(), Registry::new(&LISTS)).read_to_string(&mut text).expect("memory");
        text
    }

    #[test]
    fn rows_are_lines() {
        let rows = "<!DOCTYPE HTML><html><table><tr><th>File<th>MD5\n<tr><td>a&amp;b<td>0&nbsp;\n</table>";
        assert_eq!(text(rows), "\nFile\tMD5\na&b\t0\n\n");
        assert_eq!(text("<table><tr><td>MD5<td>00<tr><td>Filename<td>a</table>"), "\nMD5: 00\nFilename: a\n\n");
        assert_eq!(text("x<script>a<b</script><pre>00  a\n11  <a href=x>b</a></pre>y"), "00  a\n11  b\n");
        // Damaged: cut, and references that are none.
        assert_eq!(text("<table><tr><td>a &x; &#0; &"), "\na &x; &#0; &\n");
    }
}
