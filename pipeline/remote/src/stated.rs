//! The headers that a store states of an object in its answer to `HEAD`, which the client of the
//! store does not pass on by itself.

use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};
use object_store::{ClientOptions, HeaderMap, HeaderValue};
use std::pin::Pin;

/// Names of headers, in lower case, and their values.
pub(crate) type Headers = Vec<(Box<str>, Box<str>)>;

/// Headers that describe the bytes, or that say what another header is of.
const SINGLE: [&str; 9] = [
    "etag",
    "content-md5",
    "content-encoding",
    "x-ms-blob-content-md5",
    "x-goog-hash",
    "x-goog-stored-content-encoding",
    "x-amz-server-side-encryption",
    "x-amz-server-side-encryption-customer-algorithm",
    "x-amz-storage-class",
];
const CHECKSUMS: &str = "x-amz-checksum-";

/// Asks S3 for its checksums. The header is a part of the signed request.
pub(crate) fn asking() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert("x-amz-checksum-mode", HeaderValue::from_static("ENABLED"));
    headers
}

/// Connections whose answers keep their headers.
#[derive(Debug)]
pub(crate) struct Keeping(
    /// Without the headers of [`asking`]: the store's client adds those where it signs, and a
    /// request with one that is not signed is refused.
    pub(crate) ClientOptions,
);

impl HttpConnector for Keeping {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let inner = ReqwestConnector::default().connect(&self.0)?;
        Ok(HttpClient::new(Keeper(inner)))
    }
}

#[derive(Debug)]
struct Keeper(HttpClient);

type Answer<'a> = Pin<Box<dyn Future<Output = Result<HttpResponse, HttpError>> + Send + 'a>>;

impl HttpService for Keeper {
    // As the trait's macro writes it.
    fn call<'life0, 'async_trait>(&'life0 self, request: HttpRequest) -> Answer<'async_trait>
    where
        'life0: 'async_trait,
        Self: 'async_trait,
    {
        Box::pin(async move {
            let mut answer = self.0.execute(request).await?;
            let kept = kept(answer.headers());
            answer.extensions_mut().insert(kept);
            Ok(answer)
        })
    }
}

fn kept(headers: &HeaderMap) -> Headers {
    let about = |name: &str| SINGLE.contains(&name) || name.starts_with(CHECKSUMS);
    let found = headers.iter().filter(|(name, _)| about(name.as_str()));
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into();
    found.map(|(name, value)| (name.as_str().into(), text(value))).collect()
}
