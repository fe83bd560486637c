//! The study's programs of 2014 and the runners of today, side by side.

use super::table::megabytes_per_second;
use crate::study::{Program, RowResult, StudyResult, Time, published};

/// Heads and rows: the algorithm, the program, its MB/s then and the time it took as a multiple of C with OpenSSL on the same system; the same of
/// today's runner on this machine. None when the study has no algorithm in common with that of 2014.
pub fn then_and_now(result: &StudyResult, time: Time) -> Option<Vec<Vec<String>>> {
    let heads = ["algorithm", "program", "MB/s", "× C's time", "today", "MB/s", "× C's time"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    let all = published();
    // On Windows only what Linux had not.
    let shown = |p: &&Program| p.system == "linux" || matches!(p.language, "c#" | "c_wincrypto");
    for method in result.methods() {
        let now = |name: &str| {
            let versions = |row: &&RowResult| match name.strip_suffix('-') {
                Some(_) => row.name.starts_with(name),
                None => row.name == name,
            };
            // The newest version comes last.
            let row = result.rows.iter().rfind(versions)?;
            Some((row.label.clone(), result.cost(&row.name, method, time)?.0))
        };
        for program in all.iter().filter(|p| p.method == method).filter(shown) {
            let same = |p: &&Program| (p.system, p.language, p.method) == (program.system, "c_openssl", method);
            let c = all.iter().find(same).expect("C is everywhere");
            let mut row = vec![
                method.to_string(),
                program.label(),
                format!("{:.0}", megabytes_per_second(program.cost())),
                format!("{:.2}", program.cost() / c.cost()),
            ];
            row.extend(match program.today().and_then(now) {
                None => ["–", "–", "–"].map(str::to_owned),
                Some((label, cost)) => [
                    label,
                    format!("{:.0}", megabytes_per_second(cost)),
                    now("c-openssl").map_or("–".to_owned(), |(_, c)| format!("{:.2}", cost / c)),
                ],
            });
            rows.push(row);
        }
    }
    (rows.len() > 1).then_some(rows)
}

/// Where the figures of 2014 come from.
pub const SOURCE: &str =
    "2014: read off the study's published plots, 1024 MiB, which may be off by 60 ms (0.2 to 2 %).";
