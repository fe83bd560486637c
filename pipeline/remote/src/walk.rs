//! A listing, page after page to its end: by the store's tokens, or behind the last key where a
//! store says that more follows and gives no token.

use crate::answer::broken;
use crate::client::{Ask, Client, Protocol};
use crate::page::{Kind, Line, Page};
use crate::patience::Patience;
use crate::problem::Failure;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The keys of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Generations {
    /// Of the newest alone.
    Newest,
    /// Of each version.
    All,
}

/// The page that comes next.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Next {
    First,
    Token(String),
    /// Behind this key, by the older form of listings.
    Marker(String),
    /// Behind this key, by the newer form.
    StartAfter(String),
    /// Behind this version of this key.
    Version(String, Option<String>),
    /// The same as Google's own listing has it.
    Generation(String, Option<String>),
    End,
}

/// A listing on its way.
pub(crate) struct Walk<'a> {
    client: &'a Client,
    kind: Kind,
    prefix: &'a str,
    /// Whether the store refuses what the older form of listings does not have.
    is_old: bool,
    next: Next,
    /// The pages that were asked for, and the first keys that came, by hash: a store that gives a
    /// page again never ends.
    seen: HashSet<u64>,
    /// The last line of the page before.
    last: Option<(String, Option<String>)>,
}

const AGAIN: &str = "the listing is not whole: the store gives the same page again";
const CUT: &str =
    "the listing is not whole: the store has more objects, and goes on neither by a token nor behind a key";

