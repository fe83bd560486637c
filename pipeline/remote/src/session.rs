//! Directory buckets of Amazon (S3 Express): requests are signed by the keys of a session, which is
//! asked for first and lasts five minutes.

use crate::answer::{broken, part};
use crate::problem::Failure;
use crate::sign::{Canonical, Keys, Scope, now};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use url::Url;

/// A session is replaced before it ends.
const AGE: Duration = Duration::from_secs(240);

/// The keys of a session.
#[derive(Debug, Clone)]
pub(crate) struct SessionKeys {
    pub id: String,
    pub secret: String,
    pub token: String,
}

/// The session of a bucket.
#[derive(Debug, Default)]
pub(crate) struct Session(Mutex<Option<(Instant, SessionKeys)>>);

impl Session {
    /// Its keys, which the account's keys are asked for.
    pub(crate) async fn keys(
        &self,
        http: &reqwest::Client,
        [host, bucket]: [&str; 2],
        account: Keys<'_>,
        region: &str,
    ) -> Result<SessionKeys, Failure> {
        let mut held = self.0.lock().await;
        if let Some((_, keys)) = held.as_ref().filter(|(since, _)| since.elapsed() < AGE) {
            return Ok(keys.clone());
        }
        let path = if bucket.is_empty() { "/" } else { bucket };
        let url = Url::parse(&format!("{host}{path}?session="));
        let url = url.map_err(|error| Failure::Name(error.to_string()))?;
        let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
        let mode = [("x-amz-create-session-mode", "ReadOnly".to_owned())];
        let signed = Canonical { method: "GET", host, path, query: "session=", headers: &mode };
        let scope = Scope { region, service: "s3express", now: now() };
        let headers = mode.iter().cloned().chain(signed.headers(account, scope));
        let request = headers.fold(http.get(url.clone()), |request, (name, value)| request.header(name, value));
        let answer = request.send().await.map_err(|error| broken(error, false))?;
        let status = answer.status();
        let text = answer.text().await.map_err(|error| broken(error, true))?;
        let found = (part(&text, "AccessKeyId"), part(&text, "SecretAccessKey"), part(&text, "SessionToken"));
        match found {
            (Some(id), Some(secret), Some(token)) if status.is_success() => {
                let keys = SessionKeys { id, secret, token };
                *held = Some((Instant::now(), keys.clone()));
                Ok(keys)
            }
            _ if status.is_server_error() => {
                Err(Failure::Busy { status: status.as_u16(), what: status.to_string(), after: None })
            }
            _ => {
                let why = part(&text, "Code").unwrap_or_default();
                Err(Failure::Denied(format!("no session of a directory bucket: {status} {why}")))
            }
        }
    }
}
