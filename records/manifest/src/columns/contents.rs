//! Columns by the contents of the first rows, where no header line names them.

use pfh_digest::Registry;

use super::rule::{cut, is_rule};
use super::{Columns, SEPARATORS, Source, fields};
use crate::csv::split_by;
use crate::digits;
use crate::others::trailing::is_stated;
use crate::others::{self, deep};
use crate::roles::{self, Role};
use crate::sample::Sample;

/// Words in front of a name that are looked at.
const LEADING: usize = 8;

impl Columns {
    /// Columns whose labels have a rule of dashes below, as `7z h`, `unzip -v` and PowerShell print
    /// them. The last column is the name, or every row has all digests where their columns start;
    /// where labels say nothing, the contents of the rows do.
    pub(super) fn ruled(registry: Registry, sample: &Sample<'_>) -> Option<Columns> {
        (1..sample.lines.len()).filter(|at| is_rule(sample.lines[*at])).find_map(|at| {
            let (header, rule) = (sample.lines[at - 1], sample.lines[at]);
            let begins = |at: &usize| rule[*at] != b' ' && at.checked_sub(1).is_none_or(|before| rule[before] == b' ');
            let starts: Vec<usize> = (0..rule.len()).filter(begins).collect();
            let labels = cut(header, &starts);
            let roles: Vec<Role> =
                labels.iter().map(|label| roles::of(registry, &String::from_utf8_lossy(label))).collect();
            let is_last = matches!(roles.last(), Some(Role::Name(_)));
            let rows = sample.lines[at + 1..].iter().take_while(|line| !line.trim_ascii().is_empty() && !is_rule(line));
            let rows: Vec<Vec<Vec<u8>>> = rows.map(|row| cut(row, &starts)).collect();
            let columns = Columns {
                separator: b' ',
                roles,
                source: Source::Rule,
                header: header.trim_ascii().to_vec(),
                starts,
                ..Columns::default()
            };
            if columns.is_list() {
                return (is_last || columns.fits(&rows)).then_some(columns);
            }
            let rows: Vec<Vec<u8>> = rows.iter().map(|row| row.join(&b'\t')).collect();
            let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
            let is_digest = |row: &&[u8]| row.split(|byte| *byte == b'\t').any(digits::is_digest);
            let inferred = rows.iter().all(is_digest).then(|| Columns::by_place(&rows)).flatten()?;
            Some(Columns { roles: inferred, ..columns })
        })
    }

    /// Whether the rows have digests where the labels say, all of them.
    fn fits(&self, rows: &[Vec<Vec<u8>>]) -> bool {
        let is_one = |role: &Role, field: &[u8]| match role {
            Role::Hash => digits::is_digest(field),
            Role::Digest(of) => digits::digest(*of, field).is_ok(),
            _ => true,
        };
        let fits = |row: &Vec<Vec<u8>>| self.roles.iter().zip(row).all(|(role, field)| is_one(role, field));
        !rows.is_empty() && rows.iter().all(fits)
    }

