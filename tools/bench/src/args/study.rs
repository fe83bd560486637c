//! The arguments of `pfh bench languages`.

use crate::amount;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// An algorithm of the study: its four, and two that came after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[allow(missing_docs)]
pub enum Method {
    #[serde(rename = "md5")]
    Md5,
    #[serde(rename = "sha1")]
    Sha1,
    #[serde(rename = "sha256")]
    Sha256,
    #[serde(rename = "sha512")]
    Sha512,
    #[serde(rename = "sha3-256")]
    Sha3,
    #[serde(rename = "blake3")]
    Blake3,
}

impl Method {
    /// All of them; the study's own come first.
    pub const ALL: [Method; 6] =
        [Method::Md5, Method::Sha1, Method::Sha256, Method::Sha512, Method::Sha3, Method::Blake3];

    /// Its name in the runners' protocol and in pfh.
    pub fn name(self) -> &'static str {
        match self {
            Method::Md5 => "md5",
            Method::Sha1 => "sha1",
            Method::Sha256 => "sha256",
            Method::Sha512 => "sha512",
            Method::Sha3 => "sha3-256",
            Method::Blake3 => "blake3",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Method::ALL.map(Method::name).join(", ");
        Method::ALL
            .into_iter()
            .find(|method| method.name() == text)
            .ok_or_else(|| format!("{text:?} is not an algorithm of the study: {names}"))
    }
}

/// Which of the two times is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Time {
    /// Time that passed, as in the study.
    #[default]
    Wall,
    /// Time that the process computed: less noise on a machine shared with others.
    Cpu,
}

/// The arguments of `pfh bench languages`.
#[derive(Debug, Clone, clap::Args)]
pub struct Languages {
    /// Rows to measure, by name or its beginning (all that run here)
    #[arg(id = "rows", long = "only", value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Rows to leave out, by name or its beginning
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub without: Vec<String>,
    /// Algorithms (md5, sha1, sha256, sha512, sha3-256, blake3)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<Method>,
    /// Sizes of the messages, such as 64KiB,2MiB; `paper` for the study's thirteen from 2 to 1024
    /// MiB
    #[arg(long, value_name = "SIZES", default_value = "256KiB,1MiB,2MiB,4MiB,8MiB,16MiB,32MiB")]
    pub sizes: String,
    /// Processes per cell
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub processes: u32,
    /// Timed repeats in each process
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub repeats: u32,
    /// Repeats before those, which are not timed
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub warmups: u32,
    /// Bytes hashed before the timed repeats, if that takes more repeats
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = amount::parse_bytes)]
    pub warm_bytes: u64,
    /// Seed of the order of the runs and of the messages
    #[arg(long, value_name = "N", default_value_t = 2015)]
    pub seed: u64,
    /// Folder of the runners (bench/runners, here or above)
    #[arg(long, value_name = "DIR")]
    pub runners: Option<PathBuf>,
    /// Where journal, messages, results and report go; an interrupted study with the same arguments
    /// goes on there
    #[arg(short, long, value_name = "DIR", default_value = "pfh-bench")]
    pub out: PathBuf,
    /// Replace files in DIR that no earlier run has made
    #[arg(long)]
    pub force: bool,
    /// Which time the tables show
    #[arg(long, value_enum, default_value_t)]
    pub time: Time,
    /// Only say which rows have their tools here, and how to get the others: nothing is built
    #[arg(long)]
    pub list: bool,
}
