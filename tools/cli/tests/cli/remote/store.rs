//! A small store of Amazon's protocol, with the faults that real ones have. It answers by keys as
//! they were asked for, and keeps what it was asked.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// How a store goes on behind a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// By tokens: ListObjectsV2.
    Tokens,
    /// Behind `marker`: ListObjects, even where ListObjectsV2 is asked for.
    Marker,
    /// Behind `start-after`, and without tokens.
    StartAfter,
    /// With the first page, always.
    Nowhere,
    /// As Google's XML interface lists versions.
    Generations,
    /// By Azure's protocol.
    Blobs,
}

#[derive(Debug, Clone, Default)]
pub struct Object {
    pub key: String,
    pub bytes: Vec<u8>,
    pub headers: Vec<(&'static str, String)>,
    pub version: Option<&'static str>,
    pub is_deleted: bool,
}

#[derive(Debug, Clone)]
pub struct Request {
    pub method: String,
    /// As it was sent, with the query.
    pub target: String,
    /// Behind the bucket; empty for the bucket itself.
    pub key: String,
    pub query: BTreeMap<String, String>,
    pub headers: BTreeMap<String, String>,
    /// How many requests of that method and key came before.
    pub number: usize,
    /// The number of the page, for a listing.
    pub page: Option<usize>,
}

#[derive(Debug, Clone, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn new(status: u16, body: impl Into<Vec<u8>>) -> Answer {
        Answer { status, headers: Vec::new(), body: body.into() }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Answer {
        self.headers.push((name, value.into()));
        self
    }
}

/// A fault: the answer in place of the right one, if there is any.
pub type Fault = Box<dyn Fn(&Request) -> Option<Answer> + Send + Sync>;

pub struct Store {
    /// In the order of the keys, and of one key the newest first.
    pub objects: Vec<Object>,
    pub form: Form,
    pub page: usize,
    /// Whether keys are encoded where that is asked for.
    pub encodes: bool,
    pub fault: Fault,
}

impl Store {
    /// A store of objects whose content is their key.
    pub fn of(keys: &[&str]) -> Store {
        let object = |key: &&str| Object { key: (*key).into(), bytes: key.as_bytes().to_vec(), ..Object::default() };
        let mut objects: Vec<Object> = keys.iter().map(object).collect();
        objects.sort_by(|a, b| a.key.cmp(&b.key));
        Store { objects, form: Form::Tokens, page: 3, encodes: true, fault: Box::new(|_| None) }
    }

    pub fn fault(mut self, fault: impl Fn(&Request) -> Option<Answer> + Send + Sync + 'static) -> Store {
        self.fault = Box::new(fault);
        self
    }

