//! Whether a row fits the typed line, and the captures that follow.

use super::row::Row;
use super::table::rows;
use crate::pieces::{Flag, Piece};
use clap::Command;
use pfh::Algorithm;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The words in the place of a row's braces.
pub type Captures = BTreeMap<&'static str, OsString>;

/// The fit of a row: the captures, and the places of the pieces that it took.
pub struct Fit {
    pub captures: Captures,
    /// The places of the taken pieces, the first one first.
    pub taken: Vec<usize>,
}

/// One element of the typed words of a row.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// An option by any of these names, without or with a value.
    Flag(&'static str, Option<&'static str>),
    /// An operand.
    Operand(&'static str),
}

fn parts(typed: &'static str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut words = typed.split(' ').filter(|word| !word.is_empty()).peekable();
    while let Some(word) = words.next() {
        parts.push(match word.starts_with('-') {
            true => Part::Flag(word, words.next_if(|next| !next.starts_with('-'))),
            false => Part::Operand(word),
        });
    }
    parts
}

/// Whether the row is of this command: `*` is of all that have the option it leads to.
pub fn is_of(row: &Row, page: &Command, path: &str) -> bool {
    if row.at != "*" {
        return row.at.split('|').any(|at| at == path);
    }
    let target = row.means.split(' ').next().filter(|target| !target.is_empty()).unwrap_or("--no-progress");
    crate::pieces::option(page, target).is_some()
}

/// Whether an option takes a value, by the rows of this command; `None` if no row has it.
pub fn takes_value(page: &Command, path: &str, name: &str) -> Option<bool> {
    let of = rows().filter(|row| is_of(row, page, path));
    let flags = of.flat_map(|row| parts(row.typed)).filter_map(|part| match part {
        Part::Flag(names, value) if is_named(names, name) => Some(value.is_some()),
        _ => None,
    });
    flags.reduce(|one, other| one || other)
}

fn is_named(names: &str, name: &str) -> bool {
    names.split('|').any(|one| match one {
        "--{ALGORITHM}" => name.strip_prefix("--").is_some_and(|name| algorithm(name).is_some()),
        "-{AK}" => is_audit(name),
        // As OpenSSL and tools of Windows write it.
        "-{ALGORITHM}" => name.len() > 3 && name.strip_prefix('-').is_some_and(|name| algorithm(name).is_some()),
        one => one == name,
    })
}

/// Whether a word has hashdeep's letters for an audit and its list, `-ak`, `-rlvvak`, among others
/// of hashdeep's that say nothing here.
fn is_audit(name: &str) -> bool {
    let letters = name.strip_prefix('-').and_then(|letters| letters.strip_suffix('k')).unwrap_or_default();
    letters.contains('a') && letters.chars().all(|letter| "abelrsv".contains(letter))
}

