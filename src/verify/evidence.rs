//! Files beside an image that state its digests: its log, its map, lists of digests that name it.

use super::claim::{Claim, Of};
use super::findings::Findings;
use super::imager::{self, LogLink, LogStatement};
use super::log::{self, Key, Log, Standing};
use crate::acquire::{logged, named_after};
use crate::job::Error;
use crate::verdict::Subject;
use pfh_container::map::{Block, Map, Status};
use pfh_container::split::Suffix;
use pfh_digest::{Algorithm, Digest};
use pfh_manifest::{Decoder, Item, Options};
use pfh_source::Document;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::names::with_ending;
use pfh_source::terminal::counted;
use pfh_source::terminal::shown;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// All that was found.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    /// Digests of the image and of its files.
    pub claims: Vec<Claim>,
    /// The logs whose chains hold.
    pub logs: Vec<Log>,
}

/// Longer files are not a list of digests beside an image.
const LONGEST: u64 = 64 << 20;

/// The image under examination.
pub(super) struct Exhibit<'a> {
    /// The name of its first file.
    pub path: &'a Path,
    pub files: &'a [PathBuf],
    /// Bytes of the medium.
    pub size: u64,
    pub is_container: bool,
}

impl Exhibit<'_> {
    /// The name that log and map are derived from: of pieces the name without the number.
    fn base(&self) -> PathBuf {
        if self.files.len() > 1 && !self.is_container || self.is_first_piece() {
            return self.path.with_extension("");
        }
        named_after(self.path)
    }

    fn is_first_piece(&self) -> bool {
        let suffix = self.path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let kinds = [Suffix::Digits, Suffix::DigitsFromOne, Suffix::Letters];
        suffix.len() >= 2 && kinds.iter().any(|kind| kind.of(0, suffix.len()).as_deref() == Some(suffix))
    }
}

impl Evidence {
    /// Looks beside the image; `given` is a log that was named and is not looked at again.
    ///
    /// # Errors
    /// When the file of the key holds a private key.
    pub fn beside(
        image: &Exhibit,
        given: (Option<&Path>, Option<Log>),
        key: &Key,
        findings: &mut Findings,
    ) -> Result<Evidence, Error> {
        let (given, log) = given;
        let is_other = log.is_none();
        let mut found = Evidence { logs: log.into_iter().collect(), ..Evidence::default() };
        let base = image.base();
        let directory = base.parent().unwrap_or(Path::new(""));
        let listed = if directory == Path::new("") { Path::new(".") } else { directory };
        let mut others: Vec<PathBuf> = crate::names_in(listed)
            .into_iter()
            .map(|name| directory.join(name))
            .filter(|path| !image.files.contains(path) && given.is_none_or(|log| !is_same(path, log)))
            .collect();
        others.sort();
        let bases = [base.as_path(), image.path];
        let is_own = |path: &Path| {
            bases.iter().any(|base| path == with_ending(base, ".log.jsonl") || log::states_target(path, base))
        };
        for path in &others {
            let is_log = path.extension().is_some_and(|e| e == "jsonl");
            if is_log && given.is_none() && is_own(path) {
                let log = log::load(path, Standing::Found, key, findings)?;
                match log {
                    Some(log) if log.is_of_another(&bases) => {
                        findings.open(format!("{}: another image's log: it does not name this one", shown(path)));
                    }
                    log => found.logs.extend(log),
                }
            } else if let Some(assumed) = list_of(path, image) {
                found.list(path, &assumed, image, findings);
            } else if let Some(named) = imager::named(path, &bases) {
                found.imager(path, named, &bases, findings);
            }
        }
        if let Some(path) = given.filter(|path| is_other && imager::is_one(path)) {
            found.imager(path, LogLink::ByUser, &bases, findings);
        }
        let map = bases.map(|base| with_ending(base, ".map")).into_iter().find(|map| map.is_file());
        if let Some(map) = map {
            found.map(&map, image, findings);
        }
        Ok(found)
    }

