//! An image against the evidence for its digests.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::value::value;
use crate::{error, job, request};
use pfh::Digest;
use pfh::verify::{self as job_verify, Claim, Of, Request};
use pyo3::prelude::*;
use std::collections::{BTreeMap, HashMap};

/// The result of a verification; true if all of the image is verified.
pub struct Verified {
    /// `verified`, `differs` or `nothing-to-compare-with`.
    verdict: String,
    /// The verdict in words: a good one names its evidence, a bad one what differs.
    sentence: String,
    /// Digests of the image, by algorithm, in hexadecimal digits; empty if it could not be read to
    /// its end.
    digests: BTreeMap<String, String>,
    /// Comparisons that are equal: both sides of each.
    compared: Vec<(String, String)>,
    /// Reasons against a good verdict, a sentence each.
    missing: Vec<String>,
    /// Findings, a sentence each.
    findings: Vec<String>,
    /// Second reads of what something contradicts: what was read, and `same`, `once`, `other`,
    /// `changing` or `unread`.
    reread: Vec<(String, &'static str)>,
}

value!(Verified { verdict, sentence, digests, compared, missing, findings, reread });

/// A digest that the caller states.
fn stated((name, hex): (String, String)) -> PyResult<Claim> {
    let algorithm = crate::hashing::named(&name)?;
    let digest = Digest::parse(*algorithm, &hex.to_ascii_lowercase());
    let digest = digest.map_err(|_| error::value(format!("{hex:?} is not a digest of {algorithm}")))?;
    Ok(Claim { digest, of: Of::Content, by: "digests".to_owned() })
}

/// Verifies an image by its log, map and lists of digests beside it, by the digests inside an E01,
/// Ex01, AFF4 or DMG image, by `digests` (name to hexadecimal digits) and, byte by byte, by the
/// medium or image `against`.
///
/// `log` names the chained log, `key` the public key that must have signed it. With `raw` the bytes
/// are taken as they are. An image that differs is read a second time, past the system's cache
/// where the system can, unless `once` is given. `level` gives findings other levels, as
/// `{"verify/signer": "error"}`. Differences are in the result, and no exception.
#[pyfunction]
#[pyo3(signature = (image, *, log = None, key = None, against = None, digests = None, raw = false, once = false, level = None, on_event = None, cancel = None))]
#[expect(clippy::too_many_arguments, reason = "keyword arguments")]
pub fn verify(
    py: Python<'_>,
    image: &Bound<'_, PyAny>,
    log: Option<&Bound<'_, PyAny>>,
    key: Option<&Bound<'_, PyAny>>,
    against: Option<&Bound<'_, PyAny>>,
    digests: Option<BTreeMap<String, String>>,
    raw: bool,
    once: bool,
    level: Option<HashMap<String, String>>,
    on_event: Option<Py<PyAny>>,
    cancel: Option<Py<Token>>,
) -> PyResult<Verified> {
    let path = request::path(image)?;
    let named = |path: Option<&Bound<'_, PyAny>>| path.map(request::path).transpose();
    let mut asked = Request::image(&path);
    (asked.log, asked.key, asked.against) = (named(log)?, named(key)?, named(against)?);
    asked.claims = digests.into_iter().flatten().map(stated).collect::<PyResult<_>>()?;
    (asked.raw, asked.once, asked.levels) = (raw, once, request::levels(level)?);
    let ran = job::run_with(py, &Hooks { job: "verify", on_event, cancel }, |control| {
        job_verify::run(&asked, &mut |_| Ok(()), control)
    })?;
    let summary = ran.map_err(|failed| error::of_job(py, &failed, Some(path.as_ref())))?;
    let digests = summary.digests.iter().map(|digest| (digest.algorithm().to_string(), digest.to_string()));
    Ok(Verified {
        verdict: summary.verdict().to_string(),
        sentence: summary.sentence(),
        digests: digests.collect(),
        compared: summary.equal().map(|equal| (equal.what.clone(), equal.with.clone())).collect(),
        missing: summary.missing(),
        findings: summary.findings.iter().map(ToString::to_string).collect(),
        reread: summary.repeats.iter().map(|repeat| (repeat.what.clone(), repeat.read.twice.name())).collect(),
    })
}
