//! Where objects are: a store and a prefix in it.

use crate::stated::{Keeping, asking};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ClientOptions, ObjectStore, RetryConfig};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Schemes, and whether names below them are parts of a URL, which are percent-encoded; keys of
/// stores are bytes as they are.
const SCHEMES: &[(&str, bool)] =
    &[("s3", false), ("s3a", false), ("gs", false), ("az", false), ("https", true), ("http", true)];

/// The stores of a run, each made once: a client holds its connections and credentials.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    found: HashMap<String, Arc<dyn ObjectStore>>,
    /// Whether they are asked for the headers of each object.
    pub(crate) stating: bool,
}

/// A store, and the part of it that is meant.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The key, or the start of the keys.
    pub(crate) path: Path,
    /// The prefix of a printed key: `s3://bucket`.
    root: String,
    encoded: bool,
    /// Whether only the objects below the path are meant, not an object of that name.
    pub(crate) folder: bool,
    /// Whether the store is asked for the headers of each object.
    pub(crate) stating: bool,
}

/// Why a name is not a location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocationError(String);

impl std::fmt::Display for LocationError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LocationError {}

fn scheme(operand: &[u8]) -> Option<(&'static str, bool)> {
    SCHEMES
        .iter()
        .copied()
        .find(|(scheme, _)| operand.strip_prefix(scheme.as_bytes()).is_some_and(|rest| rest.starts_with(b"://")))
}

impl Stores {
    /// The store and prefix that an operand names, with credentials and endpoints from the
    /// environment.
    ///
    /// # Errors
    /// When it names no bucket, or the environment makes no sense.
    pub(crate) fn find(&mut self, operand: &[u8]) -> Result<Location, LocationError> {
        let wrong = |why: &dyn std::fmt::Display| LocationError(why.to_string());
        let text = str::from_utf8(operand).map_err(|_| LocationError("keys of stores are UTF-8".into()))?;
        let (scheme, encoded) = scheme(operand).ok_or_else(|| LocationError("no scheme of a store".into()))?;
        let rest = &text[scheme.len() + 3..];
        let (host, key) = rest.split_once('/').unwrap_or((rest, ""));
        if host.is_empty() {
            return Err(LocationError(format!("a store's name follows {scheme}://")));
        }
        if encoded && (key.contains('?') || key.contains('#') || host.contains('@')) {
            return Err(LocationError(
                "an address with ?, # or @ is not taken: its key could not be distinguished from its options".into(),
            ));
        }
        let folder = key.is_empty() || key.ends_with('/');
        let path = if encoded { Path::from_url_path(key) } else { Path::parse(key) };
        let path = path.map_err(|error| wrong(&error))?;
        let root = format!("{scheme}://{host}");
        let store = match self.found.get(&root) {
            Some(store) => store.clone(),
            None => {
                let store = open(scheme, host, &root, self.stating)?;
                self.found.insert(root.clone(), store.clone());
                store
            }
        };
        Ok(Location { store, path, root, encoded, folder, stating: self.stating })
    }
}

impl Location {
    /// Whether it is a page of a web server.
    pub(crate) fn is_web(&self) -> bool {
        self.encoded
    }

    /// The name of a key that a store listed and that makes no path.
    pub(crate) fn raw_name(&self, key: &str) -> Vec<u8> {
        format!("{}/{key}", self.root).into_bytes()
    }

    /// The name of an object in output: the one that `find` takes for that object alone.
    pub(crate) fn name(&self, key: &Path) -> Vec<u8> {
        if !self.encoded {
            return format!("{}/{key}", self.root).into_bytes();
        }
        let mut url = Url::parse(&self.root).expect("it was parsed before");
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(key.parts().map(|part| part.as_ref().to_owned()));
        }
        String::from(url).into_bytes()
    }
}

/// The client of a store, with credentials and endpoints from the environment.
fn open(scheme: &str, host: &str, root: &str, stating: bool) -> Result<Arc<dyn ObjectStore>, LocationError> {
    let wrong = |why: &dyn std::fmt::Display| LocationError(why.to_string());
    crate::runtime::runtime().map_err(|error| wrong(&error))?;
    Ok(match scheme {
        "s3" | "s3a" => {
            let plain = ["AWS_ENDPOINT_URL", "AWS_ENDPOINT", "AWS_ENDPOINT_URL_S3"].iter();
            let plain = plain.filter_map(|name| std::env::var(name).ok()).any(|at| at.starts_with("http://"));
            let builder = AmazonS3Builder::from_env().with_bucket_name(host);
            let options = match stating {
                true => client(plain).with_default_headers(asking()),
                false => client(plain),
            };
            let builder = builder.with_client_options(options).with_retry(retry());
            let builder = builder.with_http_connector(Keeping(client(plain)));
            Arc::new(builder.build().map_err(|error| wrong(&error))?)
        }
        "gs" => {
            let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(host);
            let builder = builder.with_client_options(client(false)).with_retry(retry());
            let builder = builder.with_http_connector(Keeping(client(false)));
            Arc::new(builder.build().map_err(|error| wrong(&error))?)
        }
        "az" => {
            let builder = MicrosoftAzureBuilder::from_env().with_container_name(host);
            let builder = builder.with_client_options(client(false)).with_retry(retry());
            let builder = builder.with_http_connector(Keeping(client(false)));
            Arc::new(builder.build().map_err(|error| wrong(&error))?)
        }
        _ => {
            Url::parse(root).map_err(|error| wrong(&error))?;
            let builder = HttpBuilder::new().with_url(root);
            let builder = builder.with_client_options(client(scheme == "http")).with_retry(retry());
            let builder = builder.with_http_connector(Keeping(client(scheme == "http")));
            Arc::new(builder.build().map_err(|error| wrong(&error))?)
        }
    })
}

/// A request as a whole has no limit of time, as it may be of a gigabyte; its silence has one.
fn client(plain: bool) -> ClientOptions {
    ClientOptions::new()
        .with_allow_http(plain)
        .with_timeout_disabled()
        .with_connect_timeout(Duration::from_secs(10))
        .with_read_timeout(Duration::from_secs(60))
}

/// Nine attempts over half a minute.
fn retry() -> RetryConfig {
    let backoff =
        BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(10), base: 2. };
    RetryConfig { backoff, max_retries: 8, retry_timeout: Duration::from_secs(180) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let mut stores = Stores::default();
        let mut parse = |text: &str| stores.find(text.as_bytes()).unwrap();
        for (text, key, folder) in [
            ("s3://bucket/a/b c%20.txt", "a/b c%20.txt", false),
            ("s3://bucket/a/", "a", true),
            ("s3://bucket", "", true),
            ("http://127.0.0.1:8080/a%20b/ü", "a b/ü", false),
        ] {
            let location = parse(text);
            assert_eq!((location.path.as_ref(), location.folder), (key, folder), "{text}");
            let name = String::from_utf8(location.name(&location.path)).unwrap();
            assert_eq!(parse(&name).path, location.path, "{name}");
        }
        for text in ["s3://", "https://host/a?b=c", "ftp://host/a", "s3:/a", "az://c/a/../b"] {
            assert!(Stores::default().find(text.as_bytes()).is_err(), "{text}");
        }
    }
}