/// The name of an algorithm as other programs spell it: `sha256sum`, `md5deep`, `b3sum`.
fn algorithm(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let bare = ["sum", "deep"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    let bare = match bare {
        "b2" => "blake2b",
        "b3" => "blake3",
        "xxh" => "xxh64",
        bare => bare,
    };
    if bare.len() < 3 {
        return None;
    }
    let names = bare.split(',').map(|name| name.parse::<Algorithm>().map(|_| name.to_owned()).ok());
    names.collect::<Option<Vec<_>>>().map(|names| names.join(","))
}

/// Whether the row fits these pieces, and how.
pub fn fit(row: &Row, pieces: &[Piece]) -> Option<Fit> {
    let mut fit = Fit { captures: Captures::new(), taken: Vec::new() };
    let parts = parts(row.typed);
    let words: Vec<&OsStr> = pieces.iter().filter_map(operand).collect();
    let operands: Vec<usize> = (0..pieces.len()).filter(|&at| matches!(pieces[at], Piece::Operand(_))).collect();
    let mut next = operands.iter();
    for part in &parts {
        let at = match part {
            Part::Operand(pattern) => {
                let mut fits = |at: &usize| match &pieces[*at] {
                    Piece::Operand(word) => takes(pattern, word, &words, &mut fit.captures),
                    _ => false,
                };
                // `if=FILE` may stand anywhere.
                let is_named = pattern.split_once('{').is_some_and(|(front, _)| !front.is_empty());
                match is_named {
                    true => operands.iter().copied().find(fits)?,
                    false => next.next().copied().filter(|at| fits(at))?,
                }
            }
            Part::Flag(names, value) => (0..pieces.len()).find(|&at| {
                let behind = pieces.get(at + 1);
                let Piece::Flag(Flag { name, value: found, known, .. }) = &pieces[at] else { return false };
                if fit.taken.contains(&at) || !is_named(names, name) || (*known && !row.over) {
                    return false;
                }
                if let Some(name) = algorithm(name.trim_start_matches('-')) {
                    fit.captures.insert("ALGORITHM", name.into());
                }
                match (value, found) {
                    (Some(pattern), Some(found)) => takes(pattern, found, &words, &mut fit.captures),
                    // A switch here that takes a value elsewhere: it is the next operand.
                    (Some(pattern), None) if *known => match behind {
                        Some(Piece::Operand(word)) if takes(pattern, word, &words, &mut fit.captures) => {
                            fit.taken.push(at + 1);
                            true
                        }
                        _ => false,
                    },
                    // The value of an option that none has is an operand.
                    (None, found) => found.is_none() || !*known,
                    _ => false,
                }
            })?,
        };
        fit.taken.push(at);
    }
    // A row of one operand is of that alone, unless it stands for a command.
    let count = parts.iter().filter(|part| matches!(part, Part::Operand(_))).count();
    if count == 1 && !row.at.is_empty() && parts.len() == 1 && row.typed.starts_with('{') && next.next().is_some() {
        return None;
    }
    // The piece that stands for a command comes first.
    if row.at.is_empty() && fit.taken.first() != Some(&0) {
        return None;
    }
    (row.with.is_empty() || has_any(row.with, pieces, &fit)).then_some(())?;
    (!has_any(row.without, pieces, &fit)).then_some(fit)
}

/// Whether one of these stands in the line: an option, an algorithm, or `…`, anything else.
fn has_any(wanted: &[&str], pieces: &[Piece], fit: &Fit) -> bool {
    wanted.iter().any(|wanted| match *wanted {
        "…" => pieces.len() > fit.taken.len(),
        wanted => pieces.iter().any(|piece| match piece {
            Piece::Flag(flag) if wanted.starts_with('-') => flag.name == wanted,
            Piece::Flag(Flag { name, value: Some(value), .. }) if name == "-a" || name == "--algorithm" => {
                value.to_string_lossy().split(',').any(|name| name.eq_ignore_ascii_case(wanted))
            }
            _ => false,
        }),
    })
}

/// The word of an operand.
fn operand(piece: &Piece) -> Option<&OsStr> {
    match piece {
        Piece::Operand(word) => Some(word),
        _ => None,
    }
}

/// Endings of images that state more than their content.
const IMAGES: [&str; 9] = ["e01", "ex01", "l01", "s01", "aff4", "vmdk", "vhd", "vhdx", "qcow2"];

/// Whether a path has the ending of such an image.
fn is_image(path: &Path) -> bool {
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    end.is_some_and(|end| IMAGES.contains(&&*end))
}

/// Whether a path lies below another operand, so that its files would be read twice.
fn is_below(path: &Path, operands: &[&OsStr]) -> bool {
    let real = path.canonicalize().ok();
    let above = |operand: &&OsStr| {
        let above = Path::new(operand);
        above != path
            && real.as_ref().zip(above.canonicalize().ok()).is_some_and(|(real, above)| real.starts_with(above))
    };
    operands.iter().any(above)
}

/// The algorithm whose digests usually have this many hexadecimal digits.
fn algorithm_of(digits: usize) -> Option<&'static str> {
    Some(match digits {
        32 => "md5",
        40 => "sha1",
        56 => "sha224",
        64 => "sha256",
        96 => "sha384",
        128 => "sha512",
        _ => return None,
    })
}

