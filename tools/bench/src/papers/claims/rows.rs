//! Claims as tests over rows, and the rows: the measurements, by table, row and column.

use crate::papers::repeated::PartOutcome;
use crate::papers::table::{Cell, Table};
use crate::study::StudyResult;

/// A claim and its test.
pub(super) struct Claim {
    pub(super) item: &'static str,
    pub(super) says: &'static str,
    pub(super) test: Test,
}

pub(super) type Test = Box<dyn Fn(&Evidence<'_>) -> ClaimFinding>;

/// The finding; or the lack that prevents one.
pub(super) type ClaimFinding = Result<Finding, String>;

/// The result of the rows.
pub(super) struct Finding {
    pub(super) holds: bool,
    pub(super) figures: String,
}

/// The directory, in the output directory, of a study without SHA instructions.
pub const PLAIN_STUDY: &str = "without-sha";

/// All that was measured.
#[derive(Clone, Copy)]
pub struct Evidence<'a> {
    /// The parts of `pfh bench papers`.
    pub repeated: &'a [PartOutcome],
    /// The study of languages, if the output directory has one.
    pub study: Option<&'a StudyResult>,
    /// The same without SHA instructions, if there is one in [`PLAIN_STUDY`].
    pub plain: Option<&'a StudyResult>,
}

impl Evidence<'_> {
    /// The table of a part whose title begins so.
    pub(super) fn table(&self, part: &str, begins: &str) -> Result<&Table, String> {
        let Some(found) = self.repeated.iter().find(|repeated| repeated.name == part) else {
            return Err(format!("not measured yet: `pfh bench papers --only {part}`"));
        };
        let tables = found.found.as_ref().map_err(Clone::clone)?;
        let table = tables.iter().find(|table| table.table.starts_with(begins));
        table.ok_or_else(|| {
            format!("needs a checkout of the project: {part} has no table {begins:?} without its sources")
        })
    }
}

/// Figures of one kind: a column of a table.
#[derive(Clone, Copy)]
pub(super) struct Of {
    pub(super) part: &'static str,
    pub(super) table: &'static str,
    pub(super) column: &'static str,
}

pub(super) const fn of(part: &'static str, table: &'static str, column: &'static str) -> Of {
    Of { part, table, column }
}

impl Of {
    /// The figure of a row.
    pub(super) fn value(self, evidence: &Evidence<'_>, row: &str) -> Result<f64, String> {
        let table = evidence.table(self.part, self.table)?;
        let at = table.columns.iter().position(|column| column == self.column);
        let at = at.ok_or_else(|| format!("{} has no column {}", table.table, self.column))?;
        let named = |cells: &&Vec<Cell>| matches!(cells.first(), Some(Cell::Text(name)) if name == row);
        let Some(cells) = table.rows.iter().find(named) else {
            return Err(format!("not measured: {} has no row {row:?} here", table.table));
        };
        match (&cells[at], cells.last()) {
            (Cell::Number(value), _) if *value >= 0.0 => Ok(*value),
            (_, Some(Cell::Text(why))) if at + 1 < cells.len() => Err(format!("{row}: {why}")),
            _ => Err(format!("{row}: no figure here")),
        }
    }

    /// The paper's own figure of a row, where the table has it.
    pub(super) fn printed(self, evidence: &Evidence<'_>, row: &str) -> Option<f64> {
        let table = evidence.table(self.part, self.table).ok()?;
        let at = table.columns.iter().position(|column| column == self.column)?;
        let named = |cells: &&Vec<Cell>| matches!(cells.first(), Some(Cell::Text(name)) if name == row);
        match table.paper.iter().flatten().flatten().find(named)?.get(at)? {
            Cell::Number(value) => Some(*value),
            _ => None,
        }
    }

    /// Names and figures of all rows that have one.
    pub(super) fn rows(self, evidence: &Evidence<'_>) -> Result<Vec<(String, f64)>, String> {
        let table = evidence.table(self.part, self.table)?;
        let names = table.rows.iter().filter_map(|cells| match &cells[0] {
            Cell::Text(name) => Some(name.clone()),
            _ => None,
        });
        let found: Vec<_> = names.filter_map(|name| Some((name.clone(), self.value(evidence, &name).ok()?))).collect();
        if found.is_empty() { Err(format!("{} has no figures here", table.table)) } else { Ok(found) }
    }

