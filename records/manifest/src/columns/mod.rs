//! Lists in columns of others: separated values with a header line, with one in a comment, or with
//! none. The role of a column follows from its label, from the contents of the first rows, or from
//! the reader of the list.

mod contents;
mod markdown;
mod rule;

use std::fmt::Write;

use pfh_digest::{Algorithm, Registry};

use crate::csv::split_by;
use crate::digits;
use crate::draft::{Draft, Names};
use crate::entry::{DecodeLine, Entry, Fault, Item, Options, ParsedLine, Reason, UnhashedEntry};
use crate::others;
use crate::roles::{self, Role};
use crate::sample::Sample;
use rule::{cut, is_rule};

/// PowerShell 5 begins `Export-Csv` with this line.
const TYPE: &[u8] = b"#TYPE";
/// Excel reads and writes a line in front that states the separator: `sep=;`.
const SEPARATED: &[u8] = b"sep=";
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
    /// By a header line above a rule of dashes.
    Rule,
    /// By the header line of a table in Markdown.
    Markdown,
    /// By the contents of the first rows, whose only digests are checksums of eight digits.
    Checksums,
}

/// The columns of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Columns {
    separator: u8,
    roles: Vec<Role>,
    source: Source,
    /// Whether the file's name and its directory stand in two columns.
    joined: bool,
    /// Whether every name has an asterisk in front.
    starred: bool,
    /// The header line; above a rule, and where its columns start.
    header: Vec<u8>,
    starts: Vec<usize>,
}

