//! hashdeep's own form: columns for size, digests and name.

use super::Item;
use pfh_digest::Algorithm;

pub fn head(out: &mut Vec<u8>, algorithms: &[Algorithm]) {
    let names: Vec<&str> = algorithms.iter().map(|algorithm| algorithm.name()).collect();
    out.extend_from_slice(
        format!("%%%% HASHDEEP-1.0\n%%%% size,{},filename\n## exported by pfh\n##\n", names.join(",")).as_bytes(),
    );
}

/// A name with a line feed has no form there; hashdeep's reader has no escape.
pub fn item(out: &mut Vec<u8>, item: &Item<'_>, algorithms: &[Algorithm]) -> bool {
    let (Some(name), Some(size)) = (item.name, item.size) else { return false };
    let digits: Option<Vec<String>> = algorithms.iter().map(|algorithm| item.digits(algorithm.name())).collect();
    let Some(digits) = digits.filter(|_| !name.contains(&b'\n') && !name.contains(&b'\r')) else { return false };
    out.extend_from_slice(format!("{size},{},", digits.join(",").to_ascii_lowercase()).as_bytes());
    out.extend_from_slice(name);
    out.push(b'\n');
    true
}
