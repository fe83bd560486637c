//! The operands of dd and its kin: `name=value`, each known or refused.

use super::Problem;
use crate::acquire::pattern;
use pfh_source::os::names::OsStrExt;
use pfh_source::terminal::render;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// Output while and after it copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Status {
    /// The same as dd prints by default.
    #[default]
    Usual,
    /// Nothing.
    None,
    /// No rate.
    NoTransfer,
    /// How far it is as well.
    Progress,
}

/// A number of blocks, or (suffix B, or a flag) of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number {
    value: u64,
    in_bytes: bool,
}

/// The values of the operands.
#[derive(Debug, Default, PartialEq)]
pub struct Operands {
    /// `if=`.
    pub input: Option<PathBuf>,
    /// `of=`.
    pub of: Vec<PathBuf>,
    /// `hof=`.
    pub hof: Vec<PathBuf>,
    /// `ofs=`.
    pub ofs: Vec<PathBuf>,
    /// `ofsz=`.
    pub ofsz: Option<u64>,
    /// `split=`.
    pub split: Option<u64>,
    /// `vf=`.
    pub vf: Option<PathBuf>,
    /// Bytes of an input block.
    pub ibs: u64,
    /// Bytes of an output block.
    pub obs: u64,
    /// The values of `bs=`, `ibs=` and `obs=` that were given: the first wins over the others
    /// wherever it stands.
    given: (Option<u64>, Option<u64>, Option<u64>),
    /// dc3dd's sector, which its own operands count in.
    ssz: Option<u64>,
    ssz_count: Option<u64>,
    ssz_skip: Option<u64>,
    ssz_seek: Option<u64>,
    /// An operand of dcfldd or dc3dd alone, whose blocks are not dd's.
    foreign: Option<String>,
    count: Option<Number>,
    skip: Option<Number>,
    seek: Option<Number>,
    limit: Option<u64>,
    flags: Vec<(&'static str, &'static str)>,
    /// `status=`.
    pub status: Status,
    /// `hash=`.
    pub hash: Vec<String>,
    /// `hashwindow=`.
    pub hashwindow: Option<u64>,
    /// `hashlog=`.
    pub hashlog: Option<PathBuf>,
    /// `errlog=`.
    pub errlog: Option<PathBuf>,
    /// `pattern=`.
    pub pattern: Option<Vec<u8>>,
}

/// Flags that are taken, by operand. `fullblock`, `noatime` (where it is allowed), `fsync`,
/// `fdatasync` and `oflag=sync,dsync` are always on here.
const FLAGS: &[(&str, &[&str])] = &[
    ("iflag", &["direct", "fullblock", "skip_bytes", "count_bytes", "noatime"]),
    ("oflag", &["direct", "seek_bytes", "sync", "dsync"]),
    ("conv", &["noerror", "sync", "notrunc", "excl", "nocreat", "sparse", "fsync", "fdatasync"]),
];

/// Reads a size as dd does (coreutils manual, "dd invocation"): `c` 1, `w` 2, `b` 512, `kB` 1000,
/// `K` 1024, …, `AxB`.
pub fn dd_size(text: &str) -> Result<u64, Problem> {
    let wrong = || format!("{text:?} is not a number that dd reads (512, 64K, 64MB, 2x512)");
    let mut product = 1_u64;
    for part in text.split('x') {
        let at = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (digits, unit) = part.split_at(at);
        let number: u64 = digits.parse().map_err(|_| wrong())?;
        let power = |base: u64, letter: char| {
            "KMGTPE".find(letter.to_ascii_uppercase()).and_then(|p| base.checked_pow(p as u32 + 1))
        };
        let mut letters = unit.chars();
        let factor = match (letters.next(), letters.as_str()) {
            (None, _) | (Some('c' | 'B'), "") => Some(1),
            (Some('w'), "") => Some(2),
            (Some('b'), "") => Some(512),
            (Some(letter), "" | "iB") => power(1024, letter),
            (Some(letter), "B") => power(1000, letter),
            _ => None,
        };
        let value = factor.and_then(|factor| number.checked_mul(factor)).ok_or_else(wrong)?;
        product = product.checked_mul(value).ok_or_else(wrong)?;
    }
    Ok(product)
}

fn positive(text: &str) -> Result<u64, Problem> {
    dd_size(text).and_then(|n| if n == 0 { Err("zero makes no sense".into()) } else { Ok(n) })
}

fn number(text: &str) -> Result<Number, Problem> {
    // A B behind digits counts bytes; behind a letter it makes the unit decimal.
    let in_bytes = text.strip_suffix('B').is_some_and(|rest| rest.ends_with(|c: char| c.is_ascii_digit()));
    Ok(Number { value: dd_size(text)?, in_bytes })
}

