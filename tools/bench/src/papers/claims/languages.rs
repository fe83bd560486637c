//! Gurjar, Baggili, Breitinger & Fischer. The rows are those of `pfh bench languages`.

use super::rows::{Claim, Evidence, Finding, PLAIN_STUDY, Test, claim, needs, percent, spread};
use crate::message::Method;
use crate::statistics::{Line, Point, explained, least_squares};
use crate::study::{Program, SLIPS, published};

const WINDOWS: &str = "needs Windows: the printed means are data here (`pfh bench report`)";

/// The study without SHA instructions as the one study.
fn without_sha<'a>(evidence: &Evidence<'a>) -> Result<Evidence<'a>, String> {
    let plain = evidence.plain.ok_or_else(|| {
        format!(
            "not measured yet: `OPENSSL_ia32cap=:~0x20000000 JAVA_TOOL_OPTIONS=-XX:-UseSHA pfh bench languages --sizes paper \
             -o DIR/{PLAIN_STUDY}`, then DIR here"
        )
    })?;
    Ok(Evidence { study: Some(plain), ..*evidence })
}

/// The test over the study without SHA instructions.
fn plainly(test: Test) -> Test {
    Box::new(move |evidence| test(&without_sha(evidence)?))
}

/// The least processor time of a row by size in MB of 2^20 bytes.
fn points(evidence: &Evidence<'_>, row: &str, method: Method) -> Result<Vec<Point>, String> {
    let study =
        evidence.study.ok_or("not measured yet: `pfh bench languages --sizes paper -o DIR`, then the same DIR here")?;
    // The newest version comes last.
    let found = study.rows.iter().rfind(|found| found.name == row || row.ends_with('-') && found.name.starts_with(row));
    let found = found.ok_or_else(|| format!("{row} was not measured"))?;
    let cells = study.line(&found.name, method);
    let points: Option<Vec<Point>> = cells.map(|cell| Some(Point { x: cell.mebibytes(), y: cell.least()? })).collect();
    match points {
        Some(points) if points.len() > 1 => Ok(points),
        Some(_) => Err(format!("{row} with {method}: needs two sizes")),
        None => Err(format!("{row} with {method}: a cell has a fault")),
    }
}

fn line(evidence: &Evidence<'_>, row: &str, method: Method) -> Result<Line, String> {
    least_squares(&points(evidence, row, method)?).ok_or_else(|| format!("{row} with {method}: not on a line"))
}

/// b in ms a MB of two rows, the first over the second.
fn times(one: (&'static str, Method), other: (&'static str, Method), least: f64) -> Test {
    Box::new(move |evidence| {
        let (a, b) = (line(evidence, one.0, one.1)?.b, line(evidence, other.0, other.1)?.b);
        let holds = a >= b * least;
        let because = match (holds, one.0 == other.0) {
            (true, _) => "",
            (false, true) => ": today's OpenSSL has other code for each of them",
            (false, false) => ": today's runtimes use the same instructions of the processor",
        };
        let name = |(row, method): (&str, Method)| format!("{} {method}", row.trim_end_matches('-'));
        let figures =
            format!("b of {} over b of {}: {:.2} (tested: at least {least}){because}", name(one), name(other), a / b);
        Ok(Finding { holds, figures })
    })
}

/// C, Python and Ruby take the same time.
fn alike(method: Method) -> Test {
    Box::new(move |evidence| {
        let slopes = ["c-openssl", "python", "ruby"].map(|row| line(evidence, row, method).map(|line| line.b));
        let slopes = slopes.into_iter().collect::<Result<Vec<f64>, String>>()?;
        let apart = spread(&slopes);
        let shown = slopes.iter().map(|b| format!("{b:.3}")).collect::<Vec<_>>().join(", ");
        Ok(Finding {
            holds: apart <= 0.05,
            figures: format!("b {shown} ms a MB: {} apart (tested: at most 5 %)", percent(apart)),
        })
    })
}

