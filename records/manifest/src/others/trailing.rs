//! Lines with the name first and its digests behind: `rhash --simple` with several digests, `rhash
//! -a`, and lists of a name, a tab, `=`, a colon, a space or `@`, and a digest.

use pfh_digest::{Algorithm, Registry};

use super::{deep, is_comment};
use crate::roles::{self, Role};
use crate::{bsd, digits};

/// How the lines of a list end, found over its first rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    separator: Separator,
    /// How many digests every line has: a name may end like one more.
    count: usize,
    /// Whether every name stands in quotes or parentheses.
    quoted: bool,
    /// Whether every name has a size behind it.
    sized: bool,
    /// Whether blanks stand around every name: in front of it, where a section has it, or behind
    /// it, where digests stand in columns.
    indented: bool,
    padded: bool,
    /// Whether every name has the mark of an item in front, as in a list of Markdown.
    itemized: bool,
}

/// The parts of a line.
pub(crate) struct Parts<'a> {
    pub(crate) name: &'a [u8],
    pub(crate) size: Option<u64>,
    pub(crate) digests: Vec<&'a [u8]>,
}

/// The separator of a name and its digests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Separator {
    Spaces,
    Tab,
    Equals,
    Colon,
    Space,
    /// Of addresses with a digest: `name@sha256:…`.
    At,
    Arrow,
    DoubleArrow,
    Dash,
    /// One digest in parentheses or brackets: `name (SHA256: …)`.
    Round,
    Square,
}

impl Separator {
    const ALL: [Separator; 11] = [
        Separator::Arrow,
        Separator::DoubleArrow,
        Separator::Dash,
        Separator::Spaces,
        Separator::Tab,
        Separator::Equals,
        Separator::Colon,
        Separator::Space,
        Separator::At,
        Separator::Round,
        Separator::Square,
    ];

    fn bytes(self) -> &'static [u8] {
        match self {
            Separator::Spaces => b"  ",
            Separator::Tab => b"\t",
            Separator::Equals => b" = ",
            Separator::Colon => b": ",
            Separator::Space => b" ",
            Separator::At => b"@",
            Separator::Arrow => b" -> ",
            Separator::DoubleArrow => b" => ",
            Separator::Dash => b" - ",
            Separator::Round => b" (",
            Separator::Square => b" [",
        }
    }

    /// The name of a line and the digests behind it, in their order, `most` at most; `None` if it
    /// ends with none, or with nothing but a CRC, which SFV has.
    fn split(self, line: &[u8], most: usize) -> Option<(&[u8], Vec<&[u8]>)> {
        let (line, between) = (line.trim_ascii_end(), self.bytes());
        let mut rest = match self {
            Separator::Round => line.strip_suffix(b")")?,
            Separator::Square => line.strip_suffix(b"]")?,
            _ => line,
        };
        let mut digests = Vec::new();
        while digests.len() < most
            && let Some(at) = rest.windows(between.len()).rposition(|window| window == between)
        {
            let last = unquoted(&rest[at + between.len()..]);
            let is_crc = last.len() == 8 && last.iter().all(u8::is_ascii_hexdigit);
            if !is_crc && !digits::is_digest(last) && !is_stated(last) {
                break;
            }
            digests.push(last);
            rest = &rest[..at];
            // A label in front of the digest is not the end of the name.
            if let Some((name, text)) = labelled(rest, line, last) {
                digests.pop();
                digests.push(text);
                rest = name;
            }
            if matches!(self, Separator::Round | Separator::Square) {
                break;
            }
        }
        digests.reverse();
        let has_more_than_crc = digests.iter().any(|digest| digest.len() > 8);
        // The sign of a tagged line is a part of this separator.
        let front = if self == Separator::Equals { [rest, b" ="].concat() } else { rest.to_vec() };
        let is_name = !rest.trim_ascii().is_empty() && !bsd::is_unclosed(&front);
        (has_more_than_crc && is_name).then_some((rest, digests))
    }
}

/// The name in front of a label such as `SHA256:`, and the digest with that label; `None` where the
/// text in front of a digest does not end so.
fn labelled<'a>(front: &'a [u8], line: &'a [u8], digest: &'a [u8]) -> Option<(&'a [u8], &'a [u8])> {
    static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];
    let digest_end = digest.as_ptr().addr() - line.as_ptr().addr() + digest.len();
    let at = front.iter().rposition(|byte| b" \t".contains(byte))?;
    let word = front[at + 1..].strip_suffix(b":").unwrap_or(&front[at + 1..]);
    super::algorithm(Registry::new(&LISTS), str::from_utf8(word).ok()?)?;
    let text = line.get(at + 1..digest_end).filter(|text| is_stated(text))?;
    let name = front[..at].trim_ascii_end();
    Some((name.strip_suffix(b" -").or_else(|| name.strip_suffix(b":")).unwrap_or(name), text))
}

