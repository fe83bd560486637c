//! Where the names of two lists agree: the directory in which each of them starts.

use std::collections::{HashMap, HashSet};

/// That many names of A are looked for in B.
const SAMPLE: usize = 512;
/// That many files of B with one last component are looked at.
const ALIKE: usize = 16;
/// That many pairs of directories are tried with all names.
const TRIED: usize = 8;

/// The prefix that is cut from the names of A and of B, so that most of them agree: with closing
/// slashes, or empty. Nothing is left out if that is as good.
pub fn between(a: &[Vec<u8>], b: &[Vec<u8>]) -> [Vec<u8>; 2] {
    let all: HashSet<&[u8]> = b.iter().map(|name| &name[..]).collect();
    let score = |[one, other]: &[&[u8]; 2]| {
        let rests = a.iter().filter_map(|name| name.strip_prefix(*one));
        rests.filter(|rest| all.contains(&[other, *rest].concat()[..])).count()
    };
    let mut best = (score(&[b"", b""]), [&b""[..], &b""[..]]);
    if best.0 < a.len().min(b.len()) {
        for pair in candidates(a, b) {
            let found = score(&pair);
            if found > best.0 {
                best = (found, pair);
            }
        }
    }
    best.1.map(<[u8]>::to_vec)
}

fn last(name: &[u8]) -> &[u8] {
    name.rsplit(|&byte| byte == b'/').next().unwrap_or_default()
}

/// The pairs of directories below which some names agree: the most frequent ones, and of these the
/// shortest first.
fn candidates<'a>(a: &'a [Vec<u8>], b: &'a [Vec<u8>]) -> Vec<[&'a [u8]; 2]> {
    let mut places: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
    for name in b {
        let alike = places.entry(last(name)).or_default();
        if alike.len() < ALIKE {
            alike.push(name);
        }
    }
    let mut votes: HashMap<[&[u8]; 2], usize> = HashMap::new();
    let step = a.len().div_ceil(SAMPLE).max(1);
    for name in a.iter().step_by(step) {
        for other in places.get(last(name)).into_iter().flatten() {
            *votes.entry(heads(name, other)).or_default() += 1;
        }
    }
    let mut pairs: Vec<([&[u8]; 2], usize)> = votes.into_iter().collect();
    let length = |pair: &[&[u8]; 2]| pair[0].len() + pair[1].len();
    pairs.sort_by(|(one, n), (other, m)| m.cmp(n).then(length(one).cmp(&length(other))).then(one.cmp(other)));
    pairs.into_iter().take(TRIED).map(|(pair, _)| pair).collect()
}

/// The parts of two names in front of their common last components.
fn heads<'a>(one: &'a [u8], other: &'a [u8]) -> [&'a [u8]; 2] {
    let alike = one.iter().rev().zip(other.iter().rev()).take_while(|(x, y)| x == y).count();
    let tail = &one[one.len() - alike..];
    let starts = |name: &[u8]| name.len() == alike || name[name.len() - alike - 1] == b'/';
    let cut = if starts(one) && starts(other) {
        0
    } else {
        tail.iter().position(|&byte| byte == b'/').map_or(0, |at| at + 1)
    };
    [one, other].map(|name| &name[..name.len() - alike + cut])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bases(a: &[&str], b: &[&str]) -> [String; 2] {
        let names = |names: &[&str]| names.iter().map(|name| name.as_bytes().to_vec()).collect::<Vec<_>>();
        between(&names(a), &names(b)).map(|base| String::from_utf8(base).unwrap())
    }

    #[test]
    fn the_directories_under_which_most_names_agree() {
        assert_eq!(bases(&["a", "d/b"], &["a", "d/b", "c"]), ["", ""]);
        assert_eq!(bases(&["x/a", "x/d/b"], &["/mnt/y/a", "/mnt/y/d/b"]), ["x/", "/mnt/y/"]);
        assert_eq!(bases(&["a", "d/b", "new"], &["x/a", "x/d/b", "y/other"]), ["", "x/"]);
        assert_eq!(bases(&["home/old", "home/one"], &["one", "two"]), ["home/", ""]);
        // Names that end alike are not the same component.
        assert_eq!(bases(&["xab", "q"], &["ab", "q"]), ["", ""]);
        assert_eq!(bases(&["p/xab/f", "p/q"], &["yab/f", "q"]), ["p/", ""]);
        assert_eq!(bases(&[], &["a"]), ["", ""]);
    }
}
