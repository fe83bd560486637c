//! Lists in columns of others: separated values with a header line, with one in a comment, or with
//! none. The role of a column follows from its label, from the contents of the first rows, or from
//! the reader of the list.

use std::fmt::Write;

use pfh_digest::{Algorithm, Registry};

use crate::csv::split_by;
use crate::digits;
use crate::draft::{Draft, Names};
use crate::entry::{DecodeLine, Fault, Item, Parsed, Reason, Unhashed};
use crate::others::deep;
use crate::roles::{self, Role};
use crate::sample::Sample;

/// PowerShell 5 begins `Export-Csv` with this line.
pub(crate) const TYPE: &[u8] = b"#TYPE";
/// AIDE's databases have their labels in a line that begins so.
const AIDE: &[u8] = b"@@db_spec ";
/// Separators of columns. A blank separates only where the list or its reader says so.
const SEPARATORS: [u8; 4] = [b'\t', b';', b',', b'|'];

/// How the roles of the columns are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Source {
    /// By a header line.
    #[default]
    Header,
    /// By a header line in a comment.
    Comment,
    /// By the contents of the first rows.
    Contents,
    /// By the reader of the list.
    Reader,
    /// By the line of an AIDE database.
    Aide,
}

/// The columns of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    separator: u8,
    roles: Vec<Role>,
    source: Source,
}

/// The fields of a line. The last of columns between blanks takes the rest of the line.
fn fields(line: &[u8], separator: u8, most: usize) -> Option<Vec<Vec<u8>>> {
    if separator != b' ' {
        return split_by(line, separator);
    }
    let (mut rest, mut fields) = (line.trim_ascii(), Vec::new());
    while !rest.is_empty() {
        let blank = rest.iter().position(u8::is_ascii_whitespace).filter(|_| fields.len() + 1 < most);
        let end = blank.unwrap_or(rest.len());
        fields.push(rest[..end].to_vec());
        rest = rest[end..].trim_ascii_start();
    }
    Some(fields)
}

impl Columns {
    /// The columns of a list that begins with these lines; `None` if it has none.
    pub(crate) fn of(registry: Registry, sample: &Sample<'_>) -> Option<Columns> {
        let mut lines = sample.lines.iter().copied().filter(|line| !line.trim_ascii().is_empty());
        let first = lines.clone().find(|line| !line.starts_with(TYPE))?;
        if let Some(columns) = Columns::labelled(registry, first, Source::Header) {
            return Some(columns);
        }
        if let Some(labels) = sample.lines.iter().find_map(|line| line.strip_prefix(AIDE)) {
            let labels: Vec<&str> = str::from_utf8(labels).ok()?.split_ascii_whitespace().collect();
            let aide = |label: &&str| match *label {
                "name" => Role::Name(0),
                "perm" | "size" | "lname" | "attr" | "bcount" | "inode" | "lcount" => {
                    match roles::of(registry, label) {
                        role @ (Role::Mode | Role::Size) => role,
                        _ => Role::Other,
                    }
                }
                label => match roles::of(registry, label) {
                    role @ Role::Digest(_) => role,
                    _ => Role::Other,
                },
            };
            return Some(Columns { separator: b' ', roles: labels.iter().map(aide).collect(), source: Source::Aide });
        }
        let comments = lines.clone().take_while(|line| line.starts_with(b"#"));
        let mut labels = comments.map(|line| line.strip_prefix(b"#").unwrap_or(line).trim_ascii());
        if let Some(columns) = labels.find_map(|line| Columns::labelled(registry, line, Source::Comment)) {
            return Some(columns);
        }
        let rows: Vec<&[u8]> = lines.by_ref().filter(|line| !line.starts_with(b"#")).collect();
        SEPARATORS.into_iter().find_map(|separator| Columns::inferred(&rows, separator))
    }

    /// Columns with these labels, as the reader of a list states them.
    pub(crate) fn stated(registry: Registry, labels: &[String], sample: &Sample<'_>) -> Columns {
        let roles: Vec<Role> = labels.iter().map(|label| roles::of(registry, label)).collect();
        let rows = || sample.lines.iter().filter(|line| !line.trim_ascii().is_empty());
        let fits = |separator: u8| {
            let count =
                |line: &&&[u8]| fields(line, separator, roles.len()).is_some_and(|found| found.len() == roles.len());
            rows().filter(count).count()
        };
        let separator = SEPARATORS.into_iter().chain([b':', b' ']).rev().max_by_key(|separator| fits(*separator));
        Columns { separator: separator.unwrap_or(b','), roles, source: Source::Reader }
    }

    /// Columns by their labels; `None` if no name or no digest is among them.
    fn labelled(registry: Registry, line: &[u8], source: Source) -> Option<Columns> {
        let split = |separator: u8| Some((separator, split_by(line, separator)?));
        let (separator, fields) = SEPARATORS.into_iter().filter_map(split).max_by_key(|(_, fields)| fields.len())?;
        let roles = fields.iter().map(|field| roles::of(registry, &String::from_utf8_lossy(field)));
        let columns = Columns { separator, roles: roles.collect(), source };
        columns.is_list().then_some(columns)
    }

