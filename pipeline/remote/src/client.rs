//! One store: its requests, signed each time they are made, and asked again while it is busy.

use crate::answer::{Target, broken, failure};
use crate::patience::{Patience, Steadiness};
use crate::problem::{Failure, root};
use crate::session::Session;
use crate::sign::{Canonical, Keys, Scope, encode, now, path, query};
use object_store::aws::AwsCredentialProvider;
use object_store::azure::{AzureAuthorizer, AzureCredential};
use object_store::client::{HttpRequest, HttpRequestBody};
use object_store::gcp::GcpCredentialProvider;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response};
use std::time::Instant;
use url::Url;

/// Whose protocol a store speaks, and who asks.
#[derive(Debug)]
pub(crate) enum Protocol {
    Amazon {
        /// `None` for a public bucket.
        credentials: Option<AwsCredentialProvider>,
        region: String,
        /// Headers of every request, in lower case: of the requester who pays.
        always: Vec<(&'static str, String)>,
        /// Headers of every request of an object: of the customer's key.
        of_objects: Vec<(&'static str, String)>,
        /// Of a directory bucket.
        session: Option<Session>,
    },
    Google {
        credentials: Option<GcpCredentialProvider>,
    },
    Azure {
        credentials: Option<object_store::azure::AzureCredentialProvider>,
        account: String,
    },
    /// Pages of a web server; keys are parts of addresses, encoded already.
    Web,
}

impl Protocol {
    /// The parameter that names a version of an object; `None` if there are none.
    pub(crate) fn version(&self) -> Option<&'static str> {
        match self {
            Protocol::Amazon { .. } => Some("versionId"),
            Protocol::Google { .. } => Some("generation"),
            Protocol::Azure { .. } => Some("versionid"),
            Protocol::Web => None,
        }
    }
}

/// A store, its connections and credentials.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) protocol: Protocol,
    pub(crate) http: reqwest::Client,
    /// `https://host`, without the slash behind it.
    pub(crate) host: String,
    /// The bucket's path below it, encoded: `/bucket`, or nothing.
    pub(crate) bucket: String,
    pub(crate) steadiness: Steadiness,
    /// The advice for a user without credentials.
    pub(crate) missing: &'static str,
}

/// A request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask<'a> {
    pub method: Method,
    /// The object's; `None` for the bucket as a whole.
    pub key: Option<&'a str>,
    pub query: Vec<(&'static str, String)>,
    /// Names in lower case.
    pub headers: Vec<(&'static str, String)>,
}

/// The spelling of a path that is signed, where a slash of the key is sent encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spelling {
    /// As S3 reads it.
    Read,
    /// As it is sent: some servers sign that.
    Sent,
}

impl Client {
    /// An answer, which may be a failure of the store for good.
    pub(crate) async fn ask(&self, ask: &Ask<'_>, patience: &mut Patience) -> Result<Response, Failure> {
        let mut spelling = Spelling::Read;
        loop {
            let failure = match self.attempt(ask, spelling).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            let is_step = |key: &str| key.split('/').any(|part| matches!(part, "." | ".."));
            match &failure {
                Failure::Denied(what)
                    if spelling == Spelling::Read
                        // The answer to HEAD has no body that would say so.
                        && (what.contains("SignatureDoesNotMatch") || ask.method == Method::HEAD)
                        && ask.key.is_some_and(is_step) =>
                {
                    spelling = Spelling::Sent;
                }
                _ => self.wait(failure, patience).await?,
            }
        }
    }

    /// Waits until a failed request may be made again.
    pub(crate) async fn wait(&self, failure: Failure, patience: &mut Patience) -> Result<(), Failure> {
        match patience.pause(&failure, &self.steadiness, Instant::now()) {
            Some(pause) => tokio::time::sleep(pause).await,
            None => return Err(failure),
        }
        Ok(())
    }

    async fn attempt(&self, ask: &Ask<'_>, spelling: Spelling) -> Result<Response, Failure> {
        let request = self.request(ask, spelling).await?;
        let answer = self.http.execute(request).await.map_err(|error| broken(error, false))?;
        if !matches!(answer.status().as_u16(), 408 | 429 | 500..) {
            self.steadiness.answered(Instant::now());
        }
        match answer.status().is_success() {
            true => Ok(answer),
            false => {
                let is_version = ask.query.iter().any(|(name, _)| self.protocol.version() == Some(*name));
                let target = match ask.key {
                    None => Target::Bucket,
                    Some(_) if is_version => Target::Version,
                    Some(_) => Target::Object,
                };
                Err(failure(answer, target).await)
            }
        }
    }