fn status(text: &str) -> Result<Status, Problem> {
    match text {
        "none" => Ok(Status::None),
        "noxfer" => Ok(Status::NoTransfer),
        "progress" => Ok(Status::Progress),
        _ => Err("none, noxfer or progress".into()),
    }
}

impl Operands {
    /// Reads them.
    ///
    /// # Errors
    /// A sentence that names the operand which is not supported, or makes no sense.
    pub fn parse(words: &[OsString]) -> Result<Self, Problem> {
        let mut found = Operands::default();
        for word in words {
            let bytes = word.as_bytes();
            let name = || render(bytes);
            let at = bytes
                .iter()
                .position(|b| *b == b'=')
                .ok_or_else(|| format!("{}: an operand has the form NAME=VALUE", name()))?;
            let (key, value) = (&bytes[..at], OsStr::from_bytes(&bytes[at + 1..]));
            let key = std::str::from_utf8(key).map_err(|_| format!("{}: no such operand", name()))?;
            found.take(key, value).map_err(|e| format!("{}: {e}", name()))?;
        }
        found.blocks()?;
        if found.pattern.is_some() && (found.input.is_some() || found.skip.is_some()) {
            return Err("pattern= stands in the place of if= and skip=".into());
        }
        if found.split.is_some() && found.seek.is_some() {
            return Err("split= and seek= do not go together".into());
        }
        Ok(found)
    }

    /// Settles the sizes of blocks.
    fn blocks(&mut self) -> Result<(), Problem> {
        let (bs, ibs, obs) = self.given;
        (self.ibs, self.obs) = (bs.or(ibs).unwrap_or(512), bs.or(obs).unwrap_or(512));
        let counts = |number: Option<Number>, flag: &str, operand: &str| {
            number.is_some_and(|number| !number.in_bytes && !self.has(operand, flag))
        };
        let input = counts(self.count, "count_bytes", "iflag") || counts(self.skip, "skip_bytes", "iflag");
        let output = counts(self.seek, "seek_bytes", "oflag");
        if let Some(foreign) = &self.foreign
            && (input && bs.or(ibs).is_none() || output && bs.or(obs).is_none())
        {
            return Err(format!(
                "{foreign} is dcfldd's or dc3dd's, and count=, skip= and seek= without bs= mean blocks of 512 bytes to dd and of \
                 32768 to dcfldd: say bs=512 or bs=32768"
            ).into());
        }
        for (number, count) in [(self.ssz_count, 0), (self.ssz_skip, 1), (self.ssz_seek, 2)] {
            let Some(sectors) = number else { continue };
            let value = sectors.saturating_mul(self.ssz.unwrap_or(512));
            let place = [&mut self.count, &mut self.skip, &mut self.seek].into_iter().nth(count);
            if let Some(place) = place {
                *place = Some(Number { value, in_bytes: true });
            }
        }
        Ok(())
    }

    fn take(&mut self, key: &str, value: &OsStr) -> Result<(), Problem> {
        const FOREIGN: &[&str] = &[
            "hash",
            "hashwindow",
            "hashlog",
            "errlog",
            "vf",
            "split",
            "sizeprobe",
            "hof",
            "ofs",
            "ofsz",
            "pattern",
            "limit",
        ];
        if FOREIGN.contains(&key) && self.foreign.is_none() {
            self.foreign = Some(format!("{key}="));
        }
        let path = || PathBuf::from(value);
        match key {
            "if" => self.input = Some(path()),
            "of" => self.of.push(path()),
            "hof" => self.hof.push(path()),
            "ofs" => self.ofs.push(path()),
            "vf" => self.vf = Some(path()),
            "hashlog" | "hlog" => self.hashlog = Some(path()),
            "errlog" => self.errlog = Some(path()),
            key => return self.take_text(key, value.to_str().ok_or("no text")?),
        }
        Ok(())
    }

    fn take_text(&mut self, key: &str, text: &str) -> Result<(), Problem> {
        match key {
            "ofsz" => self.ofsz = Some(positive(text)?),
            "split" => self.split = Some(positive(text)?),
            "bs" => self.given.0 = Some(positive(text)?),
            "ibs" => self.given.1 = Some(positive(text)?),
            "obs" => self.given.2 = Some(positive(text)?),
            "ssz" => self.ssz = Some(positive(text)?),
            "cnt" => self.ssz_count = Some(dd_size(text)?),
            "iskip" => self.ssz_skip = Some(dd_size(text)?),
            "oskip" => self.ssz_seek = Some(dd_size(text)?),
            "count" => self.count = Some(number(text)?),
            "skip" | "iseek" => self.skip = Some(number(text)?),
            "seek" | "oseek" => self.seek = Some(number(text)?),
            "limit" => self.limit = Some(dd_size(text)?),
            "hash" => self.hash.extend(pfh_digest::names(text).into_iter().map(str::to_owned)),
            "hashwindow" => self.hashwindow = Some(positive(text)?),
            "pattern" | "pat" => {
                self.pattern =
                    Some(pattern(text).ok_or_else(|| format!("{text:?} is not a sequence of hexadecimal bytes"))?)
            }
            "sizeprobe" if ["if", "of"].contains(&text) => {}
            "sizeprobe" => drop(dd_size(text)?),
            "status" => self.status = status(text)?,
            "iflag" | "oflag" | "conv" => {
                for flag in text.split(',') {
                    let known = FLAGS.iter().find(|(operand, _)| *operand == key);
                    let known =
                        known.and_then(|(operand, flags)| Some((*operand, *flags.iter().find(|f| **f == flag)?)));
                    self.flags.push(known.ok_or_else(|| format!("{key}={flag} is not supported"))?);
                }
            }
            _ => return Err("this operand is not supported".into()),
        }
        Ok(())
    }

