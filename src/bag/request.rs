//! Requests about bags.

use super::problem::Problem;
use crate::algorithms::{Algorithm, computed};
use crate::job::Error;
use pfh_digest::Standing;
use pfh_engine::Plan;
use pfh_source::os::clock;
use std::path::PathBuf;

/// A bag, and how its files are read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The folder that has `bagit.txt` or gets it.
    pub bag: PathBuf,
    /// The algorithms of a new bag's manifests; SHA-512 if none is named, as RFC 8493 recommends.
    /// An update without any keeps those of the bag.
    pub algorithms: Vec<Algorithm>,
    /// Labels and values for `bag-info.txt`, in their order.
    pub info: Vec<(String, String)>,
    /// Whether an update takes files whose content is another than the manifests say.
    pub replace: bool,
    /// The day of bagging, `2026-11-22`; today if it is not given.
    pub date: Option<String>,
    /// How files are read.
    pub plan: Plan,
}

impl Request {
    /// This bag, with the machine's defaults.
    pub fn new(bag: impl Into<PathBuf>) -> Request {
        let (algorithms, info, plan) = (Vec::new(), Vec::new(), Plan::default());
        Request { bag: bag.into(), algorithms, info, replace: false, date: None, plan }
    }

    /// Manifests of these algorithms.
    #[must_use]
    pub fn algorithms_of(mut self, algorithms: Vec<Algorithm>) -> Request {
        self.algorithms = algorithms;
        self
    }

    /// These lines of `bag-info.txt`.
    #[must_use]
    pub fn info(mut self, info: Vec<(String, String)>) -> Request {
        self.info = info;
        self
    }

    /// Takes changed contents, or refuses them.
    #[must_use]
    pub fn replace(mut self, replace: bool) -> Request {
        self.replace = replace;
        self
    }

    /// Reads according to this plan.
    #[must_use]
    pub fn plan(mut self, plan: Plan) -> Request {
        self.plan = plan;
        self
    }

    /// Refuses requests that can be refused before the bag is read.
    ///
    /// # Errors
    /// When an algorithm has no manifests, or `bag-info.txt` cannot hold a label or a value.
    pub fn check(&self) -> Result<(), Error> {
        self.named()?;
        super::info::add(&mut Vec::new(), &self.info)
    }

    /// The algorithms that were named, if each of them may have a manifest.
    pub(super) fn named(&self) -> Result<Vec<pfh_digest::Algorithm>, Error> {
        let named = computed(&self.algorithms);
        match named.iter().find(|algorithm| algorithm.standing() == Standing::Similarity) {
            Some(algorithm) => Err(Error::request(Problem::Algorithm(algorithm.to_string()))),
            None => Ok(named),
        }
    }

    /// The day of bagging.
    pub(super) fn day(&self) -> String {
        let now = || clock::now().as_secs() as i64;
        let today = || pfh_source::Time { seconds: now(), nanoseconds: 0 }.to_string();
        self.date.clone().unwrap_or_else(|| today().chars().take(10).collect())
    }
}
