//! The bytes of an object, in ranges or as a whole, each answer proved to be of that object.

use crate::problem::{changed, problem};
use crate::stated::Headers;
use bytes::Bytes;
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectStore};
use pfh_source::{Cause, Problem, Stage, StoreAnswer};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Bytes of a range. Stores answer a range of some megabytes at the speed of the connection.
const RANGE: u64 = 4 << 20;
/// Ranges of one object that are on their way at once: 32 MiB.
const AT_ONCE: usize = 8;

/// An object as it was listed.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub store: Arc<dyn ObjectStore>,
    pub key: Path,
    pub size: u64,
    /// The entity tag, if it is a strong one. A weak tag (RFC 9110, section 8.8.1) is the same for
    /// different bytes.
    pub tag: Option<String>,
    pub version: Option<String>,
    /// The headers that the store states of it, once it was asked; `None` if nobody wants to know.
    pub stated: Option<Arc<OnceLock<Headers>>>,
}

impl Listed {
    pub(crate) fn new(store: Arc<dyn ObjectStore>, found: object_store::ObjectMeta, stating: bool) -> Listed {
        let stated = stating.then(Arc::default);
        let tag = found.e_tag.filter(|tag| !tag.starts_with("W/") && !tag.is_empty());
        Listed { store, key: found.location, size: found.size, tag, version: found.version, stated }
    }

    /// Asks the store for its headers of this very object, unless they are known or nobody wants
    /// them.
    pub(crate) async fn state(&self) -> Result<(), Problem> {
        let Some(stated) = self.stated.as_ref().filter(|stated| stated.get().is_none()) else { return Ok(()) };
        let options = GetOptions {
            head: true,
            if_match: self.tag.clone(),
            version: self.version.clone(),
            ..GetOptions::default()
        };
        let answer = self.store.get_opts(&self.key, options).await;
        let answer = answer.map_err(|error| problem(Stage::Open, None, &error))?;
        if (self.tag.is_some() && answer.meta.e_tag != self.tag) || answer.meta.size != self.size {
            return Err(changed(0));
        }
        let _ = stated.set(answer.extensions.get::<Headers>().cloned().unwrap_or_default());
        Ok(())
    }

    /// All bytes in order, in pieces.
    pub(crate) fn pieces(self) -> impl Stream<Item = Result<Bytes, Problem>> + Send + 'static {
        // Without a tag, nobody knows whether two answers are of one object: it comes in one answer
        // then, and is not asked for again in the middle.
        let ranges: Vec<Option<Range<u64>>> = match self.size {
            _ if self.tag.is_none() => vec![None],
            0 => vec![None],
            size => (0..size.div_ceil(RANGE)).map(|n| Some(n * RANGE..size.min((n + 1) * RANGE))).collect(),
        };
        let alone = ranges.len() == 1;
        let listed = Arc::new(self);
        let whole = ranges.into_iter().map(move |range| {
            let listed = listed.clone();
            async move {
                if alone {
                    return listed.flowing().await.map(StreamExt::boxed);
                }
                let bytes = listed.range(range.unwrap_or_default()).await?;
                Ok(stream::once(async { Ok(bytes) }).boxed())
            }
        });
        stream::iter(whole).buffered(AT_ONCE).try_flatten()
    }

    async fn ask(&self, range: Option<Range<u64>>) -> Result<GetResult, Problem> {
        let offset = range.as_ref().map_or(0, |range| range.start);
        let options = GetOptions {
            if_match: self.tag.clone(),
            version: self.version.clone(),
            range: range.map(GetRange::Bounded),
            ..GetOptions::default()
        };
        let answer = self.store.get_opts(&self.key, options).await;
        let answer = answer.map_err(|error| problem(Stage::Read, Some(offset), &error))?;
        // A server may pass over If-Match.
        let other_tag = self.tag.is_some() && answer.meta.e_tag != self.tag;
        match other_tag || answer.meta.size != self.size {
            true => Err(changed(offset)),
            false => Ok(answer),
        }
    }

    /// One range. An answer that breaks off is asked for again by the store's client, with the same
    /// tag.
    async fn range(&self, range: Range<u64>) -> Result<Bytes, Problem> {
        let answer = self.ask(Some(range.clone())).await?;
        let bytes = answer.bytes().await.map_err(|error| problem(Stage::Read, Some(range.start), &error))?;
        match bytes.len() as u64 == range.end - range.start {
            true => Ok(bytes),
            false => Err(short(range.start, range.end - range.start, bytes.len() as u64)),
        }
    }

    /// The whole in one answer, as it comes.
    async fn flowing(self: Arc<Self>) -> Result<impl Stream<Item = Result<Bytes, Problem>> + Send + 'static, Problem> {
        let size = self.size;
        let answer = self.ask(None).await?;
        let pieces = answer.into_stream();
        let state = (pieces, 0_u64);
        Ok(stream::try_unfold(state, move |(mut pieces, read)| async move {
            match pieces.next().await {
                Some(Ok(piece)) => {
                    let read = read + piece.len() as u64;
                    if read > size {
                        return Err(short(read, size, read));
                    }
                    Ok(Some((piece, (pieces, read))))
                }
                Some(Err(error)) => Err(problem(Stage::Read, Some(read), &error)),
                None if read == size => Ok(None),
                None => Err(short(read, size, read)),
            }
        }))
    }
}

/// Fewer or more bytes came than the answer promised.
fn short(offset: u64, stated: u64, read: u64) -> Problem {
    let what = format!("{read} bytes came where the store states {stated}");
    Problem::new(Stage::Read, Cause::Store { answer: StoreAnswer::Truncated, what: what.into() }).at(offset)
}
