//! Breitinger & Petrov.

use super::rows::{
    AtLeast, AtMost, Claim, Finding, LESS_TO_HIDE, NEWER_SDHASH, OWN_KERNELS, Of, Test, Within, alike, beside, claim,
    of, percent, ratios, rising, spread,
};

const S: &str = "here, s";
const USER: Of = of("pfh-I", "pfh Table I", "pfh here, s");
const ORIGINAL: Of = of("pfh-I", "pfh Table I", "original here, s");
const PLAIN: Of = of("pfh-I", "without SHA instructions: pfh Table I", "pfh here, s");
const III: Of = of("pfh-III", "pfh Table III", S);
const IV: Of = of("pfh-IV", "pfh Table IV: the five hashes", S);
const V_SSDEEP: Of = of("pfh-V", "pfh Table V: FULL mode, ssdeep", S);
const V_SDHASH: Of = of("pfh-V", "pfh Table V: FULL mode, sdhash", S);
const VI_MRSH: Of = of("pfh-VI", "pfh Table VI: threads, mrsh", S);
const VI_WAITS: Of = of("pfh-VI", "pfh Table VI: threads, mrsh", "waits");
const VI_SDHASH: Of = of("pfh-VI", "pfh Table VI: threads, sdhash", S);
const VII_MRSH: Of = of("pfh-VII", "pfh Table VII: threads, mrsh", S);
const VII_SDHASH: Of = of("pfh-VII", "pfh Table VII: threads, sdhash", S);
const VIII: Of = of("pfh-VIII", "pfh Table VIII", S);
const VIII_FAULTS: Of = of("pfh-VIII", "pfh Table VIII", "page faults");
const VIII_PEAK: Of = of("pfh-VIII", "pfh Table VIII", "peak MiB");
const IX: Of = of("pfh-IX", "pfh Table IX", S);
const XII: Of = of("pfh-XII", "pfh Table XII", S);
const XIII: Of = of("pfh-XIII", "pfh Table XIII", S);
const DISK: Of = of("pfh-rotating", "pfh Table VI on an emulated rotating disk", S);
const DISK_IV: Of = of("pfh-rotating", "pfh Table IV on an emulated rotating disk", S);
const FLASH: Of = of("pfh-rotating", "pfh Table VI on a modelled device without a moving head", S);

const THREADS: &[(&str, &str)] = &[("MTP, -t 2", "SMT, -t 2"), ("MTP, -t 4", "SMT, -t 4"), ("MTP, -t 8", "SMT, -t 8")];
const MTP: &[&str] = &["MTP, -t 2", "MTP, -t 4", "MTP, -t 8"];
const FROM_DISK: &[&str] = &["cached", "flash", "virtual"];

/// A claim over -t 2, 4 and 8 that needs a processor for each thread.
fn scales(of: Of, rows: &'static [&'static str]) -> Test {
    let test = rising(of, rows, &[]);
    Box::new(move |evidence| {
        let table = evidence.table(of.part, of.table)?;
        if table.conditions.iter().any(|condition| condition == "few processors") {
            return Err("needs 8 processors: threads that share one do not show whether more are faster".to_owned());
        }
        test(evidence)
    })
}

/// The size of the table has no influence: on time, or on the pages and the memory by which it
/// could have one.
fn of_any_size(rows: &'static [&'static str]) -> Test {
    let time = alike(VIII, rows, 0.05, &[]);
    Box::new(move |evidence| {
        let column = |of: Of| rows.iter().map(|row| of.value(evidence, row)).collect::<Result<Vec<f64>, String>>();
        let (Ok(seconds), Ok(faults), Ok(peaks)) = (column(VIII), column(VIII_FAULTS), column(VIII_PEAK)) else {
            return time(evidence);
        };
        let [apart, of_faults, of_peaks] = [seconds, faults.clone(), peaks.clone()].map(|values| spread(&values));
        let shown = |values: &[f64]| values.iter().map(|value| format!("{value:.0}")).collect::<Vec<_>>().join(", ");
        let (times, same) = (percent(apart), of_faults <= 0.1 && of_peaks <= 0.1);
        let words = match (apart <= 0.05, same) {
            (true, _) => "",
            (false, true) => ": the clock's differences are not the table's",
            (false, false) => ": a larger table touches more memory for the first time",
        };
        Ok(Finding {
            holds: apart <= 0.05 || same,
            figures: format!(
                "times differ by {times}, page faults {}, peak {} MiB (tested: times at most 5 % apart, or faults and peak at most 10 %){words}",
                shown(&faults),
                shown(&peaks)
            ),
        })
    })
}

