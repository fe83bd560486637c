//! `pfh hash`: from a request to an exit code.

use crate::exit::{self, Exit};
use crate::input::Input;
use crate::run::{Run, Taker, Voice, algorithms};
use crate::{key, shown, size};
use clap::Args;
use pfh::format::{End, Format, Layout, Marker, Options};
use pfh::outputs::{Existing, Kind, Outputs};
use pfh::seal;
use pfh::similarity::Named;
use pfh::sink::cache::Cache;
use pfh::sink::{About, Manifest, Output};
use pfh::{Algorithm, Apart, Plan, Record, Source};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// A cache is an SQLite database with "pfhc" as its application (Database File Format, section 1.3).
const CACHE: Existing = Existing::Own(68, b"pfhc");

/// What either form of the command line asks for.
#[derive(Debug, Args)]
pub struct Hash {
    /// What is read.
    #[command(flatten)]
    pub input: Input,
    /// Algorithms, separated by commas: sha256, md5, shake128:64 (bytes of output) … see `pfh algorithms`.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',', default_value = "sha256")]
    pub algorithms: Vec<String>,
    /// sums, bsd, hashdeep, dfxml, jsonl or csv; of similarity digests also ssdeep, sdbf and mrsh, their own.
    #[arg(short, long, value_name = "FORMAT", default_value = "sums")]
    pub format: String,
    /// End records with NUL and escape no names (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// Mark names with an asterisk, as GNU's tools do with the same option (sums).
    #[arg(long)]
    pub binary: bool,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Digests of every window of SIZE bytes, too (hashdeep, dfxml, jsonl).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub piecewise: Option<u64>,
    /// Write FILE.seal, too: a Merkle root over the records, which `pfh check` verifies.
    #[arg(long, requires = "output")]
    pub seal: bool,
    /// Sign the seal with this Ed25519 key.
    #[arg(long, value_name = "FILE", requires = "seal")]
    pub key: Option<PathBuf>,
    /// Keep digests in FILE, and do not read files again whose device, inode, size, mtime and ctime are those kept. A run that was
    /// interrupted goes on.
    #[arg(long, value_name = "FILE", conflicts_with = "piecewise")]
    pub cache: Option<PathBuf>,
    /// Read this share of the files all the same, chosen at random, and compare.
    #[arg(long, value_name = "PERCENT", requires = "cache", value_parser = percent)]
    pub cache_verify: Option<f64>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// How it is carried out.
    #[command(flatten)]
    pub run: Run,
}

/// Reads `1%`, `0.5%` or `1`.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.map(|number| number / 100.0).ok_or_else(|| format!("{text:?} is no share: write 1% or 0.5%"))
}

impl Default for Hash {
    fn default() -> Self {
        Hash {
            input: Input::default(),
            algorithms: vec!["sha256".into()],
            format: "sums".into(),
            zero: false,
            binary: false,
            output: None,
            piecewise: None,
            seal: false,
            key: None,
            cache: None,
            cache_verify: None,
            force: false,
            run: Run::default(),
        }
    }
}

/// Runs a request to its end.
pub fn run(hash: &Hash) -> Exit {
    match try_run(hash) {
        Ok(exit) => exit,
        Err(message) => {
            exit::say(message);
            Exit::Usage
        }
    }
}

