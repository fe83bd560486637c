//! Where objects are: a store and a key in it.

use crate::client::{Client, Protocol};
use crate::open::{Refusal, open};
use crate::walk::Generations;
use pfh_source::StoreAnswer;
use std::collections::HashMap;
use std::sync::Arc;
use url::Url;

/// Schemes, and whether names below them are parts of a URL, which are percent-encoded; keys of
/// stores are bytes as they are.
const SCHEMES: &[(&str, bool)] =
    &[("s3", false), ("s3a", false), ("gs", false), ("az", false), ("https", true), ("http", true)];

/// The name of a version behind its key.
const VERSION: &str = "?versionId=";

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
        Ok(Location { client, key, root, stating: self.stating, generations: self.generations })
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

impl Location {
    /// Whether it is a page of a web server.
    pub(crate) fn is_web(&self) -> bool {
        matches!(self.client.protocol, Protocol::Web)
    }

    /// Whether its store has versions of objects that can be listed.
    pub(crate) fn has_versions(&self) -> bool {
        matches!(self.client.protocol, Protocol::Amazon { .. })
    }

    /// Whether only the objects below the key are meant, not an object of that name alone.
    pub(crate) fn is_folder(&self) -> bool {
        // A signature may end with a slash.
        let is_signed = self.is_web() && self.key.contains('?');
        !is_signed && (self.key.is_empty() || self.key.ends_with('/'))
    }

    /// The name of an object in output: the one that `find` takes for that object alone.
    pub(crate) fn name(&self, key: &str, version: Option<&str>) -> Vec<u8> {
        let version = version.map(|version| format!("{VERSION}{version}")).unwrap_or_default();
        format!("{}/{key}{version}", self.root).into_bytes()
    }

    /// The key and the version where the name has one.
    pub(crate) fn version(&self) -> Option<(&str, &str)> {
        let (key, version) = self.key.rsplit_once(VERSION)?;
        let is_plain = !version.is_empty() && !version.contains('/');
        (is_plain && self.has_versions()).then_some((key, version))
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
        let location = parse("s3://bucket/a?versionId=x?versionId=3/L4");
        assert_eq!(location.version(), None);
        let location = parse("s3://bucket/a?versionId=x?versionId=3sL4");
        assert_eq!(location.version(), Some(("a?versionId=x", "3sL4")));
        assert_eq!(location.name("k", Some("v")), b"s3://bucket/k?versionId=v");
        for text in
            ["s3://", "https://host/a#c", "ftp://host/a", "s3:/a", "https://host/a/../b", "https://host/a/%2E%2e"]
        {
            assert!(Stores::default().find(text.as_bytes()).is_err(), "{text}");
        }
    }
}