/// Whether a text is the label of a digest, `SHA-256` or `MD5 checksum`, and hardly a name.
pub(crate) fn is_label(text: &[u8]) -> bool {
    static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];
    let text = text.trim_ascii_end().strip_suffix(b":").unwrap_or(text);
    str::from_utf8(text).is_ok_and(|text| matches!(roles::of(Registry::new(&LISTS), text), Role::Digest(_)))
}

/// A field without the quotes around it.
pub(crate) fn unquoted(field: &[u8]) -> &[u8] {
    match field.trim_ascii() {
        [quote @ (b'"' | b'\'' | b'`'), inner @ .., end] if quote == end => inner,
        _ => field,
    }
}

/// A name without the quotes around it, or the parentheses that Solaris' digest(1) prints.
fn enclosed(name: &[u8]) -> &[u8] {
    match name {
        [b'(', inner @ .., b')'] => inner,
        // A list in Markdown: - `name`
        [b'-' | b'*', b' ', inner @ ..] if unquoted(inner).len() < inner.len() => unquoted(inner),
        _ => unquoted(name),
    }
}

/// A name behind the mark of an item of a list in Markdown.
fn item(name: &[u8]) -> Option<&[u8]> {
    match name {
        [b'-' | b'*', b' ', inner @ ..] if !inner.is_empty() => Some(inner),
        _ => None,
    }
}

fn is_quoted(name: &[u8]) -> bool {
    enclosed(name).len() != name.len()
}

/// Whether a word names its algorithm in front of its digits: `sha256:…`, `sha256-…`.
pub(crate) fn is_stated(word: &[u8]) -> bool {
    static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];
    word.len() > 20 && matches!(deep::stated(Registry::new(&LISTS), word), Some(Ok(_)))
}

impl Shape {
    /// The shape of a list that begins with these lines; `None` unless most of them have their name
    /// first. Lines that look like comments count where there are no others.
    pub(crate) fn of(lines: &[&[u8]]) -> Option<Shape> {
        let looks = |line: &&[u8]| is_comment(line) || line.starts_with(b"#");
        let lines = || lines.iter().copied().filter(|line| !line.trim_ascii().is_empty());
        let plain: Vec<&[u8]> = lines().filter(|line| !looks(line)).collect();
        let lines = if plain.is_empty() { lines().collect() } else { plain };
        Separator::ALL.into_iter().find_map(|separator| {
            let named = lines.iter().filter(|line| !is_digest_first(line) && !is_other(line));
            let found: Vec<(&[u8], usize)> = named
                .filter_map(|line| separator.split(line, usize::MAX).map(|(name, found)| (name, found.len())))
                .collect();
            let names = || found.iter().map(|(name, _)| *name);
            let count = found.iter().map(|(_, count)| *count).min()?;
            let quoted = names().all(is_quoted);
            let sized = names().all(|name| sized(name).is_some());
            let is_blank = |byte: Option<&u8>| byte.is_some_and(|byte| matches!(byte, b' ' | b'\t'));
            let is_assigned = matches!(separator, Separator::Colon | Separator::Equals);
            let indented = is_assigned && names().all(|name| is_blank(name.first()));
            let itemized = is_assigned && names().all(|name| item(name).is_some());
            // Digests that all begin at one place of their lines, or all behind blanks.
            let (mut lengths, is_spaced) = (names().map(<[u8]>::len), |name: &[u8]| is_blank(name.last()));
            let is_aligned = lengths.next().is_some_and(|first| lengths.all(|length| length == first));
            let padded = matches!(separator, Separator::Space | Separator::Spaces)
                && found.len() > 1
                && (names().all(is_spaced) || (is_aligned && names().any(is_spaced)));
            let is_most = 2 * found.len() > lines.len() && !names().all(is_label);
            is_most.then_some(Shape { separator, count, quoted, sized, indented, padded, itemized })
        })
    }

    /// The parts of a line of this shape.
    pub(crate) fn split(self, line: &[u8]) -> Option<Parts<'_>> {
        let (name, digests) = self.separator.split(line, self.count)?;
        let name = if self.itemized { item(name)? } else { name };
        let name = if self.quoted { enclosed(name) } else { name };
        let name = if self.indented { name.trim_ascii_start() } else { name };
        let name = if self.padded { name.trim_ascii_end() } else { name };
        let (name, size) = match self.sized {
            true => sized(name).map(|(name, size)| (name, Some(size)))?,
            false => (name, None),
        };
        (digests.len() == self.count).then_some(Parts { name, size, digests })
    }

    /// The roles of its columns, where a size is among them, which could be a part of the name.
    pub(crate) fn remark(self) -> Option<&'static str> {
        self.sized.then_some("read as: column 1 name, column 2 size, then digests")
    }
}