    /// The finding over the table's rows. In a table that was measured in noise it counts only if
    /// it is `clear`: the noise would have to be larger than [`NOISE`] to change it.
    pub(super) fn found(
        self,
        evidence: &Evidence<'_>,
        (holds, clear): (bool, bool),
        figures: String,
        causes: &[&str],
    ) -> ClaimFinding {
        let conditions = &evidence.table(self.part, self.table)?.conditions;
        let has = |condition: &str| conditions.iter().any(|found| found == condition);
        let noise: Vec<&str> = NOISY.iter().filter(|(word, _)| has(word)).map(|(_, why)| *why).collect();
        if !noise.is_empty() && !clear {
            return Err(format!(
                "needs an idle machine, three rounds and runs of a second: {}; {figures}",
                noise.join(", ")
            ));
        }
        let causes = causes.iter().filter(|cause| has(cause) || ALWAYS.contains(cause));
        let causes: Vec<&str> = causes.map(|cause| explain(cause)).collect();
        let because = match (holds, causes.is_empty(), conditions.is_empty()) {
            (true, ..) | (false, true, true) => String::new(),
            (false, false, _) => format!(": {}", causes.join("; ")),
            (false, true, false) => format!(": no cause is known; measured {}", conditions.join(", ")),
        };
        Ok(Finding { holds, figures: figures + &because })
    }
}

/// The claim compares algorithms of pfh with each other.
pub(super) const OWN_KERNELS: &str =
    "the kernels are pfh's, which gain more on some of these algorithms than on others";
/// The claim compares OpenSSL's functions with each other.
pub(super) const VECTOR_OPENSSL: &str = "today's OpenSSL has vector code for SHA-256 and none for one Keccak sponge";
/// The claim compares lanes with one message of OpenSSL, without SHA instructions.
pub(super) const NEWER_OPENSSL: &str =
    "OpenSSL 1.0.1 had no vector code for one message (17.55 cycles a byte), today's has";
/// The claim is about the comparisons of sdhash 2.
pub(super) const NEWER_SDHASH: &str = "sdhash 4 compares on all processors, and counts bits by an instruction";
/// The claim counts a set of four messages where lanes are eight.
pub(super) const EMPTY_LANES: &str = "four messages fill half of eight lanes";

/// The claim is about threads that keep the slower of two devices busy all the time.
pub(super) const AT_THE_BOUND: &str = "the slower device never waits, and beside this dd its rate allows no more";

/// The claim compares reading and hashing with reading alone.
pub(super) const LESS_TO_HIDE: &str =
    "beside the disk this processor hashes faster than the paper's, so that there is less time to hide";

/// Causes that need no condition of the machine.
const ALWAYS: [&str; 7] =
    [OWN_KERNELS, VECTOR_OPENSSL, NEWER_OPENSSL, NEWER_SDHASH, EMPTY_LANES, AT_THE_BOUND, LESS_TO_HIDE];

/// Figures of a noisy table may be off by this factor.
const NOISE: f64 = 1.25;

/// Conditions under which times say little, and how they are explained.
const NOISY: [(&str, &str); 3] = [
    ("loaded", "other programs were running"),
    ("one round", "there was one round"),
    ("short", "runs took less than 0.3 s"),
];

/// Conditions that scripts state of their tables, as causes.
fn explain(condition: &str) -> &str {
    match condition {
        "cached" => "the files are in the page cache, so that no disk limits the readers",
        "flash" => "the device has no moving head, so that reads at the same time do not slow it",
        "virtual" => "the disk is a virtual one, whose device behind it is not known to have a moving head",
        "few processors" => "there are more threads than processors",
        "SHA instructions" => "the processor has SHA instructions, which serve a single message",
        "stand-in" => "GNU parallel is not installed, and the peer is xargs with a process for each file",
        other => other,
    }
}

/// The required range of a ratio.
#[derive(Clone, Copy)]
pub(super) enum RatioBound {
    AtMost(f64),
    AtLeast(f64),
    Within(f64, f64),
}

pub(super) use RatioBound::{AtLeast, AtMost, Within};

impl RatioBound {
    fn holds(self, ratio: f64) -> bool {
        match self {
            AtMost(most) => ratio <= most,
            AtLeast(least) => ratio >= least,
            Within(least, most) => (least..=most).contains(&ratio),
        }
    }

    /// Whether all ratios hold, and whether noise could not change that.
    pub(super) fn judge(self, ratios: &[f64]) -> (bool, bool) {
        let holds = ratios.iter().all(|ratio| self.holds(*ratio));
        let sure = |ratio: &f64| {
            let off = [ratio * NOISE, ratio / NOISE];
            off.iter().all(|off| self.holds(*off) == self.holds(*ratio))
        };
        let clear = match holds {
            true => ratios.iter().all(sure),
            false => ratios.iter().any(|ratio| !self.holds(*ratio) && sure(ratio)),
        };
        (holds, clear)
    }

