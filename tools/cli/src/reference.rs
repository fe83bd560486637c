//! What `match` and `lookup` compare with: known-set files, lists in any format, and single digests.

use crate::exit;
use crate::faults::Faults;
use crate::run::algorithms;
use crate::shown;
use clap::Args;
use pfh::Digest;
use pfh::format::digits;
use pfh::known::{Build, Class, DEFAULT_MEMORY, DEFAULT_RESIDENT, Input, KnownSet, is_known_set};
use pfh::sink::matching::{Empty, Reference, Sought};
use std::path::{Path, PathBuf};

/// Sets and digests.
#[derive(Debug, Clone, Default, Args)]
pub struct Sets {
    /// A file that `pfh known build` made, or a list in any format that it reads.
    #[arg(short, long = "known", value_name = "FILE")]
    pub known: Vec<PathBuf>,
    /// A digest in hexadecimal digits that is looked for: `match` looks for files that have it, `lookup` for sets that hold it. What
    /// it is of is told by its length, or by -a.
    #[arg(long = "digest", value_name = "HEX")]
    pub digests: Vec<String>,
    /// The class of lists and digests, which have none of their own: bad, notable, good, no-change, or a name of one's own
    /// [default: listed, which is neither good nor bad].
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,
    /// An empty file is known, too, when its digest is in a set.
    #[arg(long)]
    pub empty_counts: bool,
    /// The algorithm of digests that do not say theirs, and the ones to hash with.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
}

/// What is open.
pub struct Opened {
    /// The sets and digests.
    pub reference: Reference,
    /// Lists that were read in part, and sets that hold nothing. Each was said.
    pub gaps: u64,
}

impl Sets {
    /// Opens everything; `--digest` is sought.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn open(&self) -> Result<Opened, String> {
        if self.known.is_empty() && self.digests.is_empty() {
            return Err("nothing to compare with: give --known FILE or --digest HEX".into());
        }
        let digests = self.digests()?;
        let mut opened = self.open_known()?;
        if !digests.is_empty() {
            opened.reference.sought = Some(Sought { digests, class: self.class()? });
        }
        Ok(opened)
    }

    /// Opens the files that are named, and nothing else.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn open_known(&self) -> Result<Opened, String> {
        let (class, assumed) = (self.class()?, self.assumed()?);
        let (mut sets, mut gaps) = (Vec::new(), 0);
        for (number, path) in self.known.iter().enumerate() {
            let name = shown(path.as_os_str().as_encoded_bytes());
            let known = if is_known_set(path) {
                KnownSet::open(path, DEFAULT_RESIDENT).map_err(|e| e.to_string())?
            } else {
                let input = Input { assumed: assumed.clone(), ..Input::new(path, class.clone()) };
                let (known, faults) = build_aside(input, number)?;
                if faults > 0 {
                    exit::say(format!(
                        "{name}: read in part: {faults} places hold no record, and nothing is compared with them"
                    ));
                    gaps += 1;
                }
                known
            };
            for set in known.sets().iter().filter(|set| set.is_empty()) {
                let of = shown(set.name.as_bytes());
                exit::say(format!(
                    "{name}: the set {of} holds no digest (read as {}): nothing can be known to it",
                    set.format
                ));
                gaps += 1;
            }
            sets.push(known);
        }
        let empty = if self.empty_counts { Empty::Counts } else { Empty::SaysNothing };
        Ok(Opened { reference: Reference { sets, sought: None, empty }, gaps })
    }

    /// The digests of `--digest`.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn digests(&self) -> Result<Vec<Digest>, String> {
        let candidates = digits::candidates(pfh::REGISTRY, &self.assumed()?);
        let digest = |text: &String| {
            let digest = digits::unnamed(&candidates, text.as_bytes());
            digest.map_err(|fault| format!("--digest {}: {fault}", shown(text.as_bytes())))
        };
        self.digests.iter().map(digest).collect()
    }

    /// The lists among the files that are named, where nobody said of which class they are.
    pub fn without_class(&self) -> Vec<&Path> {
        let lists = self.known.iter().filter(|path| self.class.is_none() && !is_known_set(path));
        lists.map(PathBuf::as_path).collect()
    }

    fn class(&self) -> Result<Class, String> {
        self.class.as_deref().unwrap_or("listed").parse().map_err(|e: pfh::known::MalformedClass| e.to_string())
    }

    fn assumed(&self) -> Result<Vec<pfh::Algorithm>, String> {
        if self.algorithms.is_empty() { Ok(Vec::new()) } else { algorithms(&self.algorithms) }
    }
}

/// A list becomes a known-set file in the temporary directory, which loses its name as soon as it is open. Beside it how many places of
/// the list hold no record; the first of them are said.
fn build_aside(input: Input, number: usize) -> Result<(KnownSet, u64), String> {
    let directory = std::env::temp_dir().join(format!("pfh-known-{}-{number}", std::process::id()));
    let name = |path: &Path| shown(path.as_os_str().as_encoded_bytes());
    // Fails where somebody else was quicker to take the name.
    std::fs::create_dir(&directory).map_err(|e| format!("{}: {e}", name(&directory)))?;
    let mut faults = Faults::new(exit::say);
    let build = Build {
        inputs: vec![input],
        output: directory.join("known"),
        work: Some(directory.join("work")),
        memory: DEFAULT_MEMORY,
        fault: &mut |path, line, fault| faults.take(path, line, fault),
        progress: &mut |_| {},
        cancel: Default::default(),
    };
    let opened = build.run().and_then(|_| KnownSet::open(&directory.join("known"), DEFAULT_RESIDENT));
    let _ = std::fs::remove_dir_all(&directory);
    let known = opened.map_err(|e| e.to_string())?;
    let faults = faults.finish();
    Ok((known, faults))
}
