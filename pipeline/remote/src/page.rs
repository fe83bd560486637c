//! Pages of listings as stores send them. Any other answer is an error and not the end of the list;
//! keys that the store's client cannot hand on are taken out of the page, so that they cost no
//! other key.

use object_store::client::HttpRequest;
use object_store::path::Path;
use quick_xml::Reader;
use quick_xml::events::Event;
use std::cell::RefCell;

/// Something on a page that the client does not hand on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Aside {
    /// A key that ends with a slash and has no bytes stands for a folder.
    Folder(String),
    /// A key with an empty part, `.`, `..` or a control character.
    Odd(String),
    /// More keys follow, and the page does not say where.
    Cut,
}

tokio::task_local! {
    /// Of the listing that the task at hand reads: the client makes its requests in that task.
    static ASIDES: RefCell<Vec<Aside>>;
}

/// Carries out a listing that asks for its [`asides`].
pub(crate) async fn listing<F: Future>(work: F) -> F::Output {
    ASIDES.scope(RefCell::default(), work).await
}

/// All that came aside since the last call.
pub(crate) fn asides() -> Vec<Aside> {
    ASIDES.try_with(RefCell::take).unwrap_or_default()
}

/// Keeps what came aside for the listing at hand.
pub(crate) fn keep(asides: Vec<Aside>) {
    let _ = ASIDES.try_with(|kept| kept.borrow_mut().extend(asides));
}

/// Another answer to a listing than a page of it: a page of a web server, a document of an error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoPage(String);

impl std::fmt::Display for NoPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the answer to a listing is none: {}", self.0)
    }
}

impl std::error::Error for NoPage {}

/// The names of the elements of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    root: &'static str,
    entry: &'static str,
    key: &'static str,
    size: &'static str,
}

/// ListObjectsV2 of S3 and of Google's XML interface.
const BUCKET: Kind = Kind { root: "ListBucketResult", entry: "Contents", key: "Key", size: "Size" };
/// List Blobs of Azure.
const CONTAINER: Kind = Kind { root: "EnumerationResults", entry: "Blob", key: "Name", size: "Content-Length" };

impl Kind {
    /// Of the answer to a request; `None` for one that asks for no listing.
    pub(crate) fn of(request: &HttpRequest) -> Option<Kind> {
        let query = request.uri().query().filter(|_| request.method().as_str() == "GET")?;
        let has = |wanted| query.split('&').any(|part| part == wanted);
        let bucket = has("list-type=2").then_some(BUCKET);
        bucket.or_else(|| has("comp=list").then_some(CONTAINER))
    }

