//! Answers of a store before its client reads them: the headers of an object in the answer to
//! `HEAD`, which the client does not pass on, the pages of listings, and the pause that a busy
//! store asks for.

use crate::page::{Kind, keep};
use bytes::Bytes;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};
use object_store::{ClientConfigKey, ClientOptions, HeaderMap, HeaderValue};
use std::pin::Pin;
use std::time::Duration;

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
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let mut own = self.0.clone();
        // The credentials of machines and containers come from addresses without TLS, and at once.
        for key in [ClientConfigKey::AllowHttp, ClientConfigKey::ConnectTimeout] {
            if let Some(value) = options.get_config_value(&key) {
                own = own.with_config(key, value);
            }
        }
        let inner = ReqwestConnector::default().connect(&own)?;
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
            let page = Kind::of(&request);
            let mut answer = self.0.execute(request).await?;
            if [429, 503].contains(&answer.status().as_u16()) {
                tokio::time::sleep(pause(answer.headers())).await;
            }
            let kept = kept(answer.headers());
            answer.extensions_mut().insert(kept);
            match page {
                Some(page) if answer.status().as_u16() == 200 => read(page, answer).await,
                _ => Ok(answer),
            }
        })
    }
}

/// How long a store that is busy asks to be left alone (RFC 9110, 10.2.3), a minute at most; dates
/// are passed over. The client waits by itself beyond that.
fn pause(headers: &HeaderMap) -> Duration {
    let stated = headers.get("retry-after").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    Duration::from_secs(stated.unwrap_or(0)).min(Duration::from_secs(60))
}

/// A page of a listing, without the keys that come [aside](crate::page::Aside).
async fn read(page: Kind, answer: HttpResponse) -> Result<HttpResponse, HttpError> {
    let (mut head, body) = answer.into_parts();
    let bytes = body.bytes().await?;
    let (text, asides) = page
        .read(&String::from_utf8_lossy(&bytes))
        .map_err(|no_page| HttpError::new(HttpErrorKind::Decode, no_page))?;
    keep(asides);
    // It has another length now.
    head.headers.remove("content-length");
    Ok(HttpResponse::from_parts(head, Bytes::from(text).into()))
}

fn kept(headers: &HeaderMap) -> Headers {
    let about = |name: &str| SINGLE.contains(&name) || name.starts_with(CHECKSUMS);
    let found = headers.iter().filter(|(name, _)| about(name.as_str()));
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into();
    found.map(|(name, value)| (name.as_str().into(), text(value))).collect()
}
