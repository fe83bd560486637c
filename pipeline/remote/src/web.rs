//! Folders of a web server that speaks WebDAV.

use crate::fetch::Object;
use crate::location::Location;
use crate::problem::{Failure, root};
use futures_util::TryStreamExt;
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{ClientOptions, Error, ObjectStore, RetryConfig};
use std::time::Duration;
use url::Url;

/// All objects below a folder, by their addresses.
pub(crate) async fn below(location: &Location) -> Result<Vec<Object>, Failure> {
    let failure = |error: Error| match &error {
        Error::NotFound { .. } => Failure::NotFound(String::new()),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => Failure::Denied(root(&error)),
        error => Failure::Listing(format!("the folder is not listed: {}", root(error))),
    };
    let host = &location.client.host;
    let options = ClientOptions::new()
        .with_allow_http(host.starts_with("http://"))
        .with_timeout_disabled()
        .with_connect_timeout(Duration::from_secs(10))
        .with_read_timeout(Duration::from_secs(60));
    let retry = RetryConfig { retry_timeout: Duration::from_secs(100), ..RetryConfig::default() };
    let store = HttpBuilder::new().with_url(host).with_client_options(options).with_retry(retry);
    let store = store.build().map_err(failure)?;
    let folder = Path::from_url_path(&location.key).map_err(|error| Failure::Name(error.to_string()))?;
    let found: Vec<_> = store.list(Some(&folder)).try_collect().await.map_err(failure)?;
    let mut url = Url::parse(host).map_err(|error| Failure::Name(error.to_string()))?;
    let mut objects = Vec::with_capacity(found.len());
    for found in found {
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.clear().extend(found.location.parts().map(|part| part.as_ref().to_owned()));
        }
        let key = url.path().trim_start_matches('/').to_owned();
        objects.push(Object { key, size: found.size, tag: found.e_tag, version: None });
    }
    Ok(objects)
}
