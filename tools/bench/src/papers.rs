//! `pfh bench papers`: the papers' measurements that a machine without special hardware can repeat, each beside the figure
//! that the paper gives, as far as it is known here.

use crate::forecast::Scratch;
use crate::pipeline::{Tree, pass};
use crate::report::{align, escape, page};
use crate::statistics::{median, quantile};
use crate::{Error, own};
use pfh::{Algorithm, Mode, Plan};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// What is asked.
#[derive(Debug, Clone, clap::Args)]
pub struct Papers {
    /// A tree to hash, read only; the project's bench/corpus builds one like the t5 corpus (made here: 1,600 files)
    #[arg(long, value_name = "DIR")]
    pub corpus: Option<PathBuf>,
    /// Where files to measure with are written and removed again (the system's temporary directory)
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Rounds; of every figure the best and the median are given
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub rounds: usize,
    /// Write the comparison as an HTML page too
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// One figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// Table or figure of the paper.
    pub place: &'static str,
    /// What is measured.
    pub what: String,
    /// What the paper gives; none when its number is not known here.
    pub paper: Option<&'static str>,
    /// Ours, best and median, with the unit; or why there is none.
    pub ours: Result<String, String>,
}

const PREFETCHING: &str = "Breitinger & Petrov, Reducing time cost in hashing operations";
const LANES: &str = "Gueron & Krasnov, Simultaneous hashing of multiple messages";
const TREES: &str = "Lopes, Franqueira & Hobson, Efficient computation of hashes";
const CLONER: &str = "Panichprecha et al., Multi-threading in disk cloner";
const LANGUAGES: &str = "Gurjar et al., An empirical comparison of widely adopted hash functions";

impl Papers {
    /// Measures what can be measured, paper by paper.
    pub fn measure(&self) -> Result<Vec<(&'static str, Vec<Figure>)>, Error> {
        if self.rounds == 0 {
            return Err(Error::Usage("at least one round is needed".to_owned()));
        }
        let parent = self.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let scratch = Scratch::create(&parent)?;
        Ok(vec![
            (PREFETCHING, self.prefetching(&scratch)?),
            (LANES, self.lanes()?),
            (TREES, self.trees()?),
            (
                CLONER,
                vec![not_here(
                    "Tables II-III",
                    "cloning with a reader and a writer thread against dd",
                    Some("43 to 48 % faster"),
                    "needs root and two throttled loop devices",
                )],
            ),
            (LANGUAGES, vec![not_here("all", "means, lines, forecast", None, "is `pfh bench languages`")]),
        ])
    }

    /// Modes, threads and prefetchers over one warm tree: the shape of Tables III to IX.
    fn prefetching(&self, scratch: &Scratch) -> Result<Vec<Figure>, Error> {
        let root = match &self.corpus {
            Some(corpus) => corpus.clone(),
            None => {
                let root = scratch.0.join("tree");
                Tree::create(&root.join("small"), 1580, 16 << 10, 1)?;
                Tree::create(&root.join("large"), 20, 4 << 20, 1)?;
                root
            }
        };
        let md5 = named("md5")?;
        let mut plans = Vec::new();
        for threads in [1, 2, 4, 8] {
            let common = Plan { threads, ..Plan::new(vec![md5]) };
            plans.push(("smt", Plan { mode: Mode::Smt, prefetchers: 0, ..common.clone() }));
            for prefetchers in [1, 2, 4] {
                plans.push(("mtp", Plan { mode: Mode::Mtp, prefetchers, ..common.clone() }));
            }
            plans.push(("adaptive", Plan { mode: Mode::Adaptive, ..common }));
        }
        let mut times = vec![Vec::new(); plans.len()];
        let expected = pass(&root, &plans[0].1)?.digests;
        for _ in 0..self.rounds {
            for ((mode, plan), times) in plans.iter().zip(&mut times) {
                let pass = pass(&root, plan)?;
                if pass.digests != expected {
                    return Err(Error::Wrong(format!("{mode} with {} threads gives other digests", plan.threads)));
                }
                times.push(pass.wall.as_secs_f64() * 1e3);
            }
        }
        let line = |((mode, plan), times): (&(&str, Plan), &Vec<f64>)| Figure {
            place: "Tables III-IX",
            what: format!("md5, warm: {mode}, {} threads, {} prefetchers", plan.threads, plan.prefetchers),
            paper: None,
            ours: Ok(format!("{:.1} / {:.1} ms", quantile(times, 0.0), median(times))),
        };
        let mut figures: Vec<Figure> = plans.iter().zip(&times).map(line).collect();
        figures.push(not_here(
            "Table XII",
            "all pairs of the tree by similarity",
            Some("mrsh-v2: 187 s, 8 threads"),
            "is `pfh compare`",
        ));
        Ok(figures)
    }

    /// 4 KiB messages at home in each level of the memory, and the directory UNIFORM.
    fn lanes(&self) -> Result<Vec<Figure>, Error> {
        let sha256 = named("sha256")?;
        let mut figures = Vec::new();
        for (home, messages) in [("L1", 4), ("L2", 96), ("L3", 2048), ("memory", 32768)] {
            let gain = self.gain(sha256, messages, 4096)?;
            figures.push(Figure {
                place: "Figure 2",
                what: format!("sha256, 4 KiB messages in {home}: many over one by one"),
                paper: None,
                ours: Ok(gain),
            });
        }
        figures.push(Figure {
            place: "Figures 3-4",
            what: "sha256, UNIFORM (8 x 18,623,835 bytes): many over one by one".to_owned(),
            paper: Some("2.26x of OpenSSL"),
            ours: Ok(self.gain(sha256, 8, 18_623_835)?),
        });
        figures.push(not_here(
            "Figures 3-4",
            "sha256, DIVERSE (350 files)",
            Some("1.73x of OpenSSL"),
            "the sizes are in the paper's appendix, which was not at hand",
        ));
        Ok(figures)
    }

