//! The study's programs of 2014 and the runners of today, side by side.

use crate::study::{Program, RowResult, SLIPS, StudyResult, Time, published};

/// Heads and rows: the algorithm, the program, the a and b of its line as the study printed them,
/// and its time as a multiple of C's with OpenSSL on the same system; the same of today's runner on
/// this machine. None when the study has no algorithm in common with that of 2014.
pub fn then_and_now(result: &StudyResult, time: Time) -> Option<Vec<Vec<String>>> {
    let heads = ["algorithm", "program", "a, ms", "b, ms/MB", "× C's time", "today", "a, ms", "b, ms/MB", "× C's time"];
    let mut rows = vec![heads.map(str::to_owned).to_vec()];
    let all = published();
    for method in result.methods() {
        let now = |name: &str| {
            let versions = |row: &&RowResult| match name.strip_suffix('-') {
                Some(_) => row.name.starts_with(name),
                None => row.name == name,
            };
            // The newest version comes last.
            let row = result.rows.iter().rfind(versions)?;
            let line = result.estimate(&row.name, method, time).map(|estimate| estimate.study);
            Some((row.label.clone(), line, result.cost(&row.name, method, time)?.0))
        };
        for program in all.iter().filter(|program| program.method == method) {
            let same = |p: &&Program| (p.system, p.language, p.method) == (program.system, "c_openssl", method);
            let c = all.iter().find(same).expect("C is everywhere");
            let slip =
                SLIPS.iter().any(|slip| (slip.0, slip.1, slip.2) == (program.system, program.language, method.name()));
            let mark = if slip { " (!)" } else { "" };
            let mut row = vec![
                method.to_string(),
                program.label(),
                format!("{:.3}{mark}", program.printed.a),
                format!("{:.3}{mark}", program.printed.b),
                format!("{:.2}", program.cost() / c.cost()),
            ];
            row.extend(match program.today().and_then(now) {
                None => ["–"; 4].map(str::to_owned),
                Some((label, line, cost)) => [
                    label,
                    line.map_or("–".to_owned(), |line| format!("{:.3}", line.a)),
                    line.map_or("–".to_owned(), |line| format!("{:.3}", line.b)),
                    now("c-openssl").map_or("–".to_owned(), |(.., c)| format!("{:.2}", cost / c)),
                ],
            });
            rows.push(row);
        }
    }
    (rows.len() > 1).then_some(rows)
}

/// Where the figures of 2014 come from.
pub const SOURCE: &str = "2014: a and b of Tables 4, 7, 10 and 13 as printed; (!): does not follow from the printed means (docs/bench.md). Times C's: means at 1024 MB.";
