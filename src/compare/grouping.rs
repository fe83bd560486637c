//! Groups of the pairs that are found, and the groups of an earlier run that they extend.

use super::linkage::Linkage;
use super::problem::Problem;
use super::request::Request;
use crate::job::{Error, PathError};
use data_encoding::BASE64;
use pfh_pairs::Collection;
use pfh_similarity::Score;
use pfh_similarity::index::{Clusters, Complete, Pairs};
use pfh_source::Document;
use serde::Deserialize;
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

/// Inputs that are alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InputGroup {
    pub number: u64,
    pub places: Vec<u32>,
    pub weakest: Option<Score>,
    pub representative: Option<u32>,
}

impl From<(u64, Vec<u32>)> for InputGroup {
    fn from((number, places): (u64, Vec<u32>)) -> InputGroup {
        InputGroup { number, places, weakest: None, representative: None }
    }
}

/// Makes groups of pairs that come in the order of their scores, the closest first.
pub(super) enum Grouping {
    Single(Clusters),
    /// With the last number of an earlier run.
    Complete(Box<Complete>, u64),
}

impl Grouping {
    /// Nothing is grouped yet but the groups of an earlier run. Those of a page that groups are not
    /// asked for are of chains.
    pub fn new(request: &Request, collection: &Collection, earlier: &Earlier) -> Grouping {
        let count = collection.len() as u32;
        if !request.cluster || request.linkage == Linkage::Single {
            return Grouping::Single(Clusters::new(count));
        }
        let mut complete = Complete::new(count, collection.split().map_or(Pairs::All, Pairs::Across));
        earlier.groups.iter().for_each(|(number, places)| complete.keep(*number, places));
        Grouping::Complete(Box::new(complete), earlier.last)
    }

    /// Takes a pair.
    pub fn take(&mut self, a: u32, b: u32, score: Score) {
        match self {
            Grouping::Single(clusters) => clusters.join(a, b),
            Grouping::Complete(complete, _) => complete.take(a, b, score),
        }
    }

    /// The groups, earlier ones first, by their numbers; then the largest first.
    pub fn groups(self) -> Vec<InputGroup> {
        let (linked, mut next) = match self {
            Grouping::Single(clusters) => return (1..).zip(clusters.groups()).map(InputGroup::from).collect(),
            Grouping::Complete(complete, last) => (complete.groups(), last),
        };
        let mut numbered = |earlier: Option<u64>| {
            earlier.unwrap_or_else(|| {
                next += 1;
                next
            })
        };
        let grouped = linked.into_iter().map(|group| InputGroup {
            number: numbered(group.earlier),
            places: group.places,
            weakest: group.weakest,
            representative: Some(group.representative),
        });
        grouped.collect()
    }
}

/// The groups of an earlier run.
#[derive(Default)]
pub(super) struct Earlier {
    /// Their numbers, and the places of their members among the inputs of this run.
    groups: Vec<(u64, Vec<u32>)>,
    /// The last number, whether inputs of that group are here or not.
    last: u64,
}

/// The groups in the file of an earlier run.
pub(super) struct Before {
    groups: Vec<Cluster>,
}

#[derive(Deserialize)]
struct Cluster {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    algorithm: String,
    #[serde(default)]
    cluster: u64,
    #[serde(default)]
    members: Vec<Member>,
}

#[derive(Deserialize)]
struct Member {
    #[serde(default)]
    path: Option<String>,
    path_b64: Option<String>,
}

impl Member {
    fn name(&self) -> Option<Cow<'_, [u8]>> {
        match (&self.path_b64, &self.path) {
            (Some(exact), _) => BASE64.decode(exact.as_bytes()).ok().map(Cow::Owned),
            (None, Some(path)) => Some(Cow::Borrowed(path.as_bytes())),
            (None, None) => None,
        }
    }
}

impl Before {
    /// Reads the groups that `compare --cluster --json` wrote.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is no such row.
    pub fn read(path: &Path) -> Result<Before, Error> {
        let text =
            Document::read(path, Document::LONGEST).map_err(|error| Error::input(PathError::new(path, error)))?;
        let (mut groups, mut seen) = (Vec::new(), HashSet::new());
        for (number, line) in (1..).zip(text.split(|byte| *byte == b'\n')) {
            if line.is_empty() {
                continue;
            }
            let wrong = || Error::request(PathError::new(path, Problem::NoGroups(number)));
            let row: Cluster = serde_json::from_slice(line).map_err(|_| wrong())?;
            let sound = row.kind == "cluster" && row.cluster > 0 && row.members.iter().all(|of| of.name().is_some());
            if !sound || !seen.insert((row.algorithm.clone(), row.cluster)) {
                return Err(wrong());
            }
            groups.push(row);
        }
        Ok(Before { groups })
    }

    /// The members of groups of other algorithms than these, by algorithm.
    pub fn others(&self, algorithms: &[&str]) -> BTreeMap<&str, u64> {
        let mut members = BTreeMap::new();
        for group in self.groups.iter().filter(|group| !algorithms.contains(&&*group.algorithm)) {
            *members.entry(&*group.algorithm).or_default() += group.members.len() as u64;
        }
        members
    }

    /// Those of an algorithm whose members are in a collection; also how many members are not.
    pub fn of(&self, algorithm: &str, collection: &Collection) -> (Earlier, u64) {
        let mut places: HashMap<&[u8], u32> = HashMap::new();
        for place in (0..collection.len() as u32).rev() {
            places.insert(collection.name(place), place);
        }
        let mut missing = 0;
        let of = |group: &Cluster| {
            let names = group.members.iter().filter_map(Member::name);
            // Each input is in the first group that has it.
            let found: Vec<Option<u32>> = names.map(|name| places.remove(&*name)).collect();
            let mut here: Vec<u32> = found.iter().copied().flatten().collect();
            missing += found.iter().filter(|place| place.is_none()).count() as u64;
            here.sort_unstable();
            (group.cluster, here)
        };
        let mine = || self.groups.iter().filter(|group| group.algorithm == algorithm);
        let last = mine().map(|group| group.cluster).max().unwrap_or(0);
        let groups = mine().map(of).filter(|(_, places)| !places.is_empty()).collect();
        (Earlier { groups, last }, missing)
    }
}
