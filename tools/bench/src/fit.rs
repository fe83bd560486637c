//! `pfh bench fit`: the study's analysis of results that others measured.

use crate::Error;
use crate::args::Fit;
use crate::report::align;
use crate::statistics::{Line, Point, explained, least_squares, mean, weighted};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The lines of one algorithm and language.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FitLines {
    /// The algorithm.
    pub algorithm: String,
    /// The language.
    pub language: String,
    /// Number of sizes.
    pub sizes: usize,
    /// Least squares as in the study: a in ms, b in ms per MiB. None for fewer than two sizes.
    pub line: Option<Line>,
    /// The part of the means' variance that this line explains.
    pub r2: Option<f64>,
    /// Least squares weighted by 1/x².
    pub weighted: Option<Line>,
    /// Seconds for 722 GB as in the study's Table 15: t(1024 MiB) × 722, or 2 × t(512 MiB) × 722 if
    /// it is starred. None without that size.
    pub seconds_722gb: Option<f64>,
    /// Whether t(1024 MiB) is out of line, so that t(512 MiB) is taken: the study's star.
    pub starred: bool,
}

/// All lines of a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FitReport {
    /// The form of this answer.
    pub pfh_fit: u32,
    /// By algorithm and language.
    pub lines: Vec<FitLines>,
}

/// The study's star, for which it gives no figure: it has two, where 1024 MB take 5.7 and 6.5 times
/// as long as 512 MB. Three times is far from all others, which are at most 2.2.
const OUT_OF_LINE: f64 = 3.0;

/// For every algorithm and language the means in milliseconds by size in MiB.
pub type Means = BTreeMap<(String, String), Vec<Point>>;

/// Reads either form. The reason when a line fits neither; lines that begin with `##` (the study's
/// platform facts) and empty ones are passed over.
pub fn parse(text: &str) -> Result<Means, String> {
    let mut header: Option<Vec<String>> = None;
    let mut samples: BTreeMap<(String, String), BTreeMap<u64, Vec<f64>>> = BTreeMap::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}: {line}", number + 1);
        let fields: Vec<&str> = line.split([' ', '\t', ',']).filter(|field| !field.is_empty()).collect();
        let Some(first) = fields.first() else { continue };
        if line.starts_with("##") {
            continue;
        }
        if fields.get(1) == Some(&"MB") {
            header = Some(fields[2..].iter().map(|name| name.to_string()).collect());
            continue;
        }
        let size = |text: &str| text.parse::<u64>().ok().filter(|size| *size > 0);
        let time = |text: &str| text.parse::<f64>().ok().filter(|time| time.is_finite() && *time >= 0.0);
        if let Some(names) = &header {
            let (Some(mebibytes), true) = (fields.get(1).and_then(|f| size(f)), fields.len() == names.len() + 2) else {
                return Err(wrong("not an algorithm, a size in MB and a time for each name of the header"));
            };
            for (name, field) in names.iter().zip(&fields[2..]) {
                let time = time(field).ok_or_else(|| wrong("not a time in ms"))?;
                let key = (first.trim_start_matches('#').to_owned(), name.clone());
                samples.entry(key).or_default().entry(mebibytes).or_default().push(time);
            }
        } else {
            let [language, algorithm, file, _, _, elapsed] = fields[..] else {
                return Err(wrong("not the six fields LANG ALGO FILE INDEX DIGEST MS"));
            };
            let mebibytes =
                file.strip_suffix("mb.dat").and_then(size).ok_or_else(|| wrong("not a file like 0002mb.dat"))?;
            let time = time(elapsed).ok_or_else(|| wrong("not a time in ms"))?;
            let key = (algorithm.to_owned(), language.to_owned());
            samples.entry(key).or_default().entry(mebibytes).or_default().push(time);
        }
    }
    if samples.is_empty() {
        return Err("no results in it".to_owned());
    }
    let points = |sizes: BTreeMap<u64, Vec<f64>>| {
        sizes.into_iter().map(|(size, times)| Point { x: size as f64, y: mean(&times) }).collect()
    };
    Ok(samples.into_iter().map(|(key, sizes)| (key, points(sizes))).collect())
}

impl Fit {
    /// a and b, as the study computes them, with the better fit beside them.
    pub fn fitted(&self) -> Result<FitReport, Error> {
        let text = std::fs::read_to_string(&self.file).map_err(Error::file(&self.file))?;
        let lines = fit(&text).map_err(|reason| Error::Malformed { path: Path::new(&self.file).to_owned(), reason })?;
        Ok(FitReport { pfh_fit: 1, lines })
    }

    /// The same as a table, as the study prints it.
    pub fn table(&self) -> Result<String, Error> {
        Ok(show(&self.fitted()?.lines))
    }
}

/// The lines for the text of a results file; the reason when there are none.
pub fn fit(text: &str) -> Result<Vec<FitLines>, String> {
    let of = |((algorithm, language), points): ((String, String), Vec<Point>)| {
        let line = least_squares(&points);
        // As in the study: the time of the 1024 MB file, times 722 GB over 1 GB; not the fitted
        // line.
        let at = |size: f64| points.iter().find(|point| point.x == size).map(|point| point.y);
        let (largest, half) = (at(1024.0), at(512.0));
        let starred = largest.zip(half).is_some_and(|(largest, half)| largest > OUT_OF_LINE * half);
        let gigabyte = if starred { half.map(|half| 2.0 * half) } else { largest };
        FitLines {
            algorithm,
            language,
            sizes: points.len(),
            r2: line.map(|line| explained(&points, line)),
            line,
            weighted: weighted(&points),
            seconds_722gb: gigabyte.map(|milliseconds| milliseconds / 1e3 * 722.0),
            starred,
        }
    };
    Ok(parse(text)?.into_iter().map(of).collect())
}

/// The table for the text of a results file; the reason when it cannot be made.
pub fn table(text: &str) -> Result<String, String> {
    Ok(show(&fit(text)?))
}

fn show(lines: &[FitLines]) -> String {
    let heads = ["algo", "lang", "a", "b", "a (1/x2)", "b (1/x2)", "R²", "722 GB, s"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    for fitted in lines {
        let show = |line: Option<Line>| match line {
            Some(line) => [format!("{:.3}", line.a), format!("{:.3}", line.b)],
            None => ["-".to_owned(), "-".to_owned()],
        };
        let ([a, b], [wa, wb]) = (show(fitted.line), show(fitted.weighted));
        let r2 = fitted.r2.map_or("-".to_owned(), |r2| format!("{r2:.6}"));
        let star = if fitted.starred { "*" } else { "" };
        let seconds = fitted.seconds_722gb.map_or("-".to_owned(), |seconds| format!("{seconds:.0}{star}"));
        rows.push(vec![fitted.algorithm.clone(), fitted.language.clone(), a, b, wa, wb, r2, seconds]);
    }
    let star = if lines.iter().any(|fitted| fitted.starred) { "*: from 512 MB: 1024 MB is out of line\n" } else { "" };
    align(&rows) + star
}
