//! Cases: devices with their sizes and rates, and those that papers print with their projections.

use crate::amount::show_bytes;
use crate::args::{Device, Preset};
use crate::study::published;
use serde::Serialize;

/// A projection that a paper prints, computed from its printed figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PrintedProjection {
    /// The paper and its table.
    pub table: &'static str,
    /// The program, or its mode.
    pub who: String,
    /// The algorithm.
    pub algorithm: String,
    /// Seconds.
    pub seconds: f64,
    /// As the paper prints them.
    pub text: String,
}

impl PrintedProjection {
    /// Whether it is a row of the study, which stands beside the program's own in the table.
    pub fn is_a_program(&self) -> bool {
        self.table.starts_with("Gurjar")
    }
}

/// Seconds a GB of Table XI with ssdeep, which both of its rows follow to the printed second. They
/// are not those of Table III.
const TABLE_XI: [(&str, f64); 3] = [("stand-alone", 59.363), ("SMT", 43.827), ("MTP", 33.718)];

impl Preset {
    /// Its devices.
    pub fn devices(self) -> Vec<Device> {
        let device = |name: &str, bytes| Device { name: name.to_owned(), bytes, rate: None };
        // The study's MB is 2^20 bytes and its GB 1024 of them, on both sides.
        let gigabytes = |size: u64| size << 30;
        match self {
            Preset::Study => [("hard disk", 512), ("phone", 32), ("SD card", 8), ("backup disk", 160), ("cloud", 10)]
                .map(|(name, size)| device(name, gigabytes(size)))
                .to_vec(),
            // Sizes over numbers of files give the printed averages only with GB of 2^30 bytes.
            Preset::Mac => vec![device("Mac OSX", (100.92 * f64::from(1 << 30)) as u64)],
            Preset::Windows => vec![device("Windows 7", (36.55 * f64::from(1 << 30)) as u64)],
        }
    }

    /// Its files, if the paper says them.
    pub fn files(self) -> Option<u64> {
        match self {
            Preset::Study => None,
            Preset::Mac => Some(322_531),
            Preset::Windows => Some(139_303),
        }
    }

    /// The paper's projections for it.
    pub fn printed(self) -> Vec<PrintedProjection> {
        let gigabytes = match self {
            Preset::Study => {
                return published()
                    .into_iter()
                    .map(|program| {
                        let seconds = program.seconds(722.0);
                        PrintedProjection {
                            table: "Gurjar et al., Table 15",
                            who: program.label(),
                            algorithm: program.method.name().to_owned(),
                            seconds,
                            text: super::line::printed_seconds(&program),
                        }
                    })
                    .collect();
            }
            Preset::Mac => 100.92,
            Preset::Windows => 36.55,
        };
        let row = |(who, rate): (&str, f64)| {
            let seconds = gigabytes * rate;
            let whole = seconds.round() as u64;
            // The paper leaves out the last unit in its column MTP.
            let unit = if who == "MTP" { "" } else { "sec" };
            let text = format!("{}min {}{unit}", whole / 60, whole % 60);
            let table = "Breitinger & Petrov, Table XI";
            PrintedProjection { table, who: who.to_owned(), algorithm: "ssdeep".to_owned(), seconds, text }
        };
        TABLE_XI.map(row).to_vec()
    }
}

/// The case's devices and the printed times of papers, for people.
pub fn text(devices: &[Device], printed: &[PrintedProjection]) -> String {
    let mut text = String::new();
    for device in devices {
        let seconds = device
            .seconds()
            .map_or(String::new(), |seconds| format!(", read in {}", crate::amount::show_seconds(seconds)));
        text += &format!("device: {}, {}{seconds}\n", device.name, show_bytes(device.bytes));
    }
    // Those of the study stand beside its programs.
    for row in printed.iter().filter(|row| !row.is_a_program()) {
        text += &format!("printed: {}: {}, {}: {}\n", row.table, row.who, row.algorithm, row.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Table XI to the printed digit, from the inputs of Table X.
    #[test]
    fn the_projections_come_out_as_they_are_printed() {
        let texts = |preset: Preset| preset.printed().into_iter().map(|row| row.text).collect::<Vec<_>>();
        assert_eq!(texts(Preset::Mac), ["99min 51sec", "73min 43sec", "56min 43"]);
        assert_eq!(texts(Preset::Windows), ["36min 10sec", "26min 42sec", "20min 32"]);
        for (preset, kilobytes) in [(Preset::Mac, 328.08), (Preset::Windows, 275.13)] {
            let average = preset.devices()[0].bytes as f64 / preset.files().unwrap() as f64 / 1024.0;
            assert!((average - kilobytes).abs() < 0.05, "{average}");
        }
        assert_eq!(Preset::Study.devices().iter().map(|device| device.bytes).sum::<u64>(), 722 << 30);
        for row in Preset::Study.printed() {
            assert!(
                (row.seconds - row.text.trim_end_matches('*').trim_end_matches(" s").parse::<f64>().unwrap()).abs()
                    <= 1.0,
                "{row:?}"
            );
        }
    }
}
