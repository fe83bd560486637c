//! Panichprecha et al.

use super::rows::{AT_THE_BOUND, AtLeast, Claim, Evidence, Finding, Of, Test, claim, of, percent, spread};

const IDE: &str = "Table II and Figure 2, IDE";
const SATA: &str = "Table III and Figure 3, SATA";
const DD: &str = "dd bs=64M, s";
/// The paper's blocks, for the paper's sizes: a copy of 64 MB is one of them, and nothing overlaps.
const THREADS: &str = "threads, 64 MB x 5, s";
/// Blocks that are as small beside 64 MB as the paper's beside its 1 GB and more.
const SMALL: &str = "threads, 1 MiB x 64 (default), s";
/// The time of the slower device alone, at its rate.
const BOUND: &str = "bound, s";

/// A table of the paper is a part of its own.
fn column(table: &'static str, column: &'static str) -> Of {
    of(if table == IDE { "cloner-ide" } else { "cloner-sata" }, table, column)
}

/// MB, and seconds of a column, by size as far as they were measured.
fn seconds(evidence: &Evidence<'_>, table: &'static str, name: &'static str) -> Result<Vec<(f64, f64)>, String> {
    let rows = column(table, name).rows(evidence)?;
    let size = |name: &str| name.strip_suffix(" MB").and_then(|size| size.parse().ok());
    let found: Vec<(f64, f64)> = rows.iter().filter_map(|(name, value)| Some((size(name)?, *value))).collect();
    if found.is_empty() { Err(format!("{table} has no sizes here")) } else { Ok(found) }
}

/// dd over threads of a column, by size.
fn gains(evidence: &Evidence<'_>, table: &'static str, threads: &'static str) -> Result<Vec<(f64, f64)>, String> {
    let dd = seconds(evidence, table, DD)?;
    let threads = seconds(evidence, table, threads)?;
    let both = dd.iter().filter_map(|(size, took)| {
        let other = threads.iter().find(|other| other.0 == *size)?;
        Some((*size, took / other.1))
    });
    Ok(both.collect())
}

fn shown(rows: &[(f64, f64)], unit: &str) -> String {
    rows.iter().map(|(size, value)| format!("{size:.0} MB {value:.2}{unit}")).collect::<Vec<_>>().join(", ")
}

/// The gain of threads that keep the slower device busy all the time: no program gains more beside
/// this dd. `None` where the bound was not measured.
fn most(evidence: &Evidence<'_>, table: &'static str, size: f64) -> Option<f64> {
    gains(evidence, table, BOUND).ok()?.into_iter().find(|most| most.0 == size).map(|most| most.1)
}

/// The threads are faster by this factor, at all sizes that were measured.
fn gain(table: &'static str, least: f64) -> Test {
    Box::new(move |evidence| {
        let gains = gains(evidence, table, SMALL)?;
        let figures = format!("{} (tested: at least {least})", shown(&gains, " x"));
        let reached = |gain: &(f64, f64)| most(evidence, table, gain.0).is_some_and(|most| gain.1 >= most * 0.98);
        let causes: &[&str] = if gains.iter().all(reached) { &[AT_THE_BOUND] } else { &[] };
        let found: Vec<f64> = gains.iter().map(|gain| gain.1).collect();
        column(table, DD).found(evidence, AtLeast(least).judge(&found), figures, causes)
    })
}

/// The same at the paper's sizes, which must have been measured. Where the paper prints more than
/// its own times give, those count.
fn gain_of_the_paper(table: &'static str, printed: [f64; 4]) -> Test {
    Box::new(move |evidence| {
        let gains = gains(evidence, table, THREADS)?;
        let mut figures = Vec::new();
        let mut holds = true;
        for (size, printed) in [1024.0, 5120.0, 10240.0, 20480.0].into_iter().zip(printed) {
            let Some((_, gain)) = gains.iter().find(|gain| gain.0 == size) else {
                return Err(format!("needs {size:.0} MB, which were not copied"));
            };
            let row = format!("{size:.0} MB");
            let of_print = |name| column(table, name).printed(evidence, &row);
            let times = of_print(DD).zip(of_print(THREADS)).map(|(dd, threads)| dd / threads);
            // As printed: the gains have two digits behind the point.
            holds &= *gain >= times.unwrap_or(printed).min(printed) - 0.005;
            let misprint = times.filter(|times| *times < printed - 0.005);
            let misprint = misprint.map(|times| format!(", its times give {times:.2}")).unwrap_or_default();
            let allowed = most(evidence, table, size).map(|most| format!(", the rates allow {most:.2}"));
            let allowed = allowed.unwrap_or_default();
            figures.push(format!("{size:.0} MB {gain:.2} x (printed {printed:.2}{misprint}{allowed})"));
        }
        Ok(Finding { holds, figures: figures.join(", ") })
    })
}