    /// Columns by the contents of rows.
    pub(super) fn inferred(rows: &[&[u8]], separator: u8) -> Option<Columns> {
        let split: Vec<Vec<Vec<u8>>> = rows.iter().filter_map(|row| split_by(row, separator)).collect();
        let width = split.iter().map(Vec::len).max().filter(|width| *width > 1)?;
        let split: Vec<&Vec<Vec<u8>>> = split.iter().filter(|fields| fields.len() == width).collect();
        if 5 * split.len() < 4 * rows.len() {
            return None;
        }
        let column =
            |at: usize| split.iter().map(move |fields| fields[at].trim_ascii()).filter(|field| !field.is_empty());
        let kinds: Vec<Content> = (0..width).map(|at| Content::of(column(at))).collect();
        let digests = kinds.iter().filter(|kind| **kind == Content::Digest).count();
        // md5deep's `digest,name`, `size,digest,name` and its columns between tabs have a reader of
        // their own, and so have links, whose parts `|` separates.
        let is_sized = kinds[..2] == [Content::Number, Content::Digest] && (separator == b'\t' || digests == 1);
        let is_plain = kinds[1..width - 1].contains(&Content::Text) || width == 2;
        let is_deep = is_sized || (kinds[0] == Content::Digest && digests == 1 && is_plain);
        // Nothing of md5deep's stands in quotes.
        let is_deep = is_deep && !rows.iter().any(|row| row.starts_with(b"\""));
        let is_deep = is_deep || (separator == b'\t' && rows.iter().all(|row| deep::split(row).is_some()));
        if digests == 0 || is_deep || rows.iter().any(|row| row.starts_with(b"ed2k:")) {
            return None;
        }
        let is_text = |at: &usize| kinds[*at] == Content::Text && column(*at).count() == split.len();
        let pathness =
            |at: &usize| column(*at).filter(|field| field.iter().any(|byte| matches!(byte, b'/' | b'\\'))).count();
        // Of equals the first.
        let name = (0..width).filter(is_text).rev().max_by_key(pathness)?;
        let is_size = |at: usize| width == 3 && kinds[at] == Content::Number;
        let role = |at: usize| match kinds[at] {
            _ if at == name => Role::Name(0),
            Content::Digest => Role::Hash,
            Content::Algorithm => Role::Algorithm,
            Content::Number if is_size(at) => Role::Size,
            _ => Role::Other,
        };
        let roles = (0..width).map(role).collect();
        Some(Columns { separator, roles, source: Source::Contents, ..Columns::default() })
    }

    /// Columns between blanks in front of a name, which may hold blanks: `rhash -p '%s %h %p'`.
    pub(super) fn leading(registry: Registry, rows: &[&[u8]]) -> Option<Columns> {
        if rows.iter().all(|row| deep::split(row).is_some()) {
            return None;
        }
        let width = rows.iter().map(|row| row.split(u8::is_ascii_whitespace).count()).min()?.min(LEADING);
        let split: Vec<Vec<Vec<u8>>> = rows.iter().filter_map(|row| fields(row, b' ', width + 1)).collect();
        let kind = |at: usize| Content::of(split.iter().filter_map(move |fields| fields.get(at)).map(Vec::as_slice));
        let kinds: Vec<Content> = (0..width).map(kind).take_while(|kind| *kind != Content::Text).collect();
        let digests = kinds.iter().filter(|kind| **kind == Content::Digest).count();
        // Digest and name alone are what `sha256sum` writes; its names may begin with numbers.
        let begins_as_sums = match kinds[..] {
            [Content::Digest, Content::Digest, ..] => {
                split.iter().any(|fields| matches!(&fields[..], [first, second, ..] if first.len() == second.len()))
            }
            // Numbers that no names begin with are sizes.
            [Content::Digest, Content::Number] if split.len() > 1 && split.iter().any(|row| is_size(&row[1])) => false,
            [Content::Digest, ..] => {
                let blanks = |row: &&[u8]| row.split(|byte| *byte != b' ').map(<[u8]>::len).find(|count| *count > 0);
                !rows.iter().any(|row| blanks(row) > Some(2))
            }
            _ => false,
        };
        if kinds.len() < 2 || kinds.len() == width || digests == 0 || begins_as_sums {
            return None;
        }
        let name = |row: &&[u8]| fields(row, b' ', kinds.len() + 1).and_then(|mut fields| fields.pop());
        // A mark that names the algorithm, as ExactFile and FSUM have it, is read with its line.
        if rows.iter().filter_map(name).all(|name| deep::marked(registry, &name).is_some()) {
            return None;
        }
        let starred = rows.iter().filter_map(name).all(|name| name.starts_with(b"*"));
        let numbers = kinds.iter().filter(|kind| **kind == Content::Number).count();
        let role = |kind: &Content| match kind {
            Content::Digest => Role::Hash,
            Content::Algorithm => Role::Algorithm,
            Content::Number if numbers == 1 => Role::Size,
            _ => Role::Other,
        };
        let roles = kinds.iter().map(role).chain([Role::Name(0)]).collect();
        Some(Columns { separator: b' ', roles, source: Source::Contents, starred, ..Columns::default() })
    }

