//! Where objects are: a store and a key in it.

use crate::client::{Client, Protocol};
use crate::open::{Refusal, open};
use crate::sign::decode;
use crate::walk::Generations;
use pfh_source::StoreAnswer;
use std::collections::HashMap;
use std::sync::Arc;
use url::Url;

/// Schemes, and whether names below them are parts of a URL, which are percent-encoded; keys of
/// stores are bytes as they are.
const SCHEMES: &[(&str, bool)] =
    &[("s3", false), ("s3a", false), ("gs", false), ("az", false), ("https", true), ("http", true)];

/// Between a key and the version that is meant. Without a version behind it, it says that all in
/// front of it is the key: one that ends like the name of a version is printed so.
pub(crate) const VERSION: &str = "?versionId=";

/// The stores of a run, each made once: a client holds its connections and credentials.
#[derive(Debug)]
pub(crate) struct Stores {
    found: HashMap<String, Arc<Client>>,
    /// Whether they are asked for the headers of each object.
    pub(crate) stating: bool,
    /// The versions of each object that are listed.
    pub(crate) generations: Generations,
}

impl Default for Stores {
    fn default() -> Stores {
        Stores { found: HashMap::new(), stating: false, generations: Generations::Newest }
    }
}

/// A store, and the part of it that is meant.
#[derive(Debug, Clone)]
pub(crate) struct Location {
    pub(crate) client: Arc<Client>,
    /// The key, or the start of the keys; of a page, its path and query, encoded.
    pub(crate) key: String,
    /// The version that is meant alone.
    pub(crate) version: Option<String>,
    /// The key and the version as they were given.
    given: String,
    /// The prefix of a printed key: `s3://bucket`.
    root: String,
    /// Whether the store is asked for the headers of each object.
    pub(crate) stating: bool,
    pub(crate) generations: Generations,
}

impl Stores {
    /// The store and key that an operand names, with credentials and endpoints from the
    /// environment.
    ///
    /// # Errors
    /// When it names no bucket, or the environment makes no sense.
    pub(crate) fn find(&mut self, operand: &[u8]) -> Result<Location, Refusal> {
        let wrong = |why: &dyn std::fmt::Display| (StoreAnswer::BadName, why.to_string());
        let text = str::from_utf8(operand).map_err(|_| wrong(&"keys of stores are UTF-8"))?;
        let scheme =
            SCHEMES.iter().find(|(scheme, _)| text.strip_prefix(scheme).is_some_and(|rest| rest.starts_with("://")));
        let &(scheme, is_page) = scheme.ok_or_else(|| wrong(&"no scheme of a store"))?;
        let rest = &text[scheme.len() + 3..];
        let (host, key) = match is_page {
            true => rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len())),
            false => rest.split_once('/').unwrap_or((rest, "")),
        };
        if host.is_empty() {
            return Err(wrong(&format!("a store's name follows {scheme}://")));
        }
        let key = if is_page { page(text, host).map_err(|why| wrong(&why))? } else { key.to_owned() };
        let root = format!("{scheme}://{host}");
        let client = match self.found.get(&root) {
            Some(client) => client.clone(),
            None => {
                let client = Arc::new(open(scheme, host)?);
                self.found.insert(root.clone(), client.clone());
                client
            }
        };
        let (stating, generations) = (self.stating, self.generations);
        let whole = Location { client, given: key.clone(), key, version: None, root, stating, generations };
        Ok(match split(&whole.given).filter(|_| whole.has_versions()) {
            Some((key, version)) => Location { key: key.to_owned(), version, ..whole },
            None => whole,
        })
    }
}

/// The path and the query of a page's address, as they are sent.
fn page(text: &str, host: &str) -> Result<String, String> {
    if text.contains('#') || host.contains('@') {
        return Err(
            "an address with # or @ is not taken: a server is not asked for a part of a page, and credentials \
            do not belong into a name"
                .into(),
        );
    }
    let path = text.split('?').next().unwrap_or_default();
    if path.split('/').skip(3).any(|part| matches!(&*part.to_ascii_lowercase().replace("%2e", "."), "." | "..")) {
        return Err("an address with the part . or .. is not taken".into());
    }
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    Ok(url[url::Position::BeforePath..].trim_start_matches('/').to_owned())
}

