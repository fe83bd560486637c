//! Every numbered table and figure of the five papers, and the way to repeat it.

use super::scripts::{CLONER, LANES, PREFETCHING, TREES};

/// The study of languages.
pub const LANGUAGES: &str =
    "Gurjar, Baggili, Breitinger & Fischer, An empirical comparison of widely adopted hash functions";

/// A table or figure of a paper.
#[derive(Debug, Clone, Copy)]
pub struct Item {
    /// The paper.
    pub paper: &'static str,
    /// Its number, as printed.
    pub number: &'static str,
    /// Its subject.
    pub what: &'static str,
    /// The command that repeats it, or why there is none.
    pub by: By,
}

/// The way to repeat an item.
#[derive(Debug, Clone, Copy)]
pub enum By {
    /// The part of this name.
    Part(&'static str),
    /// Another command.
    Command(&'static str),
    /// A drawing of ours shows the same.
    Drawing(&'static str),
    /// Nothing, for this reason.
    Nothing(&'static str),
}

const fn item(paper: &'static str, number: &'static str, what: &'static str, by: By) -> Item {
    Item { paper, number, what, by }
}

/// The drawings of the papers have no figures; ours of the same things are on one page.
const DRAWING: By = By::Drawing("docs/design.md, The papers' drawings");
const WINDOWS: By = By::Nothing(
    "measured under Windows, where pfh has not run yet; the printed means are data, `pfh bench report` compares with them",
);
const STUDY: By = By::Command("pfh bench languages --sizes paper --repeats 10");

/// All of them, paper by paper.
pub const ITEMS: &[Item] = &[
    item(PREFETCHING, "Table I", "one file of 500 MB under five hashes", By::Part("pfh-I")),
    item(PREFETCHING, "Table II", "the corpus t5 by kinds of files", By::Command("bench/run corpus")),
    item(PREFETCHING, "Table III", "ssdeep, cold: original, SMT, MTP", By::Part("pfh-III")),
    item(PREFETCHING, "Table IV", "five hashes, cold", By::Part("pfh-IV")),
    item(PREFETCHING, "Table V", "each against each", By::Part("pfh-V")),
    item(PREFETCHING, "Table VI", "2, 4 and 8 threads, cold", By::Part("pfh-VI")),
    item(PREFETCHING, "Table VII", "2, 4 and 8 threads, cached", By::Part("pfh-VII")),
    item(PREFETCHING, "Table VIII", "128, 256 and 512 MB of memory", By::Part("pfh-VIII")),
    item(PREFETCHING, "Table IX", "one prefetcher and two", By::Part("pfh-IX")),
    item(PREFETCHING, "Table X", "two workstations", By::Part("pfh-X")),
    item(PREFETCHING, "Table XI", "their projected times", By::Part("pfh-X")),
    item(PREFETCHING, "Table XII", "ppss and GNU parallel", By::Part("pfh-XII")),
    item(PREFETCHING, "Table XIII", "16 files of 1.2 GB", By::Part("pfh-XIII")),
    item(PREFETCHING, "main claim", "prefetching beats simple threads on a rotating disk", By::Part("pfh-rotating")),
    item(PREFETCHING, "Fig. 1", "the operations of the framework", DRAWING),
    item(PREFETCHING, "Fig. 2", "its objects", DRAWING),
    item(LANES, "Fig. 1", "Algorithm 1: the scheduler", DRAWING),
    item(LANES, "Fig. 2", "messages of 4 KB from caches and memory", By::Part("s-hash")),
    item(LANES, "Fig. 3", "the directory DIVERSE", By::Part("s-hash")),
    item(LANES, "Fig. 4", "the directory UNIFORM", By::Part("s-hash")),
    item(LANES, "Table 1", "the 350 sizes of DIVERSE: data of the figure", By::Part("s-hash")),
    item(LANGUAGES, "Table 1", "the machine", By::Command("pfh bench self")),
    item(LANGUAGES, "Table 2", "languages and their versions", By::Command("pfh bench languages --list")),
    item(LANGUAGES, "Table 3", "MD5, Linux", STUDY),
    item(LANGUAGES, "Table 4", "MD5: a and b", STUDY),
    item(LANGUAGES, "Table 5", "MD5, Windows", WINDOWS),
    item(LANGUAGES, "Table 6", "SHA-1, Linux", STUDY),
    item(LANGUAGES, "Table 7", "SHA-1: a and b", STUDY),
    item(LANGUAGES, "Table 8", "SHA-1, Windows", WINDOWS),
    item(LANGUAGES, "Table 9", "SHA-256, Linux", STUDY),
    item(LANGUAGES, "Table 10", "SHA-256: a and b", STUDY),
    item(LANGUAGES, "Table 11", "SHA-256, Windows", WINDOWS),
    item(LANGUAGES, "Table 12", "SHA-512, Linux", STUDY),
    item(LANGUAGES, "Table 13", "SHA-512: a and b", STUDY),
    item(LANGUAGES, "Table 14", "SHA-512, Windows", WINDOWS),
    item(LANGUAGES, "Table 15", "a case of 722 GB", By::Command("pfh bench forecast --preset study-722gb")),
    item(LANGUAGES, "Fig. 1", "time over size, Linux", STUDY),
    item(LANGUAGES, "Fig. 2", "time over size, Windows", WINDOWS),
    item(TREES, "Table 1", "parallel Keccak over a buffer of 2 GB", By::Part("tree")),
    item(TREES, "Fig. 1", "an answer without the data", By::Part("audit")),
    item(TREES, "Fig. 2", "the sponge", DRAWING),
    item(
        CLONER,
        "Table I",
        "the command: dd with blocks of 64 MB",
        By::Command("pfh dd if=IN of=OUT bs=64MB count=16"),
    ),
    item(CLONER, "Table II", "1, 5, 10 and 20 GB, IDE", By::Part("cloner-ide")),
    item(CLONER, "Table III", "1, 5, 10 and 20 GB, SATA", By::Part("cloner-sata")),
    item(CLONER, "Fig. 1", "the ring of buffers", DRAWING),
    item(CLONER, "Fig. 2", "Table II as bars", By::Part("cloner-ide")),
    item(CLONER, "Fig. 3", "Table III as bars", By::Part("cloner-sata")),
];

impl Item {
    /// The way to repeat it, for people.
    pub fn command(&self) -> String {
        match self.by {
            By::Part(name) => format!("pfh bench papers --only {name}"),
            By::Command(command) => command.to_owned(),
            By::Drawing(place) => format!("a drawing: {place}"),
            By::Nothing(why) => format!("not repeated: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::Papers;

    #[derive(clap::Parser)]
    struct PapersArgs {
        #[command(flatten)]
        papers: Papers,
    }

    #[test]
    fn the_parts_of_items_are_there() {
        let asked: PapersArgs = clap::Parser::parse_from(["papers"]);
        let parts = asked.papers.parts("pfh".as_ref()).unwrap();
        for item in ITEMS {
            let By::Part(name) = item.by else { continue };
            assert!(parts.iter().any(|part| part.name == name && part.paper == item.paper), "{} {}", item.number, name);
        }
        for part in &parts {
            assert!(ITEMS.iter().any(|item| matches!(item.by, By::Part(name) if name == part.name)), "{}", part.name);
        }
    }
}