/// C with OpenSSL takes the same time for SHA-256 and SHA-512.
fn sha2_alike() -> Test {
    Box::new(|evidence| {
        let slopes = [line(evidence, "c-openssl", Method::Sha256)?.b, line(evidence, "c-openssl", Method::Sha512)?.b];
        let apart = spread(&slopes);
        let because = match (apart <= 0.1, slopes[0] < slopes[1]) {
            (true, _) => "",
            (false, true) => ": SHA instructions serve SHA-256 alone",
            (false, false) => ": today's OpenSSL has vector code that serves the longer words of SHA-512 more",
        };
        let figures = format!("{} apart (tested: at most 10 %){because}", percent(apart));
        Ok(Finding { holds: apart <= 0.1, figures })
    })
}

/// b of Java is the largest; a is small; the times lie on a line.
fn lines(method: Method) -> Test {
    Box::new(move |evidence| {
        let mut figures = Vec::new();
        let mut slopes = Vec::new();
        let mut holds = true;
        for row in ["c-openssl", "python", "ruby", "java-"] {
            let points = points(evidence, row, method)?;
            let line = line(evidence, row, method)?;
            let most = points.iter().map(|point| point.y).fold(0.0, f64::max);
            let r2 = explained(&points, line);
            holds &= line.a.abs() <= 0.02 * most && r2 >= 0.999;
            slopes.push(line.b);
            figures.push(format!("{} a {:.3} b {:.3} R² {r2:.4}", row.trim_end_matches('-'), line.a, line.b));
        }
        holds &= slopes[..3].iter().all(|b| *b < slopes[3]);
        Ok(Finding {
            holds,
            figures: format!(
                "{} (tested: |a| at most 2 % of the longest time, R² at least 0.999, Java's b the largest)",
                figures.join(", ")
            ),
        })
    })
}

fn of_print(system: &str, language: &str, method: Method) -> Program {
    let all = published();
    let same = |p: &&Program| (p.system, p.language, p.method) == (system, language, method);
    all.iter().find(same).expect("a row of the study").clone()
}