    /// Takes the lines of a list that name a file of the image.
    fn list(&mut self, path: &Path, assumed: &[Algorithm], image: &Exhibit, findings: &mut Findings) {
        let text = match Document::read(path, LONGEST) {
            Ok(text) => text,
            Err(error) => return findings.open(format!("{}: it cannot be read: {error}", shown(path))),
        };
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
            findings.note(format!("{}: states {} of this image", shown(path), counted(taken as u64, "digest")));
        }
    }

    /// Takes the digests that the log of another imaging tool states.
    fn imager(&mut self, path: &Path, named: LogLink, images: &[&Path], findings: &mut Findings) {
        let name = shown(path);
        let is_file = images.iter().any(|image| image.is_file());
        match imager::stated(path, named, images) {
            Ok(LogStatement::Other) => {}
            Ok(LogStatement::Digests(_, Of::Content | Of::Copied { offset: None, .. })) if !is_file => {
                findings.open(format!("{name}: not compared: it does not state which part of a device was written"));
            }
            Ok(LogStatement::Digests(digests, of)) => {
                findings.note(format!("{name}: states {} of this image", counted(digests.len() as u64, "digest")));
                self.claims.extend(imager::claims(path, digests, of));
            }
            Ok(LogStatement::Nothing(why)) => findings.open(format!("{name}: not read: {why}")),
            Err(error) if named == LogLink::Not => findings.note(format!("{name}: {error}")),
            Err(error) => findings.open(format!("{name}: {error}")),
        }
    }

    /// How much was read according to a map.
    fn map(&mut self, path: &Path, image: &Exhibit, findings: &mut Findings) {
        let Ok(text) = Document::read_text(path, LONGEST) else { return };
        let name = shown(path);
        let Ok(map) = Map::parse(&text) else {
            findings.open(format!("{name}: it is not a map"));
            return;
        };
        let done = map.total(Status::Finished) + map.total(Status::Bad);
        findings.note(format!("{name}: {done} bytes were read or given up"));
        if let Some((log, part)) = self.logs.iter().find_map(|log| Some((log, log.part.as_ref()?))) {
            // The log states more: how long the image is, and which areas were lost.
            let (from, until) = (part.from, part.from + part.bytes - part.padded.min(part.bytes));
            let within = |block: &Block| {
                let (start, end) = (block.offset.max(from), (block.offset + block.length).min(until));
                (start < end).then(|| (start - from, end - start))
            };
            let of = |is_it: fn(Status) -> bool| {
                map.blocks().iter().filter(|block| is_it(block.status)).filter_map(within).collect::<Vec<_>>()
            };
            let open = of(|status| !matches!(status, Status::Finished | Status::Bad));
            let untried: u64 = open.iter().map(|(_, length)| length).sum();
            if untried > 0 {
                findings.open(format!("{name}: {untried} of {} bytes were not tried", part.bytes));
            }
            let lost = of(|status| status != Status::Finished);
            // A run that continued the log and was cut off may have read some of it.
            if log.sound.behind == 0
                && let Some(what) = logged::contradiction(&name, lost, logged::losses(&log.sound))
            {
                findings.open(what);
            }
            return;
        }
        // Images of whole sectors may be padded.
        if image.size < done {
            let what = format!("{name}: {done} bytes were acquired, and the image has {}", image.size);
            findings.contradicts(Subject::Image, "the size of the image", &name, what);
        } else if image.size - done >= 4096 {
            findings.open(format!("{name}: only {done} of {} bytes were acquired", image.size));
        }
    }
}

fn is_same(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| pfh_source::os::stat_path(path).ok().map(|(stat, _)| stat.identity());
    place(a).is_some() && place(a) == place(b)
}

/// The algorithms of a file that may be a list of digests: by its name `IMAGE.md5`, `SHA256SUMS`,
/// or one of pfh's formats. `None` for any other file.
fn list_of(path: &Path, image: &Exhibit) -> Option<Vec<Algorithm>> {
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
