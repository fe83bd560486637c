//! What lies beside an image and states its digests: its log, its map, lists of digests that name
//! it.

use super::Findings;
use super::log::{self, Standing};
use crate::shown;
use pfh_container::map::{Map, Status};
use pfh_container::split::Suffix;
use pfh_custody::chain::Sound;
use pfh_digest::{Algorithm, Digest};
use pfh_manifest::{Decoder, Item, Options};
use std::io::{BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What a stated digest is of.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Of {
    /// The imaged medium.
    Content,
    /// One of the image's files, as it is.
    File(PathBuf),
}

/// A digest that is stated somewhere.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The digest.
    pub digest: Digest,
    /// What it is the digest of.
    pub of: Of,
    /// Who states it.
    pub by: String,
}

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Digests of the image and of its files.
    pub claims: Vec<Claim>,
    /// The log whose chain holds: it states more than digests of the image.
    pub log: Option<(PathBuf, Sound)>,
    /// What was looked at and is in order.
    pub notes: Vec<String>,
    /// What contradicts the image, or itself.
    pub wrong: Vec<String>,
    /// Why the image cannot be whole, or is not known to be.
    pub open: Vec<String>,
}

/// Longer files are no list of digests beside an image.
const LONGEST: u64 = 64 << 20;

/// The image under examination.
pub(super) struct Examined<'a> {
    /// The name of its first file.
    pub path: &'a Path,
    pub files: &'a [PathBuf],
    /// Bytes of the medium.
    pub size: u64,
    pub is_container: bool,
}

impl Examined<'_> {
    /// The name that log and map are derived from: of pieces the name without the number.
    fn base(&self) -> PathBuf {
        if self.files.len() > 1 && !self.is_container || self.is_first_piece() {
            return self.path.with_extension("");
        }
        self.path.to_owned()
    }

    fn is_first_piece(&self) -> bool {
        let suffix = self.path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let kinds = [Suffix::Digits, Suffix::DigitsFromOne, Suffix::Letters];
        suffix.len() >= 2 && kinds.iter().any(|kind| kind.of(0, suffix.len()).as_deref() == Some(suffix))
    }

    fn directory(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }
}

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

impl Evidence {
    /// Looks beside the image; `given` is a log that was named and is not looked at again.
    pub fn beside(image: &Examined, given: Option<&Path>) -> Evidence {
        let mut found = Evidence::default();
        let base = image.base();
        let bare = image.path.parent() == Some(Path::new(""));
        let mut others: Vec<PathBuf> = crate::names_in(image.directory())
            .into_iter()
            .map(|name| if bare { name.into() } else { image.directory().join(name) })
            .filter(|path| !image.files.contains(path) && given.is_none_or(|log| !is_same(path, log)))
            .collect();
        others.sort();
        let bases = [base.as_path(), image.path];
        let is_own =
            |path: &Path| bases.iter().any(|base| path == with(base, ".log.jsonl") || log::states_target(path, base));
        for path in &others {
            let is_log = path.extension().is_some_and(|e| e == "jsonl");
            if is_log && given.is_none() && is_own(path) {
                found.log(path, Standing::Found);
            } else if let Some(assumed) = list_of(path, image) {
                found.list(path, &assumed, image);
            }
        }
        let map = bases.map(|base| with(base, ".map")).into_iter().find(|map| map.is_file());
        if let Some(map) = map {
            found.map(&map, image);
        }
        found.gaps(image, &others);
        found
    }

    /// Takes what a log states. `false` says that it is not sound.
    pub fn log(&mut self, path: &Path, standing: Standing) {
        match log::check(path) {
            Ok(sound) => {
                let end = sound.records.last().and_then(|r| r.get("digests")).and_then(|d| d.as_object());
                let end = end.into_iter().flatten();
                for (algorithm, hex) in end {
                    let text = hex.as_str().unwrap_or_default();
                    match crate::REGISTRY.find(algorithm).ok().and_then(|a| Digest::parse(a, text).ok()) {
                        Some(digest) => self.claims.push(Claim { digest, of: Of::Content, by: shown(path) }),
                        None => {
                            self.open.push(format!("{}: a digest of {algorithm} that is not understood", shown(path)))
                        }
                    }
                }
                if standing == Standing::Found {
                    let chain = sound.chain.value();
                    self.notes.push(format!(
                        "{}: {} records, the chain holds: {chain}",
                        shown(path),
                        sound.records.len()
                    ));
                }
                self.log = Some((path.to_owned(), sound));
            }
            Err(log::Unsound::Open(what)) => self.open.push(what),
            Err(log::Unsound::Broken(what)) => self.wrong.push(what),
        }
    }

