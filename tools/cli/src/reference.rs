//! What `match` and `lookup` compare with: known-set files, lists in any format, and single digests.

use crate::exit;
use crate::run::algorithms;
use crate::shown;
use clap::Args;
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
    /// A digest in hexadecimal digits; what it is of is told by its length, or by -a.
    #[arg(long = "digest", value_name = "HEX")]
    pub digests: Vec<String>,
    /// The class of lists and digests that have none: bad, notable, good, no-change, or a name of one's own.
    #[arg(long, value_name = "NAME", default_value = "listed")]
    pub class: String,
    /// An empty file is known, too, when its digest is in a set.
    #[arg(long)]
    pub empty_counts: bool,
    /// The algorithm of digests that do not say theirs, and the ones to hash with.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
}

impl Sets {
    /// Opens everything.
    ///
    /// # Errors
    /// A sentence for the user.
    pub fn open(&self) -> Result<Reference, String> {
        if self.known.is_empty() && self.digests.is_empty() {
            return Err("nothing to compare with: give --known FILE or --digest HEX".into());
        }
        let class: Class = self.class.parse().map_err(|e: pfh::known::MalformedClass| e.to_string())?;
        let assumed = if self.algorithms.is_empty() { Vec::new() } else { algorithms(&self.algorithms)? };
        let mut sets = Vec::new();
        for (number, path) in self.known.iter().enumerate() {
            let opened = if is_known_set(path) {
                KnownSet::open(path, DEFAULT_RESIDENT).map_err(|e| e.to_string())?
            } else {
                let input = Input { assumed: assumed.clone(), ..Input::new(path, class.clone()) };
                build_aside(input, number)?
            };
            sets.push(opened);
        }
        let candidates = digits::candidates(pfh::REGISTRY, &assumed);
        let mut digests = Vec::new();
        for text in &self.digests {
            let digest = digits::unnamed(&candidates, text.as_bytes());
            digests.push(digest.map_err(|fault| format!("--digest {}: {fault}", shown(text.as_bytes())))?);
        }
        let sought = if digests.is_empty() { None } else { Some(Sought { digests, class }) };
        let empty = if self.empty_counts { Empty::Counts } else { Empty::SaysNothing };
        Ok(Reference { sets, sought, empty })
    }
}

/// A list becomes a known-set file in the temporary directory, which loses its name as soon as it is open.
fn build_aside(input: Input, number: usize) -> Result<KnownSet, String> {
    let directory = std::env::temp_dir().join(format!("pfh-known-{}-{number}", std::process::id()));
    let name = |path: &Path| shown(path.as_os_str().as_encoded_bytes());
    // Fails where somebody else was quicker to take the name.
    std::fs::create_dir(&directory).map_err(|e| format!("{}: {e}", name(&directory)))?;
    let build = Build {
        inputs: vec![input],
        output: directory.join("known"),
        work: Some(directory.join("work")),
        memory: DEFAULT_MEMORY,
        fault: &mut |path, line, fault| exit::say(format!("{}:{line}: {fault}", name(path))),
        progress: &mut |_| {},
        cancel: Default::default(),
    };
    let opened = build.run().and_then(|_| KnownSet::open(&directory.join("known"), DEFAULT_RESIDENT));
    let _ = std::fs::remove_dir_all(&directory);
    opened.map_err(|e| e.to_string())
}