pub(super) fn claims() -> Vec<Claim> {
    vec![
        claim(
            "Table I",
            "MD5 takes less than SHA-1 (58 %): originals",
            ratios(ORIGINAL, &[("md5", "sha1")], AtMost(0.95), &["SHA instructions"]),
        ),
        claim(
            "Table I",
            "MD5 takes less than SHA-1 (58 %): pfh",
            ratios(USER, &[("md5", "sha1")], AtMost(0.95), &["SHA instructions"]),
        ),
        claim(
            "Table I",
            "MD5 takes less than SHA-1 (58 %): pfh, without SHA instructions",
            ratios(PLAIN, &[("md5", "sha1")], AtMost(0.95), &[OWN_KERNELS]),
        ),
        claim(
            "Table I",
            "ssdeep takes longer than SHA-1 (2.78): originals",
            ratios(ORIGINAL, &[("ssdeep", "sha1")], AtLeast(1.05), &[]),
        ),
        claim(
            "Table I",
            "SHA-1, MRSH-v2, ssdeep and sdhash cost more in this order: pfh",
            rising(USER, &["sha1", "mrsh-v2", "ssdeep", "sdhash"], &[OWN_KERNELS]),
        ),
        claim(
            "Table I",
            "SHA-1, MRSH-v2, ssdeep and sdhash cost more in this order: originals",
            rising(ORIGINAL, &["sha1", "mrsh-v2", "ssdeep", "sdhash"], &[]),
        ),
        claim(
            "Table I",
            "sdhash takes 9.78 times SHA-1: pfh",
            ratios(USER, &[("sdhash", "sha1")], AtLeast(9.78), &[OWN_KERNELS]),
        ),
        claim(
            "Table III",
            "two threads: MTP takes 62.37 % of ssdeep",
            ratios(III, &[("MTP", "original")], AtMost(0.6237), &[]),
        ),
        claim(
            "Table III",
            "two threads: SMT takes 82.52 % of ssdeep",
            ratios(III, &[("SMT", "original")], AtMost(0.8252), &[]),
        ),
        claim(
            "Table III",
            "two threads: MTP takes less than SMT (76 %)",
            ratios(III, &[("MTP", "SMT")], AtMost(0.95), FROM_DISK),
        ),
        claim(
            "Table IV",
            "MTP hides the hashing: MD5, SHA-1, MRSH-v2 and ssdeep take the same time (1 % apart)",
            alike(IV, &["MTP md5", "MTP sha1", "MTP mrsh-v2", "MTP ssdeep"], 0.05, FROM_DISK),
        ),
        claim(
            "Table IV",
            "MD5 and SHA-1 gain nothing: MTP takes 100 % and 99 % of the originals",
            ratios(IV, &[("MTP md5", "original md5"), ("MTP sha1", "original sha1")], Within(0.95, 1.05), FROM_DISK),
        ),
        claim(
            "Table IV",
            "rotating disk (emulated): MTP hides the hashing of MD5, MRSH-v2 and ssdeep",
            alike(DISK_IV, &["MTP md5", "MTP mrsh-v2", "MTP ssdeep"], 0.05, &[]),
        ),
        claim(
            "Table IV",
            "rotating disk (emulated): MD5 gains nothing",
            ratios(DISK_IV, &[("MTP md5", "original md5")], Within(0.95, 1.05), &[]),
        ),
        claim(
            "Table IV",
            "rotating disk (emulated): MTP takes at most 68 % of ssdeep, MRSH-v2 and sdhash (62, 68 and 61 %)",
            ratios(
                DISK_IV,
                &[
                    ("MTP ssdeep", "original ssdeep"),
                    ("MTP mrsh-v2", "original mrsh-v2"),
                    ("MTP sdhash", "original sdhash"),
                ],
                AtMost(0.685),
                &[LESS_TO_HIDE],
            ),
        ),
        claim(
            "Table IV",
            "MTP takes 62 % of ssdeep",
            ratios(IV, &[("MTP ssdeep", "original ssdeep")], AtMost(0.6237), &[]),
        ),
        claim(
            "Table IV",
            "MTP takes 68 % of MRSH-v2's original",
            ratios(IV, &[("MTP mrsh-v2", "original mrsh-v2")], AtMost(0.685), &[]),
        ),
        claim(
            "Table IV",
            "MTP takes 61 % of sdhash's original",
            ratios(IV, &[("MTP sdhash", "original sdhash")], AtMost(0.613), &[]),
        ),
        claim(
            "Table IV",
            "one thread that hashes is too slow for sdhash: it takes longer than ssdeep (1.71)",
            ratios(IV, &[("MTP sdhash", "MTP ssdeep")], AtLeast(1.05), &[]),
        ),
        claim(
            "Table V",
            "FULL mode: MTP takes 57.33 % of `ssdeep -d`",
            ratios(V_SSDEEP, &[("MTP (ssdeep)", "ssdeep")], AtMost(0.5733), &[]),
        ),
        claim(
            "Table V",
            "FULL mode: sdhash does not end in 69 minutes, MTP takes 187 s",
            ratios(V_SDHASH, &[("MTP (sdhash)", "sdhash")], AtMost(0.0451), &[NEWER_SDHASH]),
        ),
        claim(
            "Table V",
            "FULL mode: sdhash takes longer than ssdeep under MTP (2.73)",
            Box::new(|evidence| {
                let ratio = V_SDHASH.value(evidence, "MTP (sdhash)")? / V_SSDEEP.value(evidence, "MTP (ssdeep)")?;
                let figures = format!("MTP (sdhash) / MTP (ssdeep): {} (tested: at least 105 %)", percent(ratio));
                V_SDHASH.found(evidence, AtLeast(1.05).judge(&[ratio]), figures, &[])
            }),
        ),
        claim(
            "Table VI",
            "cold, mrsh: MTP takes less than SMT with 2, 4 and 8 threads (81, 78, 77 %)",
            ratios(VI_MRSH, THREADS, AtMost(0.95), FROM_DISK),
        ),
        claim(
            "Table VI",
            "cold, sdhash: MTP takes less than SMT with 4 and 8 threads (72, 76 %)",
            ratios(VI_SDHASH, &[("MTP, -t 4", "SMT, -t 4"), ("MTP, -t 8", "SMT, -t 8")], AtMost(0.95), FROM_DISK),
        ),
        claim(
            "Table VI",
            "cold, sdhash: one thread that hashes gains nothing with -t 2 (100 %)",
            ratios(VI_SDHASH, &[("MTP, -t 2", "SMT, -t 2")], Within(0.95, 1.05), FROM_DISK),
        ),
        claim(
            "Table VI",
            "cold, mrsh: more threads do not help SMT (64, 66, 67 s)",
            ratios(VI_MRSH, &[("SMT, -t 8", "SMT, -t 2")], AtLeast(0.99), FROM_DISK),
        ),
        claim(
            "Table VI",
            "cold, mrsh: MTP's time does not depend on the threads (0.4 % apart)",
            beside(
                alike(VI_MRSH, MTP, 0.05, &["cached", "flash", "virtual", "few processors"]),
                VI_WAITS,
                MTP,
                "threads that waited for each other",
            ),
        ),
        claim(
            "text",
            "an SSD (here or modelled) should scale further: SMT gains from 2 to 4 threads",
            Box::new(|evidence| {
                let table = evidence.table(VI_MRSH.part, VI_MRSH.table);
                let of = match table {
                    Ok(table) if table.conditions.iter().any(|condition| condition == "flash") => VI_MRSH,
                    _ => FLASH,
                };
                ratios(of, &[("SMT, -t 4", "SMT, -t 2")], AtMost(0.95), &["few processors"])(evidence)
            }),
        ),
        claim(
            "main claim",
            "rotating disk (emulated): MTP takes less than SMT with 2, 4 and 8 threads",
            ratios(DISK, THREADS, AtMost(0.95), &[]),
        ),
        claim(
            "main claim",
            "rotating disk (emulated): MTP takes at most 81 % of SMT",
            ratios(DISK, THREADS, AtMost(0.81), &[]),
        ),
        claim(
            "main claim",
            "rotating disk (emulated): more threads do not help SMT",
            ratios(DISK, &[("SMT, -t 8", "SMT, -t 2")], AtLeast(0.99), &[]),
        ),
        claim(
            "main claim",
            "rotating disk (emulated): MTP's time does not depend on the threads",
            alike(DISK, MTP, 0.05, &[]),
        ),
        claim(
            "main claim",
            "rotating disk (emulated): a second prefetcher costs 15 %",
            ratios(DISK, &[("MTP, -t 8 -p 2", "MTP, -t 8")], AtLeast(1.05), &[]),
        ),
        claim(
            "Table VII",
            "cached, -t 2: SMT is faster than MTP, mrsh (MTP takes 174 %)",
            ratios(VII_MRSH, &[("MTP, -t 2", "SMT, -t 2")], AtLeast(1.05), &[]),
        ),
        claim(
            "Table VII",
            "cached, -t 2: SMT is faster than MTP, sdhash (MTP takes 182 %)",
            ratios(VII_SDHASH, &[("MTP, -t 2", "SMT, -t 2")], AtLeast(1.05), &[]),
        ),
        claim(
            "Table VII",
            "cached, mrsh: SMT gains with threads (10.15, 5.30, 2.92 s)",
            scales(VII_MRSH, &["SMT, -t 8", "SMT, -t 4", "SMT, -t 2"]),
        ),
        claim(
            "Table VII",
            "cached, sdhash: SMT gains with threads (48.42, 24.98, 11.83 s)",
            scales(VII_SDHASH, &["SMT, -t 8", "SMT, -t 4", "SMT, -t 2"]),
        ),
        claim(
            "Table VIII",
            "128, 256 or 512 MB have no influence: SMT (0.3 % apart)",
            of_any_size(&["SMT, -m 128", "SMT, -m 256", "SMT, -m 512"]),
        ),
        claim(
            "Table VIII",
            "128, 256 or 512 MB have no influence: MTP (0.4 % apart)",
            of_any_size(&["MTP, -m 128", "MTP, -m 256", "MTP, -m 512"]),
        ),
        claim("Table IX", "a second prefetcher costs 15 %", ratios(IX, &[("-p 2", "-p 1")], AtLeast(1.05), FROM_DISK)),
        claim(
            "Table XI",
            "the Mac goes from 1h 39min to 56min (57 %), projected with the rates of Table III here",
            ratios(III, &[("MTP", "original")], AtMost(0.568), &[]),
        ),
        claim(
            "Table XI",
            "both workstations have the same cost a GB: 59.4, 43.8 and 33.7 s",
            Box::new(|_| Ok(printed_rates())),
        ),
        claim("Table XII", "MTP takes 62.20 % of ssdeep", ratios(XII, &[("MTP", "original")], AtMost(0.622), &[])),
        claim("Table XII", "SMT takes 80.73 % of ssdeep", ratios(XII, &[("SMT", "original")], AtMost(0.8073), &[])),
        claim(
            "Table XII",
            "MTP takes less than SMT with 8 threads (77 %)",
            ratios(XII, &[("MTP", "SMT")], AtMost(0.95), FROM_DISK),
        ),
        claim(
            "Table XII",
            "GNU parallel takes less than ssdeep (83.43 %)",
            ratios(XII, &[("parallel", "original")], AtMost(0.95), &["flash", "stand-in"]),
        ),
        claim(
            "Table XII",
            "MTP takes less than GNU parallel (75 %)",
            ratios(XII, &[("MTP", "parallel")], AtMost(0.746), &[]),
        ),
        claim(
            "Table XII",
            "a process and text files for each file slow ppss down (402.90 %; ours of 15 lines)",
            ratios(XII, &[("ppss", "original")], AtLeast(1.05), &[]),
        ),
        claim(
            "Table XIII",
            "16 large files: ppss takes longer than ssdeep (129 %; ours of 15 lines)",
            ratios(XIII, &[("ppss", "ssdeep")], AtLeast(1.05), FROM_DISK),
        ),
        claim(
            "Table XIII",
            "the fewer the files, the less ppss loses (129 % after 402.90 %)",
            Box::new(|evidence| {
                let large = XIII.value(evidence, "ppss")? / XIII.value(evidence, "ssdeep")?;
                let small = XII.value(evidence, "ppss")? / XII.value(evidence, "original")?;
                let (shown_large, shown_small) = (percent(large), percent(small));
                let figures =
                    format!("ppss takes {shown_large} of ssdeep over large files, {shown_small} over the corpus");
                XII.found(evidence, AtMost(1.0).judge(&[large / small]), figures, &[])
            }),
        ),
        claim(
            "text",
            "several machines on one device gain nothing: the device is the limit (two processes, emulated disk)",
            ratios(DISK, &[("two machines", "one machine")], AtLeast(0.95), &[]),
        ),
    ]
}

/// Table XI from Table X: seconds a GB of both rows.
fn printed_rates() -> Finding {
    let minutes = |minutes: u32, seconds: u32| f64::from(minutes * 60 + seconds);
    let mac = [minutes(99, 51), minutes(73, 43), minutes(56, 43)].map(|seconds| seconds / 100.92);
    let windows = [minutes(36, 10), minutes(26, 42), minutes(20, 32)].map(|seconds| seconds / 36.55);
    let holds = mac.iter().zip(&windows).all(|(one, other)| (one / other - 1.0).abs() < 0.001);
    let shown = |rates: [f64; 3]| rates.map(|rate| format!("{rate:.2}")).join(", ");
    Finding {
        holds,
        figures: format!("computed from the printed tables: {} (Mac), {} (Windows)", shown(mac), shown(windows)),
    }
}
