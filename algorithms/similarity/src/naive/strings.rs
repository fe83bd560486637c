//! Strings, slowly: all runs are found one by one, then levels are tried one after the other.

use crate::shingles::LEAST_STRING;
use crate::strings::COMMON;
use std::collections::BTreeSet;

fn is_printable(byte: u8) -> bool {
    byte == b'\t' || (b' '..=b'~').contains(&byte)
}

/// The distinct strings of an input of any kind, but for the common ones.
pub fn strings(input: &[u8]) -> BTreeSet<Vec<u8>> {
    let mut found: BTreeSet<Vec<u8>> = input.split(|&byte| !is_printable(byte)).map(<[u8]>::to_vec).collect();
    let pair = |at: usize| input.get(at).is_some_and(|&byte| is_printable(byte)) && input.get(at + 1) == Some(&0);
    let mut at = 0;
    while at < input.len() {
        if !pair(at) || (at > 0 && is_printable(input[at - 1])) {
            at += 1;
            continue;
        }
        let mut wide = Vec::new();
        while pair(at) {
            wide.push(input[at]);
            at += 2;
        }
        found.insert(wide);
    }
    let is_common = |string: &[u8]| COMMON.lines().any(|line| line.as_bytes() == string);
    found.retain(|string| string.len() >= LEAST_STRING && !is_common(string));
    found
}