impl Walk<'_> {
    pub(crate) fn new<'a>(client: &'a Client, prefix: &'a str, generations: Generations) -> Walk<'a> {
        let kind = match (&client.protocol, generations) {
            (Protocol::Azure { .. }, Generations::All) => Kind::BlobVersions,
            (Protocol::Azure { .. }, Generations::Newest) => Kind::Container,
            (Protocol::Google { .. }, Generations::All) => Kind::Generations,
            (_, Generations::All) => Kind::Versions,
            (_, Generations::Newest) => Kind::Bucket,
        };
        Walk { client, kind, prefix, is_old: false, next: Next::First, seen: HashSet::new(), last: None }
    }

    /// The lines of the next page; `None` behind the last.
    pub(crate) async fn page(&mut self) -> Result<Option<Vec<Line>>, Failure> {
        let page = match self.next.clone() {
            Next::End => return Ok(None),
            Next::Marker(key) => match self.behind(Next::Marker(key.clone())).await {
                // A store that knows only the newer form, and gives no tokens.
                Err(Failure::Listing(_) | Failure::Refused(_) | Failure::Unsupported(_)) => {
                    self.behind(Next::StartAfter(key)).await?
                }
                page => page?,
            },
            next @ Next::StartAfter(_) => self.behind(next).await?,
            Next::First if self.kind == Kind::Bucket => match self.fetch(&Next::First).await {
                Err(failure @ (Failure::Refused(_) | Failure::Unsupported(_))) => {
                    self.is_old = true;
                    self.fetch(&Next::First).await.map_err(|_| failure)?
                }
                page => page?,
            },
            next => self.fetch(&next).await?,
        };
        self.turn(page).map(Some)
    }

    /// A page behind a key, from a store that reads where it has to begin.
    async fn behind(&mut self, next: Next) -> Result<Page, Failure> {
        let mut page = self.fetch(&next).await?;
        let (Next::Marker(key) | Next::StartAfter(key)) = &next else { return Ok(page) };
        // The key itself may come again.
        if page.lines.first().is_some_and(|line| line.key == *key) {
            page.lines.remove(0);
        }
        let is_known = page.lines.first().is_some_and(|line| self.seen.contains(&hash(&line.key)));
        if is_known || page.lines.iter().any(|line| line.key == *key) {
            return Err(Failure::Listing(CUT.into()));
        }
        self.next = next;
        Ok(page)
    }

    async fn fetch(&self, next: &Next) -> Result<Page, Failure> {
        let mut query: Vec<(&'static str, String)> = match self.kind {
            Kind::Bucket if self.is_old => Vec::new(),
            Kind::Bucket if matches!(next, Next::Marker(_)) => vec![("encoding-type", "url".into())],
            // Names that XML cannot hold come encoded.
            Kind::Bucket => vec![("list-type", "2".into()), ("encoding-type", "url".into())],
            Kind::Versions | Kind::Generations => vec![("versions", String::new()), ("encoding-type", "url".into())],
            Kind::Container | Kind::BlobVersions => vec![("restype", "container".into()), ("comp", "list".into())],
        };
        if self.kind == Kind::BlobVersions {
            query.push(("include", "versions".into()));
        }
        if !self.prefix.is_empty() {
            query.push(("prefix", self.prefix.into()));
        }
        match next {
            Next::Token(token) if self.kind.is_of_blobs() => query.push(("marker", token.clone())),
            Next::Token(token) => query.push(("continuation-token", token.clone())),
            Next::Marker(key) => query.push(("marker", key.clone())),
            Next::StartAfter(key) => query.push(("start-after", key.clone())),
            Next::Version(key, version) => {
                query.push(("key-marker", key.clone()));
                query.extend(version.iter().map(|version| ("version-id-marker", version.clone())));
            }
            Next::Generation(key, version) => {
                query.push(("marker", key.clone()));
                query.extend(version.iter().map(|version| ("generation-marker", version.clone())));
            }
            Next::First | Next::End => {}
        }
        let ask = Ask { query, ..Ask::default() };
        let mut patience = Patience::default();
        loop {
            let answer = self.client.ask(&ask, &mut patience).await?;
            let text = match answer.bytes().await {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                // Half a page is none: it is asked for again as a whole.
                Err(error) => {
                    self.client.wait(broken(error, true), &mut patience).await?;
                    continue;
                }
            };
            // S3 may begin an answer, and end it with an error.
            let is_busy = ["SlowDown", "InternalError", "ServiceUnavailable", "RequestTimeout"]
                .iter()
                .any(|code| text.contains(&format!("<Code>{code}</Code>")));
            match self.kind.read(&text) {
                Err(failure) if is_busy => {
                    let busy = Failure::Busy { status: 200, what: failure.to_string(), after: None };
                    self.client.wait(busy, &mut patience).await.map_err(|_| failure)?;
                }
                page => return page,
            }
        }
    }

    /// Finds the page that follows, and drops a line that ends the page before.
    fn turn(&mut self, mut page: Page) -> Result<Vec<Line>, Failure> {
        let twice =
            |line: &Line| self.last.as_ref().is_some_and(|(key, version)| line.key == *key && line.version == *version);
        if page.lines.first().is_some_and(twice) {
            page.lines.remove(0);
        }
        let first = page.lines.first().map(|line| hash(&line.key));
        let last = page.lines.last().map(|line| (line.key.clone(), line.version.clone()));
        self.next = match (page.token, page.is_truncated) {
            (Some(token), _) => Next::Token(token),
            (None, false) => Next::End,
            (None, true) if matches!(self.kind, Kind::Versions | Kind::Generations) => {
                // Without a version to go on behind, all of the key's are passed over.
                let stated = page.marker.map(|marker| (marker, page.version_marker));
                let (key, version) = stated.or(last.clone()).ok_or_else(|| Failure::Listing(CUT.into()))?;
                match self.kind == Kind::Generations && !page.is_by_key {
                    true => Next::Generation(key, version),
                    false => Next::Version(key, version),
                }
            }
            (None, true) => {
                let key = page.marker.or_else(|| last.as_ref().map(|last| last.0.clone()));
                let key = key.ok_or_else(|| Failure::Listing(CUT.into()))?;
                match self.next {
                    Next::StartAfter(_) => Next::StartAfter(key),
                    _ => Next::Marker(key),
                }
            }
        };
        let is_new = match &self.next {
            Next::Token(token) => self.seen.insert(hash(&("token", token))),
            Next::Version(key, version) | Next::Generation(key, version) => {
                self.seen.insert(hash(&("version", key, version)))
            }
            Next::Marker(key) | Next::StartAfter(key) => self.seen.insert(hash(&("key", key))),
            Next::First | Next::End => true,
        };
        if !is_new {
            return Err(Failure::Listing(AGAIN.into()));
        }
        self.seen.extend(first);
        self.last = last.or(self.last.take());
        Ok(page.lines)
    }
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
