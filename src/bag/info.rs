//! `bag-info.txt`: labels and values about a bag, and among them the number of its bytes and files.

use super::Problem;
use super::text::lines;
use crate::job::Error;

/// The file.
pub const NAME: &[u8] = b"bag-info.txt";
/// The label of the number of bytes and files.
pub const OXUM: &str = "Payload-Oxum";
/// The label of the day on which a bag was made.
pub const DATE: &str = "Bagging-Date";

/// Labels and values, in their order. Lines that begin with a space belong to the value before.
pub fn read(text: &[u8]) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for line in lines(text) {
        let line = String::from_utf8_lossy(line);
        match (all.last_mut(), line.split_once(':')) {
            (Some((_, value)), _) if line.starts_with([' ', '\t']) => *value += &format!("\n{line}"),
            (_, Some((label, value))) => all.push((label.trim().to_owned(), value.trim().to_owned())),
            _ => {}
        }
    }
    all
}

/// The same as a file.
pub fn written(info: &[(String, String)]) -> Vec<u8> {
    info.iter().map(|(label, value)| format!("{label}: {value}\n")).collect::<String>().into_bytes()
}

/// Bytes and files as `Payload-Oxum` has them: `bytes.files`.
pub fn oxum(info: &[(String, String)]) -> Option<Result<(u64, u64), String>> {
    let (_, value) = info.iter().find(|(label, _)| label.eq_ignore_ascii_case(OXUM))?;
    let numbers = value.split_once('.').and_then(|(bytes, files)| Some((bytes.parse().ok()?, files.parse().ok()?)));
    Some(numbers.ok_or_else(|| value.clone()))
}

/// Sets a label's value where it stands, or at the end.
pub fn set(info: &mut Vec<(String, String)>, label: &str, value: String) {
    match info.iter_mut().find(|(found, _)| found.eq_ignore_ascii_case(label)) {
        Some((_, old)) => *old = value,
        None => info.push((label.to_owned(), value)),
    }
}

/// Adds the given elements to `bag-info.txt`.
///
/// # Errors
/// When a label or a value cannot be there.
pub fn add(lines: &mut Vec<(String, String)>, asked: &[(String, String)]) -> Result<(), Error> {
    for (label, value) in asked {
        let breaks = |text: &str| text.contains(['\n', '\r']);
        if label.is_empty() || label.contains(':') || label.trim() != label || breaks(label) || breaks(value) {
            return Err(Error::request(Problem::Info(format!("{label}={value}"))));
        }
        if [OXUM, DATE].iter().any(|own| own.eq_ignore_ascii_case(label)) {
            set(lines, label, value.clone());
        } else {
            lines.push((label.clone(), value.clone()));
        }
    }
    Ok(())
}