    fn words(self) -> String {
        match self {
            AtMost(most) => format!("at most {}", percent(most)),
            AtLeast(least) => format!("at least {}", percent(least)),
            Within(least, most) => format!("{} to {}", percent(least), percent(most)),
        }
    }
}

pub(super) fn percent(ratio: f64) -> String {
    format!("{:.0} %", ratio * 100.0)
}

/// The first row of each pair over the second.
pub(super) fn ratios(
    of: Of,
    pairs: &'static [(&'static str, &'static str)],
    bound: RatioBound,
    causes: &'static [&'static str],
) -> Test {
    Box::new(move |evidence| {
        let (mut figures, mut found) = (Vec::new(), Vec::new());
        for (one, other) in pairs {
            let ratio = of.value(evidence, one)? / of.value(evidence, other)?;
            if !ratio.is_finite() {
                return Err(format!("{other}: too short to be measured"));
            }
            found.push(ratio);
            figures.push(format!("{one} / {other}: {}", percent(ratio)));
        }
        let figures = format!("{} (tested: {})", figures.join(", "), bound.words());
        of.found(evidence, bound.judge(&found), figures, causes)
    })
}

/// The rows differ by less than this part of the least.
pub(super) fn alike(of: Of, rows: &'static [&'static str], most: f64, causes: &'static [&'static str]) -> Test {
    Box::new(move |evidence| {
        let values = rows.iter().map(|row| of.value(evidence, row)).collect::<Result<Vec<f64>, String>>()?;
        let apart = spread(&values);
        let (rows, apart_words, most_words) = (rows.join(", "), percent(apart), percent(most));
        let figures = format!("{rows}: they differ by {apart_words} (tested: at most {most_words})");
        // Noise makes rows differ, and hardly alike.
        of.found(evidence, (apart <= most, apart <= most || apart > 2.0 * (NOISE - 1.0)), figures, causes)
    })
}

/// Each row has more than the one before.
pub(super) fn rising(of: Of, rows: &'static [&'static str], causes: &'static [&'static str]) -> Test {
    Box::new(move |evidence| {
        let values = rows.iter().map(|row| of.value(evidence, row)).collect::<Result<Vec<f64>, String>>()?;
        let steps: Vec<f64> = values.windows(2).map(|pair| pair[1] / pair[0]).collect();
        let figures: Vec<String> =
            rows.iter().zip(&values).map(|(row, value)| format!("{row} {}", figure(*value))).collect();
        of.found(evidence, AtLeast(1.0).judge(&steps), figures.join(", "), causes)
    })
}

/// Figures of a column, each within a bound.
pub(super) fn figures(
    of: Of,
    rows: &'static [&'static str],
    bound: RatioBound,
    causes: &'static [&'static str],
) -> Test {
    Box::new(move |evidence| {
        let values = rows.iter().map(|row| of.value(evidence, row)).collect::<Result<Vec<f64>, String>>()?;
        let shown: Vec<String> =
            rows.iter().zip(&values).map(|(row, value)| format!("{row} {}", figure(*value))).collect();
        let tested = match bound {
            AtMost(most) => format!("at most {most}"),
            AtLeast(least) => format!("at least {least}"),
            Within(least, most) => format!("{least} to {most}"),
        };
        let figures = format!("{} (tested: {tested})", shown.join(", "));
        of.found(evidence, bound.judge(&values), figures, causes)
    })
}

/// The test, whose finding also shows figures of a column, if it does not hold.
pub(super) fn beside(test: Test, of: Of, rows: &'static [&'static str], words: &'static str) -> Test {
    Box::new(move |evidence| {
        let found = test(evidence)?;
        let values = rows.iter().map(|row| of.value(evidence, row)).collect::<Result<Vec<f64>, String>>();
        let (false, Ok(values)) = (found.holds, values) else { return Ok(found) };
        let shown: Vec<String> = rows.iter().zip(values).map(|(row, value)| format!("{row} {value:.0}")).collect();
        Ok(Finding { holds: false, figures: format!("{}; {words}: {}", found.figures, shown.join(", ")) })
    })
}

/// The need of a claim that this machine does not meet.
pub(super) fn needs(what: &'static str) -> Test {
    Box::new(move |_| Err(what.to_owned()))
}

fn figure(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

pub(super) fn spread(values: &[f64]) -> f64 {
    let (least, most) = values.iter().fold((f64::MAX, 0.0_f64), |(l, m), &v| (l.min(v), m.max(v)));
    most / least - 1.0
}

pub(super) fn claim(item: &'static str, says: &'static str, test: Test) -> Claim {
    Claim { item, says, test }
}