    /// The page for the client, and the keys that are taken out of it.
    ///
    /// # Errors
    /// When the text is another document, or was cut.
    pub(crate) fn read(self, text: &str) -> Result<(String, Vec<Aside>), NoPage> {
        let mut reader = Reader::from_str(text);
        let (mut open, mut value): (Vec<String>, String) = (Vec::new(), String::new());
        let (mut page, mut asides) = (String::with_capacity(text.len()), Vec::new());
        let (mut copied, mut start) = (0, 0);
        let (mut key, mut size, mut is_tagged) = (String::new(), 0, false);
        let (mut is_ended, mut is_truncated, mut is_continued) = (false, None, false);
        let malformed = || NoPage("not well-formed, or cut off".into());
        loop {
            let before = usize::try_from(reader.buffer_position()).map_err(|_| malformed())?;
            match reader.read_event().map_err(|_| malformed())? {
                Event::Start(element) => {
                    let name = element.local_name().as_ref().to_owned();
                    if open.is_empty() && (is_ended || name != self.root) {
                        return Err(NoPage(format!("a document of <{name}>")));
                    }
                    if name == self.entry {
                        (start, size, is_tagged) = (before, 0, false);
                        key.clear();
                    }
                    open.push(name);
                    value.clear();
                }
                Event::Empty(element) => {
                    let name = element.local_name().as_ref().to_owned();
                    if open.is_empty() && name != self.root {
                        return Err(NoPage(format!("a document of <{name}>")));
                    }
                    is_ended |= open.is_empty();
                }
                Event::End(_) => {
                    let name = open.pop().ok_or_else(malformed)?;
                    is_ended |= open.is_empty();
                    match &*name {
                        name if name == self.key => key.clone_from(&value),
                        name if name == self.size => size = value.trim().parse().unwrap_or(1),
                        name if name.eq_ignore_ascii_case("etag") => is_tagged = true,
                        "IsTruncated" => is_truncated = Some(value.trim() == "true"),
                        "KeyCount" => is_truncated = is_truncated.or(Some(false)),
                        "NextContinuationToken" => is_continued = !value.is_empty(),
                        name if name == self.entry => {
                            if let Some(aside) = aside(&key, size > 0 && is_tagged) {
                                page.push_str(&text[copied..start]);
                                copied = usize::try_from(reader.buffer_position()).map_err(|_| malformed())?;
                                asides.push(aside);
                            }
                        }
                        _ => {}
                    }
                    value.clear();
                }
                Event::Text(part) => value.push_str(&part.xml10_content()),
                Event::CData(part) => value.push_str(&part.xml10_content()),
                Event::GeneralRef(reference) => {
                    value.push(match (reference.resolve_char_ref().map_err(|_| malformed())?, &*reference) {
                        (Some(c), _) => c,
                        (None, "amp") => '&',
                        (None, "lt") => '<',
                        (None, "gt") => '>',
                        (None, "apos") => '\'',
                        (None, "quot") => '"',
                        _ => return Err(malformed()),
                    });
                }
                Event::Eof => break,
                Event::DocType(_) => return Err(NoPage("a web page".into())),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
        if !is_ended || !open.is_empty() {
            return Err(malformed());
        }
        if self.root == BUCKET.root {
            // Without either nothing says whether this is all.
            let is_truncated = is_truncated.ok_or_else(|| NoPage("it does not say whether it is whole".into()))?;
            asides.extend((is_truncated && !is_continued).then_some(Aside::Cut));
        }
        page.push_str(&text[copied..]);
        Ok((page, asides))
    }
}

/// A key that the client cannot ask for; `None` for an object. Folders have no content: no bytes,
/// or in stores over directories no entity tag.
fn aside(key: &str, has_content: bool) -> Option<Aside> {
    if key.ends_with('/') && !has_content {
        return Some(Aside::Folder(key.to_owned()));
    }
    let is_plain = Path::parse(key).is_ok_and(|path| path.as_ref() == key);
    (!is_plain).then(|| Aside::Odd(key.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rest: &str, keys: &[(&str, u64)]) -> String {
        let entry = |(key, size): &(&str, u64)| {
            format!("<Contents><Key>{key}</Key><ETag>x</ETag><Size>{size}</Size></Contents>")
        };
        let entries: String = keys.iter().map(entry).collect();
        format!("<?xml version='1.0'?><ListBucketResult xmlns='x'>{rest}{entries}</ListBucketResult>")
    }

    #[test]
    fn odd_keys_cost_no_other_key() {
        let whole = "<IsTruncated>false</IsTruncated>";
        let keys =
            [("a", 1), ("d//x", 1), ("d/", 0), ("e/", 5), ("d/../x", 1), ("/lead", 1), ("n&#10;l", 1), ("a&amp;b", 2)];
        let (left, asides) = BUCKET.read(&page(whole, &keys)).unwrap();
        assert_eq!(left, page(whole, &[("a", 1), ("a&amp;b", 2)]));
        let odd = |key: &str| Aside::Odd(key.into());
        let expected = [odd("d//x"), Aside::Folder("d/".into()), odd("e/"), odd("d/../x"), odd("/lead"), odd("n\nl")];
        assert_eq!(asides, expected);
        let untagged = page(whole, &[("e/", 4096)]).replace("<ETag>x</ETag>", "");
        assert_eq!(BUCKET.read(&untagged).unwrap().1, [Aside::Folder("e/".into())]);
    }

    #[test]
    fn what_is_no_page_is_not_the_end() {
        let whole = page("<KeyCount>1</KeyCount>", &[("a", 1)]);
        assert_eq!(BUCKET.read(&whole), Ok((whole.clone(), vec![])));
        for text in [
            "",
            "<!DOCTYPE html><html><body>sign in</body></html>",
            "<html><body>sign in</body></html>",
            "<Error><Code>SlowDown</Code></Error>",
            "{}",
            &page("", &[("a", 1)]),
            &whole[..whole.len() - 3],
            &whole[..whole.len() / 2],
            &format!("{whole}{whole}"),
        ] {
            assert!(BUCKET.read(text).is_err(), "{text}");
        }
        let cut = page("<IsTruncated>true</IsTruncated>", &[("a", 1)]);
        assert_eq!(BUCKET.read(&cut), Ok((cut.clone(), vec![Aside::Cut])));
        let next = page("<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>", &[]);
        assert_eq!(BUCKET.read(&next), Ok((next.clone(), vec![])));
        let blobs = "<EnumerationResults><Blobs><Blob><Name>a//b</Name><Properties><Content-Length>3</Content-Length>\
            </Properties></Blob></Blobs><NextMarker/></EnumerationResults>";
        let (left, asides) = CONTAINER.read(blobs).unwrap();
        assert_eq!(left, "<EnumerationResults><Blobs></Blobs><NextMarker/></EnumerationResults>");
        assert_eq!(asides, [Aside::Odd("a//b".into())]);
        assert!(CONTAINER.read(&whole).is_err());
    }
}
