//! Pages of listings as stores send them. Any other answer is an error, and not the end of the
//! list.

use crate::problem::Failure;
use crate::sign::decode;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// The forms of a listing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// ListObjects and ListObjectsV2 of S3, and of Google's XML interface.
    Bucket,
    /// ListObjectVersions of S3.
    Versions,
    /// The versions of Google's XML interface.
    Generations,
    /// List Blobs of Azure.
    Container,
    /// The same with versions.
    BlobVersions,
}

/// An object, or another line of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub key: String,
    pub size: u64,
    pub tag: Option<String>,
    pub version: Option<String>,
    pub kind: LineKind,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LineKind {
    #[default]
    Object,
    /// A key that stands for a folder.
    Folder,
    /// A version that says that the object was deleted.
    DeleteMarker,
    /// A key whose bytes are not UTF-8, as it came.
    NoText,
}

/// A page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub lines: Vec<Line>,
    /// Whether another page follows.
    pub is_truncated: bool,
    /// The token of the next page.
    pub token: Option<String>,
    /// The key that the next page begins behind, where the store names it.
    pub marker: Option<String>,
    /// The version that it begins behind, of that key.
    pub version_marker: Option<String>,
    /// Whether the store calls that key a key marker.
    pub is_by_key: bool,
}

fn none(what: impl std::fmt::Display) -> Failure {
    Failure::Listing(format!("the answer to a listing is none: {what}"))
}

/// Values of a page that say something about the others.
#[derive(Default)]
struct State {
    page: Page,
    line: Line,
    has_key: bool,
    size: Option<u64>,
    is_form: bool,
    is_encoded: bool,
    is_truncated: Option<bool>,
    count: Option<u64>,
    prefixes: u64,
    has_next_marker: bool,
}

impl Kind {
    /// Whether it is of Azure's protocol.
    pub(crate) fn is_of_blobs(self) -> bool {
        matches!(self, Kind::Container | Kind::BlobVersions)
    }

    fn has_root(self, name: &str) -> bool {
        match self {
            Kind::Bucket => name == "ListBucketResult",
            Kind::Versions => name == "ListVersionsResult",
            Kind::Generations => matches!(name, "ListBucketResult" | "ListVersionsResult"),
            Kind::Container | Kind::BlobVersions => name == "EnumerationResults",
        }
    }