pub(super) fn claims() -> Vec<Claim> {
    use Method::{Md5, Sha1, Sha256, Sha512};
    vec![
        claim("Table 3", "MD5: C, Python and Ruby take the same time", alike(Md5)),
        claim(
            "Table 3",
            "MD5: Java is half as fast as C with OpenSSL (2.02)",
            times(("java-", Md5), ("c-openssl", Md5), 1.9),
        ),
        claim("Table 4", "MD5: y = a + bx, a hardly matters, Java has the largest b", lines(Md5)),
        claim("Table 6", "SHA-1: C, Python and Ruby take the same time", alike(Sha1)),
        claim(
            "Table 6",
            "SHA-1: Java takes three times as long as C with OpenSSL (3.08)",
            times(("java-", Sha1), ("c-openssl", Sha1), 2.8),
        ),
        claim("Table 7", "SHA-1: y = a + bx, a hardly matters, Java has the largest b", lines(Sha1)),
        claim("Table 9", "SHA-256: C, Python and Ruby take the same time", alike(Sha256)),
        claim(
            "Table 9",
            "SHA-256: Java is slower than C with OpenSSL (1.65)",
            times(("java-", Sha256), ("c-openssl", Sha256), 1.5),
        ),
        claim("Table 10", "SHA-256: y = a + bx, a hardly matters, Java has the largest b", lines(Sha256)),
        claim("Table 12", "SHA-512: C, Python and Ruby take the same time", alike(Sha512)),
        claim(
            "Table 12",
            "SHA-512: Java is far slower than C with OpenSSL (3.72)",
            times(("java-", Sha512), ("c-openssl", Sha512), 3.5),
        ),
        claim("Table 13", "SHA-512: y = a + bx, a hardly matters, Java has the largest b", lines(Sha512)),
        claim(
            "text",
            "MD5 is three times as fast as SHA-256, C with OpenSSL (3.25)",
            times(("c-openssl", Sha256), ("c-openssl", Md5), 2.9),
        ),
        claim(
            "text",
            "SHA-1 is three times as fast as SHA-512, C with OpenSSL (3.16)",
            times(("c-openssl", Sha512), ("c-openssl", Sha1), 2.9),
        ),
        claim(
            "text",
            "MD5 is three times as fast as SHA-256, C with OpenSSL, without SHA instructions",
            plainly(times(("c-openssl", Sha256), ("c-openssl", Md5), 2.9)),
        ),
        claim(
            "text",
            "SHA-1 is three times as fast as SHA-512, C with OpenSSL, without SHA instructions",
            plainly(times(("c-openssl", Sha512), ("c-openssl", Sha1), 2.9)),
        ),
        claim("text", "SHA-512 and SHA-256 are alike on Linux, C with OpenSSL (7 % apart)", sha2_alike()),
        claim(
            "text",
            "SHA-512 and SHA-256 are alike on Linux, C with OpenSSL, without SHA instructions",
            plainly(sha2_alike()),
        ),
        claim(
            "Fig. 1",
            "the time grows in proportion to the size, C with OpenSSL, all four",
            Box::new(|evidence| {
                let mut all = Vec::new();
                for method in [Md5, Sha1, Sha256, Sha512] {
                    let points = points(evidence, "c-openssl", method)?;
                    all.push(explained(&points, line(evidence, "c-openssl", method)?));
                }
                let shown = all.iter().map(|r2| format!("{r2:.5}")).collect::<Vec<_>>().join(", ");
                Ok(Finding {
                    holds: all.iter().all(|r2| *r2 >= 0.999),
                    figures: format!("R² {shown} (tested: at least 0.999)"),
                })
            }),
        ),
        claim(
            "Table 4",
            "a and b of Tables 4, 7, 10 and 13 follow from the means by formulas (1) and (2)",
            Box::new(|_| {
                let right = published().len() - SLIPS.len();
                let slips: Vec<String> = SLIPS
                    .iter()
                    .map(|(system, language, method, why)| format!("{language} {method} ({system}): {why}"))
                    .collect();
                Ok(Finding {
                    holds: SLIPS.is_empty(),
                    figures: format!("computed from the printed tables: {right} of 40 do; {}", slips.join("; ")),
                })
            }),
        ),
        claim(
            "Table 15",
            "722 GB take 722 times the mean of 1024 MB (starred: twice that of 512 MB)",
            Box::new(|_| {
                let right = published()
                    .iter()
                    .filter(|program| (program.seconds(722.0) - program.case.0 as f64).abs() <= 1.0)
                    .count();
                Ok(Finding {
                    holds: right == 40,
                    figures: format!("computed from the printed tables: {right} of 40 to the second"),
                })
            }),
        ),
        claim(
            "Table 15",
            "a language costs 322 minutes of 722 GB with SHA-512 on Linux: the slowest takes 3.76 times the fastest",
            Box::new(|evidence| {
                let rows =
                    ["c-openssl", "python", "ruby", "java-"].map(|row| line(evidence, row, Sha512).map(|line| line.b));
                let apart = spread(&rows.into_iter().collect::<Result<Vec<f64>, String>>()?) + 1.0;
                Ok(Finding { holds: apart >= 3.5, figures: format!("{apart:.2} times here (tested: at least 3.5)") })
            }),
        ),
        claim("Table 5", "Windows, MD5: Java takes 1.5 times as long as C# and WinCrypto", needs(WINDOWS)),
        claim("Table 8", "Windows, SHA-1: Java takes three times as long as C with OpenSSL", needs(WINDOWS)),
        claim("Table 11", "Windows, SHA-256: Ruby is the fastest", needs(WINDOWS)),
        claim("Table 14", "Windows, SHA-512: Ruby is the fastest, then Python", needs(WINDOWS)),
        claim(
            "Table 14",
            "Windows: SHA-512 is faster than SHA-256 in all languages, in the printed means",
            Box::new(|_| {
                let of = |language, method| of_print("windows", language, method).cost();
                let slower: Vec<&str> = ["c#", "c_openssl", "c_wincrypto", "java", "python", "ruby"]
                    .into_iter()
                    .filter(|language| of(language, Sha512) >= of(language, Sha256))
                    .collect();
                Ok(Finding {
                    holds: slower.is_empty(),
                    figures: format!("computed from the printed tables: not in {}", slower.join(", ")),
                })
            }),
        ),
        claim(
            "Table 11",
            "C# rises suddenly at 1024 MB (28859 ms): 4 GB of memory are suspected",
            needs("needs .NET on Windows with 4 GB; Mono on Linux is another runtime"),
        ),
        claim(
            "Table 14",
            "Oracle's JDK on Windows is faster than OpenJDK on Linux, SHA-512",
            needs("needs Windows and Oracle's JDK 7"),
        ),
    ]
}
