//! Gueron & Krasnov.

use super::rows::{
    AtLeast, AtMost, Claim, EMPTY_LANES, Finding, NEWER_OPENSSL, Of, Test, claim, figures, needs, of, percent, ratios,
};

const PART: &str = "s-hash";
const FASTER: &str = "OpenSSL / S-HASH";
const FIGURE: Of = of(PART, "S-HASH Fig. 2", FASTER);
const CYCLES: Of = of(PART, "S-HASH Fig. 2", "S-HASH (pfh)");
const N_SMS: Of = of(PART, "S-HASH Fig. 2", "n-SMS / S-HASH");
const PLAIN: Of = of(PART, "without SHA instructions: S-HASH Fig. 2", FASTER);
const PLAIN_N_SMS: Of = of(PART, "without SHA instructions: S-HASH Fig. 2", "n-SMS / S-HASH");
const FOUR: Of = of(PART, "four lanes, without SHA instructions: S-HASH Fig. 2", FASTER);
const DIVERSE: Of = of(PART, "S-HASH Fig. 3", FASTER);
const UNIFORM: Of = of(PART, "S-HASH Fig. 4", FASTER);
const UNIFORM_N_SMS: Of = of(PART, "S-HASH Fig. 4", "n-SMS / S-HASH");
const UNIFORM_TIME: Of = of(PART, "S-HASH Fig. 4", "S-HASH MB/s");
const UNIFORM_PEER: Of = of(PART, "S-HASH Fig. 4", "OpenSSL MB/s");

const COLD: &str = "in process, cold";
const PLAIN_COLD: &str = "in process, cold, without SHA instructions";
const SETS: &[&str] = &["L1, 4", "L2, 64", "L3, 512", "memory, 8,192"];
const SHA: &[&str] = &["SHA instructions"];
const TODAY: &[&str] = &[NEWER_OPENSSL, EMPTY_LANES];
const CLOCK: &str = "needs a clock that can be set: two clocks are measured where /sys/devices/system/cpu/cpu0/cpufreq \
                     can be written, and a virtual machine has none";

/// How many times as fast at the lower clock, where it was measured.
fn at_half(of: Of, least: f64) -> Test {
    let row = "in process, cold, half clock";
    Box::new(move |evidence| {
        evidence.table(of.part, of.table)?;
        let ratio = of.value(evidence, row).map_err(|_| CLOCK.to_owned())?;
        Ok(Finding { holds: ratio >= least, figures: format!("{row}: {ratio:.2} (tested: at least {least})") })
    })
}