/// The key and the version of a name that has either behind [`VERSION`].
fn split(name: &str) -> Option<(&str, Option<String>)> {
    let (key, version) = name.rsplit_once(VERSION)?;
    let version = decode(version, false).filter(|_| !key.is_empty() && !version.contains('/'))?;
    Some((key, Some(version).filter(|version| !version.is_empty())))
}

/// A version without the characters that would end it.
fn spelled(version: &str) -> String {
    version.replace('%', "%25").replace('/', "%2F").replace('?', "%3F")
}

impl Location {
    /// Whether it is a page of a web server.
    pub(crate) fn is_web(&self) -> bool {
        matches!(self.client.protocol, Protocol::Web)
    }

    /// Whether its store may have versions of objects.
    pub(crate) fn has_versions(&self) -> bool {
        self.client.protocol.version().is_some()
    }

    /// Whether only the objects below the key are meant, not an object of that name alone.
    pub(crate) fn is_folder(&self) -> bool {
        // A signature may end with a slash.
        let is_signed = self.is_web() && self.key.contains('?');
        !is_signed && (self.key.is_empty() || self.key.ends_with('/'))
    }

    /// The name of an object in output: the one that `find` takes for that object alone.
    pub(crate) fn name(&self, key: &str, version: Option<&str>) -> Vec<u8> {
        let behind = match version {
            Some(version) => format!("{VERSION}{}", spelled(version)),
            None if self.has_versions() && split(key).is_some() => VERSION.to_owned(),
            None => String::new(),
        };
        format!("{}/{key}{behind}", self.root).into_bytes()
    }

    /// The name as it was given.
    pub(crate) fn own_name(&self) -> Vec<u8> {
        format!("{}/{}", self.root, self.given).into_bytes()
    }

    /// The same, if all that was given is a key.
    pub(crate) fn as_key(&self) -> Location {
        Location { key: self.given.clone(), version: None, ..self.clone() }
    }
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
            ("s3://bucket/a/", "a/", true),
            ("s3://bucket", "", true),
            ("s3://bucket//a", "/a", false),
            ("s3://bucket/a//../b", "a//../b", false),
            ("s3://bucket/a?b#c", "a?b#c", false),
            ("http://127.0.0.1:8080/a%20b/ü", "a%20b/%C3%BC", false),
            ("http://127.0.0.1:8080/a?X-Amz-Signature=b%2Fc&d", "a?X-Amz-Signature=b%2Fc&d", false),
            ("http://127.0.0.1:8080/a?sig=b/", "a?sig=b/", false),
            ("http://127.0.0.1:8080/dav/", "dav/", true),
            ("http://127.0.0.1:8080", "", true),
        ] {
            let location = parse(text);
            assert_eq!((&*location.key, location.is_folder()), (key, folder), "{text}");
            let name = String::from_utf8(location.name(&location.key, None)).unwrap();
            assert_eq!(parse(&name).key, location.key, "{name}");
        }
        for text in
            ["s3://", "https://host/a#c", "ftp://host/a", "s3:/a", "https://host/a/../b", "https://host/a/%2E%2e"]
        {
            assert!(Stores::default().find(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn each_name_is_of_one_object() {
        let mut stores = Stores::default();
        let mut parse = |text: &str| stores.find(text.as_bytes()).unwrap();
        for (text, key, version) in [
            ("s3://bucket/a?versionId=3sL4", "a", Some("3sL4")),
            ("s3://bucket/a?versionId=x?versionId=3sL4", "a?versionId=x", Some("3sL4")),
            ("s3://bucket/a?versionId=x?versionId=", "a?versionId=x", None),
            ("s3://bucket/a?versionId=?versionId=", "a?versionId=", None),
            ("s3://bucket/a?versionId=x/b", "a?versionId=x/b", None),
            ("s3://bucket/?versionId=x", "?versionId=x", None),
            ("s3://bucket/a?versionId=1%2F2%253%3F", "a", Some("1/2%3?")),
            ("s3://bucket/a?versionId=%ff", "a?versionId=%ff", None),
            ("http://127.0.0.1:8080/a?versionId=x", "a?versionId=x", None),
        ] {
            let location = parse(text);
            assert_eq!((&*location.key, location.version.as_deref()), (key, version), "{text}");
            assert_eq!(String::from_utf8(location.name(key, version)).unwrap(), text);
            assert_eq!(location.own_name(), text.as_bytes());
        }
    }
}
