//! Whether a text is a table, by its first lines.

/// Characters between two cells.
const SEPARATORS: [u8; 4] = *b"\t;|,";
/// The fewest lines of a table.
const LEAST_LINES: usize = 3;
/// Of that many lines as many as one may be unlike the others: titles and notes.
const ONE_IN: usize = 10;

/// The separator of a table that begins with these bytes; none of another text. The last line is
/// left out, unless it is `whole`.
pub fn separator(first: &[u8], whole: bool) -> Option<u8> {
    let mut lines = vec![[0u32; SEPARATORS.len()]];
    let (mut is_quoted, mut is_empty) = (false, true);
    for &byte in first {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' | b'\r' if !is_quoted => {
                if !is_empty {
                    lines.push([0; SEPARATORS.len()]);
                }
                is_empty = true;
                continue;
            }
            _ => {
                let at = SEPARATORS.iter().position(|separator| *separator == byte);
                if let (Some(at), false, Some(line)) = (at, is_quoted, lines.last_mut()) {
                    line[at] += 1;
                }
            }
        }
        is_empty = false;
    }
    if is_empty || !whole {
        lines.pop();
    }
    if lines.len() < LEAST_LINES {
        return None;
    }
    let regular = |at: usize| {
        let mut counts: Vec<u32> = lines.iter().map(|line| line[at]).collect();
        counts.sort_unstable();
        let most = counts.chunk_by(|a, b| a == b).max_by_key(|equal| equal.len())?;
        let is_regular = most[0] > 0 && (lines.len() - most.len()) * ONE_IN <= lines.len();
        is_regular.then_some((most[0], SEPARATORS.len() - at))
    };
    (0..SEPARATORS.len()).filter_map(regular).max().map(|(_, from_last)| SEPARATORS[SEPARATORS.len() - from_last])
}