/// The parts of one line with two spaces in front of each digest.
pub(crate) fn split(line: &[u8]) -> Option<Parts<'_>> {
    let (name, digests) = Separator::Spaces.split(line, usize::MAX).filter(|(name, _)| !is_label(name))?;
    Some(Parts { name, size: None, digests })
}

/// A name with an extension and the size behind it: `a.bin 1024`. `track 01` is a name.
fn sized(text: &[u8]) -> Option<(&[u8], u64)> {
    let at = text.iter().rposition(|byte| matches!(byte, b' ' | b'\t'))?;
    let (name, size) = (text[..at].trim_ascii_end(), str::from_utf8(&text[at + 1..]).ok()?);
    let base = name.rsplit(|byte| matches!(byte, b'/' | b'\\')).next()?;
    let dot = base.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0)?;
    let extension = &base[dot + 1..];
    let has_extension = (1..=8).contains(&extension.len()) && extension.iter().all(u8::is_ascii_alphanumeric);
    let is_number = !size.is_empty() && size.bytes().all(|byte| byte.is_ascii_digit());
    if has_extension && is_number { Some((name, size.parse().ok()?)) } else { None }
}

/// Whether a line begins with a digest, perhaps behind the size of its file.
fn is_digest_first(line: &[u8]) -> bool {
    let mut words = line.split(|byte| matches!(byte, b' ' | b'\t' | b',')).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    let first = first.strip_prefix(b"\\").unwrap_or(first);
    let is_size = first.iter().all(u8::is_ascii_digit) && first.len() < 20;
    digits::is_digest(first) || (is_size && words.next().is_some_and(digits::is_digest))
}

/// Whether a line is tagged, or a link.
fn is_other(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\\").unwrap_or(line);
    bsd::split(line).is_some() || line.starts_with(b"magnet:") || line.starts_with(b"ed2k:")
}

/// The digests of `rhash -a` in their order (RHash 1.4.3; earlier versions have fewer at the end).
const RHASH: [&str; 31] = [
    "crc32",
    "md4",
    "md5",
    "sha1",
    "tiger",
    "tth",
    "btih",
    "ed2k",
    "aich",
    "whirlpool",
    "ripemd160",
    "gost94",
    "gost94-cryptopro",
    "has-160",
    "streebog-256",
    "streebog-512",
    "sha224",
    "sha256",
    "sha384",
    "sha512",
    "edon-r256",
    "edon-r512",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "crc32c",
    "snefru-128",
    "snefru-256",
    "blake2s",
    "blake2b",
];

/// The algorithms of this number of digests behind a name, where the number is enough to tell them;
/// the names of those that are not known here.
pub(crate) fn algorithms(registry: Registry, count: usize) -> Option<Vec<Result<Algorithm, &'static str>>> {
    let find = |name: &'static str| registry.find(name).map_err(|_| name);
    (count >= 20).then(|| RHASH.iter().take(count).copied().map(find).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";

    #[test]
    fn digests_stand_behind_the_name() {
        let of = |line: &str| split(line.as_bytes()).map(|parts| (parts.name.to_vec(), parts.digests.len()));
        assert_eq!(of(&format!("a  b  {MD5}")), Some((b"a  b".to_vec(), 1)));
        assert_eq!(of(&format!("a  00000000  {MD5}\r")), Some((b"a".to_vec(), 2)));
        // A name that is itself a digest of a length.
        assert_eq!(of(&format!("{MD5}  {MD5}")), Some((MD5.as_bytes().to_vec(), 1)));
        for none in [
            "a  00000000",
            "a b",
            "",
            "  ",
            &format!("a {MD5}"),
            &format!("  {MD5}"),
            &format!("a  {MD5} x"),
            &format!("MD5 (a =  {MD5}"),
        ] {
            assert_eq!(of(none), None, "{none:?}");
        }
    }

    #[test]
    fn the_first_rows_tell_how_lines_end() {
        let of = |text: &str| Shape::of(&text.lines().map(str::as_bytes).collect::<Vec<_>>());
        let shape = |separator, count| {
            Some(Shape {
                separator,
                count,
                quoted: false,
                sized: false,
                indented: false,
                padded: false,
                itemized: false,
            })
        };
        assert_eq!(of(&format!("a\t{MD5}\n")), shape(Separator::Tab, 1));
        assert_eq!(of(&format!("a b {MD5}\nc {MD5}\n")), shape(Separator::Space, 1));
        // The second name ends like a digest.
        assert_eq!(of(&format!("a  {MD5}\nb  {MD5}  {MD5}\n")), shape(Separator::Spaces, 1));
        assert_eq!(of(&format!("#a  {MD5}\n")), shape(Separator::Spaces, 1));
        for none in [format!("{MD5}  a\n"), format!("{MD5} {MD5}\n"), format!("3 {MD5} a\n"), "a b\n".to_owned()] {
            assert_eq!(of(&none), None, "{none}");
        }
    }
}
