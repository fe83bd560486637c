//! Files and entries that have no counterpart of their name: which of them probably have one of
//! another spelling.

use super::classes::{Change, Class};
use super::names::{Likeness, key, last, plain};
use pfh_source::terminal::render;
use std::collections::HashMap;

/// The treatment of a file whose name is probably another spelling of a listed one: other case,
/// another normal form, blanks at its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Likely {
    /// It is named, and not compared.
    #[default]
    Named,
    /// It is compared as the listed one.
    Taken,
    /// It is another file: both sides are trees, and a renamed file is moved.
    Other,
}

/// Pairs of a stray file and an entry that no file was met for, whose names probably mean one file:
/// the places of both.
pub fn pair_up<'a>(
    unmet: &[(usize, &[u8])],
    strays: impl Iterator<Item = (usize, &'a [u8])>,
) -> Vec<(usize, usize, Likeness)> {
    let mut keys: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (place, (_, name)) in unmet.iter().enumerate() {
        keys.entry(key(name)).or_default().push(place);
    }
    if keys.is_empty() {
        return Vec::new();
    }
    let mut pairs = Vec::new();
    let mut is_taken = vec![false; unmet.len()];
    for (stray, name) in strays {
        let alike = keys.get(&key(name)).into_iter().flatten().copied();
        let found = alike
            .filter(|place| !is_taken[*place])
            .collect::<Vec<_>>()
            .into_iter()
            .find_map(|place| Likeness::of(unmet[place].1, name).map(|likeness| (place, likeness)));
        if let Some((place, likeness)) = found {
            is_taken[place] = true;
            pairs.push((stray, unmet[place].0, likeness));
        }
    }
    pairs
}

/// The same by the last part of names, of a list whose form has no place for directories: each
/// entry with the only file of its name.
pub(super) fn below<'a>(
    unmet: &[(usize, &[u8])],
    strays: impl Iterator<Item = (usize, &'a [u8])>,
) -> Vec<(usize, usize, Likeness)> {
    let mut files: HashMap<&[u8], Vec<usize>> = HashMap::new();
    strays.for_each(|(stray, name)| files.entry(last(name)).or_default().push(stray));
    let only = |name: &[u8]| match files.get(name).map(Vec::as_slice) {
        Some(&[stray]) => Some(stray),
        _ => None,
    };
    unmet.iter().filter_map(|(at, name)| Some((only(name)?, *at, Likeness::folders()))).collect()
}

/// Says beside each name that one side alone has which other name is probably the same: among
/// `entries`, which the list has, and among the changes themselves.
pub(super) fn remark<'a>(changes: &mut [Change], entries: impl Iterator<Item = &'a [u8]>) {
    let is_alone = |change: &Change| {
        change.cause.is_none() && matches!(change.class, Class::New | Class::Missing | Class::Moved | Class::Copied)
    };
    let mut alone: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (at, change) in changes.iter().enumerate().filter(|(_, change)| is_alone(change)) {
        alone.entry(key(&change.name)).or_default().push(at);
    }
    if alone.is_empty() {
        return;
    }
    let others: Vec<Vec<u8>> = alone.values().flatten().map(|at| plain(&changes[*at].name)).collect();
    let mut take = |name: &[u8]| {
        for at in alone.get(&key(name)).into_iter().flatten() {
            let change = &mut changes[*at];
            if change.cause.is_none()
                && let Some(likeness) = Likeness::of(&change.name, name)
            {
                change.cause = Some(format!("differs from {} by {likeness}", render(name)));
            }
        }
    };
    entries.for_each(|name| take(&plain(name)));
    others.iter().for_each(|name| take(name));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_one_side_alone_has_are_remarked() {
        let of = |name: &str, class| Change::of(name.as_bytes().to_vec(), class);
        let mut changes = vec![
            of("README", Class::Missing),
            of("new", Class::New),
            of("NEW", Class::New),
            of("other", Class::New),
            of("kept", Class::Matched),
        ];
        remark(&mut changes, ["./readme", "README", "KEPT"].map(str::as_bytes).into_iter());
        let causes: Vec<_> = changes.iter().map(|change| change.cause.as_deref()).collect();
        let expected = [Some("readme"), Some("NEW"), Some("new"), None, None];
        let said = expected.map(|name| name.map(|name| format!("differs from {name} by case alone")));
        assert_eq!(causes, said.iter().map(Option::as_deref).collect::<Vec<_>>());
    }
}