    /// Reads a page.
    ///
    /// # Errors
    /// When the text is another document, was cut, or does not say whether it is whole.
    pub(crate) fn read(self, text: &str) -> Result<Page, Failure> {
        let mut reader = Reader::from_str(text);
        let (mut open, mut value, mut is_ended): (Vec<String>, String, bool) = (Vec::new(), String::new(), false);
        let mut state = State::default();
        let malformed = || none("not well-formed, or cut off");
        loop {
            match reader.read_event().map_err(|_| malformed())? {
                Event::Start(element) => {
                    let name = element.local_name().as_ref().to_owned();
                    if open.is_empty() && (is_ended || !self.has_root(&name)) {
                        return Err(none(format_args!("a document of <{name}>")));
                    }
                    open.push(name);
                    self.begin(&open, &element, &mut state);
                    value.clear();
                }
                Event::Empty(element) => {
                    let name = element.local_name().as_ref().to_owned();
                    if open.is_empty() && (is_ended || !self.has_root(&name)) {
                        return Err(none(format_args!("a document of <{name}>")));
                    }
                    open.push(name);
                    self.begin(&open, &element, &mut state);
                    self.end(&open, "", &mut state)?;
                    open.pop();
                    is_ended |= open.is_empty();
                }
                Event::End(_) => {
                    self.end(&open, &value, &mut state)?;
                    open.pop().ok_or_else(malformed)?;
                    is_ended |= open.is_empty();
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
                Event::DocType(_) => return Err(none("a web page")),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
            }
        }
        if !is_ended || !open.is_empty() {
            return Err(malformed());
        }
        self.whole(state)
    }

    fn begin(self, open: &[String], element: &BytesStart<'_>, state: &mut State) {
        let names: Vec<&str> = open.iter().skip(1).map(String::as_str).collect();
        match names[..] {
            ["Contents" | "Version" | "DeleteMarker"] | ["Blobs", "Blob"] => {
                (state.line, state.has_key, state.size) = (Line::default(), false, None);
                state.is_encoded = false;
            }
            ["Blobs", "Blob", "Name"] => {
                let encoded = element.attributes().flatten().find(|attribute| attribute.key.as_ref() == "Encoded");
                state.is_encoded = encoded.is_some_and(|attribute| attribute.value.eq_ignore_ascii_case("true"));
            }
            _ => {}
        }
    }

    fn end(self, open: &[String], value: &str, state: &mut State) -> Result<(), Failure> {
        let names: Vec<&str> = open.iter().skip(1).map(String::as_str).collect();
        let text = || Some(value.to_owned()).filter(|value| !value.is_empty());
        let line = &mut state.line;
        match names[..] {
            ["Contents" | "Version" | "DeleteMarker", "Key"] | ["Blobs", "Blob", "Name"] => {
                line.key = value.to_owned();
                state.has_key = true;
            }
            ["Contents" | "Version", "Size"] | ["Blobs", "Blob", "Properties", "Content-Length"] => {
                state.size = value.trim().parse().ok();
            }
            ["Contents" | "Version", "ETag"] | ["Blobs", "Blob", "Properties", "Etag"] => line.tag = text(),
            ["Version" | "DeleteMarker", "VersionId"] if self == Kind::Versions => line.version = text(),
            ["Version", "Generation"] if self == Kind::Generations => line.version = text(),
            ["Blobs", "Blob", "VersionId"] if self == Kind::BlobVersions => line.version = text(),
            ["Blobs", "Blob", "Properties", "ResourceType"] if value == "directory" => line.kind = LineKind::Folder,
            ["Contents"] if self == Kind::Bucket => return Kind::object(state),
            ["Contents"] if self == Kind::Generations => return Err(none("it has objects without their versions")),
            ["Version"] if self == Kind::Generations && line.version.is_none() => {
                return Err(none(format_args!("a version of the key {:?} has no generation", line.key)));
            }
            ["Version"] if matches!(self, Kind::Versions | Kind::Generations) => return Kind::object(state),
            ["DeleteMarker"] if self == Kind::Versions => {
                line.kind = LineKind::DeleteMarker;
                state.size = Some(0);
                return Kind::object(state);
            }
            ["Blobs", "Blob"] => {
                if state.is_encoded {
                    Kind::decoded(&mut state.line, false);
                }
                return Kind::object(state);
            }
            ["EncodingType"] => state.is_form = value.trim().eq_ignore_ascii_case("url"),
            ["IsTruncated"] => {
                state.is_truncated = match &*value.trim().to_ascii_lowercase() {
                    "true" | "1" => Some(true),
                    "false" | "0" => Some(false),
                    _ => return Err(none(format_args!("IsTruncated is {value:?}"))),
                };
            }
            ["KeyCount"] => state.count = value.trim().parse().ok(),
            ["CommonPrefixes"] => state.prefixes += 1,
            ["NextContinuationToken"] => state.page.token = text(),
            ["NextMarker"] => {
                state.has_next_marker = true;
                state.page.marker = text();
            }
            ["NextKeyMarker"] => {
                state.page.is_by_key = true;
                state.page.marker = text();
            }
            ["NextVersionIdMarker" | "NextGenerationMarker"] => state.page.version_marker = text(),
            _ => {}
        }
        Ok(())
    }

    fn object(state: &mut State) -> Result<(), Failure> {
        let mut line = std::mem::take(&mut state.line);
        match (state.has_key, state.size) {
            (true, Some(size)) => line.size = size,
            (true, None) if line.kind == LineKind::Folder => {}
            (true, None) => return Err(none(format_args!("the key {:?} has no size", line.key))),
            (false, _) => return Err(none("an object without a key")),
        }
        state.page.lines.push(line);
        Ok(())
    }

    fn decoded(line: &mut Line, is_form: bool) {
        match decode(&line.key, is_form) {
            Some(key) => line.key = key,
            None => line.kind = LineKind::NoText,
        }
    }

    fn whole(self, state: State) -> Result<Page, Failure> {
        let State { mut page, is_form, is_truncated, count, prefixes, has_next_marker, .. } = state;
        if is_form && !self.is_of_blobs() {
            page.lines.iter_mut().for_each(|line| Kind::decoded(line, true));
            page.marker = page.marker.map(|marker| decode(&marker, true).unwrap_or(marker));
        }
        if self.is_of_blobs() {
            if !has_next_marker {
                return Err(none("it does not say whether it is whole"));
            }
            page.token = page.marker.take();
            page.is_truncated = page.token.is_some();
        } else {
            let unsaid = || none("it does not say whether it is whole");
            let otherwise = (count.is_some() || page.token.is_some()).then_some(page.token.is_some());
            page.is_truncated = is_truncated.or(otherwise).ok_or_else(unsaid)?;
        }
        let found = page.lines.len() as u64 + prefixes;
        if let Some(count) = count.filter(|count| *count > found) {
            return Err(none(format_args!("it states {count} keys and has {found}")));
        }
        for line in page.lines.iter_mut().filter(|line| line.kind == LineKind::Object) {
            // Folders have no content: no bytes, or in stores over directories no entity tag.
            if line.key.ends_with('/') && (line.size == 0 || line.tag.is_none()) {
                line.kind = LineKind::Folder;
            }
        }
        Ok(page)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(rest: &str, keys: &[(&str, u64)]) -> String {
        let entry = |(key, size): &(&str, u64)| {
            format!(
                "<Contents><Key>{key}</Key><Owner><Key>no</Key><Size>9</Size></Owner><ETag>x</ETag><Size>{size}</Size>\
                 </Contents>"
            )
        };
        let entries: String = keys.iter().map(entry).collect();
        format!("<?xml version='1.0'?><ListBucketResult xmlns='x'>{rest}{entries}</ListBucketResult>")
    }

    fn lines(page: &Page) -> Vec<(&str, u64, LineKind)> {
        page.lines.iter().map(|line| (&*line.key, line.size, line.kind)).collect()
    }

    #[test]
    fn keys_are_those_of_the_store() {
        use LineKind::{Folder, NoText, Object};
        let whole = "<IsTruncated>false</IsTruncated>";
        let keys =
            [("a", 1), ("d//x", 2), ("d/", 0), ("e/", 5), ("../x", 1), ("/l", 1), ("n&#10;l&#1;", 1), ("&amp;+%41", 2)];
        let read = Kind::Bucket.read(&page(whole, &keys)).unwrap();
        let plain = [
            ("a", 1, Object),
            ("d//x", 2, Object),
            ("d/", 0, Folder),
            ("e/", 5, Object),
            ("../x", 1, Object),
            ("/l", 1, Object),
            ("n\nl\u{1}", 1, Object),
            ("&+%41", 2, Object),
        ];
        assert_eq!((lines(&read), read.is_truncated), (plain.to_vec(), false));
        let encoded = "<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>";
        let read = Kind::Bucket.read(&page(encoded, &[("a+b%2Bc%0A", 1), ("%ff", 1)])).unwrap();
        assert_eq!(lines(&read), [("a b+c\n", 1, Object), ("%ff", 1, NoText)]);
        let untagged = page(whole, &[("e/", 4096)]).replace("<ETag>x</ETag>", "");
        assert_eq!(lines(&Kind::Bucket.read(&untagged).unwrap()), [("e/", 4096, Folder)]);
        let blobs = "<EnumerationResults><Blobs><Blob><Name>a//b</Name><Properties><Content-Length>3</Content-Length>\
            <Etag>0x8</Etag></Properties><Metadata><Name>no</Name></Metadata></Blob><Blob><Name Encoded=\"true\">\
            a%01b+</Name><Properties><Content-Length>4</Content-Length></Properties></Blob><Blob><Name>d</Name>\
            <Properties><ResourceType>directory</ResourceType></Properties></Blob></Blobs><NextMarker/></EnumerationResults>";
        let read = Kind::Container.read(blobs).unwrap();
        assert_eq!(lines(&read), [("a//b", 3, Object), ("a\u{1}b+", 4, Object), ("d", 0, Folder)]);
        assert_eq!((read.token, read.is_truncated), (None, false));
        let versions = "<ListVersionsResult><IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker>\
            <NextVersionIdMarker>2</NextVersionIdMarker><Version><Key>a</Key><VersionId>1</VersionId><Size>1</Size>\
            </Version><DeleteMarker><Key>a</Key><VersionId>2</VersionId></DeleteMarker></ListVersionsResult>";
        let read = Kind::Versions.read(versions).unwrap();
        assert_eq!(lines(&read), [("a", 1, Object), ("a", 0, LineKind::DeleteMarker)]);
        assert_eq!((read.marker.as_deref(), read.version_marker.as_deref()), (Some("a"), Some("2")));
        assert_eq!(read.lines[0].version.as_deref(), Some("1"));
    }

    #[test]
    fn versions_are_those_of_each_protocol() {
        let versions = |page: &Page| page.lines.iter().map(|line| line.version.clone()).collect::<Vec<_>>();
        let some = |version: &str| Some(version.to_owned());
        let google = "<ListBucketResult><IsTruncated>true</IsTruncated><NextMarker>a</NextMarker>\
            <NextGenerationMarker>16</NextGenerationMarker><Version><Key>a</Key><Generation>17</Generation>\
            <VersionId>no</VersionId><Size>1</Size></Version><Version><Key>a</Key><Size>2</Size>\
            <Generation>16</Generation></Version></ListBucketResult>";
        let read = Kind::Generations.read(google).unwrap();
        assert_eq!(versions(&read), [some("17"), some("16")]);
        assert_eq!((read.marker, read.version_marker, read.is_by_key), (some("a"), some("16"), false));
        for fault in [("Version>", "Contents>"), ("<Generation>16</Generation>", ""), ("ListBucketResult", "html")] {
            assert!(Kind::Generations.read(&google.replace(fault.0, fault.1)).is_err(), "{fault:?}");
        }
        let azure = "<EnumerationResults><Blobs><Blob><Name>a</Name><VersionId>2026-01-01T00:00:00.1Z</VersionId>\
            <Properties><Content-Length>3</Content-Length></Properties></Blob><Blob><Name>b</Name><Properties>\
            <Content-Length>3</Content-Length></Properties></Blob></Blobs><NextMarker/></EnumerationResults>";
        let read = Kind::BlobVersions.read(azure).unwrap();
        assert_eq!(versions(&read), [some("2026-01-01T00:00:00.1Z"), None]);
        assert_eq!(versions(&Kind::Container.read(azure).unwrap()), [None, None]);
    }

    #[test]
    fn what_is_no_page_is_not_the_end() {
        let whole = page("<KeyCount>1</KeyCount>", &[("a", 1)]);
        assert!(!Kind::Bucket.read(&whole).unwrap().is_truncated);
        for text in [
            "",
            "<!DOCTYPE html><html><body>sign in</body></html>",
            "<html><body>sign in</body></html>",
            "<html/>",
            "<Error><Code>SlowDown</Code></Error>",
            "{}",
            &page("", &[("a", 1)]),
            &page("<IsTruncated>maybe</IsTruncated>", &[("a", 1)]),
            &page("<KeyCount>2</KeyCount>", &[("a", 1)]),
            &whole.replace("<Size>1</Size>", ""),
            &whole.replace("<Size>1</Size>", "<Size>many</Size>"),
            &whole.replace("<Key>a</Key>", ""),
            &whole[..whole.len() - 3],
            &whole[..whole.len() / 2],
            &format!("{whole}{whole}"),
        ] {
            assert!(Kind::Bucket.read(text).is_err(), "{text}");
        }
        let cut = Kind::Bucket.read(&page("<IsTruncated>true</IsTruncated>", &[("a", 1)])).unwrap();
        assert_eq!((cut.is_truncated, cut.token), (true, None));
        let next = page("<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>", &[]);
        assert_eq!(Kind::Bucket.read(&next).unwrap().token.as_deref(), Some("a"));
        assert!(Kind::Container.read(&whole).is_err() && Kind::Versions.read(&whole).is_err());
        assert!(Kind::Container.read("<EnumerationResults><Blobs/></EnumerationResults>").is_err());
    }
}
