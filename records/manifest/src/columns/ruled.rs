//! Tables whose labels have a rule of dashes below.

use pfh_digest::Registry;

use super::{Columns, Source};
use crate::digits;
use crate::roles::{self, Role};
use crate::sample::Sample;

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
}

/// Whether a line is a rule of dashes, or of `=`, with a gap at least.
pub(super) fn is_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.contains(&b' ') && line.iter().all(|byte| b"-= ".contains(byte))
}

/// The parts of a line that start at these places.
pub(super) fn cut(line: &[u8], starts: &[usize]) -> Vec<Vec<u8>> {
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let part = |(start, end): (&usize, usize)| line.get(*start..end.min(line.len())).unwrap_or_default();
    starts.iter().zip(ends).map(part).map(|part| part.trim_ascii().to_vec()).collect()
}