    pub fn serve(self) -> Running {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new((self, Mutex::new(Vec::new())));
        let kept = shared.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let shared = shared.clone();
                std::thread::spawn(move || answer(client, &shared.0, &shared.1));
            }
        });
        Running { port, shared: kept }
    }

    fn list(&self, request: &Request) -> Answer {
        if self.form == Form::Blobs {
            return self.list_blobs(request);
        }
        let query = |name: &str| request.query.get(name).map_or("", String::as_str);
        let below = self.objects.iter().filter(|object| object.key.starts_with(query("prefix")));
        let is_versions = request.query.contains_key("versions");
        let mut below: Vec<&Object> = below.collect();
        if !is_versions {
            below.dedup_by(|next, newest| next.key == newest.key);
            below.retain(|object| !object.is_deleted);
        }
        let after = |key: &str| below.iter().position(|object| *object.key > *key).unwrap_or(below.len());
        let start = match (self.form, is_versions) {
            (Form::Generations, true) => query("generation-marker").parse().unwrap_or(0),
            (_, true) => query("version-id-marker").parse().unwrap_or(0),
            (Form::Tokens | Form::Generations, _) => query("continuation-token").parse().unwrap_or(0),
            (Form::Marker, _) => after(query("marker")),
            (Form::StartAfter, _) if query("list-type") == "2" => after(query("start-after")),
            (Form::StartAfter | Form::Nowhere | Form::Blobs, _) => 0,
        };
        let end = below.len().min(start + self.page);
        let is_encoded = self.encodes && query("encoding-type") == "url";
        let shown = |key: &str| match is_encoded {
            true => encoded(key).replace("%2F", "/").replace("%20", "+"),
            false => key.chars().fold(String::new(), |text, c| match c {
                c if c.is_control() || "<>&".contains(c) => format!("{text}&#{};", c as u32),
                c => format!("{text}{c}"),
            }),
        };
        let mut page = format!("<IsTruncated>{}</IsTruncated>", end < below.len());
        if is_encoded {
            page += "<EncodingType>url</EncodingType>";
        }
        let is_more = end < below.len();
        if is_more && is_versions && self.form == Form::Generations {
            let last = shown(&below[end - 1].key);
            page += &format!("<NextMarker>{last}</NextMarker><NextGenerationMarker>{end}</NextGenerationMarker>");
        } else if is_more && is_versions {
            let last = shown(&below[end - 1].key);
            page += &format!("<NextKeyMarker>{last}</NextKeyMarker><NextVersionIdMarker>{end}</NextVersionIdMarker>");
        } else if is_more && matches!(self.form, Form::Tokens | Form::Generations) {
            page += &format!("<NextContinuationToken>{end}</NextContinuationToken>");
        }
        for object in &below[start..end] {
            let element = match (is_versions, object.is_deleted) {
                (true, true) => "DeleteMarker",
                (true, false) => "Version",
                (false, _) => "Contents",
            };
            let version = object.version.filter(|_| is_versions).unwrap_or("null");
            let id = if self.form == Form::Generations { "Generation" } else { "VersionId" };
            page += &format!(
                "<{element}><Key>{}</Key><{id}>{version}</{id}>\
                 <LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;{}&quot;</ETag><Size>{}</Size></{element}>",
                shown(&object.key),
                tag(&object.bytes),
                object.bytes.len()
            );
        }
        let is_own = is_versions && self.form != Form::Generations;
        let root = if is_own { "ListVersionsResult" } else { "ListBucketResult" };
        Answer::new(200, format!("<?xml version='1.0'?><{root}><Name>bucket</Name>{page}</{root}>"))
    }

    /// The oldest version of a name comes first, and the base blob may be none.
    fn list_blobs(&self, request: &Request) -> Answer {
        let query = |name: &str| request.query.get(name).map_or("", String::as_str);
        let mut below: Vec<&Object> =
            self.objects.iter().filter(|object| object.key.starts_with(query("prefix"))).collect();
        match query("include") {
            "versions" => below.sort_by(|a, b| (&a.key, a.version).cmp(&(&b.key, b.version))),
            _ => below.dedup_by(|next, newest| next.key == newest.key),
        }
        let start = query("marker").parse().unwrap_or(0);
        let end = below.len().min(start + self.page);
        let mut blobs = String::new();
        for object in &below[start..end] {
            let version = object.version.filter(|_| query("include") == "versions");
            let version = version.map(|version| format!("<VersionId>{version}</VersionId>")).unwrap_or_default();
            blobs += &format!(
                "<Blob><Name>{}</Name>{version}<Properties><Content-Length>{}</Content-Length><Etag>{}</Etag>\
                 </Properties></Blob>",
                object.key,
                object.bytes.len(),
                tag(&object.bytes)
            );
        }
        let next = if end < below.len() { format!("<NextMarker>{end}</NextMarker>") } else { "<NextMarker/>".into() };
        let root = "EnumerationResults";
        Answer::new(200, format!("<?xml version='1.0'?><{root}><Blobs>{blobs}</Blobs>{next}</{root}>"))
    }

    fn object(&self, request: &Request) -> Answer {
        let version = request.query.get(match self.form {
            Form::Generations => "generation",
            Form::Blobs => "versionid",
            _ => "versionId",
        });
        let is_it = |object: &&Object| match version {
            Some(version) => object.key == request.key && object.version.unwrap_or("null") == version,
            None => object.key == request.key,
        };
        let Some(object) = self.objects.iter().find(is_it).filter(|object| !object.is_deleted) else {
            return Answer::new(404, "<Error><Code>NoSuchKey</Code><Message>none</Message></Error>");
        };
        let tag = format!("\"{}\"", tag(&object.bytes));
        if request.headers.get("if-match").is_some_and(|wanted| *wanted != tag) {
            return Answer::new(412, "<Error><Code>PreconditionFailed</Code></Error>");
        }
        let mut answer = Answer::new(200, object.bytes.clone()).with("ETag", tag);
        answer.headers.extend(object.headers.iter().cloned());
        if let Some(range) = request.headers.get("range").filter(|_| request.method == "GET") {
            let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            let size = object.bytes.len();
            if first >= size {
                return Answer::new(416, "").with("Content-Range", format!("bytes */{size}"));
            }
            let last = last.min(size - 1);
            answer.status = 206;
            answer.body = object.bytes[first..=last].to_vec();
            answer = answer.with("Content-Range", format!("bytes {first}-{last}/{size}"));
        }
        answer
    }
}