    async fn request(&self, ask: &Ask<'_>, spelling: Spelling) -> Result<reqwest::Request, Failure> {
        let web = matches!(self.protocol, Protocol::Web);
        let (signed, sent) = match ask.key {
            // The address of a page is encoded already, and may have a query of its own.
            Some(key) if web => (String::new(), format!("/{key}")),
            Some(key) => path(&self.bucket, key),
            None if self.bucket.is_empty() => ("/".into(), "/".into()),
            None => (self.bucket.clone(), self.bucket.clone()),
        };
        let query = query(&ask.query);
        let mark = if query.is_empty() { "" } else { "?" };
        let text = format!("{}{sent}{mark}{query}", self.host);
        let url = Url::parse(&text).map_err(|error| Failure::Name(error.to_string()))?;
        // An address that is read as another one would be another object.
        if !web && url.path() != sent {
            return Err(Failure::Name("no request can name this key at this store".into()));
        }
        let mut headers = ask.headers.clone();
        let mut added = HeaderMap::new();
        let mut url = url;
        match &self.protocol {
            Protocol::Amazon { credentials, region, always, of_objects, session } => {
                headers.extend(always.iter().cloned());
                if ask.key.is_some() {
                    headers.extend(of_objects.iter().cloned());
                }
                if let Some(credentials) = credentials {
                    let found = credentials.get_credential().await;
                    let found = found.map_err(|error| self.missing(&error))?;
                    let (id, secret) = (&*found.key_id, &*found.secret_key);
                    let own = Keys { id, secret, token: found.token.as_deref(), is_session: false };
                    let held = match session {
                        Some(session) => Some(session.keys(&self.http, [&self.host, &self.bucket], own, region).await?),
                        None => None,
                    };
                    let keys = held.as_ref().map_or(own, |held| Keys {
                        id: &held.id,
                        secret: &held.secret,
                        token: Some(&held.token),
                        is_session: true,
                    });
                    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
                    let method = ask.method.as_str();
                    let path = if spelling == Spelling::Read { &signed } else { &sent };
                    let request = Canonical { method, host, path, query: &query, headers: &headers };
                    let service = if session.is_some() { "s3express" } else { "s3" };
                    headers.extend(request.headers(keys, Scope { region, service, now: now() }));
                }
            }
            Protocol::Google { credentials } => {
                if let Some(credentials) = credentials {
                    let found = credentials.get_credential().await;
                    let found = found.map_err(|error| self.missing(&error))?;
                    if !found.bearer.is_empty() {
                        headers.push(("authorization", format!("Bearer {}", found.bearer)));
                    }
                }
            }
            Protocol::Azure { credentials, account } => {
                let found = match credentials {
                    Some(credentials) => {
                        Some(credentials.get_credential().await.map_err(|error| self.missing(&error))?)
                    }
                    None => None,
                };
                (url, added) = azure(url, &ask.method, &headers, found.as_deref(), account)?;
            }
            Protocol::Web => {}
        }
        let mut request = reqwest::Request::new(ask.method.clone(), url);
        for (name, value) in &headers {
            let value =
                HeaderValue::from_str(value).map_err(|_| Failure::Refused(format!("{name} is not a header")))?;
            request.headers_mut().insert(HeaderName::from_static(name), value);
        }
        request.headers_mut().extend(added);
        Ok(request)
    }

    fn missing(&self, error: &object_store::Error) -> Failure {
        let why = root(error);
        // The addresses that a machine of a cloud has its role from.
        let of_machines = ["/latest/api/token", "/latest/meta-data", "computeMetadata", "/metadata/identity"];
        Failure::Credentials(match of_machines.iter().any(|part| why.contains(part)) {
            true => format!("{} (and this machine has no role)", self.missing),
            false => format!("the credentials cannot be had: {why}"),
        })
    }
}

/// The request of Azure's protocol: the address, which a signature may be a part of, and the
/// headers to add.
fn azure(
    url: Url,
    method: &Method,
    headers: &[(&'static str, String)],
    credential: Option<&AzureCredential>,
    account: &str,
) -> Result<(Url, HeaderMap), Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::Refused(error.to_string());
    // Canonical with the others, but given as a map that no name is in twice.
    let mut request = HttpRequest::new(HttpRequestBody::empty());
    *request.method_mut() = method.clone();
    *request.uri_mut() = url.as_str().parse().map_err(|_| Failure::Name("no address of a store".into()))?;
    for (name, value) in headers {
        let value = HeaderValue::from_str(value).map_err(|error| wrong(&error))?;
        request.headers_mut().insert(HeaderName::from_static(name), value);
    }
    // Names with characters that XML has not are given encoded from this version on.
    request.headers_mut().insert("x-ms-version", HeaderValue::from_static("2023-11-03"));
    if let Some(credential) = credential {
        AzureAuthorizer::new(credential, account).try_authorize(&mut request).map_err(|error| wrong(&error))?;
    }
    let url = Url::parse(&request.uri().to_string()).map_err(|error| wrong(&error))?;
    Ok((url, std::mem::take(request.headers_mut())))
}

/// The name of a bucket as a part of an address.
pub(crate) fn bucket(name: &str) -> String {
    format!("/{}", encode(name))
}
