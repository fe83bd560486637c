//! Answers that have nothing to give, and connections that break off, as failures.

use crate::patience::stated;
use crate::problem::{Failure, root};
use reqwest::Response;

/// The object of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    Bucket,
    Object,
    Version,
}

/// An attempt without an answer, or whose answer broke off.
pub(crate) fn broken(error: reqwest::Error, in_body: bool) -> Failure {
    let reached = in_body || !(error.is_connect() || error.is_builder());
    let is_for_good = error.is_builder() || error.is_redirect();
    // The address may hold a signature.
    let what = root(&error.without_url());
    match is_for_good || what.contains("certificate") {
        true => Failure::Refused(what),
        false => Failure::Broken { what, reached },
    }
}

/// An answer that has nothing to give.
pub(crate) async fn failure(answer: Response, target: Target) -> Failure {
    let status = answer.status();
    let header = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let after = header("retry-after").and_then(|after| stated(&after, header("date").as_deref()));
    let region = header("x-amz-bucket-region").filter(|_| [301, 400, 403].contains(&status.as_u16()));
    let text = answer.text().await.unwrap_or_default();
    let (code, message) = (part(&text, "Code"), part(&text, "Message"));
    let said = [code.clone(), message.filter(|said| Some(said) != code.as_ref())];
    let mut what = [Some(status.to_string())].into_iter().chain(said).flatten().collect::<Vec<_>>().join(": ");
    if let Some(region) = region.or_else(|| part(&text, "Region")) {
        what.push_str(&format!(" (the bucket is in {region}: set AWS_REGION)"));
    }
    let code = code.unwrap_or_default();
    match status.as_u16() {
        404 if target == Target::Bucket || code == "NoSuchBucket" => Failure::NotFound(what),
        404 | 410 => Failure::NotFound(String::new()),
        // A version that was never given out.
        400 if target == Target::Version => Failure::NotFound(what),
        412 => Failure::Changed,
        416 => Failure::Unsatisfied,
        401 | 403 => Failure::Denied(what),
        405 | 501 => Failure::Unsupported(what),
        408 | 429 | 500.. => Failure::Busy { status: status.as_u16(), what, after },
        _ => Failure::Refused(what),
    }
}

/// The text of an element of a small document.
pub(crate) fn part(text: &str, name: &str) -> Option<String> {
    let rest = text.split_once(&format!("<{name}>"))?.1;
    Some(rest.split_once("</").map_or("", |(value, _)| value).trim().to_owned())
}
