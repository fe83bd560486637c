//! The output of `certutil -hashfile` of a Windows of any language: the name in a head line that
//! ends with a colon, the digest (in older versions of Windows two digits at a time), and a last
//! line of its own.

use pfh_digest::Registry;

use super::{algorithm, is_windows_path, windows_name};
use crate::digits;
use crate::entry::{DecodeLine, Entry, Fault, Item, ParsedLine};

/// The head lines of Windows' languages without the colon at their end, `{a}` for the algorithm and
/// `{n}` for the name; of those that begin alike the longest first.
const HEADS: [&str; 32] = [
    "{a} hash of file {n}",
    "{a} hash of {n}",
    "{a}-Hash der Datei {n}",
    "{a}-Hash von {n}",
    "Hachage {a} du fichier {n}",
    "Hachage {a} de {n}",
    "{a} hachage de {n}",
    "Hash {a} del archivo {n}",
    "{a} hash del archivo {n}",
    "Hash {a} del file {n}",
    "Hash {a} do arquivo {n}",
    "{a} hash do arquivo {n}",
    "Hash {a} do ficheiro {n}",
    "Hash {a} de {n}",
    "{a} hash de {n}",
    "Hash {a} di {n}",
    "{a} hash di {n}",
    "{a}-hash van {n}",
    "{a}-hash för {n}",
    "{a}-hash af {n}",
    "{a}-hash av {n}",
    "Хэш {a} файла {n}",
    "Хэш {a} {n}",
    "Skrót {a} pliku {n}",
    "Skrót {a} {n}",
    "Hodnota hash {a} {n}",
    "{a} ハッシュ (対象 {n})",
    "{a} ハッシュ ({n})",
    "{a} 的 {n} 哈希",
    "{a} 哈希(文件 {n})",
    "{a}의 {n} 해시",
    "{n} dosyasının {a} karması",
];

/// The algorithm as it stands there and the name of a head line: `SHA256 hash of file x:`,
/// `SHA256-Hash von x:`, `Hachage SHA256 de x :`. In a language that is not known here the name is
/// what stands behind the algorithm, if that is one word or a whole path; otherwise it is nothing.
fn head(registry: Registry, line: &[u8]) -> Option<(&str, &[u8])> {
    let line = str::from_utf8(line.trim_ascii_end()).ok()?;
    let line = line.strip_suffix(':').or_else(|| line.strip_suffix('：'))?.trim_end();
    if let Some(found) = HEADS.iter().find_map(|form| fit(registry, form, line)) {
        return Some(found);
    }
    // The algorithm is among the first words; a hyphen separates words too.
    let mut words = line.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).take(4);
    let word = words.find(|word| algorithm(registry, word).is_some())?;
    // In bounds: the word is a part of the line.
    let rest = line[word.as_ptr().addr() - line.as_ptr().addr() + word.len()..].trim_start();
    let is_path = !rest.contains(char::is_whitespace) || is_windows_path(rest.as_bytes());
    let is_name = is_path && rest.starts_with(|c: char| c.is_ascii_alphanumeric() || "./\\_".contains(c));
    Some((word, if is_name { rest.as_bytes() } else { b"" }))
}

/// The algorithm and the name of a line that has this form, in letters of either case.
fn fit<'a>(registry: Registry, form: &str, line: &'a str) -> Option<(&'a str, &'a [u8])> {
    let is = |text: &str, wanted: &str| text.to_lowercase() == wanted.to_lowercase();
    let cut = |text: &'a str, front: &str| {
        text.get(..front.len()).filter(|start| is(start, front)).map(|_| &text[front.len()..])
    };
    let ends = |text: &'a str, end: &str| {
        let at = text.len().checked_sub(end.len())?;
        text.get(at..).filter(|found| is(found, end)).map(|_| &text[..at])
    };
    let is_word = |c: char| c.is_ascii_alphanumeric();
    if let Some(form) = form.strip_prefix("{n}") {
        let (between, behind) = form.split_once("{a}")?;
        let front = ends(line, behind)?;
        let at = front.rfind(|c: char| !is_word(c)).map_or(0, |at| at + 1);
        // A letter of several bytes may stand in front of it.
        let word = front.get(at..).filter(|word| algorithm(registry, word).is_some())?;
        return Some((word, ends(&front[..at], between)?.as_bytes()));
    }
    let (front, rest) = form.split_once("{a}")?;
    let (between, behind) = rest.split_once("{n}")?;
    let text = cut(line, front)?;
    let word = &text[..text.find(|c: char| !is_word(c)).unwrap_or(text.len())];
    let is_english = form.starts_with("{a} hash of ");
    if algorithm(registry, word).is_none() && !is_english {
        return None;
    }
    let name = ends(cut(&text[word.len()..], between)?, behind)?;
    (!name.is_empty() && !word.is_empty()).then_some((word, name.as_bytes()))
}

/// Whether the first two lines are a head and digits; of a list in English the head is enough.
pub(crate) fn is_start(registry: Registry, first: &[u8], second: &[u8]) -> bool {
    let is_english = first.windows(9).any(|window| window == b" hash of ");
    (is_english || is_digits(second)) && head(registry, first).is_some()
}

fn is_digits(line: &[u8]) -> bool {
    let digits = line.iter().filter(|byte| byte.is_ascii_hexdigit()).count();
    digits >= 8 && line.iter().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace())
}

/// Reads one or many of them, one after the other.
pub(crate) struct Decoder {
    registry: Registry,
    /// The algorithm, as it stands there, and the name of a head whose digest is awaited.
    open: Option<(Box<str>, Vec<u8>)>,
}

impl Decoder {
    pub(crate) fn new(registry: Registry) -> Decoder {
        Decoder { registry, open: None }
    }
}

const NO_NAME: Fault = Fault::Malformed("the name in this line is not known: the language is not");
const NO_DIGEST: Fault = Fault::Malformed("no digest behind the line of the name");

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        if line.trim_ascii().is_empty() {
            return ParsedLine::Neutral;
        }
        if line.starts_with(b"CertUtil: ") {
            // In every language an error has its number: `0x80070020 (WIN32: 32 …)`.
            let is_error = line.windows(3).any(|window| window == b"0x8");
            let failed = || Fault::Malformed("certutil failed on a file, which has no digest").into();
            return if is_error { failed() } else { ParsedLine::Neutral };
        }
        if !is_digits(line)
            && let Some((word, name)) = head(self.registry, line)
        {
            let before = self.open.replace((word.into(), name.to_vec()));
            return before.map_or(ParsedLine::Neutral, |_| NO_DIGEST.into());
        }
        let Some((word, name)) = self.open.take() else {
            return Fault::Malformed("a digest without the line of the name").into();
        };
        let digits: Vec<u8> = line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
        let entry = match algorithm(self.registry, &word) {
            _ if name.is_empty() => Err(NO_NAME),
            None => Err(Fault::UnknownAlgorithm(word)),
            Some(algorithm) => digits::digest(algorithm, &digits).map(|digest| Entry {
                name: windows_name(&name),
                digests: vec![digest],
                ..Entry::default()
            }),
        };
        entry.into()
    }

    fn held(&mut self, ended: bool) -> Option<Item> {
        self.open.take_if(|_| ended).map(|_| Item::Fault(NO_DIGEST))
    }
}