/// The fields of a line. The last of columns between blanks takes the rest of the line.
fn fields(line: &[u8], separator: u8, most: usize) -> Option<Vec<Vec<u8>>> {
    if separator == b'|' && line.trim_ascii().starts_with(b"|") {
        return Some(markdown::cells(line));
    }
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
        let first = lines.clone().find(|line| !is_prologue(line))?;
        if let Some(columns) = Columns::in_markdown(registry, sample).or_else(|| Columns::ruled(registry, sample)) {
            return Some(columns);
        }
        if let Some(columns) = Columns::labelled(registry, first, Source::Header) {
            let rows = lines.clone().skip_while(|line| *line != first).skip(1);
            let columns = columns.joined(&rows.collect::<Vec<_>>());
            return Some(Columns { header: first.to_vec(), ..columns });
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
            let roles = labels.iter().map(aide).collect();
            return Some(Columns { separator: b' ', roles, source: Source::Aide, ..Columns::default() });
        }
        let comments = lines.clone().take_while(|line| line.starts_with(b"#"));
        let mut labels = comments.map(|line| line.strip_prefix(b"#").unwrap_or(line).trim_ascii());
        if let Some(columns) = labels.find_map(|line| Columns::labelled(registry, line, Source::Comment)) {
            return Some(columns);
        }
        let rows: Vec<&[u8]> = lines.by_ref().filter(|line| !line.starts_with(b"#")).collect();
        let (head, rows) = rows.split_at(rows.iter().take_while(|line| others::is_comment(line)).count());
        if let Some((header, rows)) = rows.split_first().filter(|_| first.starts_with(b"#") || !head.is_empty())
            && let Some(columns) = Columns::labelled(registry, header, Source::Header)
        {
            return Some(Columns { header: header.to_vec(), ..columns.joined(rows) });
        }
        let rows = [head, rows].concat();
        if let Some(columns) = Columns::body(registry, &rows) {
            return Some(columns);
        }
        let between = SEPARATORS.into_iter().find_map(|separator| Columns::inferred(&rows, separator));
        between.or_else(|| {
            let is_head = |row: &&&[u8]| others::is_comment(row) || !holds_digest(row);
            Columns::leading(registry, &rows[rows.iter().take_while(is_head).count()..])
        })
    }

    /// The columns of a body file of The Sleuth Kit: `MD5|name|inode|mode|uid|gid|size|times`.
    fn body(registry: Registry, rows: &[&[u8]]) -> Option<Columns> {
        let is_row = |row: &&[u8]| {
            let fields: Vec<&[u8]> = row.split(|byte| *byte == b'|').collect();
            fields.len() == 11
                && (fields[0] == b"0" || (fields[0].len() == 32 && digits::is_digest(fields[0])))
                && fields[3].get(1) == Some(&b'/')
        };
        let md5 = registry.find("md5").ok().filter(|_| !rows.is_empty() && rows.iter().all(is_row))?;
        let mut roles = vec![Role::Other; 11];
        (roles[0], roles[1], roles[6]) = (Role::Digest(md5), Role::Name(0), Role::Size);
        Some(Columns { separator: b'|', roles, source: Source::Contents, ..Columns::default() })
    }

    /// The columns of the first table in Markdown with names and digests: by its labels, or by the
    /// contents of its rows.
    fn in_markdown(registry: Registry, sample: &Sample<'_>) -> Option<Columns> {
        (1..sample.lines.len()).filter(|at| markdown::is_rule(sample.lines[*at])).find_map(|at| {
            let header = sample.lines[at - 1].trim_ascii();
            let label = |cell: &Vec<u8>| roles::of(registry, &String::from_utf8_lossy(cell));
            let labelled = Columns {
                separator: b'|',
                roles: markdown::cells(header).iter().map(label).collect(),
                source: Source::Markdown,
                header: header.to_vec(),
                ..Columns::default()
            };
            if labelled.is_list() {
                return Some(labelled);
            }
            let rows: Vec<Vec<u8>> = sample.lines[at + 1..]
                .iter()
                .take_while(|line| line.trim_ascii().starts_with(b"|"))
                .map(|line| markdown::cells(line).join(&b'\t'))
                .collect();
            let rows: Vec<&[u8]> = rows.iter().map(Vec::as_slice).collect();
            let is_digest = |row: &&[u8]| row.split(|byte| *byte == b'\t').any(digits::is_digest);
            let inferred = rows.iter().any(is_digest).then(|| Columns::inferred(&rows, b'\t')).flatten()?;
            Some(Columns { roles: inferred.roles, ..labelled })
        })
    }

    /// The same columns, where rows have the directory of a file in one and its name in another.
    fn joined(mut self, rows: &[&[u8]]) -> Columns {
        let Some([folder, file]) = self.folder_and_file() else { return self };
        if self.roles[folder] == Role::Folder {
            self.joined = true;
            return self;
        }
        let split = rows.iter().filter_map(|row| split_by(row, self.separator));
        let pairs: Vec<(Vec<u8>, Vec<u8>)> =
            split.filter_map(|fields| Some((fields.get(folder)?.clone(), fields.get(file)?.clone()))).collect();
        let mut named = pairs.iter().filter(|(folder, file)| !folder.is_empty() && !file.is_empty()).peekable();
        let is_apart = |(folder, file): &(Vec<u8>, Vec<u8>)| !folder.ends_with(file);
        self.joined = named.peek().is_some() && named.all(is_apart);
        self
    }

    /// The places of the columns of paths and of names, where there is one of each.
    fn folder_and_file(&self) -> Option<[usize; 2]> {
        let find = |wanted: fn(&Role) -> bool| self.roles.iter().position(wanted);
        let folder = find(|role| *role == Role::Name(0)).or_else(|| find(|role| *role == Role::Folder))?;
        Some([folder, find(|role| matches!(role, Role::Name(1..)))?])
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
        Columns { separator: separator.unwrap_or(b','), roles, source: Source::Reader, ..Columns::default() }
    }

    /// Columns by their labels; `None` if no name or no digest is among them.
    fn labelled(registry: Registry, line: &[u8], source: Source) -> Option<Columns> {
        let split = |separator: u8| Some((separator, split_by(line, separator)?));
        let (separator, fields) = SEPARATORS.into_iter().filter_map(split).max_by_key(|(_, fields)| fields.len())?;
        let role = |field: &Vec<u8>| match roles::of(registry, &String::from_utf8_lossy(field)) {
            // Several in one field, with their algorithms.
            Role::Other if field.eq_ignore_ascii_case(b"hashes") => Role::Hash,
            role => role,
        };
        let columns = Columns { separator, roles: fields.iter().map(role).collect(), source, ..Columns::default() };
        columns.is_list().then_some(columns)
    }

    fn is_list(&self) -> bool {
        let has = |wanted: fn(&Role) -> bool| self.roles.iter().any(wanted);
        has(|role| matches!(role, Role::Name(_) | Role::Exact))
            && has(|role| matches!(role, Role::Hash | Role::Digest(_)))
    }

    /// Whether a header line in front of the rows names them.
    pub(crate) fn is_labelled(&self) -> bool {
        self.source == Source::Header
    }

    /// Whether a separator alone tells its columns, in every line.
    pub(crate) fn is_separated(&self) -> bool {
        self.separator != b' ' && self.source != Source::Markdown
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
        if !matches!(self.source, Source::Contents | Source::Checksums) {
            return None;
        }
        let mut remark = String::from("read as:");
        for (at, role) in self.roles.iter().enumerate() {
            let what = match role {
                Role::Name(_) => "name",
                Role::Hash | Role::Digest(_) => "digest",
                Role::Size => "size",
                Role::Algorithm => "algorithm",
                _ => continue,
            };
            let comma = if remark.ends_with(':') { "" } else { "," };
            // Writing to a string does not fail.
            let _ = write!(remark, "{comma} column {} {what}", at + 1);
        }
        Some(remark)
    }
}

