//! Slips of fingers: the command or option that was probably meant by a name that none has.

use super::matching::takes_value;
use super::row::Row;
use super::table::rows;
use crate::pieces;
use clap::Command;
use std::ffi::OsString;

/// How many letters may be wrong, missing, too many or swapped in a word of this length.
fn allowed(length: usize) -> usize {
    match length {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    }
}

/// Steps from one word to another: letters that are missing, wrong, too many, or changed places
/// (optimal string alignment).
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut least = (last[j] + usize::from(a != b)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(before[j - 1] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[other.len()]
}

/// The nearest of these names, if one is near enough; of several the first.
pub fn nearest<'a>(wrong: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_ascii_lowercase();
    // A long guess at nothing costs as much as its length.
    if wrong.len() > 64 {
        return None;
    }
    let near = names.map(|name| (distance(&wrong, &name.to_ascii_lowercase()), name));
    near.filter(|(steps, _)| *steps <= allowed(wrong.chars().count()))
        .min_by_key(|(steps, _)| *steps)
        .map(|(_, name)| name)
}

/// The command, or the word of another program in place of one, that is nearest to this word.
pub fn command(page: &Command, path: &str, wrong: &str) -> Option<String> {
    let own = page.get_subcommands().flat_map(|below| std::iter::once(below.get_name()).chain(below.get_all_aliases()));
    let first = |row: &'static Row| row.typed.split(' ').next().unwrap_or_default();
    let foreign = rows().filter(|row| row.at == path).map(first).flat_map(|words| words.split('|'));
    let foreign = foreign.filter(|word| !word.is_empty() && !word.contains('{') && !word.starts_with('-'));
    // A word of pfh's own goes before one of another program that is as near.
    let help = path.is_empty().then_some("help");
    nearest(wrong, own.chain(help).chain(foreign)).filter(|near| *near != wrong).map(str::to_owned)
}

/// The first misspelt option of a line, and the line with the option that is nearest to it.
pub fn option(root: &Command, words: &[OsString]) -> Option<(String, Vec<OsString>)> {
    let (page, path, used) = pieces::page(root, words);
    for (at, word) in words.iter().enumerate().skip(used).take_while(|(_, word)| *word != "--") {
        let Some(text) = word.to_str().filter(|text| text.starts_with("--")) else { continue };
        let name = text.split('=').next().unwrap_or_default();
        let is_known =
            |page: &Command, path: &str| pieces::is_known(page, name) || takes_value(page, path, name).is_some();
        if is_known(page, &path) {
            continue;
        }
        let mut corrected = words.to_vec();
        let mut put = |near: &str| corrected[at] = format!("--{near}{}", &text[name.len()..]).into();
        let bare = &name[2..];
        let always = ["help", "help-all", "version"].into_iter();
        if path.is_empty() {
            // Options without a command are of hash, but for those of the program itself.
            if let Some(near) = nearest(bare, always) {
                put(near);
                return Some((name.to_owned(), corrected));
            }
            let hash = root.find_subcommand("hash")?;
            if words.first().is_some_and(|first| !first.as_encoded_bytes().starts_with(b"-")) || is_known(hash, "hash")
            {
                continue;
            }
            put(&long(hash, bare)?);
            corrected.insert(0, "hash".into());
            return Some((name.to_owned(), corrected));
        }
        if let Some(near) = long(page, bare) {
            put(&near);
            return Some((name.to_owned(), corrected));
        }
    }
    None
}

/// The long option of a command that is nearest to this name.
fn long(page: &Command, bare: &str) -> Option<String> {
    let options = page.get_arguments().filter(|arg| !arg.is_positional());
    let names: Vec<&str> = options
        .flat_map(|arg| arg.get_long().into_iter().chain(arg.get_all_aliases().unwrap_or_default()))
        .chain(["help", "version"])
        .collect();
    nearest(bare, names.into_iter()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_near_and_other_words_are_not() {
        let root = crate::help::command(false);
        for (wrong, right) in [("chek", "check"), ("imagee", "image"), ("benchmrk", "benchmark"), ("hsah", "hash")] {
            assert_eq!(command(&root, "", wrong).as_deref(), Some(right), "{wrong}");
        }
        for wrong in ["nosuch", "frobnicate", "xy"] {
            assert_eq!(command(&root, "", wrong), None, "{wrong}");
        }
        let option = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let found = option(&root, &words)?;
            Some(found.1.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(option("hash --algorihtm md5 a").as_deref(), Some("hash --algorithm md5 a"));
        assert_eq!(option("hash --threds=4 a").as_deref(), Some("hash --threads=4 a"));
        assert_eq!(option("--verison").as_deref(), Some("--version"));
        assert_eq!(option("--recursiv d").as_deref(), Some("hash --recursive d"));
        for line in ["hash --frobnicate a", "hash -- --algorihtm", "hash --ignore x", "hash --io plain a"] {
            assert_eq!(option(line), None, "{line}");
        }
    }
}
