//! Where the files of a pair have bytes in common: for the page.

use super::event::{InputRelation, Relation};
use pfh_report::pairs::page::Places;
use pfh_similarity::shingles;
use pfh_source::Ranges;

/// Pairs that are read again.
const PAIRS: u64 = 200;
/// Bytes of a file that is read again, at most, and of all together.
const FILE: u64 = 64 << 20;
const ALL: u64 = 4 << 30;
/// Runs of a pair: the longest.
const RUNS: usize = 250;

/// Reads the files of the first pairs again.
#[derive(Default)]
pub struct Finder {
    pairs: u64,
    bytes: u64,
}

impl Finder {
    /// Where both have the same bytes, or why that is not known; none of equal files, of pairs that
    /// share none, and of pairs beyond the first two hundred.
    pub fn of(&mut self, row: &InputRelation<'_>) -> Option<Result<Places, String>> {
        if matches!(row.relation, Relation::Equal | Relation::Alike) || self.pairs == PAIRS {
            return None;
        }
        self.pairs += 1;
        Some(self.find([row.a, row.b]))
    }

    fn find(&mut self, names: [&[u8]; 2]) -> Result<Places, String> {
        let mut read = |name: &[u8]| {
            let said = |problem: pfh_source::Problem| format!("{}: {problem}", pfh_source::terminal::render(name));
            let file = Ranges::open(name).map_err(|problem| match names.iter().any(|name| is_member(name)) {
                true => "files in containers are not read again".to_owned(),
                false => said(problem),
            })?;
            if file.size() > FILE || self.bytes + file.size() > ALL {
                return Err(format!("files of more than {} MiB are not read again", FILE >> 20));
            }
            self.bytes += file.size();
            let bytes = file.read_all(FILE).map_err(said)?;
            file.close().map_err(said)?;
            Ok(bytes)
        };
        let [a, b] = [read(names[0])?, read(names[1])?];
        let sizes = [a.len() as u64, b.len() as u64];
        Ok(Places { sizes, runs: shingles::runs(&a, &b, RUNS) })
    }
}

/// Whether it is a name in a container.
fn is_member(name: &[u8]) -> bool {
    name.windows(2).any(|two| two == b"!/")
}