fn try_run(hash: &Hash) -> Result<Exit, String> {
    if hash.piecewise == Some(0) {
        return Err("--piecewise takes a size of at least one byte".into());
    }
    if let Some(path) = &hash.key {
        // Better now than after a long run.
        key::signing(path)?;
    }
    let mut plan = hash.run.plan(algorithms(&hash.algorithms)?)?;
    plan.piecewise = hash.piecewise;
    guarded(hash).check().map_err(|refused| refused.to_string())?;
    let cache = cache(hash, &plan)?;
    let mut source: Box<dyn Source> = Box::new(Apart::new(hash.input.source()?, own(hash)));
    if let Some(cache) = &cache {
        source = Box::new(cache.reusing(source));
    }
    let format = hash.format.parse::<Format>().map_err(|e| e.to_string())?;
    if plan.piecewise.is_some() && !matches!(format, Format::Hashdeep | Format::Dfxml | Format::Jsonl | Format::Csv) {
        return Err(format!("-f {} has no form for --piecewise: use hashdeep, dfxml, jsonl or csv", format.name()));
    }
    let output = match &hash.output {
        None => Output::standard(),
        Some(path) => match Output::file(path) {
            Ok(output) => output,
            Err(error) => {
                exit::say(format!("{}: {error}", shown(path.as_os_str().as_encoded_bytes())));
                return Ok(Exit::Aborted);
            }
        },
    };
    let layout = Layout {
        end: if hash.zero { End::Nul } else { End::Line },
        marker: if hash.binary { Marker::Binary } else { Marker::Text },
    };
    let manifest = Manifest::open(format, layout, &about(hash, &plan), plan.piecewise.is_some(), output);
    let manifest = manifest.map_err(|e| format!("-f {}: {e}", format.name()))?;
    let mut written = Written { manifest, without: 0, cache: cache.clone() };
    let ran = hash.run.carry_out(source, hash.input.again(), &plan, &mut written);
    let Written { manifest, without, .. } = written;
    // What was read is kept, whatever became of the output: the next run goes on from it.
    let used = match cache.map(|cache| cache.close(ran.as_ref().is_ok_and(|ended| !ended.summary.interrupted))) {
        None => None,
        Some(Ok(used)) => Some(used),
        Some(Err(error)) => {
            exit::say(error);
            return Ok(Exit::Aborted);
        }
    };
    let ended = match ran {
        Ok(ended) => ended,
        Err(exit) => return Ok(exit),
    };
    // An interrupted run leaves what it has on standard output, and no file: a file appears whole or not at all.
    let whole = if ended.summary.interrupted { manifest.interrupt() } else { manifest.finish(&ended.summary) };
    if let Err(error) = whole {
        return Ok(exit::of_output(&error));
    }
    if let (true, false, Some(path)) = (hash.seal, ended.summary.interrupted, &hash.output) {
        // Which algorithms the digests are of is known here, so those of any length are read back right.
        let end = if hash.zero { End::Nul } else { End::Line };
        let limit = plan.memory.max(1 << 20);
        let assumed = plan.algorithms.clone();
        let options = Options { format: Some(format), assumed, end, limit, ..Options::default() };
        if let Err(why) = seal::write(path, &options, hash.key.as_deref()) {
            exit::say(why);
            return Ok(Exit::Aborted);
        }
    }
    hash.run.tell(&ended.summary);
    let exit = match &hash.output {
        Some(_) if ended.summary.interrupted => {
            let kept =
                if hash.cache.is_some() { "; what was hashed is in the cache, the same command resumes" } else { "" };
            ended.interrupted(format_args!("no file was written{kept}"))
        }
        _ => ended.exit(without),
    };
    let Some(used) = used else { return Ok(exit) };
    exit::say(format!("{} files were not read again, {} were and compared", used.reused, used.verified));
    if used.timeless > 0 {
        let files = if used.timeless == 1 { "file was" } else { "files were" };
        exit::say(format!(
            "{} {files} read anew: the file system keeps no change time that would tell whether content is the same, so no digests of it are kept",
            used.timeless
        ));
    }
    // Content that changed under the same times is a negative verdict on the file system, or on the cache.
    Ok(if used.changed > 0 && exit == Exit::Good { Exit::Verdict } else { exit })
}

/// The cache, where one is asked for. Which run it is: the output, what is hashed and how.
fn cache(hash: &Hash, plan: &Plan) -> Result<Option<Cache>, String> {
    let Some(path) = &hash.cache else { return Ok(None) };
    let about = about(hash, plan);
    let mut identity = [about.command_line.unwrap_or_default(), about.working_directory.unwrap_or_default()].join(&0);
    identity.extend_from_slice(hash.format.as_bytes());
    identity.extend(hash.output.iter().flat_map(|output| output.as_os_str().as_encoded_bytes().to_vec()));
    let opened = Cache::open(path, &shown(&identity), &plan.algorithms, hash.cache_verify.unwrap_or(0.0));
    opened.map(Some).map_err(|error| format!("{}: {error}", shown(path.as_os_str().as_encoded_bytes())))
}

