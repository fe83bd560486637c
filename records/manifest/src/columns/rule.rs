//! A rule of dashes between the labels of a table and its rows.

/// Whether a line is a rule of dashes, or of `=`, with a gap at least.
pub(super) fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.contains(&b' ') && line.iter().all(|byte| b"-= ".contains(byte))
}

/// The parts of a line that start at these places.
pub(super) fn cut(line: &[u8], starts: &[usize]) -> Vec<Vec<u8>> {
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let part = |(start, end): (&usize, usize)| line.get(*start..end.min(line.len())).unwrap_or_default();
    starts.iter().zip(ends).map(part).map(|part| part.trim_ascii().to_vec()).collect()
}
