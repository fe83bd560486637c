//! The facts of the machine that a time depends on.

use serde::{Deserialize, Serialize};
use std::fs::read_to_string;

/// The machine, as it stands beside every result.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Machine {
    /// The processor's own name for itself.
    pub processor: String,
    /// Processors that this process may use.
    pub processors: usize,
    /// Instruction sets that hash functions gain from.
    pub features: Vec<String>,
    /// Bytes of memory.
    pub memory: u64,
    /// Kernel name and release.
    pub kernel: String,
    /// The frequency governor, where the system tells.
    pub governor: Option<String>,
    /// Whether the machine is a guest of a hypervisor, whose other guests are heard as noise.
    pub guest: bool,
}

impl Machine {
    /// Asks this machine. Fields that it does not answer stay empty.
    pub fn look() -> Machine {
        let cpuinfo = read_to_string("/proc/cpuinfo").unwrap_or_default();
        let of = |key: &str| {
            let line = cpuinfo.lines().find(|line| line.split(':').next().is_some_and(|k| k.trim() == key));
            line.and_then(|line| line.split_once(':')).map(|(_, value)| value.trim().to_owned())
        };
        let flags = of("flags").or_else(|| of("Features")).unwrap_or_default();
        let has = |flag: &&str| flags.split(' ').any(|f| f == *flag);
        let useful = [
            "ssse3", "sse4_1", "avx2", "bmi2", "sha_ni", "vaes", "avx512f", "avx512vl", "neon", "asimd", "sha1",
            "sha2", "sha3", "sha512",
        ];
        let memory = read_to_string("/proc/meminfo").ok().and_then(|text| {
            let kib: u64 =
                text.lines().find(|l| l.starts_with("MemTotal:"))?.split_whitespace().nth(1)?.parse().ok()?;
            Some(kib << 10)
        });
        Machine {
            processor: of("model name").unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            processors: std::thread::available_parallelism().map_or(1, |n| n.get()),
            features: useful.iter().filter(|f| has(f)).map(|f| (*f).to_owned()).collect(),
            memory: memory.unwrap_or(0),
            kernel: pfh::process::system_name(),
            governor: read_to_string("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
                .ok()
                .map(|text| text.trim().to_owned()),
            guest: has(&"hypervisor"),
        }
    }
}

/// How busy the machine is at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Activity {
    /// Load average over the last minute.
    pub load: f64,
    /// Clock ticks since the start that all processors worked or waited.
    pub ticks: u64,
    /// Those of them that the hypervisor gave to others.
    pub stolen: u64,
}

impl Activity {
    /// Asks the kernel; all zero where there is no /proc.
    pub fn now() -> Activity {
        let load = read_to_string("/proc/loadavg").unwrap_or_default();
        let stat = read_to_string("/proc/stat").unwrap_or_default();
        Activity::parse(&load, &stat)
    }

    fn parse(load: &str, stat: &str) -> Activity {
        let fields: Vec<u64> =
            stat.lines().next().unwrap_or("").split_whitespace().skip(1).take(8).flat_map(str::parse).collect();
        Activity {
            load: load.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or(0.0),
            ticks: fields.iter().sum(),
            stolen: fields.get(7).copied().unwrap_or(0),
        }
    }

    /// Which part of the time since `earlier` was stolen, 0 to 1.
    pub fn stolen_since(self, earlier: Activity) -> f64 {
        match self.ticks.saturating_sub(earlier.ticks) {
            0 => 0.0,
            ticks => self.stolen.saturating_sub(earlier.stolen) as f64 / ticks as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn activity_is_read_as_proc_writes_it() {
        // man 5 proc: user nice system idle iowait irq softirq steal guest guest_nice
        let earlier = Activity::parse("0.50 0.40 0.30 1/100 4242\n", "cpu  10 0 10 70 5 1 4 0 0 0\ncpu0 1 2 3\n");
        assert_eq!(earlier, Activity { load: 0.5, ticks: 100, stolen: 0 });
        let later = Activity::parse("1.00 0.40 0.30 1/100 4242\n", "cpu  60 0 10 90 5 1 4 30 9 9\n");
        assert_eq!(later.stolen_since(earlier), 0.3);
        assert_eq!(later.stolen_since(later), 0.0);
        assert_eq!(Activity::parse("", ""), Activity::default());
    }

    #[test]
    fn this_machine_has_a_processor_and_memory() {
        let machine = Machine::look();
        assert!(machine.processors >= 1 && machine.memory > 0 && !machine.processor.is_empty(), "{machine:?}");
    }
}
