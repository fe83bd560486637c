//! ssdeep, offline: every level's cuts are listed first, then two of them are hashed.

use super::Rolling;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const LEVELS: u32 = 31;
const FIRST_LIMIT: usize = 64;

/// The digest `block size:first:second` of `data`. `eliminate_runs` is the ELIMSEQ flag,
/// `no_truncation` NOTRUNC.
pub fn digest(data: &[u8], eliminate_runs: bool, no_truncation: bool) -> String {
    let mut rolling = Rolling::default();
    let values: Vec<u32> = data.iter().map(|&byte| rolling.feed(byte)).collect();
    let cuts = |level: u32| -> Vec<usize> {
        if level >= LEVELS {
            return Vec::new();
        }
        let size = 3u64 << level;
        let is_cut = |&t: &usize| {
            let u = u64::from(values[t].wrapping_add(1));
            u != 0 && u % size == 0
        };
        (0..data.len()).filter(is_cut).collect()
    };
    let last = values.last().copied().unwrap_or(0);
    let part = |cuts: &[usize], limit: usize| -> String {
        let mut text = String::new();
        let mut state = 0x27u8;
        let mut at_last_cut = None;
        let mut next = 0;
        for (t, &byte) in data.iter().enumerate() {
            state = state.wrapping_mul(19) ^ byte;
            if next < cuts.len() && cuts[next] == t {
                next += 1;
                at_last_cut = Some(state);
                if text.len() < limit - 1 {
                    text.push(letter(state));
                    state = 0x27;
                }
            }
        }
        if last != 0 {
            text.push(letter(state));
        } else if cuts.len() >= limit {
            text.push(letter(at_last_cut.unwrap()));
        }
        text
    };
    let mut level = 0;
    while level < LEVELS - 1 && (192u64 << level) < data.len() as u64 {
        level += 1;
    }
    while level > 0 && cuts(level).len() < 32 {
        level -= 1;
    }
    let mut first = part(&cuts(level), FIRST_LIMIT);
    let mut second = part(&cuts(level + 1), if no_truncation { FIRST_LIMIT } else { 32 });
    if eliminate_runs {
        first = collapse(&first);
        second = collapse(&second);
    }
    format!("{}:{first}:{second}", 3u64 << level)
}

fn letter(state: u8) -> char {
    char::from(ALPHABET[usize::from(state & 63)])
}

/// Every run of more than three equal characters cut down to three.
fn collapse(text: &str) -> String {
    let mut out: Vec<char> = Vec::new();
    for c in text.chars() {
        if out.len() < 3 || out[out.len() - 3..] != [c, c, c] {
            out.push(c);
        }
    }
    out.into_iter().collect()
}

/// The score of two digests, 0 to 100; none when one of them is malformed.
pub fn compare(a: &str, b: &str) -> Option<u32> {
    let (a_size, a_first, a_second) = parse(a)?;
    let (b_size, b_first, b_second) = parse(b)?;
    if a_size == b_size {
        if a_first == b_first && a_second == b_second {
            return Some(100);
        }
        Some(part_score(&a_first, &b_first, a_size).max(part_score(&a_second, &b_second, a_size * 2)))
    } else if a_size * 2 == b_size {
        Some(part_score(&a_second, &b_first, b_size))
    } else if b_size * 2 == a_size {
        Some(part_score(&a_first, &b_second, a_size))
    } else {
        Some(0)
    }
}

fn parse(digest: &str) -> Option<(u64, String, String)> {
    let mut parts = digest.split(':');
    let size = parts.next()?.parse().ok()?;
    let first = collapse(parts.next()?);
    let second = collapse(parts.next()?);
    (first.len() <= 64 && second.len() <= 64).then_some((size, first, second))
}

fn part_score(a: &str, b: &str, block_size: u64) -> u32 {
    if a.len() < 7 || b.len() < 7 || !a.as_bytes().windows(7).any(|gram| b.as_bytes().windows(7).any(|g| g == gram)) {
        return 0;
    }
    let total = (a.len() + b.len()) as u64;
    let scaled = 64 * edit_distance(a.as_bytes(), b.as_bytes()) / total;
    let score = 100 - 100 * scaled / 64;
    if block_size < 45 { score.min(block_size / 3 * a.len().min(b.len()) as u64) as u32 } else { score as u32 }
}

/// Insertions and deletions cost one, substitutions two.
fn edit_distance(a: &[u8], b: &[u8]) -> u64 {
    let mut row: Vec<u64> = (0..=b.len() as u64).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i as u64 + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + if x == y { 0 } else { 2 };
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}
