//! Names that differ by case alone: volumes of Windows and macOS hold one file for all of them.

use super::classes::{Change, Class};
use super::names::plain;
use pfh_source::terminal::render;
use std::borrow::Cow;
use std::collections::HashMap;

/// A name as volumes without regard to case compare it. Bytes that are not text keep their value.
pub fn caseless(name: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(name) {
        Ok(text) if !text.is_ascii() => text.to_lowercase().into_bytes().into(),
        _ if name.iter().any(u8::is_ascii_uppercase) => name.to_ascii_lowercase().into(),
        _ => name.into(),
    }
}

/// Says beside each name that one side alone has which other name differs from it by case alone:
/// among `entries`, which the manifest has, and among the changes themselves.
pub(crate) fn remark<'a>(changes: &mut [Change], entries: impl Iterator<Item = &'a [u8]>) {
    let is_alone = |change: &Change| {
        change.cause.is_none() && matches!(change.class, Class::New | Class::Missing | Class::Moved | Class::Copied)
    };
    let mut alone: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
    for (at, change) in changes.iter().enumerate().filter(|(_, change)| is_alone(change)) {
        alone.entry(caseless(&plain(&change.name)).into_owned()).or_default().push(at);
    }
    if alone.is_empty() {
        return;
    }
    let others: Vec<Vec<u8>> = alone.values().flatten().map(|at| plain(&changes[*at].name)).collect();
    let mut take = |name: &[u8]| {
        for at in alone.get(&*caseless(name)).into_iter().flatten() {
            let change = &mut changes[*at];
            if change.cause.is_none() && plain(&change.name) != name {
                change.cause = Some(format!("differs from {} by case alone", render(name)));
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
    fn case_is_that_of_letters() {
        assert_eq!(caseless(b"a/B.txt"), caseless(b"A/b.TXT"));
        assert_eq!(caseless("\u{c9}t\u{e9}".as_bytes()), caseless("\u{e9}T\u{c9}".as_bytes()));
        assert_ne!(caseless(b"a"), caseless(b"a "));
        assert_eq!(&*caseless(b"\xffA"), b"\xffa");
    }

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
        assert_eq!(
            causes,
            expected
                .map(|name| name.map(|name| format!("differs from {name} by case alone")))
                .iter()
                .map(Option::as_deref)
                .collect::<Vec<_>>()
        );
    }
}