/// A tag that says which object it is of.
pub fn tag(bytes: &[u8]) -> String {
    let of = bytes.iter().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    format!("{of:016x}-x")
}

pub struct Running {
    pub port: u16,
    shared: Arc<(Store, Mutex<Vec<Request>>)>,
}

impl Running {
    /// All requests so far.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.1.lock().unwrap().clone()
    }
}

fn encoded(text: &str) -> String {
    let one = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(one).collect()
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), text.bytes());
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                u8::from_str_radix(str::from_utf8(&digits).unwrap(), 16).unwrap()
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).unwrap()
}

/// Reads a request, without a body.
fn read(client: &mut impl Read, before: &[Request]) -> Option<Request> {
    let (mut text, mut byte) = (Vec::new(), [0]);
    while !text.ends_with(b"\r\n\r\n") {
        if client.read(&mut byte).ok()? == 0 {
            return None;
        }
        text.push(byte[0]);
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut lines = text.lines();
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let path = decoded(path);
    let path = path.strip_prefix("/devstoreaccount1").unwrap_or(&path).to_owned();
    let key = path.strip_prefix("/bucket").unwrap_or(&path);
    let key = key.strip_prefix("--use1-az4--x-s3").unwrap_or(key);
    let key = key.strip_prefix('/').unwrap_or(key).to_owned();
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(name), decoded(value))
    };
    let query = query.split('&').filter(|part| !part.is_empty()).map(pair).collect();
    let header = |line: &str| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
    let headers = lines.filter_map(header).collect();
    let is_list = key.is_empty() && method == "GET";
    let number = before.iter().filter(|other| other.method == method && other.key == key).count();
    let page = is_list.then_some(number);
    Some(Request { method, target, key, query, headers, number, page })
}

fn answer(mut client: TcpStream, store: &Store, seen: &Mutex<Vec<Request>>) {
    let before = seen.lock().unwrap().clone();
    let Some(mut request) = read(&mut client, &before) else { return };
    {
        // Two requests may have come at once.
        let mut seen = seen.lock().unwrap();
        request.number = seen.iter().filter(|other| other.method == request.method && other.key == request.key).count();
        request.page = request.page.map(|_| request.number);
        seen.push(request.clone());
    }
    let right = || if request.page.is_some() { store.list(&request) } else { store.object(&request) };
    let answer = (store.fault)(&request).unwrap_or_else(right);
    let _ = client.write_all(&bytes(&request, &answer));
}

/// The answer as it is sent.
fn bytes(request: &Request, answer: &Answer) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {} .\r\nConnection: close\r\n", answer.status);
    if !answer.headers.iter().any(|(name, _)| *name == "Content-Length") {
        head += &format!("Content-Length: {}\r\n", answer.body.len());
    }
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let body = if request.method == "HEAD" { &[][..] } else { &answer.body };
    [head.as_bytes(), b"\r\n", body].concat()
}
