//! Lopes, Franqueira & Hobson.

use super::rows::{AtLeast, AtMost, Claim, Finding, Of, Test, VECTOR_OPENSSL, claim, figures, needs, of, ratios};

const PART: &str = "tree";
const ONE: Of = of(PART, "Table 1, beside it", "1 CPU, s");
const PLAIN: Of = of(PART, "without SHA instructions: Table 1, beside it", "1 CPU, s");
const AUDIT: Of = of("audit", "Fig. 1: the audit", "passes");
const INCREMENT: Of = of("audit", "incremental hashing", "read, of the file");
const SAME: Of = of("audit", "incremental hashing", "root is that of the whole file");
const DIGEST: Of = of(PART, "Table 1, beside it", "answers");

/// Speed-up and efficiency with this many cores, which must be there.
fn with_cores(cores: u32, column: &'static str, least: f64) -> Test {
    Box::new(move |evidence| {
        let of = of(PART, "Table 1: parallel Keccak", column);
        let row = format!("here: {cores} cores");
        evidence.table(of.part, of.table)?;
        let value = of.value(evidence, &row).map_err(|_| format!("needs {cores} cores: fewer are here"))?;
        Ok(Finding { holds: value >= least, figures: format!("{column} {value} (tested: at least {least})") })
    })
}

pub(super) fn claims() -> Vec<Claim> {
    vec![
        claim("Table 1", "6 cores: S_p 4.03", with_cores(6, "S_p", 4.03)),
        claim("Table 1", "6 cores: E_p 0.67", with_cores(6, "E_p", 0.67)),
        claim("Table 1", "12 cores: S_p 5.15", with_cores(12, "S_p", 5.15)),
        claim("Table 1", "12 cores: E_p 0.43", with_cores(12, "E_p", 0.43)),
        claim(
            "Table 1",
            "two cores and more: S_p exceeds 1 with each of them",
            Box::new(|evidence| {
                let rows = of(PART, "Table 1: parallel Keccak", "S_p").rows(evidence)?;
                let here: Vec<_> =
                    rows.iter().filter(|(name, _)| name.starts_with("here: ") && name.ends_with(" cores")).collect();
                let Some((name, value)) = here.last() else { return Err("needs two cores".to_owned()) };
                Ok(Finding { holds: *value > 1.05, figures: format!("{name}: S_p {value} (tested: at least 1.05)") })
            }),
        ),
        claim(
            "Table 1",
            "one core: the Keccak tree takes less than sha512sum (208 and 159 MB/s)",
            ratios(ONE, &[("pfh hash -a sakura-li-256", "sha512sum")], AtMost(0.95), &[]),
        ),
        claim(
            "text",
            "SHA-512 is faster than SHA-256 on one core",
            ratios(ONE, &[("OpenSSL SHA-512", "OpenSSL SHA-256")], AtMost(0.95), &["SHA instructions"]),
        ),
        claim(
            "text",
            "SHA-512 is faster than SHA-256 on one core, without SHA instructions",
            ratios(PLAIN, &[("OpenSSL SHA-512", "OpenSSL SHA-256")], AtMost(0.95), &[]),
        ),
        claim(
            "text",
            "Keccak is faster than SHA-256 on one core",
            ratios(ONE, &[("OpenSSL SHAKE128", "OpenSSL SHA-256")], AtMost(0.95), &["SHA instructions"]),
        ),
        claim(
            "text",
            "Keccak is faster than SHA-256 on one core, without SHA instructions",
            ratios(PLAIN, &[("OpenSSL SHAKE128", "OpenSSL SHA-256")], AtMost(0.95), &[VECTOR_OPENSSL]),
        ),
        claim(
            "text",
            "the digest does not depend on the number of processors",
            figures(DIGEST, &["pfh hash -a sakura-li-256", "pfh hash -a kt128"], AtMost(1.0), &[]),
        ),
        claim(
            "Fig. 1",
            "a server that keeps H(M) alone passes the plain challenge H(M‖C)",
            figures(AUDIT, &["digest alone, plain challenge"], AtLeast(1.0), &[]),
        ),
        claim(
            "Fig. 1",
            "the same server fails a challenge over the leaves of a tree (the remedy that the paper points at)",
            figures(AUDIT, &["digest alone, challenge over leaves"], AtMost(0.5), &[]),
        ),
        claim(
            "Fig. 1",
            "an honest server passes both",
            figures(AUDIT, &["honest, plain challenge", "honest, challenge over leaves"], AtLeast(1.0), &[]),
        ),
        claim("text", "leaf interleaving allows incremental hashing", increments("leaf interleaving")),
        claim("text", "final node growing allows incremental hashing", increments("final node growing")),
        claim(
            "text",
            "parallel streams: pieces in any order give one hash",
            figures(SAME, &["pieces in any order"], AtLeast(1.0), &[]),
        ),
        claim(
            "text",
            "files in no catalogue (dark data) are found",
            figures(SAME, &["a catalogue and a file beside it"], AtLeast(1.0), &[]),
        ),
        claim(
            "text",
            "a catalogue is verified in real time: `tree watch` has the root of a changed directory",
            figures(SAME, &["a watched directory"], AtLeast(1.0), &[]),
        ),
        claim(
            "text",
            "GPU and FPGA are places for parallel Keccak",
            needs("needs a GPU or an FPGA, and a program for it, which pfh has not"),
        ),
    ]
}

/// After a change of one byte less than half is read again, and the root is that of the whole file.
fn increments(mode: &'static str) -> Test {
    Box::new(move |evidence| {
        let (read, same) = (INCREMENT.value(evidence, mode)?, SAME.value(evidence, mode)?);
        let holds = read < 0.5 && same >= 1.0;
        Ok(Finding {
            holds,
            figures: format!(
                "a byte changed: {:.1} % of the file read, root {}",
                read * 100.0,
                if same >= 1.0 { "that of the whole file" } else { "another" }
            ),
        })
    })
}
