//! The paper's own form (Breitinger & Petrov, §IV-B): the meaning of its letters, and their
//! defaults.
//!
//! [`Letters`] hold the given values, [`resolve`] makes the request of a job of it: HASH is
//! [`hash`](crate::hash), FULL, DIGEST and FILENAME are [`compare`](crate::compare); a list that
//! only known sets are read from is matching's. N is the number of all threads, P of those that
//! read ahead, as in the paper.
//!
//! ```
//! use pfh::paper::{Letters, PaperJob, resolve};
//!
//! let letters = Letters { directory: Some("src".into()), threads: Some(8), ..Letters::default() };
//! let PaperJob::Hash { request, .. } = resolve(&letters)?.asked else { panic!("the default mode") };
//! assert_eq!((request.plan.prefetchers, request.plan.threads, request.plan.memory), (1, 7, 20_000_000));
//! # Ok::<(), pfh::job::Error>(())
//! ```

mod letters;
mod mode;

pub use letters::{Letters, MEMORY, PREFETCHERS, PaperJob, Prefetchers, Problem};

use crate::algorithms::REGISTRY;
use crate::job::Error;
use pfh_digest::{Algorithm, family};

/// A request with its defaults resolved.
#[derive(Debug)]
#[non_exhaustive]
pub struct PaperSettings {
    /// The job.
    pub asked: PaperJob,
    /// The algorithm that the name of a family became.
    pub family: Option<Algorithm>,
}

/// The algorithm of that name, and whether the name is a family's.
fn named(name: &str) -> Result<(Algorithm, bool), Problem> {
    match family(name) {
        Some(member) => Ok((member, true)),
        None => REGISTRY.find(name).map(|found| (found, false)).map_err(Problem::Algorithm),
    }
}

/// The request that the letters ask for, defaults resolved.
///
/// # Errors
/// When they make no sense.
pub fn resolve(letters: &Letters) -> Result<PaperSettings, Error> {
    resolved(letters).map_err(Error::request)
}

fn resolved(letters: &Letters) -> Result<PaperSettings, Problem> {
    let (input, plan) = (letters.input()?, letters.plan()?);
    let named = letters.algorithm.as_deref().map(named).transpose()?;
    let family = named.and_then(|(algorithm, is_family)| is_family.then_some(algorithm));
    let asked = mode::asked(letters, input, plan, named.map(|(algorithm, _)| algorithm))?;
    Ok(PaperSettings { asked, family })
}
