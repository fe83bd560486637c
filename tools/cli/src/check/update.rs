//! `pfh check --update`.

use super::Check;
use crate::exit::{Exit, Failure};
use crate::update::{Printing, carry_out, end, exit, trust};
use pfh::update::Request;
use pfh::{Algorithm, Input, Secret};
use std::path::PathBuf;

/// Brings the manifest of `pfh check --update` up to date.
///
/// # Errors
/// When the request makes no sense, or the job has no result.
pub fn update(
    check: &Check,
    manifests: Vec<PathBuf>,
    algorithms: Vec<Algorithm>,
    secret: Option<Secret>,
) -> Result<Exit, Failure> {
    let mut operands = manifests.into_iter();
    let Some(manifest) = operands.next() else { return Ok(Exit::Usage) };
    let roots = check.root.iter().cloned().chain(operands.map(PathBuf::into_os_string));
    #[allow(unused_mut)]
    let mut input = Input::new(roots);
    #[cfg(feature = "inside")]
    {
        input.inside = check.inside.asked()?;
    }
    let request = Request::new(manifest, input)
        .trust(trust(check.trust_times))
        .algorithms(algorithms)
        .end(end(check.zero))
        .key(check.key.clone())
        .secret(secret)
        .plan(check.run.plan(Vec::new())?)
        .replace(check.force);
    let session = check.run.session()?;
    let printing = Printing { json: check.json, quiet: check.quiet, silent: check.status };
    let summary = carry_out(&request, printing, &session)?;
    check.run.report(&summary.run);
    Ok(exit(&summary))
}