/// The paper has one column of threads.
fn name_in_print(column: &'static str) -> &'static str {
    if column == SMALL { THREADS } else { column }
}

/// Time is in proportion to the size.
fn linear(table: &'static str, name: &'static str) -> Test {
    Box::new(move |evidence| {
        let rates: Vec<(f64, f64)> =
            seconds(evidence, table, name)?.into_iter().map(|(size, took)| (size, size / took)).collect();
        if rates.len() < 2 {
            return Err("needs two sizes".to_owned());
        }
        let apart = spread(&rates.iter().map(|rate| rate.1).collect::<Vec<_>>());
        let figures = format!("{}: {} apart (tested: at most 5 %)", shown(&rates, " MB/s"), percent(apart));
        // Disks at the rates of the paper's own rows.
        let printed = rates.iter().filter_map(|(size, _)| {
            Some(size / column(table, name_in_print(name)).printed(evidence, &format!("{size:.0} MB"))?)
        });
        let printed = printed.collect::<Vec<_>>();
        if apart > 0.05 && printed.len() == rates.len() && spread(&printed) > 0.05 {
            let figures = format!("{figures}: the paper's own times are {} apart", percent(spread(&printed)));
            return Ok(Finding { holds: false, figures });
        }
        column(table, name).found(evidence, (apart <= 0.05, apart <= 0.05 || apart > 0.5), figures, &[])
    })
}

fn saved(evidence: &Evidence<'_>, table: &'static str, size: f64) -> Result<(f64, f64), String> {
    let took = |name| -> Result<f64, String> {
        let all = seconds(evidence, table, name)?;
        let found = all.iter().find(|row| row.0 == size).map(|row| row.1);
        found.ok_or_else(|| format!("needs {size:.0} MB, which were not copied"))
    };
    Ok((took(DD)?, took(THREADS)?))
}

pub(super) fn claims() -> Vec<Claim> {
    vec![
        claim(
            "Table II",
            "IDE: threads with 64 blocks of 1 MiB are more than 40 % faster than dd, at the sizes measured",
            gain(IDE, 1.40),
        ),
        claim(
            "Table II",
            "IDE: 43, 47, 48 and 48 % at 1, 5, 10 and 20 GB",
            gain_of_the_paper(IDE, [1.43, 1.47, 1.48, 1.48]),
        ),
        claim(
            "Table III",
            "SATA: threads with 64 blocks of 1 MiB are more than 40 % faster than dd, at the sizes measured",
            gain(SATA, 1.40),
        ),
        claim(
            "Table III",
            "SATA: 42, 47, 48 and 47 % at 1, 5, 10 and 20 GB",
            gain_of_the_paper(SATA, [1.42, 1.47, 1.48, 1.47]),
        ),
        claim("Fig. 2", "IDE: time is in proportion to the size, dd", linear(IDE, DD)),
        claim("Fig. 2", "IDE: time is in proportion to the size, threads", linear(IDE, SMALL)),
        claim("Fig. 3", "SATA: the rate does not depend on the size, dd", linear(SATA, DD)),
        claim("Fig. 3", "SATA: the rate does not depend on the size, threads", linear(SATA, SMALL)),
        claim(
            "Table II",
            "187 s of 571 s (33 %) are saved over 20 GB of IDE",
            Box::new(|evidence| {
                let (dd, threads) = saved(evidence, IDE, 20480.0)?;
                let part = 1.0 - threads / dd;
                let allowed = most(evidence, IDE, 20480.0);
                let allowed = allowed.map(|most| format!("; the rates allow {}", percent(1.0 - 1.0 / most)));
                let saved = format!("{:.0} s of {dd:.0} s, {} (tested: at least 33 %", dd - threads, percent(part));
                // As printed: whole percents.
                Ok(Finding { holds: part >= 0.325, figures: format!("{saved}{})", allowed.unwrap_or_default()) })
            }),
        ),
        claim(
            "Table III",
            "20 GB over SATA take less than 2 minutes",
            Box::new(|evidence| {
                let (_, threads) = saved(evidence, SATA, 20480.0)?;
                Ok(Finding {
                    holds: threads < 120.0,
                    figures: format!("{threads:.0} s: a misprint, the paper's own Table III has 194.5674 s"),
                })
            }),
        ),
        claim(
            "text",
            "SATA is about twice as fast as IDE",
            Box::new(|evidence| {
                let (ide, sata) = (seconds(evidence, IDE, SMALL)?, seconds(evidence, SATA, SMALL)?);
                let both =
                    ide.iter().filter_map(|one| Some((one.0, one.1 / sata.iter().find(|other| other.0 == one.0)?.1)));
                let ratios: Vec<(f64, f64)> = both.collect();
                let holds = ratios.iter().all(|ratio| (1.6..2.4).contains(&ratio.1));
                Ok(Finding {
                    holds,
                    figures: format!(
                        "{}, by the rates that the devices are given (tested: 1.6 to 2.4)",
                        shown(&ratios, " x")
                    ),
                })
            }),
        ),
        claim(
            "text",
            "the best block is left open: smaller blocks than 64 MB are at least as fast",
            Box::new(|evidence| {
                let mut figures = Vec::new();
                let mut holds = true;
                for (size, large) in seconds(evidence, IDE, THREADS)? {
                    let small = column(IDE, SMALL).value(evidence, &format!("{size:.0} MB"))?;
                    holds &= small <= large * 1.05;
                    figures.push((size, small / large));
                }
                Ok(Finding {
                    holds,
                    figures: format!("1 MiB x 64 over 64 MB x 5: {} (tested: at most 1.05)", shown(&figures, " x")),
                })
            }),
        ),
    ]
}