    /// Takes the lines of a list that name a file of the image.
    fn list(&mut self, path: &Path, assumed: &[Algorithm], image: &Examined) {
        let Ok(file) = crate::Patient::open(path) else {
            self.open.push(format!("{}: it cannot be read", shown(path)));
            return;
        };
        let mut text = Vec::new();
        if file.take(LONGEST).read_to_end(&mut text).is_err() {
            self.open.push(format!("{}: it cannot be read to its end", shown(path)));
            return;
        }
        let before = self.claims.len();
        // A digest and nothing else: of the file that the list is named after.
        let bare = std::str::from_utf8(&text).map(str::trim).unwrap_or_default();
        let is_beside = path.file_stem() == image.path.file_name();
        if let (Some(algorithm), true) = (assumed.first(), is_beside)
            && let Ok(digest) = Digest::parse(*algorithm, &bare.to_ascii_lowercase())
        {
            self.claims.push(Claim { digest, of: Of::File(image.path.to_owned()), by: shown(path) });
        }
        let options = Options { assumed: assumed.to_vec(), ..Options::default() };
        let decoder = Decoder::with_registry(BufReader::new(&text[..]), &options, crate::REGISTRY);
        for located in decoder.into_iter().flatten() {
            let Ok(Item::Entry(entry)) = located.map(|located| located.item) else { continue };
            let listed = Path::new(std::ffi::OsStr::from_bytes(&entry.name));
            let listed_at = path.parent().unwrap_or(Path::new("")).join(listed);
            let is_it = |file: &&PathBuf| is_same(&listed_at, file) || is_same(listed, file);
            let Some(of) = image.files.iter().find(is_it) else { continue };
            for digest in entry.digests {
                self.claims.push(Claim { digest, of: Of::File(of.clone()), by: shown(path) });
            }
        }
        let taken = self.claims.len() - before;
        if taken > 0 {
            self.notes.push(format!("{}: states {taken} digests of this image", shown(path)));
        }
    }

    /// Enters what was found beside the image.
    pub(super) fn enter(self, findings: &mut Findings) {
        self.notes.into_iter().for_each(|text| findings.note(text));
        self.wrong.into_iter().for_each(|text| findings.differs(text));
        self.open.into_iter().for_each(|text| findings.open(text));
    }

    /// What a map says of how much was read.
    fn map(&mut self, path: &Path, image: &Examined) {
        let Ok(text) = std::fs::read_to_string(path) else { return };
        let Ok(map) = Map::parse(&text) else {
            self.open.push(format!("{}: no map", shown(path)));
            return;
        };
        let done = map.total(Status::Finished) + map.total(Status::Bad);
        self.notes.push(format!("{}: {done} bytes were read or given up", shown(path)));
        // Images of whole sectors may be padded.
        if image.size < done {
            let what = format!("{}: {done} bytes were acquired, and the image has {}", shown(path), image.size);
            self.wrong.push(what);
        } else if image.size - done >= 4096 {
            self.open.push(format!("{}: only {done} of {} bytes were acquired", shown(path), image.size));
        }
    }

    /// Pieces behind a number that is missing.
    fn gaps(&mut self, image: &Examined, others: &[PathBuf]) {
        let Some(suffix) = image.path.extension().and_then(|e| e.to_str()) else { return };
        if image.is_container || !image.is_first_piece() {
            return;
        }
        let stem = image.path.file_stem();
        let is_piece = |path: &&PathBuf| {
            let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            let digits = suffix.bytes().all(|b| b.is_ascii_digit());
            let alike = if digits { |b: u8| b.is_ascii_digit() } else { |b: u8| b.is_ascii_lowercase() };
            // `.log` and `.map` have three letters as well.
            let is_other = ["log", "map", "txt", "raw", "img"].contains(&extension);
            path.file_stem() == stem && extension.len() == suffix.len() && extension.bytes().all(alike) && !is_other
        };
        if let Some(stray) = others.iter().find(is_piece) {
            self.wrong.push(format!("{}: a piece behind one that is missing", shown(stray)));
        }
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| std::fs::metadata(path).ok().map(|stat| (stat.dev(), stat.ino()));
    place(a).is_some() && place(a) == place(b)
}

/// The algorithms of a file that may be a list of digests: by its name `IMAGE.md5`, `SHA256SUMS`,
/// or one of pfh's formats. `None` for any other file.
fn list_of(path: &Path, image: &Examined) -> Option<Vec<Algorithm>> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > LONGEST {
        return None;
    }
    let lower = path.file_name()?.to_str()?.to_ascii_lowercase();
    let known = |word: &str| {
        let word = match word {
            "b2" => "blake2b",
            "b3" => "blake3",
            other => other,
        };
        crate::REGISTRY.find(word).ok().map(|algorithm| vec![algorithm])
    };
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    let sums = lower.trim_end_matches(".txt");
    let word = sums.strip_suffix("sums").or_else(|| sums.strip_suffix("sum")).filter(|word| !word.is_empty());
    if let Some(found) = word.and_then(known) {
        return Some(found);
    }
    if let Some(found) = known(&extension) {
        return Some(found);
    }
    let stem = image.path.file_stem().unwrap_or_default().as_bytes();
    let is_named_so = path.file_name()?.as_bytes().starts_with(stem);
    let is_list = ["sums", "bsd", "hashdeep", "dfxml", "xml", "jsonl", "csv", "manifest"].contains(&extension.as_str());
    (is_list && (is_named_so || ["manifest", "checksums"].iter().any(|word| lower.starts_with(word)))).then(Vec::new)
}