    /// The roles of columns between tabs, if one column has text alone and others have digests.
    pub(super) fn by_place(rows: &[&[u8]]) -> Option<Vec<Role>> {
        let split: Vec<Vec<&[u8]>> = rows.iter().map(|row| row.split(|byte| *byte == b'\t').collect()).collect();
        let width = split.first()?.len();
        let column = |at: usize| split.iter().filter_map(move |fields| fields.get(at).copied());
        let kinds: Vec<Content> =
            (0..width).map(|at| Content::of(column(at).filter(|field| !field.is_empty()))).collect();
        let count = |wanted: Content| kinds.iter().filter(|kind| **kind == wanted).count();
        let role = |kind: &Content| match kind {
            Content::Text => Role::Name(0),
            Content::Digest => Role::Hash,
            Content::Algorithm => Role::Algorithm,
            _ => Role::Other,
        };
        (count(Content::Text) == 1 && count(Content::Digest) > 0).then(|| kinds.iter().map(role).collect())
    }

    /// Columns of a name, a size and a CRC-32, in which a list has no other digest.
    pub(crate) fn checksums(registry: Registry, sample: &Sample<'_>) -> Option<Columns> {
        let crc32 = registry.find("crc32").ok()?;
        let rows: Vec<&[u8]> = sample.lines.iter().copied().filter(|line| !line.trim_ascii().is_empty()).collect();
        SEPARATORS.into_iter().find_map(|separator| {
            let split: Vec<Vec<Vec<u8>>> = rows.iter().filter_map(|row| split_by(row, separator)).collect();
            let width = split.first().map(Vec::len).filter(|width| *width > 2)?;
            if split.len() < rows.len() || split.iter().any(|fields| fields.len() != width) {
                return None;
            }
            let column = |at: usize| split.iter().map(move |fields| fields[at].trim_ascii());
            let is_digits = |field: &[u8]| field.len() == 8 && field.iter().all(u8::is_ascii_hexdigit);
            // Eight digits alone may be a date.
            let is_sum = |at: &usize| {
                column(*at).all(is_digits) && column(*at).any(|field| field.iter().any(u8::is_ascii_alphabetic))
            };
            let sum = (0..width).find(is_sum)?;
            let kinds: Vec<Content> =
                (0..width).map(|at| Content::of(column(at).filter(|field| !field.is_empty()))).collect();
            let name = kinds.iter().position(|kind| *kind == Content::Text).filter(|at| *at != sum)?;
            let size = kinds.iter().position(|kind| *kind == Content::Number);
            let role = |at: usize| match at {
                _ if at == name => Role::Name(0),
                _ if at == sum => Role::Digest(crc32),
                _ if Some(at) == size => Role::Size,
                _ => Role::Other,
            };
            let roles = (0..width).map(role).collect();
            Some(Columns { separator, roles, source: Source::Checksums, ..Columns::default() })
        })
    }
}

/// The look of the fields of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    Empty,
    Digest,
    Number,
    /// Digits and the separators of a date.
    Time,
    /// The name of an algorithm.
    Algorithm,
    Text,
}

impl Content {
    fn of<'a>(fields: impl Iterator<Item = &'a [u8]> + Clone) -> Content {
        let all = |wanted: fn(&[u8]) -> bool| fields.clone().all(wanted);
        if fields.clone().next().is_none() {
            Content::Empty
        } else if all(|field| digits::is_digest(field) || is_stated(field)) {
            Content::Digest
        } else if all(|field| field.iter().all(u8::is_ascii_digit)) {
            Content::Number
        } else if all(|field| {
            let part = |byte: &u8| byte.is_ascii_digit() || b"/:-. TZAPMapm+".contains(byte);
            field.iter().all(part) && field.iter().any(u8::is_ascii_digit)
        }) {
            Content::Time
        } else if all(is_algorithm) {
            Content::Algorithm
        } else {
            Content::Text
        }
    }
}

/// Whether a number is greater than those of pieces of music and of years.
fn is_size(number: &[u8]) -> bool {
    !number.starts_with(b"0")
        && str::from_utf8(number).is_ok_and(|text| text.parse().is_ok_and(|size: u64| size > 2100))
}

/// Whether a word names an algorithm, perhaps with a colon behind.
fn is_algorithm(word: &[u8]) -> bool {
    static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];
    let word = word.strip_suffix(b":").unwrap_or(word);
    str::from_utf8(word).is_ok_and(|word| others::algorithm(Registry::new(&LISTS), word).is_some())
}
