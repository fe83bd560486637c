//! Streams by the names that they have on a command line: `-`, `/dev/stdin`, `/dev/fd/3`.
//!
//! A stream is read once, from where it is: it has one reader. A shell turns `<(…)` into such a
//! name, `/dev/fd/3`.

use crate::document::Document;
use crate::os;
use crate::os::names::OsStrExt;
use crate::problem::{Problem, Stage};
use crate::terminal;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A stream that the process was started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    name: Box<[u8]>,
    descriptor: i32,
}

impl Stream {
    /// The stream that this names, if it names one.
    pub fn named(name: &[u8]) -> Option<Stream> {
        let descriptor = match name {
            b"-" | b"/dev/stdin" => 0,
            _ => {
                let number =
                    [&b"/dev/fd/"[..], b"/proc/self/fd/"].iter().find_map(|above| name.strip_prefix(*above))?;
                std::str::from_utf8(number).ok().filter(|number| !number.starts_with('+'))?.parse().ok()?
            }
        };
        Some(Stream { name: name.into(), descriptor }).filter(|stream| stream.descriptor >= 0)
    }

    /// The same of a path.
    pub fn of(path: impl AsRef<Path>) -> Option<Stream> {
        Stream::named(path.as_ref().as_os_str().as_bytes())
    }

    /// Standard input, as `-`.
    pub fn standard() -> Stream {
        Stream { name: Box::new(*b"-"), descriptor: 0 }
    }

    /// The name as it was given.
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// Whether both are one stream, even under different names.
    pub fn is(&self, other: &Stream) -> bool {
        self.descriptor == other.descriptor
    }

    /// Opens a document: a stream by one of these names, or the file of any other name.
    ///
    /// # Errors
    /// As for [`Document::file`]; when the process was started without the stream.
    pub fn document(path: &Path) -> io::Result<Document> {
        match Stream::of(path) {
            Some(stream) => stream.open().map(Document::from),
            None => Document::file(path),
        }
    }

    /// Opens it at its present position: bytes that were read of it before do not come again.
    ///
    /// # Errors
    /// When the process was started without it.
    pub fn open(&self) -> io::Result<File> {
        let opened = os::inherited(self.descriptor).map(File::from);
        opened.map_err(|errno| io::Error::from_raw_os_error(errno.raw_os_error()))
    }

    /// A reader of it. That the process was started without it is an error of the first read.
    pub fn reader(&self) -> Reader {
        Reader(self.open().map(Document::from).map_err(|error| error.raw_os_error().unwrap_or_default()))
    }

    /// The same, as the problem of an entry.
    pub(crate) fn opened(&self) -> Result<File, Problem> {
        self.open().map_err(|error| Problem::io(Stage::Open, &error))
    }
}

/// Reads a stream, as a [`Document`].
#[derive(Debug)]
pub struct Reader(Result<Document, i32>);

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Ok(open) => open.read(buffer),
            Err(errno) => Err(io::Error::from_raw_os_error(*errno)),
        }
    }
}

/// Two of the names that a request reads are one stream.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{} is one stream, which can be read only once: it is named {}",
    if first.descriptor == 0 { "standard input".to_owned() } else { terminal::render(&first.name) },
    if first.name == second.name { "twice".to_owned() } else {
        format!("{} and {}", terminal::render(&first.name), terminal::render(&second.name))
    }
)]
pub struct NamedTwice {
    first: Stream,
    second: Stream,
}

/// The streams that a request reads: each has one reader.
#[derive(Debug, Clone, Default)]
pub struct Streams {
    read: Vec<Stream>,
}

impl Streams {
    /// The request reads the file or stream of this name; a file may be read as often as one likes.
    ///
    /// # Errors
    /// When it is a stream that the request reads already.
    pub fn read(&mut self, path: impl AsRef<Path>) -> Result<(), NamedTwice> {
        let Some(second) = Stream::of(path) else { return Ok(()) };
        match self.read.iter().find(|first| first.is(&second)) {
            Some(first) => Err(NamedTwice { first: first.clone(), second }),
            None => {
                self.read.push(second);
                Ok(())
            }
        }
    }

    /// The same of several.
    ///
    /// # Errors
    /// As [`read`](Streams::read).
    pub fn read_all<P: AsRef<Path>>(&mut self, paths: impl IntoIterator<Item = P>) -> Result<(), NamedTwice> {
        paths.into_iter().try_for_each(|path| self.read(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_streams() {
        let descriptor = |name: &str| Stream::named(name.as_bytes()).map(|stream| stream.descriptor);
        for (name, expected) in [("-", 0), ("/dev/stdin", 0), ("/dev/fd/0", 0), ("/dev/fd/63", 63)] {
            assert_eq!(descriptor(name), Some(expected), "{name}");
        }
        assert_eq!(descriptor("/proc/self/fd/4"), Some(4));
        for file in ["./-", "/dev/fd", "/dev/fd/", "/dev/fd/x", "/dev/fd/-1", "/dev/fd/+1", "/dev/stdin/x", ""] {
            assert_eq!(descriptor(file), None, "{file}");
        }
    }

    #[test]
    fn a_stream_has_one_reader() {
        let mut streams = Streams::default();
        streams.read_all(["a", "a", "-", "/dev/fd/3"]).unwrap();
        let twice = streams.read("/dev/stdin").unwrap_err().to_string();
        assert_eq!(twice, "standard input is one stream, which can be read only once: it is named - and /dev/stdin");
        assert!(streams.read("/proc/self/fd/3").unwrap_err().to_string().starts_with("/dev/fd/3 is one stream"));
        assert!(streams.read("-").unwrap_err().to_string().ends_with("named twice"));
    }
}