/// What the manifest says of the run. Of the command line it has what decides the digests: manifests of one tree are
/// equal whatever the threads.
fn about(hash: &Hash, plan: &Plan) -> About {
    let algorithms: Vec<String> = plan.algorithms.iter().map(Algorithm::to_string).collect();
    let mut words: Vec<Vec<u8>> = vec![format!("pfh hash -a {}", algorithms.join(",")).into_bytes()];
    words.extend(hash.input.words());
    words.extend(plan.piecewise.map(|length| format!("--piecewise {length}").into_bytes()));
    words.extend(hash.input.paths.iter().map(|path| path.as_encoded_bytes().to_vec()));
    let here = std::env::current_dir().ok().map(|d| d.into_os_string().into_vec());
    About {
        algorithms: plan.algorithms.clone(),
        command_line: Some(words.join(&b' ')),
        base: here.clone().filter(|here| is_needed(hash, here)),
        working_directory: here,
        version: env!("CARGO_PKG_VERSION").into(),
    }
}

/// Whether the manifest must say in which directory its relative names start: it will lie in another, and has such names.
fn is_needed(hash: &Hash, here: &[u8]) -> bool {
    let Some(output) = &hash.output else { return false };
    let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let elsewhere = std::fs::canonicalize(parent).is_ok_and(|parent| parent.as_os_str().as_encoded_bytes() != here);
    let relative = |path: &OsString| !Path::new(path).is_absolute() && path != "-";
    elsewhere && (hash.input.files_from.is_some() || hash.input.paths.iter().any(relative))
}

/// What the run writes, none of which is evidence: the output, its seal, the cache and what SQLite keeps beside it, and the file behind
/// standard output.
fn own(hash: &Hash) -> Vec<Vec<u8>> {
    let mut own: Vec<OsString> = Vec::new();
    let mut with = |path: &Path, ends: &[&str]| {
        own.extend(ends.iter().map(|end| {
            let mut path = path.as_os_str().to_owned();
            path.push(end);
            path
        }));
    };
    match &hash.output {
        Some(output) => with(output, if hash.seal { &["", ".seal"] } else { &[""] }),
        None => {
            let standard = std::fs::read_link("/proc/self/fd/1").ok().filter(|path| path.is_file());
            standard.iter().for_each(|path| with(path, &[""]));
        }
    }
    hash.cache.iter().for_each(|cache| with(cache, &["", "-wal", "-shm", "-journal"]));
    own.into_iter().map(OsString::into_vec).collect()
}

/// What is read and written.
fn guarded(hash: &Hash) -> Outputs {
    let mut outputs = Outputs::new(hash.force);
    outputs.file("--output", hash.output.as_ref());
    outputs.file("--seal", hash.output.as_deref().filter(|_| hash.seal).map(seal::beside));
    if let Some(cache) = &hash.cache {
        outputs.writes("--cache", cache, Kind::File, CACHE);
    }
    hash.input.guard(outputs.reads_all(&hash.key));
    outputs
}

/// Whether a file was read whole, and has no digest because its methods make none of so little.
fn has_none(record: &Record) -> bool {
    let absent = |digest: &pfh::Digest| {
        Named::find(digest.algorithm().name())
            .is_some_and(|method| digest.text().is_some_and(|text| method.is_absent(text)))
    };
    matches!(&record.outcome, pfh::Outcome::Hashed(hashed) if !hashed.digests.is_empty() && hashed.digests.iter().all(absent))
}

/// Writes records into the manifest.
struct Written {
    manifest: Manifest,
    /// Records whose name the format cannot hold.
    without: u64,
    cache: Option<Cache>,
}

impl Taker for Written {
    fn take(&mut self, record: Record, voice: &Voice<'_>) -> io::Result<()> {
        if let Some(cache) = &self.cache
            && cache.keep(&record).map_err(io::Error::other)?
        {
            voice.say(&record.name, &"its content changed though size, mtime and ctime did not");
        }
        if let Err(why) = self.manifest.write(&record)? {
            // Read whole, and too short for the method: there is nothing that could have been written.
            self.without += u64::from(!has_none(&record));
            voice.say(&record.name, &format_args!("not written: {why}"));
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.manifest.flush()
    }
}