    /// Whether a flag was given.
    pub fn has(&self, operand: &str, flag: &str) -> bool {
        self.flags.contains(&(operand, flag))
    }

    fn bytes(&self, number: Option<Number>, block: u64, flag: (&str, &str)) -> u64 {
        let Some(number) = number else { return 0 };
        if number.in_bytes || self.has(flag.0, flag.1) { number.value } else { number.value.saturating_mul(block) }
    }

    /// Bytes of the input to leave out.
    pub fn skip_bytes(&self) -> u64 {
        self.bytes(self.skip, self.ibs, ("iflag", "skip_bytes"))
    }

    /// Bytes of the output to leave out.
    pub fn seek_bytes(&self) -> u64 {
        self.bytes(self.seek, self.obs, ("oflag", "seek_bytes"))
    }

    /// Most bytes to copy.
    pub fn length(&self) -> Option<u64> {
        let counted = self.count.map(|n| self.bytes(Some(n), self.ibs, ("iflag", "count_bytes")));
        match (counted, self.limit) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Operands, Problem> {
        Operands::parse(&line.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn sizes_as_dd_reads_them() {
        for (text, bytes) in [
            ("64MB", 64_000_000),
            ("64M", 64 << 20),
            ("1b", 512),
            ("2x512", 1024),
            ("1kB", 1000),
            ("3w", 6),
            ("1GiB", 1 << 30),
            ("7c", 7),
        ] {
            assert_eq!(dd_size(text).ok(), Some(bytes), "{text}");
        }
        for wrong in ["", "x", "-1", "1Q", "1KKB", "99999999999E"] {
            assert!(dd_size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_papers_command() {
        let found = parse("if=/dev/sda of=image.dd bs=64MB count=16").unwrap();
        assert_eq!((found.length(), found.skip_bytes(), found.of.len()), (Some(1_024_000_000), 0, 1));
        let bytes = parse("count=10B skip=3 seek=2 ibs=4 obs=8 oflag=seek_bytes").unwrap();
        assert_eq!((bytes.length(), bytes.skip_bytes(), bytes.seek_bytes()), (Some(10), 12, 2));
    }

    #[test]
    fn bs_wins_wherever_it_stands() {
        for line in ["bs=4096 ibs=512 count=5", "ibs=512 bs=4096 count=5", "obs=1 count=5 ibs=3 bs=4096"] {
            assert_eq!(parse(line).unwrap().length(), Some(20_480), "{line}");
        }
    }

    #[test]
    fn blocks_that_dd_and_dcfldd_do_not_agree_on_are_asked_for() {
        for line in ["hash=md5 count=3", "hashlog=x skip=3 obs=4", "vf=x seek=1 ibs=4"] {
            assert!(parse(line).unwrap_err().to_string().contains("bs="), "{line}");
        }
        for line in
            ["hash=md5 count=3 bs=512", "count=3 ibs=4 hash=md5", "hash=md5 count=3 iflag=count_bytes", "hash=md5"]
        {
            assert!(parse(line).is_ok(), "{line}");
        }
        let dc3dd = parse("cnt=3 iskip=2 oskip=1 hash=md5 ssz=4096 hlog=log").unwrap();
        assert_eq!((dc3dd.length(), dc3dd.skip_bytes(), dc3dd.seek_bytes()), (Some(12_288), 8192, 4096));
        assert_eq!(parse("iskip=2").unwrap().skip_bytes(), 1024);
    }

    #[test]
    fn what_is_not_supported_is_named() {
        for wrong in [
            "cbs=3",
            "iflag=sync",
            "iflag=dsync",
            "log=x",
            "conv=ucase",
            "iflag=append",
            "status=loud",
            "bs=0",
            "foo",
            "pattern=zz",
            "if=a pattern=00",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("conv=swab").unwrap_err().to_string().contains("conv=swab is not supported"));
    }
}