    fn is_list(&self) -> bool {
        let has = |wanted: fn(&Role) -> bool| self.roles.iter().any(wanted);
        has(|role| matches!(role, Role::Name(_) | Role::Exact))
            && has(|role| matches!(role, Role::Hash | Role::Digest(_)))
    }

    /// Columns by the contents of rows.
    fn inferred(rows: &[&[u8]], separator: u8) -> Option<Columns> {
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
        let is_plain = width != 3 || kinds[1] != Content::Number;
        let is_deep = is_sized || (kinds[0] == Content::Digest && digests == 1 && is_plain);
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
            Content::Number if is_size(at) => Role::Size,
            _ => Role::Other,
        };
        Some(Columns { separator, roles: (0..width).map(role).collect(), source: Source::Contents })
    }

    /// Whether a header line in front of the rows names them.
    pub(crate) fn is_labelled(&self) -> bool {
        self.source == Source::Header
    }

    /// The byte between columns.
    pub(crate) fn separator(&self) -> u8 {
        self.separator
    }

    /// The role of each column.
    pub(crate) fn roles(&self) -> &[Role] {
        &self.roles
    }

    /// The roles that the columns were taken for, where no header says so.
    pub(crate) fn remark(&self) -> Option<String> {
        if self.source != Source::Contents {
            return None;
        }
        let mut remark = String::from("read as:");
        for (at, role) in self.roles.iter().enumerate() {
            let what = match role {
                Role::Name(_) => "name",
                Role::Hash => "digest",
                Role::Size => "size",
                _ => continue,
            };
            let comma = if remark.ends_with(':') { "" } else { "," };
            // Writing to a string does not fail.
            let _ = write!(remark, "{comma} column {} {what}", at + 1);
        }
        Some(remark)
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
        } else {
            Content::Text
        }
    }
}

/// Whether a field names its algorithm: `sha256=…`.
fn is_stated(field: &[u8]) -> bool {
    static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];
    field.len() > 20 && matches!(deep::stated(Registry::new(&LISTS), field), Some(Ok(_)))
}

/// Reads them.
pub(crate) struct Decoder {
    registry: Registry,
    candidates: Vec<Algorithm>,
    columns: Columns,
    names: Names,
    /// Whether a row was read: no header comes any more.
    begun: bool,
}

impl Decoder {
    pub(crate) fn new(registry: Registry, assumed: &[Algorithm], columns: Columns) -> Decoder {
        // A table of ours: nothing of a name was changed.
        let exact = columns.roles.contains(&Role::Exact) || columns.source == Source::Aide;
        let names = if exact { Names::Exact } else { Names::Windows };
        Decoder { registry, candidates: digits::candidates(registry, assumed), columns, names, begun: false }
    }

    fn row(&self, fields: &[Vec<u8>]) -> Result<Option<Item>, Fault> {
        if fields.len() != self.columns.roles.len() {
            return Err(Fault::Malformed("not as many fields as there are columns"));
        }
        let mut draft = Draft::default();
        for (role, field) in self.columns.roles.iter().zip(fields) {
            if self.columns.source == Source::Aide {
                // Zero stands for nothing, and names have escapes.
                let field = if field == b"0" && *role != Role::Size { &b""[..] } else { field };
                let name = matches!(role, Role::Name(_)).then(|| crate::others::links::unescaped(field)).flatten();
                draft.put(self.registry, *role, name.as_deref().unwrap_or(field));
            } else {
                draft.put(self.registry, *role, field);
            }
        }
        Ok(match draft.finish(self.registry, &self.candidates, self.names) {
            // A wheel's list has no digest of itself and of its signatures.
            Some(Item::Fault(Fault::NoDigest(name))) if is_record(&name) => Some(Item::Unhashed(Unhashed {
                name: name.into(),
                reason: Reason::Skipped,
                code: "the list itself".to_owned(),
            })),
            item => item,
        })
    }
}

fn is_record(name: &[u8]) -> bool {
    [&b".dist-info/RECORD"[..], b".dist-info/RECORD.jws", b".dist-info/RECORD.p7s"]
        .iter()
        .any(|end| name.ends_with(end))
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> Parsed {
        let blank = line.trim_ascii().is_empty();
        if blank || (self.columns.source == Source::Aide && (line.starts_with(b"@@") || line.starts_with(b"#"))) {
            return Parsed::Neutral;
        }
        if !self.begun && line.starts_with(TYPE) {
            return Parsed::Neutral;
        }
        let fields = fields(line, self.columns.separator, self.columns.roles.len());
        let width = fields.as_ref().map_or(0, Vec::len);
        // A name may begin as a comment does.
        if line.starts_with(b"#") && width != self.columns.roles.len() {
            return Parsed::Neutral;
        }
        let is_first = !std::mem::replace(&mut self.begun, true);
        if is_first && self.columns.source == Source::Header {
            return Parsed::Neutral;
        }
        let Some(fields) = fields else { return Fault::Malformed("quotes do not match").into() };
        if is_first
            && self.columns.source == Source::Reader
            && !fields.iter().any(|field| digits::is_digest(field.trim_ascii()))
        {
            return Parsed::Neutral;
        }
        match self.row(&fields) {
            Ok(Some(item)) => Parsed::Item(item),
            Ok(None) => Parsed::Neutral,
            Err(fault) => fault.into(),
        }
    }
}
