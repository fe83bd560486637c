//! Whether comparisons together cover every byte of an image.

use super::comparison::{Comparison, Evidence};
use super::coverage::Space;

/// Whether a comparison can cover bytes of an image.
fn covers(one: &Comparison) -> bool {
    one.evidence != Evidence::Fact && !one.is_unequal()
}

/// The first range of `size` bytes that none of these covers.
fn gap(comparisons: &[&Comparison], space: Space) -> Option<(u64, u64)> {
    let of_space = || comparisons.iter().filter(|one| covers(one) && one.coverage.space == space);
    let size = of_space().map(|one| one.coverage.sizes.0).max()?;
    let mut ranges: Vec<(u64, u64)> = of_space().flat_map(|one| one.coverage.ours()).collect();
    ranges.sort_unstable();
    let mut upto = 0;
    for (offset, length) in ranges {
        if offset > upto {
            return Some((upto, offset - upto));
        }
        upto = upto.max(offset.saturating_add(length));
    }
    (upto < size).then(|| (upto, size - upto))
}

/// Whether these comparisons cover every byte of the image.
pub(super) fn is_whole(comparisons: &[&Comparison]) -> bool {
    [Space::Content, Space::Files].into_iter().any(|space| {
        let is_there = comparisons.iter().any(|one| covers(one) && one.coverage.space == space);
        is_there && gap(comparisons, space).is_none()
    })
}

/// The first range of the image that none of these covers, in words; nothing where a side has its
/// own sentence.
pub(super) fn uncovered(comparisons: &[&Comparison]) -> Option<String> {
    if comparisons.iter().any(|one| !one.gaps().is_empty()) {
        return None;
    }
    let gap = [Space::Content, Space::Files].into_iter().find_map(|space| gap(comparisons, space));
    Some(match gap {
        Some((offset, length)) => format!("nothing states the {length} bytes of the image from offset {offset} on"),
        None => "nothing states the bytes of the image".to_owned(),
    })
}