/// Whether files of one size gain more in this row than files of many sizes.
fn equal_lengths(row: &'static str, causes: &'static [&'static str]) -> Test {
    Box::new(move |evidence| {
        let (uniform, diverse) = (UNIFORM.value(evidence, row)?, DIVERSE.value(evidence, row)?);
        let figures = format!("{row}: {} and {}", percent(uniform), percent(diverse));
        UNIFORM.found(evidence, AtLeast(1.0).judge(&[uniform / diverse]), figures, causes)
    })
}

pub(super) fn claims() -> Vec<Claim> {
    vec![
        claim(
            "Fig. 2",
            "4 KB messages from each cache and memory: S-HASH is 3.42 times as fast as OpenSSL",
            figures(FIGURE, SETS, AtLeast(3.42), SHA),
        ),
        claim("Fig. 2", "the same without SHA instructions", figures(PLAIN, SETS, AtLeast(3.42), TODAY)),
        claim(
            "Fig. 2",
            "the same with the paper's four lanes of 128 bits, without SHA instructions",
            figures(FOUR, SETS, AtLeast(3.42), &[NEWER_OPENSSL]),
        ),
        claim("Fig. 2", "S-HASH is 2.25 times as fast as n-SMS", figures(N_SMS, SETS, AtLeast(2.25), SHA)),
        claim(
            "Fig. 2",
            "S-HASH is 2.25 times as fast as n-SMS, without SHA instructions",
            figures(PLAIN_N_SMS, SETS, AtLeast(2.25), &[EMPTY_LANES]),
        ),
        claim(
            "Fig. 2",
            "S-HASH takes 5.18 cycles a byte or less from the caches",
            figures(CYCLES, &["L1, 4", "L2, 64", "L3, 512"], AtMost(5.18), &[]),
        ),
        claim(
            "Fig. 2",
            "from memory S-HASH is a little slower than from the last cache",
            ratios(CYCLES, &[("memory, 8,192", "L3, 512")], AtLeast(1.0), &[]),
        ),
        claim(
            "Fig. 2",
            "more lanes pay: eight and more are faster than four (\"in theory twice as fast\")",
            Box::new(|evidence| {
                let lanes = |table| of(PART, table, "S-HASH (pfh)").value(evidence, "L2, 64");
                let (wide, four) = (
                    lanes("without SHA instructions: S-HASH Fig. 2")?,
                    lanes("four lanes, without SHA instructions: S-HASH Fig. 2")?,
                );
                Ok(Finding {
                    holds: wide < four * 0.95,
                    figures: format!(
                        "L2, 64: {wide:.2} cycles a byte, {four:.2} with four lanes (tested: at most 95 %)"
                    ),
                })
            }),
        ),
        claim(
            "text",
            "one message of 8 KB: n-SMS is 1.52 times as fast as OpenSSL (11.58, 17.55 cycles a byte)",
            Box::new(|evidence| {
                let alone =
                    |column| of(PART, "without SHA instructions: S-HASH Fig. 2", column).value(evidence, "8 KiB alone");
                let ratio = alone("OpenSSL")? / alone("n-SMS (pfh)")?;
                Ok(Finding {
                    holds: ratio >= 1.52,
                    figures: format!(
                        "{ratio:.2} without SHA instructions (tested: at least 1.52): OpenSSL 1.0.1 had no vector code for one message, today's has"
                    ),
                })
            }),
        ),
        claim("Fig. 3", "DIVERSE, cold: 1.73 times as fast as OpenSSL", figures(DIVERSE, &[COLD], AtLeast(1.73), SHA)),
        claim(
            "Fig. 3",
            "DIVERSE, cold, without SHA instructions: 1.73 times",
            figures(DIVERSE, &[PLAIN_COLD], AtLeast(1.73), &[NEWER_OPENSSL]),
        ),
        claim("Fig. 3", "DIVERSE at half the clock: 2.16 times", at_half(DIVERSE, 2.16)),
        claim("Fig. 4", "UNIFORM, cold: 2.26 times as fast as OpenSSL", figures(UNIFORM, &[COLD], AtLeast(2.26), SHA)),
        claim(
            "Fig. 4",
            "UNIFORM, cold, without SHA instructions: 2.26 times",
            figures(UNIFORM, &[PLAIN_COLD], AtLeast(2.26), &[NEWER_OPENSSL]),
        ),
        claim(
            "Fig. 4",
            "UNIFORM, cold: 1.67 times as fast as n-SMS",
            figures(UNIFORM_N_SMS, &[COLD], AtLeast(1.67), SHA),
        ),
        claim("Fig. 4", "UNIFORM at half the clock: 2.86 times", at_half(UNIFORM, 2.86)),
        claim(
            "Fig. 4",
            "S-HASH is bound by the disk: cold is slower than warm",
            ratios(UNIFORM_TIME, &[(COLD, "in process, warm")], AtMost(0.95), &[]),
        ),
        claim(
            "Fig. 4",
            "OpenSSL is not bound by the disk: cold is as fast as warm",
            ratios(UNIFORM_PEER, &[(COLD, "in process, warm")], AtLeast(0.95), SHA),
        ),
        claim(
            "text",
            "equal lengths are better: UNIFORM gains more than DIVERSE",
            equal_lengths("in process, warm", SHA),
        ),
        claim(
            "text",
            "equal lengths are better, without SHA instructions",
            equal_lengths("in process, warm, without SHA instructions", &[]),
        ),
        claim("text", "DIVERSE's rate falls by 1.28 only, from 3.3 to 1.6 GHz", needs(CLOCK)),
    ]
}