/// Whether a line stands in front of a table, and says nothing of its rows.
fn is_prologue(line: &[u8]) -> bool {
    line.starts_with(TYPE) || (line.starts_with(SEPARATED) && line.len() <= SEPARATED.len() + 1)
}

/// Whether a word between blanks is a digest.
fn holds_digest(line: &[u8]) -> bool {
    line.split(|byte| byte.is_ascii_whitespace() || *byte == b'`').any(digits::is_digest)
}

/// Reads them.
pub(crate) struct Decoder {
    registry: Registry,
    candidates: Vec<Algorithm>,
    columns: Columns,
    names: Names,
    /// Whether a row was read: no header comes any more.
    begun: bool,
    /// Whether rows are below a header and its rule, and whether the last line was that header.
    inside: bool,
    is_below_header: bool,
}

impl Decoder {
    pub(crate) fn new(registry: Registry, options: &Options, columns: Columns) -> Decoder {
        // A table of ours: nothing of a name was changed.
        let exact = columns.roles.contains(&Role::Exact) || columns.source == Source::Aide;
        let names = if exact { Names::Exact } else { Names::Windows };
        Decoder {
            registry,
            candidates: digits::wanted(registry, options),
            columns,
            names,
            begun: false,
            inside: false,
            is_below_header: false,
        }
    }

    /// Whether a line belongs to a table, of those that text stands around.
    fn is_row(&mut self, line: &[u8]) -> bool {
        match self.columns.source {
            Source::Rule if is_rule(line) => {
                self.inside = self.is_below_header;
                false
            }
            Source::Rule => {
                self.is_below_header = line.trim_ascii() == self.columns.header;
                self.inside && !self.is_below_header
            }
            Source::Markdown => line.trim_ascii().starts_with(b"|") && !markdown::is_head(line, &self.columns.header),
            _ => true,
        }
    }

