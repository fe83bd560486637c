//! The Sleuth Kit's index of a list, as `hfind -i` writes it: two lines that sort first, then each
//! digest with the place of its line in the list. Without a list the places are 0, and `hfind` says
//! that names are not available.

use super::Item;
use pfh_digest::Algorithm;

pub fn head(out: &mut Vec<u8>, name: &str, algorithm: Option<Algorithm>) {
    let kind = if algorithm.is_some_and(|algorithm| algorithm.name() == "sha1") { "nsrl" } else { "md5sum" };
    let name: String = name.chars().map(|c| if c.is_control() || c == '|' { '_' } else { c }).collect();
    let zeros = "0".repeat(40);
    out.extend_from_slice(format!("{zeros}0|{kind}\n{zeros}1|{name}\n").as_bytes());
}

pub fn item(out: &mut Vec<u8>, item: &Item<'_>, algorithms: &[Algorithm]) -> bool {
    let Some(digits) = algorithms.first().and_then(|algorithm| item.digits(algorithm.name())) else { return false };
    out.extend_from_slice(format!("{digits}|{:016}\n", 0).as_bytes());
    true
}