/// Whether a word fits the word of a row at its place; if so it is kept.
fn takes(pattern: &'static str, word: &OsStr, operands: &[&OsStr], captures: &mut Captures) -> bool {
    let text = word.to_string_lossy();
    let Some(class) = pattern.split_once('{').and_then(|(_, rest)| rest.strip_suffix('}')) else {
        captures.insert("VALUE", word.to_owned());
        return pattern.split('|').any(|one| one == text);
    };
    let (front, _) = pattern.split_once('{').unwrap_or_default();
    let Some(text) = text.strip_prefix(front) else { return false };
    let path = if front.is_empty() { Path::new(word) } else { Path::new(text) };
    let base = path.file_name().filter(|name| *name != "." && *name != "..");
    let is_bag = || path.join("bagit.txt").exists();
    let has_data = || path.join("data").is_dir();
    let is_size = crate::size::parse(text).is_ok();
    let fits = match class {
        "N" => text.parse::<u64>().is_ok(),
        "BYTES" => {
            let Some(bits) = text.parse::<u32>().ok().and_then(|bytes| bytes.checked_mul(8)) else { return false };
            captures.insert("BYTES", bits.to_string().into());
            return true;
        }
        "SIZE" => is_size,
        "WINDOW" => is_size && !text.parse::<u64>().is_ok_and(|number| number <= 1024),
        "SET" => !is_size,
        "LIST" => !is_size && (text == "-" || path.exists() && !path.is_dir()),
        "FILE" if front.is_empty() => path.exists(),
        "DIR" | "DIR2" => path.is_dir(),
        "FILE2" => path.is_file(),
        "NEW" => !path.exists() && !text.starts_with('-'),
        "EWF" => is_image(path),
        "IMAGE" => is_image(path) && path.is_file(),
        "PLACE" => !text.starts_with('-') && (!path.exists() || path.is_file()),
        "BELOW" => path.exists() && is_below(path, operands),
        "STATED" => {
            let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit()) && !path.exists();
            let Some(name) = algorithm_of(text.len()).filter(|_| is_hex) else { return false };
            captures.insert("STATED", format!("{name}:{text}").into());
            return true;
        }
        "DIGEST" => text.len() >= 8 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) && !path.exists(),
        "COMMAND" => crate::args::is_command(text) && !path.exists(),
        "GLOB" => text.contains(['*', '?', '[']) || !path.exists(),
        "BAG" => path.is_dir() && is_bag(),
        "FOLDER" => path.is_dir() && !is_bag() && has_data(),
        "PLAIN" => path.is_dir() && !is_bag() && !has_data() && base.is_some(),
        "ALGORITHM" => {
            let Some(name) = algorithm(text).filter(|_| !path.exists()) else { return false };
            captures.insert("ALGORITHM", name.into());
            return true;
        }
        _ => true,
    };
    if fits {
        captures.insert(class, if front.is_empty() { word.to_owned() } else { text.into() });
        if let Some(base) = base.filter(|_| ["LIST", "FILE", "DIR", "PLAIN", "IMAGE"].contains(&class)) {
            captures.insert("BASE", base.to_owned());
        }
    }
    fits
}

/// A word of a row with the captures in place of its braces.
pub fn filled(word: &str, captures: &Captures) -> OsString {
    let mut filled = OsString::new();
    let mut rest = word;
    while let Some((front, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else { break };
        filled.push(front);
        filled.push(captures.get(name).map(OsString::as_os_str).unwrap_or_default());
        rest = after;
    }
    filled.push(rest);
    filled
}

/// The rest of the line.
pub fn rest(pieces: &[Piece], taken: &[usize], row: &Row) -> Vec<OsString> {
    let left = (0..pieces.len()).filter(|at| !taken.contains(at)).flat_map(|at| pieces[at].words());
    left.chain(taken.iter().flat_map(|&at| freed(&pieces[at], row))).collect()
}

/// The operand that stood behind an option of a row without a value.
pub fn freed(piece: &Piece, row: &Row) -> Option<OsString> {
    let Piece::Flag(Flag { name, value: Some(value), .. }) = piece else { return None };
    let has_value =
        parts(row.typed).iter().any(|part| matches!(part, Part::Flag(names, Some(_)) if is_named(names, name)));
    (!has_value).then(|| value.clone())
}
