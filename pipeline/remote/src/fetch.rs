//! The bytes of an object, in ranges or as a whole, each answer proved to be of that object.

use crate::answer::broken;
use crate::client::{Ask, Client, Protocol};
use crate::patience::Patience;
use crate::problem::Failure;
use crate::stated::{Headers, asking, kept};
use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use pfh_source::{Problem, Stage};
use reqwest::{Method, Response};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Bytes of a range. Stores answer a range of some megabytes at the speed of the connection.
const RANGE: u64 = 4 << 20;
/// Ranges of one object that are on their way at once: 32 MiB.
const AT_ONCE: usize = 8;

/// An object as it was listed.
#[derive(Debug, Clone)]
pub(crate) struct ListedObject {
    pub client: Arc<Client>,
    pub key: String,
    pub size: u64,
    /// The entity tag, if it is a strong one. A weak tag (RFC 9110, section 8.8.1) is the same for
    /// different bytes.
    pub tag: Option<String>,
    pub version: Option<String>,
    /// The headers that the store states of it, once it was asked; `None` if nobody wants to know.
    pub stated: Option<Arc<OnceLock<Headers>>>,
}

/// An object as its store describes it.
#[derive(Debug, Clone)]
pub(crate) struct Object {
    pub key: String,
    pub size: u64,
    pub tag: Option<String>,
    pub version: Option<String>,
}

/// A tag that one object alone has, as headers have it: pages of listings may leave out the quotes.
fn strong(tag: Option<String>) -> Option<String> {
    let tag = tag.filter(|tag| !tag.starts_with("W/") && !tag.is_empty())?;
    Some(if tag.starts_with('"') { tag } else { format!("\"{tag}\"") })
}

/// The size, tag and range in the headers of an answer.
struct Head {
    length: Option<u64>,
    tag: Option<String>,
    /// First byte, last byte and size of the whole.
    range: Option<(u64, u64, u64)>,
}

impl Head {
    fn of(answer: &Response) -> Head {
        let text = |name: &str| answer.headers().get(name).and_then(|value| value.to_str().ok());
        let range = text("content-range").and_then(|range| {
            let (range, size) = range.strip_prefix("bytes ")?.split_once('/')?;
            let (first, last) = range.split_once('-')?;
            Some((first.trim().parse().ok()?, last.trim().parse().ok()?, size.trim().parse().ok()?))
        });
        Head {
            length: text("content-length").and_then(|length| length.trim().parse().ok()),
            tag: text("etag").map(str::to_owned),
            range,
        }
    }
}

/// Asks for an object's size, tag and headers.
pub(crate) async fn head(client: &Client, key: &str, version: Option<&str>) -> Result<(Object, Headers), Failure> {
    describe(client, key, version, None, false).await
}

async fn describe(
    client: &Client,
    key: &str,
    version: Option<&str>,
    tag: Option<&str>,
    stating: bool,
) -> Result<(Object, Headers), Failure> {
    let mut ask = Ask { method: Method::HEAD, key: Some(key), ..Ask::default() };
    ask.query.extend(client.protocol.version().zip(version.map(str::to_owned)));
    ask.headers.extend(tag.map(|tag| ("if-match", tag.to_owned())));
    if stating && matches!(client.protocol, Protocol::Amazon { .. }) {
        ask.headers.push(asking());
    }
    let is_web = matches!(client.protocol, Protocol::Web);
    // The signature of such an address is of one method, which is GET.
    let is_signed = is_web && key.contains('?');
    let answer = match is_signed {
        true => Err(Failure::Unsupported(String::new())),
        false => client.ask(&ask, &mut Patience::default()).await,
    };
    let (answer, is_part) = match answer {
        // A server may refuse to describe what it gives: the first byte says as much.
        Err(Failure::Unsupported(_) | Failure::Denied(_) | Failure::NotFound(_) | Failure::Refused(_)) if is_web => {
            ask.method = Method::GET;
            ask.headers.push(("range", "bytes=0-0".into()));
            match client.ask(&ask, &mut Patience::default()).await {
                Err(Failure::Unsatisfied) => {
                    // It is empty: no byte can be given.
                    ask.headers.pop();
                    (client.ask(&ask, &mut Patience::default()).await?, true)
                }
                answer => (answer?, true),
            }
        }
        answer => (answer?, false),
    };
    let Head { length, tag, range } = Head::of(&answer);
    let size = match (answer.status().as_u16(), range) {
        (206, Some((_, _, size))) if is_part => Some(size),
        (200, _) => length,
        _ => None,
    };
    let size = size.ok_or_else(|| Failure::Refused("the server does not state the size".into()))?;
    let headers = kept(answer.headers());
    let object = Object { key: key.to_owned(), size, tag, version: version.map(str::to_owned) };
    Ok((object, headers))
}

impl ListedObject {
    pub(crate) fn new(client: Arc<Client>, object: Object, stating: bool) -> ListedObject {
        let stated = stating.then(Arc::default);
        let Object { key, size, tag, version } = object;
        ListedObject { client, key, size, tag: strong(tag), version, stated }
    }