    /// How many times faster messages go together than one after the other, in interleaved rounds.
    fn gain(&self, algorithm: Algorithm, messages: usize, length: usize) -> Result<String, Error> {
        let data: Vec<u8> =
            (0..messages * length).map(|i| (i as u32).wrapping_mul(2654435761).to_be_bytes()[0]).collect();
        let slices: Vec<&[u8]> = data.chunks(length).collect();
        let one_by_one = || slices.iter().map(|message| algorithm.digest(message)).collect::<Vec<_>>();
        if pfh::hash_many(algorithm, &slices) != one_by_one() {
            return Err(Error::Wrong(format!("{algorithm}: many messages at once give other digests than one by one")));
        }
        let repeats = (own::ROUND_BYTES / data.len()).max(1);
        let (mut alone, mut together) = (Vec::new(), Vec::new());
        for _ in 0..self.rounds {
            let start = Instant::now();
            (0..repeats).for_each(|_| drop(std::hint::black_box(one_by_one())));
            alone.push(start.elapsed().as_secs_f64());
            let start = Instant::now();
            (0..repeats).for_each(|_| drop(std::hint::black_box(pfh::hash_many(algorithm, &slices))));
            together.push(start.elapsed().as_secs_f64());
        }
        let rate = (repeats * data.len()) as f64 / quantile(&together, 0.0) / 1e6;
        let (best, middle) = (quantile(&alone, 0.0) / quantile(&together, 0.0), median(&alone) / median(&together));
        Ok(format!("{best:.2}x / {middle:.2}x of pfh's own ({rate:.0} MB/s)"))
    }

    /// Tree modes on one thread, as far as this build has them.
    fn trees(&self) -> Result<Vec<Figure>, Error> {
        let message: Vec<u8> = (0..64u32 << 20).map(|i| i.wrapping_mul(2654435761).to_be_bytes()[0]).collect();
        let mut figures = Vec::new();
        for name in ["sha512", "shake128", "kt128", "kt256", "parallelhash128", "blake3"] {
            let what = format!("{name}, 64 MiB in memory, one thread");
            let Ok(algorithm) = pfh::algorithm(name) else {
                figures.push(not_here("Table 1", &what, None, "not in this build"));
                continue;
            };
            let times: Vec<f64> = (0..self.rounds)
                .map(|_| {
                    let start = Instant::now();
                    drop(std::hint::black_box(algorithm.digest(&message)));
                    start.elapsed().as_secs_f64()
                })
                .collect();
            let rate = |seconds: f64| message.len() as f64 / seconds / 1e6;
            let ours = format!("{:.0} / {:.0} MB/s", rate(quantile(&times, 0.0)), rate(median(&times)));
            figures.push(Figure { place: "Table 1", what, paper: None, ours: Ok(ours) });
        }
        figures.push(not_here(
            "Table 1",
            "efficiency on all processors",
            Some("0.67 on 6, 0.43 on 12"),
            "is measured with the tree modes' own benchmark",
        ));
        Ok(figures)
    }

    /// The comparison as text.
    pub fn table(papers: &[(&'static str, Vec<Figure>)]) -> String {
        let section = |(paper, figures): &(&'static str, Vec<Figure>)| {
            let mut rows = vec![["what", "place", "paper", "ours (best / median)"].map(str::to_owned).to_vec()];
            rows.extend(figures.iter().map(cells));
            format!("{paper}\n{}\n", align(&rows))
        };
        papers.iter().map(section).collect()
    }

    /// The comparison as a page.
    pub fn html(papers: &[(&'static str, Vec<Figure>)]) -> String {
        let mut body =
            String::from("<p>Not known: the paper's number was not at hand. Nothing here is estimated.</p>\n");
        for (paper, figures) in papers {
            body += &format!(
                "<h2>{}</h2>\n<table><tr><th>what</th><th>place</th><th>paper</th><th>ours (best / median)</th></tr>\n",
                escape(paper)
            );
            for figure in figures {
                let cells: String = cells(figure).iter().map(|cell| format!("<td>{}</td>", escape(cell))).collect();
                body += &format!("<tr>{cells}</tr>\n");
            }
            body += "</table>\n";
        }
        page("The papers' tables, here", &body)
    }
}

fn cells(figure: &Figure) -> Vec<String> {
    let ours = match &figure.ours {
        Ok(ours) => ours.clone(),
        Err(reason) => format!("not reproduced: {reason}"),
    };
    vec![figure.what.clone(), figure.place.to_owned(), figure.paper.unwrap_or("not known").to_owned(), ours]
}

fn not_here(place: &'static str, what: &str, paper: Option<&'static str>, reason: &str) -> Figure {
    Figure { place, what: what.to_owned(), paper, ours: Err(reason.to_owned()) }
}

fn named(name: &str) -> Result<Algorithm, Error> {
    pfh::algorithm(name).map_err(|error| Error::Failed(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_reproduced_says_so() {
        let papers = [(CLONER, vec![not_here("Table II", "a < b", Some("43 %"), "no root")])];
        let text = Papers::table(&papers);
        assert!(text.contains("not reproduced: no root") && text.contains("43 %"), "{text}");
        assert!(Papers::html(&papers).contains("a &lt; b"));
    }

    #[test]
    fn a_small_run_measures_every_mode() {
        let papers = Papers { corpus: None, scratch: None, rounds: 1, html: None, json: false };
        let directory = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(directory.path()).unwrap();
        let figures = papers.prefetching(&scratch).unwrap();
        assert_eq!(figures.iter().filter(|figure| figure.ours.is_ok()).count(), 4 * 5);
    }
}
