//! Operands with `*` and `?`, which no shell of Windows expands.

use crate::os::names::{OsStrExt, OsStringExt};
use std::ffi::OsStr;
use std::path::Path;

/// The names that an operand with `*` or `?` stands for, in byte order; `None` if it has neither,
/// or stands for nothing: then it is a name like any other. Case does not count. `/` separates.
pub fn wildcards(operand: &[u8]) -> Option<Vec<Vec<u8>>> {
    let is_wild = |part: &[u8]| part.iter().any(|byte| b"*?".contains(byte));
    if !is_wild(operand) || operand.starts_with(br"\\?\") {
        return None;
    }
    let mut found: Vec<Vec<u8>> = vec![Vec::new()];
    for part in operand.split_inclusive(|&byte| byte == b'/') {
        let name = part.strip_suffix(b"/").unwrap_or(part);
        if !is_wild(name) {
            found.iter_mut().for_each(|path| path.extend_from_slice(part));
            continue;
        }
        let pattern = lower(name)?;
        let slash = &part[name.len()..];
        let below = |path: &Vec<u8>| {
            let directory = if path.is_empty() { Path::new(".") } else { Path::new(OsStr::from_bytes(path)) };
            let names = crate::os::names_in(directory).into_iter().map(OsStringExt::into_vec);
            let mut names: Vec<Vec<u8>> =
                names.filter(|name| lower(name).is_some_and(|name| is_like(&pattern, &name))).collect();
            names.sort();
            names.into_iter().map(|name| [path, &name[..], slash].concat()).collect::<Vec<_>>()
        };
        found = found.iter().flat_map(below).collect();
    }
    // The components behind a wildcard need not be below every match.
    found.retain(|path| crate::os::stat_operand(path).is_ok());
    (!found.is_empty()).then_some(found)
}

/// The characters of a name without regard to case; `None` if it is not text.
fn lower(name: &[u8]) -> Option<Vec<char>> {
    Some(std::str::from_utf8(name).ok()?.to_lowercase().chars().collect())
}

/// Whether a pattern stands for a name: `*` for any characters, `?` for one.
fn is_like(pattern: &[char], name: &[char]) -> bool {
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                (p, n) = (at + 1, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stand_for_names() {
        let like = |pattern: &str, name: &str| {
            is_like(&pattern.chars().collect::<Vec<_>>(), &name.chars().collect::<Vec<_>>())
        };
        assert!(like("*.e01", "disk.e01") && like("*", "") && like("a?c*", "abc") && like("*a*b", "xaxbxb"));
        assert!(!like("*.e01", "disk.e02") && !like("?", "") && !like("a", "ab") && !like("*a*b", "bxa"));
    }

    #[test]
    fn operands_are_expanded_in_order() {
        let room = tempfile::tempdir().unwrap();
        for name in ["b/x.E01", "b/x.E02", "a/y.e01", "c/none"] {
            let path = room.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let root = crate::os::names::entered(room.path().as_os_str().as_bytes().to_vec());
        let of = |operand: &str| {
            let found = wildcards(&[&root[..], b"/", operand.as_bytes()].concat())?;
            let below = found.into_iter().map(|path| String::from_utf8(path[root.len() + 1..].to_vec()).unwrap());
            Some(below.collect::<Vec<_>>())
        };
        assert_eq!(of("*/*.e01").unwrap(), ["a/y.e01", "b/x.E01"]);
        assert_eq!(of("?/x.e0?").unwrap(), ["b/x.E01", "b/x.E02"]);
        assert_eq!(of("*/none").unwrap(), ["c/none"]);
        assert_eq!((of("*.txt"), of("a")), (None, None));
    }
}
