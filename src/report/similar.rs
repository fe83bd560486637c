//! Pairs of similar files, gathered until all were read: a page shows them by algorithm.

use super::members::{Object, name, text};
use pfh_report::pairs::page::{Member, Page, Scale};
use pfh_similarity::index::Clusters;
use pfh_similarity::{Evidence, Score};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Pairs of one algorithm that are kept: the page is not a database.
const MOST: usize = 200_000;

/// The pairs of one algorithm.
#[derive(Debug, Default)]
struct Pairs {
    names: Vec<Vec<u8>>,
    places: HashMap<Vec<u8>, u32>,
    pairs: Vec<(u32, u32, Score)>,
    beyond: u64,
}

impl Pairs {
    fn place(&mut self, name: Vec<u8>) -> u32 {
        if let Some(place) = self.places.get(&name) {
            return *place;
        }
        let place = self.names.len() as u32;
        self.names.push(name.clone());
        self.places.insert(name, place);
        place
    }
}

/// Pairs by algorithm.
#[derive(Debug, Default)]
pub(super) struct Similar {
    algorithms: BTreeMap<String, Pairs>,
}

impl Similar {
    /// Takes a pair; `false` if it is none.
    pub fn take(&mut self, object: &Object) -> bool {
        let number = |key| object.get(key).and_then(Value::as_u64);
        let score = match (number("similarity"), number("distance")) {
            (Some(score), None) => Score::Similarity(score.min(100) as u8),
            (None, Some(distance)) => Score::Distance(u32::try_from(distance).unwrap_or(u32::MAX)),
            _ => return false,
        };
        let (a, b) = (name(object, "a"), name(object, "b"));
        if a.is_empty() || b.is_empty() {
            return false;
        }
        let pairs = self.algorithms.entry(text(object, "algorithm").to_owned()).or_default();
        if pairs.pairs.len() >= MOST {
            pairs.beyond += 1;
            return true;
        }
        let (a, b) = (pairs.place(a), pairs.place(b));
        pairs.pairs.push((a, b, score));
        true
    }

    /// Takes a pair by all methods; `false` if it is none. Its score is the best of theirs.
    pub fn take_related(&mut self, object: &Object) -> bool {
        let mut pair = object.clone();
        let Some(score) = pair.remove("score") else { return false };
        pair.insert("similarity".to_owned(), score);
        pair.insert("algorithm".to_owned(), "auto".into());
        self.take(&pair)
    }

    /// Draws them, and reports the algorithms of omitted pairs, and how many.
    pub fn draw(self, page: &mut Page) -> Vec<(String, u64)> {
        let mut left = Vec::new();
        for (algorithm, pairs) in self.algorithms {
            let distance = pairs.pairs.first().is_some_and(|(_, _, score)| matches!(score, Score::Distance(_)));
            page.begin(&algorithm, Scale { distance, ..Scale::default() });
            let mut groups = Clusters::new(pairs.names.len() as u32);
            for (a, b, score) in pairs.pairs {
                groups.join(a, b);
                page.pair(a, b, score, Evidence::default(), None);
            }
            page.end(&groups.groups(), &|place| Member { name: &pairs.names[place as usize], size: None });
            if pairs.beyond > 0 {
                left.push((algorithm, pairs.beyond));
            }
        }
        left
    }
}
