//! Tables in Markdown, as release notes have them: `| file | sha256 |`, a rule, and rows.

use crate::others::trailing::unquoted;

/// The cells of a row, without blanks, code marks and links around their texts.
pub(super) fn cells(line: &[u8]) -> Vec<Vec<u8>> {
    let line = line.trim_ascii();
    let inner = line.strip_prefix(b"|").unwrap_or(line);
    let inner = inner.strip_suffix(b"|").unwrap_or(inner);
    let (mut cells, mut cell) = (Vec::new(), Vec::new());
    let mut bytes = inner.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if bytes.peek() == Some(&b'|') => cell.extend(bytes.next()),
            b'|' => cells.push(std::mem::take(&mut cell)),
            byte => cell.push(byte),
        }
    }
    cells.push(cell);
    cells.iter().map(|cell| text(cell).to_vec()).collect()
}

/// The text of a cell: `name` of `` `name` ``, of `**name**` and of `[name](address)`.
fn text(cell: &[u8]) -> &[u8] {
    let cell = cell.trim_ascii();
    let bold = cell.strip_prefix(b"**").and_then(|cell| cell.strip_suffix(b"**")).unwrap_or(cell);
    let link = bold.strip_prefix(b"[").filter(|_| bold.ends_with(b")"));
    let end = link.and_then(|link| link.windows(2).position(|two| two == b"]("));
    unquoted(link.zip(end).map_or(bold, |(link, end)| &link[..end]))
}

/// Whether a line is the rule below the labels: `|---|:---:|`, or `+---+---+` of SQL's shells and
/// osquery.
pub(super) fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let is_one = |marks: &[u8]| line.starts_with(&marks[..1]) && line.iter().all(|byte| marks.contains(byte));
    line.contains(&b'-') && (is_one(b"|-: ") || is_one(b"+-"))
}

/// Whether a row is the labels, or the rule below them.
pub(super) fn is_head(line: &[u8], header: &[u8]) -> bool {
    line.trim_ascii() == header || is_rule(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_no_marks() {
        let found = cells(b"| `a b` | [c.zip](https://x/y) | **d\\|e** |  |");
        assert_eq!(found, [&b"a b"[..], b"c.zip", b"d|e", b""]);
        assert!(is_rule(b"|:---|---:|") && !is_rule(b"| a |") && !is_rule(b"---"));
    }
}
