//! `pfh tree diff`: where two files differ, by their trees alone.

use super::proof::print;
use crate::exit::{self, Exit};
use crate::shown;
use clap::Args;
use pfh::hex;
use pfh::outboard::{self, Failure};
use pfh::tree::outboard::Outboard;
use serde_json::json;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// `pfh tree diff`
#[derive(Args)]
#[command(after_help = super::help::DIFF)]
pub struct Diff {
    /// A file with a tree beside it, or a tree (*.pfhtree). The file itself is not read.
    #[arg(value_name = "A")]
    pub one: PathBuf,
    /// Another one.
    #[arg(value_name = "B")]
    pub other: PathBuf,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

fn load(path: &Path) -> Result<Outboard, Failure> {
    let is_tree = path.as_os_str().as_bytes().ends_with(outboard::SUFFIX.as_bytes());
    outboard::load(&if is_tree { path.to_owned() } else { outboard::beside(path) })
}

impl Diff {
    /// Compares the trees.
    pub fn run(&self) -> Exit {
        let loaded = load(&self.one).and_then(|one| Ok((one, load(&self.other)?)));
        let (one, other) = match loaded {
            Ok(both) => both,
            Err(failure) => {
                exit::say(failure);
                return Exit::Incomplete;
            }
        };
        let Ok(ranges) = one.differences(&other) else {
            exit::say("nothing to compare with: the trees have different functions or leaf lengths");
            return Exit::Incomplete;
        };
        let (name, other_name) = (shown(self.one.as_os_str().as_bytes()), shown(self.other.as_os_str().as_bytes()));
        let same = ranges.is_empty() && one.root() == other.root();
        let exit = if same { Exit::Good } else { Exit::Verdict };
        if self.json {
            let ranges: Vec<_> =
                ranges.iter().map(|r| json!({ "offset": r.start, "length": r.end - r.start })).collect();
            let object = json!({
                "type": "diff",
                "verdict": if same { "verified" } else { "differs" },
                "one": name,
                "other": other_name,
                "algorithm": one.parameters().function().name(),
                "root": hex::encode(one.root()),
                "other_root": hex::encode(other.root()),
                "length": one.length(),
                "other_length": other.length(),
                "differ": ranges,
            });
            return print(&format!("{object}\n"), exit);
        }
        let mut text = String::new();
        for range in &ranges {
            text += &format!("{}:{}\n", range.start, range.end - range.start);
        }
        if same {
            let (leaves, algorithm) = (one.leaf_count(), one.parameters().function().name());
            text = format!(
                "{name} and {other_name}: the same {leaves} leaves, {algorithm} root {}\n",
                hex::encode(one.root())
            );
        }
        print(&text, exit)
    }
}
