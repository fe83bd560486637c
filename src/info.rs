//! The job *info*: what an image states of itself, by its headers alone: format, size, files, case
//! data, unreadable sectors, stored digests. Nothing of the content is read, and nothing is
//! verified: [`verify`](crate::verify) does that.
//!
//! ```
//! # let file = std::env::temp_dir().join(format!("pfh-info-{}", std::process::id()));
//! # std::fs::write(&file, [0; 1024])?;
//! let facts = pfh::info::run(&pfh::info::Request::new(&file))?;
//! assert_eq!(facts[1], ("size".to_owned(), "1024 bytes (1.0 kB)".to_owned()));
//! # std::fs::remove_file(&file)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::job::Error;
use pfh_container::ewf::Index;
use pfh_source::Time;
use pfh_source::image::{Format, Image, OpenError};
use pfh_source::os::names::with_ending;
use pfh_source::terminal::{counted, shown, size_text};
use std::path::{Path, PathBuf};

/// An image.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Its first file, or a device.
    pub image: PathBuf,
}

impl Request {
    /// This image.
    pub fn new(image: impl Into<PathBuf>) -> Request {
        Request { image: image.into() }
    }
}

/// A label, and what the image states.
pub type Fact = (String, String);

/// Reads the headers of an image.
///
/// # Errors
/// When the image is not there, is of a format that is not read, or contradicts itself.
pub fn run(request: &Request) -> Result<Vec<Fact>, Error> {
    let image = Image::open(&request.image).map_err(|error| match error {
        error @ (OpenError::Unread { .. } | OpenError::Later { .. }) => Error::request(error),
        error => Error::input(error),
    })?;
    let mut facts = Facts::default();
    facts.add("format", form(&image));
    facts.add("size", format!("{} bytes ({})", image.size(), size_text(image.size())));
    let files: Vec<String> = image.paths().map(shown).collect();
    facts.add("files", format!("{}: {}", counted(files.len() as u64, "file"), listed(&files)));
    if let Some(index) = image.ewf() {
        facts.of_ewf(index);
    }
    if let Some(disk) = image.disk() {
        disk.notes().into_iter().for_each(|note| facts.add("note", note));
        disk.digests().into_iter().for_each(|digest| facts.stored(digest.algorithm().name(), &digest.to_string()));
    }
    facts.beside(&request.image);
    Ok(facts.0)
}

fn form(image: &Image) -> String {
    match image.format() {
        Format::Raw => "raw".to_owned(),
        Format::Split => "raw, in pieces".to_owned(),
        Format::E01 => "E01".to_owned(),
        Format::Disk(kind) => kind.name().to_owned(),
    }
}

/// Names; many are shortened.
fn listed(names: &[String]) -> String {
    match names {
        [first, .., last] if names.len() > 4 => format!("{first} to {last}"),
        names => names.join(", "),
    }
}

#[derive(Default)]
struct Facts(Vec<Fact>);

impl Facts {
    /// Adds one, unless it is empty.
    fn add(&mut self, label: &str, value: impl Into<String>) {
        let value = value.into();
        if !value.is_empty() {
            self.0.push((label.to_owned(), value));
        }
    }

    /// Adds a digest of the content that the image states.
    fn stored(&mut self, algorithm: &str, digest: &str) {
        self.add(&format!("stored {algorithm}"), digest);
    }

    fn of_ewf(&mut self, index: &Index) {
        let about = &index.about;
        self.add("case number", &*about.case_number);
        self.add("evidence number", &*about.evidence_number);
        self.add("examiner", &*about.examiner);
        self.add("description", &*about.description);
        self.add("notes", &*about.notes);
        if about.acquired != 0 {
            self.add("acquired", Time { seconds: about.acquired, nanoseconds: 0 }.to_string());
        }
        self.add("model", &*about.model);
        self.add("serial number", &*about.serial);
        let by = [&*about.software, &*about.platform].into_iter().filter(|word| !word.is_empty());
        self.add("acquired with", by.collect::<Vec<_>>().join(", "));
        let volume = &index.volume;
        self.add("sectors", format!("{} of {} bytes", volume.sectors, volume.bytes_per_sector));
        let compression = ["none", "fast", "best"].get(usize::from(volume.compression)).copied().unwrap_or("unknown");
        self.add("compression", format!("{compression}, chunks of {}", size_text(volume.chunk_length())));
        self.add("medium", if volume.is_physical { "a whole disk" } else { "a volume" });
        let unreadable: u64 = index.errors.0.iter().map(|(_, count)| u64::from(*count)).sum();
        self.add(
            "unreadable",
            format!("{} in {}", counted(unreadable, "sector"), counted(index.errors.0.len() as u64, "run")),
        );
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let digests = &index.digests;
        digests.md5.iter().for_each(|md5| self.stored("md5", &hex(md5)));
        digests.sha1.iter().for_each(|sha1| self.stored("sha1", &hex(sha1)));
    }

    /// Names the log beside the image.
    fn beside(&mut self, image: &Path) {
        let log = with_ending(image, ".log.jsonl");
        if log.is_file() {
            self.add("log", shown(&log));
        }
    }
}