    /// Asks the store for its headers of this very object, unless they are known or nobody wants
    /// them.
    pub(crate) async fn state(&self) -> Result<(), Problem> {
        let Some(stated) = self.stated.as_ref().filter(|stated| stated.get().is_none()) else { return Ok(()) };
        let answer = describe(&self.client, &self.key, self.version.as_deref(), self.tag.as_deref(), true).await;
        let (object, headers) = answer.map_err(|failure| failure.problem(Stage::Open, None))?;
        if (self.tag.is_some() && strong(object.tag) != self.tag) || object.size != self.size {
            return Err(Failure::Changed.problem(Stage::Read, Some(0)));
        }
        let _ = stated.set(headers);
        Ok(())
    }

    /// All bytes in order, in pieces.
    pub(crate) fn pieces(self) -> impl Stream<Item = Result<Bytes, Problem>> + Send + 'static {
        let size = self.size;
        // Without a tag, nobody knows whether two answers are of one object: it comes in one answer
        // then, and is not asked for again in the middle.
        let length = if self.tag.is_some() && size > RANGE { RANGE } else { size.max(1) };
        let ranges = (0..size.div_ceil(length).max(1)).map(move |n| n * length..size.min((n + 1) * length));
        let is_one = size <= length;
        let listed = Arc::new(self);
        let whole = ranges.map(move |range| {
            let (listed, start) = (listed.clone(), range.start);
            async move {
                let problem = move |(offset, failure): (u64, Failure)| failure.problem(Stage::Read, Some(offset));
                if is_one {
                    return Ok::<BoxStream<'static, _>, Problem>(listed.flow(range).map_err(problem).boxed());
                }
                let bytes =
                    listed.flow(range.clone()).map_err(problem).try_fold(Vec::new(), |mut all, piece| async move {
                        all.extend_from_slice(&piece);
                        Ok(all)
                    });
                let bytes = bytes.await?;
                debug_assert_eq!((bytes.len() as u64, start), (range.end - start, range.start));
                Ok(stream::once(async { Ok(Bytes::from(bytes)) }).boxed())
            }
        });
        stream::iter(whole).buffered(AT_ONCE).try_flatten()
    }

    /// A range as it comes. An answer that breaks off is gone on with by another, of the same tag.
    fn flow(self: Arc<Self>, range: Range<u64>) -> impl Stream<Item = Result<Bytes, (u64, Failure)>> + Send + 'static {
        let flow = Flow { listed: self, at: range.start, range, body: None, patience: Patience::default() };
        stream::try_unfold(flow, |mut flow| async move {
            let piece = flow.next().await.map_err(|failure| (flow.at, failure))?;
            Ok(piece.map(|piece| (piece, flow)))
        })
    }
}

struct Flow {
    listed: Arc<ListedObject>,
    range: Range<u64>,
    /// The offset of the next byte.
    at: u64,
    body: Option<BoxStream<'static, Result<Bytes, reqwest::Error>>>,
    patience: Patience,
}

impl Flow {
    async fn next(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let body = match &mut self.body {
                Some(body) => body,
                None => {
                    let answer = self.open().await?;
                    self.body.insert(answer.bytes_stream().boxed())
                }
            };
            match body.next().await {
                Some(Ok(piece)) if piece.is_empty() => {}
                Some(Ok(piece)) => {
                    self.at += piece.len() as u64;
                    if self.at > self.range.end {
                        return Err(self.length());
                    }
                    // Bytes are progress: the next break has all of the patience.
                    self.patience = Patience::default();
                    return Ok(Some(piece));
                }
                None if self.at == self.range.end => return Ok(None),
                None => return Err(self.length()),
                Some(Err(error)) => {
                    let failure = broken(error, true);
                    if self.listed.tag.is_none() && self.at > 0 {
                        return Err(failure);
                    }
                    self.body = None;
                    self.listed.client.wait(failure, &mut self.patience).await?;
                }
            }
        }
    }

    /// Fewer or more bytes came than the answer promised.
    fn length(&self) -> Failure {
        let (read, stated) = (self.at - self.range.start, self.range.end - self.range.start);
        Failure::Length(format!("{read} bytes came where the store states {stated}"))
    }

    /// The answer with the bytes from here on.
    async fn open(&mut self) -> Result<Response, Failure> {
        let ListedObject { client, key, size, tag, version, .. } = &*self.listed;
        let mut ask = Ask { key: Some(key), ..Ask::default() };
        ask.query.extend(client.protocol.version().zip(version.clone()));
        ask.headers.extend(tag.iter().map(|tag| ("if-match", tag.clone())));
        let is_part = self.at > 0 || self.range.end < *size;
        if is_part {
            ask.headers.push(("range", format!("bytes={}-{}", self.at, self.range.end - 1)));
        }
        let answer = client.ask(&ask, &mut self.patience).await?;
        let Head { length, tag: now, range } = Head::of(&answer);
        // A server may pass over If-Match.
        if tag.is_some() && strong(now) != *tag {
            return Err(Failure::Changed);
        }
        let whole = match (answer.status().as_u16(), range) {
            (206, Some((first, last, whole))) if is_part => {
                if (first, last) != (self.at, self.range.end - 1) && whole == *size {
                    let what =
                        format!("bytes {first} to {last} came in place of {} to {}", self.at, self.range.end - 1);
                    return Err(Failure::Refused(what));
                }
                Some(whole)
            }
            (200, _) if !is_part => length,
            (200, _) => return Err(Failure::Refused("the server gives no part of an object".into())),
            (status, _) => return Err(Failure::Refused(format!("the answer to a request of bytes is {status}"))),
        };
        match whole {
            Some(whole) if whole != *size => Err(Failure::Changed),
            _ => Ok(answer),
        }
    }
}
