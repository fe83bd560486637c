//! The arguments of `pfh bench forecast` and `pfh bench sizes`.

use crate::amount::parse_bytes;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Where evidence lies.
#[derive(Debug, Clone, PartialEq)]
pub enum Place {
    /// A file or device, which is read at places all over it, and never written.
    Measured(PathBuf),
    /// A device that is not here.
    Named(Device),
}

/// A device of the case that is not here: `NAME=SIZE` or `NAME=SIZE@RATE`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Device {
    /// Its name.
    pub name: String,
    /// Bytes on it.
    pub bytes: u64,
    /// Bytes a second that it gives, if that is known.
    pub rate: Option<u64>,
}

impl Device {
    /// Seconds of reading all of it.
    pub fn seconds(&self) -> Option<f64> {
        self.rate.map(|rate| self.bytes as f64 / rate as f64)
    }
}

impl Place {
    /// The file or device that is read.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Place::Measured(path) => Some(path),
            Place::Named(_) => None,
        }
    }
}

impl FromStr for Place {
    type Err = String;

    /// A name has no slash, so that any path can be given: `./a=b` is one.
    fn from_str(text: &str) -> Result<Place, String> {
        let named = text.split_once('=').filter(|(name, _)| !name.is_empty() && !name.contains('/'));
        let Some((name, rest)) = named else { return Ok(Place::Measured(text.into())) };
        let (size, rate) = rest.split_once('@').map_or((rest, None), |(size, rate)| (size, Some(rate)));
        let bytes = parse_bytes(size)?;
        let rate = rate.map(|rate| parse_bytes(rate.trim_end_matches("/s"))).transpose()?;
        match (bytes, rate) {
            (0, _) | (_, Some(0)) => Err(format!("{name}: a size and a rate are more than 0")),
            _ => Ok(Place::Named(Device { name: name.to_owned(), bytes, rate })),
        }
    }
}

/// Cases that papers forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Preset {
    /// Gurjar et al., Table 15: five devices, 722 GB
    #[value(name = "study-722gb")]
    Study,
    /// Breitinger & Petrov, Tables X and XI: Mac OSX, 100.92GB in 322,531 files, ssdeep
    #[value(name = "pfh-mac")]
    Mac,
    /// Breitinger & Petrov, Tables X and XI: Windows 7, 36.55GB in 139,303 files, ssdeep
    #[value(name = "pfh-windows")]
    Windows,
}

/// The arguments of `pfh bench forecast`.
///
/// pfh itself is measured: a sample of random bytes with the case's sizes of files is written,
/// hashed by `pfh hash -r` in rounds, and removed. CPU and device are forecast apart. The intervals
/// are 95 % prediction intervals of one run to come.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  pfh bench forecast --like /mnt/evidence -a md5,sha256
  pfh bench forecast --like /mnt/evidence --bytes 4TB --save fit.json
  pfh bench forecast --fit fit.json --bytes 20TB
  pfh bench forecast --device disk=512GB@120MB/s --device card=8GB@20MB/s
  find /mnt/evidence -type f -printf '%s\\n' >sizes
  pfh bench forecast --histogram sizes

Exit codes: 0; 2 usage; 3 some of --like could not be read, and its files are missing from the forecast; 4 it could not be
done.")]
pub struct Forecast {
    /// The case, or a part of it that is like it: the sizes of its files are taken; the files are
    /// not opened
    #[arg(long, value_name = "DIR", conflicts_with_all = ["histogram", "fit"])]
    pub like: Option<PathBuf>,
    /// The sizes of the case's files: bytes of a file, or bytes and number of files, in each line
    /// (`pfh bench sizes DIR`)
    #[arg(long, value_name = "FILE", conflicts_with = "fit")]
    pub histogram: Option<PathBuf>,
    /// Forecast from the measurements of --save, without new ones
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scratch", "sample", "rounds", "save"])]
    pub fit: Option<PathBuf>,
    /// Keep the measurements, for --fit
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// Replace FILE of --save
    #[arg(long, requires = "save")]
    pub force: bool,
    /// Bytes of the case: 722GB, 4TB (those of the sizes)
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, required_unless_present_any = ["preset", "like", "histogram", "fit", "devices"])]
    pub bytes: Option<u64>,
    /// Files of the case (those of the sizes; without any, 1)
    #[arg(long, value_name = "N")]
    pub files: Option<u64>,
    /// Algorithms that pfh computes, each forecast by itself (sha256, ssdeep for the presets pfh-…;
    /// with --fit all that it has)
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',')]
    pub algorithms: Vec<String>,
    /// A case from a paper in place of --bytes
    #[arg(long, value_enum, conflicts_with = "bytes")]
    pub preset: Option<Preset>,
    /// Where the evidence lies: a file or device that is read, and never written, at places all
    /// over it; or devices that are not here, repeated: backup=4TB@150MB/s
    #[arg(long = "device", value_name = "PATH|NAME=SIZE[@RATE]")]
    pub devices: Vec<Place>,
    /// A finished `pfh bench languages`: its programs are forecast too
    #[arg(long, value_name = "DIR")]
    pub study: Option<PathBuf>,
    /// Where the sample is written and removed again (the system's temporary directory): cold
    /// reading is that device's
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Bytes of the sample at most
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, default_value = "1GiB")]
    pub sample: u64,
    /// Rounds of measuring
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub rounds: u32,
    /// As JSON
    #[arg(long)]
    pub json: bool,
}

/// `pfh bench sizes`: the input of `forecast --histogram`.
///
/// The number of files of each size below a directory; the files are not opened. Sizes that are
/// alike are put together when there are more than 4,096; number and bytes of all files stay as
/// they are.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Example:
  pfh bench sizes /mnt/evidence >sizes
  pfh bench forecast --histogram sizes

Exit codes: 0; 2 usage; 3 some of DIR could not be read; 4 it could not be done.")]
pub struct SizesOf {
    /// Where the files are
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_path_or_a_device_with_its_size() {
        let device = |text: &str| match text.parse() {
            Ok(Place::Named(device)) => (device.name, device.bytes, device.rate),
            other => panic!("{text}: {other:?}"),
        };
        assert_eq!(device("disk=512GB@120MB/s"), ("disk".into(), 512_000_000_000, Some(120_000_000)));
        assert_eq!(device("SD card=8GB"), ("SD card".into(), 8_000_000_000, None));
        for path in ["/dev/sdb", "./a=1GB", "image", "=1GB"] {
            assert_eq!(path.parse(), Ok(Place::Measured(path.into())));
        }
        for bad in ["a=", "a=many", "a=1GB@", "a=0", "a=1GB@0"] {
            assert!(bad.parse::<Place>().is_err(), "{bad}");
        }
        let disk = Device { name: "d".into(), bytes: 600, rate: Some(200) };
        assert_eq!(disk.seconds(), Some(3.0));
    }
}