    fn row(&self, fields: &[Vec<u8>]) -> Result<Option<Item>, Fault> {
        // Some end every row with a separator.
        let fields = match fields.split_last() {
            Some((last, others)) if last.is_empty() && others.len() == self.columns.roles.len() => others,
            _ => fields,
        };
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
            } else if matches!(role, Role::Name(_)) && self.columns.starred {
                draft.put(self.registry, *role, field.strip_prefix(b"*").unwrap_or(field));
            } else if *role == Role::Version {
                // A program's, beside the name of its file.
            } else if *role == Role::Algorithm {
                draft.put(self.registry, *role, field.strip_suffix(b":").unwrap_or(field));
            } else {
                draft.put(self.registry, *role, field);
            }
        }
        if self.columns.joined
            && let Some([folder, file]) = self.columns.folder_and_file()
            && !fields[folder].is_empty()
            && !fields[file].is_empty()
        {
            let end = fields[folder].iter().rposition(|byte| !b"/\\".contains(byte)).map_or(0, |at| at + 1);
            draft.rename([&fields[folder][..end], b"/", &fields[file]].concat());
        }
        // `7z h` has neither size nor digest of a folder.
        if self.columns.source == Source::Rule && !draft.has_digest() {
            draft.folder();
        }
        if fields.last().is_some_and(|name| self.columns.source == Source::Rule && is_cut(name)) {
            return Err(Fault::Malformed("the table cut the name off"));
        }
        Ok(match draft.finish(self.registry, &self.candidates, self.names) {
            // A wheel's list has no digest of itself and of its signatures.
            Some(Item::Fault(Fault::NoDigest(name))) if is_record(&name) => Some(Item::Unhashed(UnhashedEntry {
                name: name.into(),
                reason: Reason::Skipped,
                code: "the list itself".to_owned(),
            })),
            Some(Item::Entry(entry)) if self.columns.source == Source::Checksums => {
                Some(Item::Entry(Entry { guessed: true, ..entry }))
            }
            item => item,
        })
    }
}

/// Whether a table as wide as the console cut a name off.
fn is_cut(name: &[u8]) -> bool {
    name.ends_with(b"...") || name.ends_with("…".as_bytes())
}

fn is_record(name: &[u8]) -> bool {
    [&b".dist-info/RECORD"[..], b".dist-info/RECORD.jws", b".dist-info/RECORD.p7s"]
        .iter()
        .any(|end| name.ends_with(end))
}

impl DecodeLine for Decoder {
    fn line(&mut self, line: &[u8]) -> ParsedLine {
        let blank = line.trim_ascii().is_empty();
        if blank || (self.columns.source == Source::Aide && (line.starts_with(b"@@") || line.starts_with(b"#"))) {
            return ParsedLine::Neutral;
        }
        let is_head = self.columns.source == Source::Contents && self.columns.separator == b' ' && !holds_digest(line);
        if !self.begun && (is_prologue(line) || is_head) {
            return ParsedLine::Neutral;
        }
        // Comments in front of a header line, and that line again, where tables were joined.
        let is_labelled = self.columns.source == Source::Header && !self.columns.header.is_empty();
        if is_labelled && (line == self.columns.header) == self.begun {
            return ParsedLine::Neutral;
        }
        if !self.is_row(line) {
            return match self.columns.source == Source::Markdown && holds_digest(line) {
                true => Fault::Malformed("a digest outside of the table").into(),
                false => ParsedLine::Neutral,
            };
        }
        let fields = match self.columns.source {
            Source::Rule => Some(cut(line, &self.columns.starts)),
            _ => fields(line, self.columns.separator, self.columns.roles.len()),
        };
        let width = fields.as_ref().map_or(0, Vec::len);
        // A name may begin as a comment does.
        if line.starts_with(b"#") && width != self.columns.roles.len() {
            return ParsedLine::Neutral;
        }
        let is_first = !std::mem::replace(&mut self.begun, true);
        if is_first && self.columns.source == Source::Header {
            return ParsedLine::Neutral;
        }
        let Some(fields) = fields else { return Fault::Malformed("quotes do not match").into() };
        if is_first
            && self.columns.source == Source::Reader
            && !fields.iter().any(|field| digits::is_digest(field.trim_ascii()))
        {
            return ParsedLine::Neutral;
        }
        match self.row(&fields) {
            Ok(Some(item)) => ParsedLine::Item(item),
            Ok(None) => ParsedLine::Neutral,
            Err(fault) => fault.into(),
        }
    }
}
