//! Hidden parts of a disk: sectors behind a host protected area (HPA) or a device configuration
//! overlay (DCO), and everything behind a password (ATA security).
//!
//! Asked by commands that read (IDENTIFY DEVICE, READ NATIVE MAX ADDRESS, DEVICE CONFIGURATION
//! IDENTIFY; ACS-2 and ACS-3). An unanswered question is "not determined", with the cause.

use crate::os::{Command, Errno, Reply};
use std::fmt;

/// A fact that a disk states, or why it is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer<T> {
    /// As the disk states it.
    Is(T),
    /// The disk has no such feature.
    NotSupported,
    /// Not known, because of this.
    NotDetermined(String),
}

/// Sectors of a disk as it is and as it was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Sectors that can be read now.
    pub visible: u64,
    /// Sectors that there would be without the limit.
    pub native: u64,
}

impl Limit {
    /// Sectors that are hidden.
    pub fn hidden(self) -> u64 {
        self.native.saturating_sub(self.visible)
    }
}

/// The state of a disk's passwords (word 128 of IDENTIFY DEVICE).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Security(u16);

impl Security {
    /// Whether a password is set.
    pub fn is_enabled(self) -> bool {
        self.0 & 2 != 0
    }

    /// Whether the disk refuses to be read until it is given.
    pub fn is_locked(self) -> bool {
        self.0 & 4 != 0
    }
}

impl fmt::Display for Security {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_enabled() { "a password is set" } else { "no password is set" })?;
        let words = [
            (4, "locked"),
            (8, "frozen"),
            (16, "too many wrong passwords were tried"),
            (32, "enhanced erase supported"),
        ];
        for (bit, word) in words {
            if self.0 & bit != 0 {
                write!(f, ", {word}")?;
            }
        }
        if self.is_enabled() {
            write!(f, ", security level {}", if self.0 & 0x100 == 0 { "high" } else { "maximum" })?;
        }
        Ok(())
    }
}

/// The hidden parts of a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenParts {
    /// The host protected area, or the accessible maximum address that took its place.
    pub hpa: Answer<Limit>,
    /// The device configuration overlay: the limit that it sets to the native maximum.
    pub dco: Answer<Limit>,
    /// Passwords.
    pub security: Answer<Security>,
}

impl HiddenParts {
    /// Nothing is known, for one cause.
    pub fn not_determined(cause: &str) -> Self {
        let cause = || cause.to_owned();
        HiddenParts {
            hpa: Answer::NotDetermined(cause()),
            dco: Answer::NotDetermined(cause()),
            security: Answer::NotDetermined(cause()),
        }
    }

    /// Whether sectors are hidden, or a password locks the disk: the image is not the whole medium.
    pub fn hides(&self) -> bool {
        let has = |limit: &Answer<Limit>| matches!(limit, Answer::Is(limit) if limit.hidden() > 0);
        has(&self.hpa) || has(&self.dco) || matches!(&self.security, Answer::Is(security) if security.is_locked())
    }

    /// A line for each fact, with its name; one line where none is known for one cause.
    pub fn lines(&self) -> Vec<(&'static str, String)> {
        if let (Answer::NotDetermined(hpa), Answer::NotDetermined(dco), Answer::NotDetermined(security)) =
            (&self.hpa, &self.dco, &self.security)
            && hpa == dco
            && dco == security
        {
            return vec![("hidden areas (HPA, DCO) and disk passwords", format!("not determined: {hpa}"))];
        }
        let limit = |what: &Answer<Limit>| match what {
            Answer::Is(limit) if limit.hidden() > 0 => format!(
                "{} sectors are hidden: {} can be read, the disk has {}",
                limit.hidden(),
                limit.visible,
                limit.native
            ),
            Answer::Is(limit) => format!("none: all {} sectors can be read", limit.native),
            Answer::NotSupported => "the disk has no such feature".to_owned(),
            Answer::NotDetermined(cause) => format!("not determined: {cause}"),
        };
        let security = match &self.security {
            Answer::Is(security) => security.to_string(),
            Answer::NotSupported => "the disk has no such feature".to_owned(),
            Answer::NotDetermined(cause) => format!("not determined: {cause}"),
        };
        vec![
            ("host protected area (HPA)", limit(&self.hpa)),
            ("device configuration overlay (DCO)", limit(&self.dco)),
            ("disk passwords (ATA security)", security),
        ]
    }
}

/// The words of IDENTIFY DEVICE (ACS-2, 7.12.7).
struct Words<'a>(&'a [u8; 512]);

impl Words<'_> {
    fn word(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at * 2], self.0[at * 2 + 1]])
    }

    /// A bit of the words 82 and 83, which count if bits 15 and 14 of word 83 say so.
    fn supports(&self, word: usize, bit: u16) -> bool {
        self.word(83) >> 14 == 1 && self.word(word) >> bit & 1 == 1
    }

    fn sectors(&self) -> u64 {
        if self.supports(83, 10) {
            return (0..4).map(|at| u64::from(self.word(100 + at)) << (16 * at)).sum();
        }
        u64::from(self.word(60)) | u64::from(self.word(61)) << 16
    }
}

/// Asks a disk; `send` hands a command over to it.
pub fn ask(send: &dyn Fn(Command) -> Result<Reply, Errno>) -> HiddenParts {
    let page = match data(send, Command::Identify) {
        Ok(page) => page,
        Err(cause) => return HiddenParts::not_determined(&cause),
    };
    let words = Words(&page);
    // Bit 15 is clear in an ATA disk; some bridges answer with a page of zeros or ones.
    if words.word(0) & 0x8000 != 0 || words.word(83) >> 14 != 1 {
        return HiddenParts::not_determined("the device is not an ATA disk, or states no feature sets");
    }
    let security = match words.supports(82, 1) {
        true => Answer::Is(Security(words.word(128))),
        false => Answer::NotSupported,
    };
    let visible = words.sectors();
    let accessible = words.word(119) >> 14 == 1 && words.word(119) >> 8 & 1 == 1;
    let command = match (words.supports(82, 10), words.supports(83, 10), accessible) {
        (true, true, _) => Some(Command::NativeMaxExt),
        (true, false, _) => Some(Command::NativeMax),
        (false, _, true) => Some(Command::AccessibleMax),
        (false, _, false) => None,
    };
    let native = command.map(|command| address(send, command));
    let hpa = match &native {
        None => Answer::NotSupported,
        Some(Ok(last)) => Answer::Is(Limit { visible, native: last + 1 }),
        Some(Err(cause)) => Answer::NotDetermined(cause.clone()),
    };
    let dco = match words.supports(83, 11) {
        false => Answer::NotSupported,
        true => match data(send, Command::Configuration) {
            Ok(page) => {
                let words = Words(&page);
                let last: u64 = (0..4).map(|at| u64::from(words.word(3 + at)) << (16 * at)).sum();
                let below = native.and_then(Result::ok).map_or(visible, |last| last + 1);
                Answer::Is(Limit { visible: below, native: last + 1 })
            }
            Err(cause) => Answer::NotDetermined(cause),
        },
    };
    HiddenParts { hpa, dco, security }
}

/// Whether the answer is good, else why there is none.
fn good(reply: &Reply) -> Result<(), String> {
    if reply.host != 0 {
        return Err(format!("the host adapter gave up (status {:#x})", reply.host));
    }
    // Registers come with CHECK CONDITION as well: then the ATA status says how it ended.
    if let Some(registers) = registers(&reply.sense) {
        return if registers[13] & 0x21 == 0 { Ok(()) } else { Err("the disk aborted the command".to_owned()) };
    }
    match reply.status {
        0 => Ok(()),
        _ => {
            let key = match reply.sense.first().map(|code| code & 0x7f) {
                Some(0x72 | 0x73) => reply.sense.get(1),
                _ => reply.sense.get(2),
            };
            Err(match key.map(|key| key & 0xf) {
                Some(5) => "the device takes no ATA commands".to_owned(),
                Some(key) => format!("the device refused (sense key {key})"),
                None => format!("the device refused (status {:#x})", reply.status),
            })
        }
    }
}

/// The descriptor "ATA status return" (SAT-4, 12.2.2.6), which holds the registers.
fn registers(sense: &[u8]) -> Option<&[u8]> {
    if sense.first()? & 0x7f != 0x72 {
        return None;
    }
    let mut rest = sense.get(8..)?;
    while let [code, length, ..] = rest {
        let whole = usize::from(*length) + 2;
        let descriptor = rest.get(..whole)?;
        if (*code, whole) == (9, 14) {
            return Some(descriptor);
        }
        rest = &rest[whole..];
    }
    None
}

fn sent(send: &dyn Fn(Command) -> Result<Reply, Errno>, command: Command) -> Result<Reply, String> {
    let reply = send(command).map_err(|errno| match errno {
        Errno::NOTTY | Errno::INVAL | Errno::OPNOTSUPP => "the kernel passes no ATA commands to this device".to_owned(),
        Errno::PERM | Errno::ACCESS => "not allowed for this user".to_owned(),
        errno => std::io::Error::from(errno).to_string(),
    })?;
    good(&reply)?;
    Ok(reply)
}

fn data(send: &dyn Fn(Command) -> Result<Reply, Errno>, command: Command) -> Result<[u8; 512], String> {
    sent(send, command)?.data.ok_or_else(|| "the device answered without data".to_owned())
}

/// The last address that a command answers with, in its registers.
fn address(send: &dyn Fn(Command) -> Result<Reply, Errno>, command: Command) -> Result<u64, String> {
    let reply = sent(send, command)?;
    let found = registers(&reply.sense).ok_or("the device answered without registers")?;
    let byte = |at: usize| u64::from(found[at]);
    Ok(match command {
        Command::NativeMax => byte(7) | byte(9) << 8 | byte(11) << 16 | (byte(12) & 0xf) << 24,
        _ => byte(7) | byte(9) << 8 | byte(11) << 16 | byte(6) << 24 | byte(8) << 32 | byte(10) << 40,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk of 1,000,000 sectors, 900,000 of them readable: 50,000 behind an HPA, 50,000
    /// behind a DCO.
    struct Disk {
        words: Vec<(usize, u16)>,
        /// The command that it aborts.
        aborts: Option<Command>,
    }

    fn page(words: &[(usize, u16)]) -> [u8; 512] {
        let mut page = [0; 512];
        for (at, word) in words {
            page[at * 2..at * 2 + 2].copy_from_slice(&word.to_le_bytes());
        }
        page
    }

    fn number(first: usize, value: u64) -> Vec<(usize, u16)> {
        (0..4).map(|at| (first + at, (value >> (16 * at)) as u16)).collect()
    }

    /// Sense data with the registers, as libata gives them.
    fn sense(last: u64, status: u8) -> Vec<u8> {
        let byte = |at: u32| (last >> (8 * at)) as u8;
        let device = 0x40 | byte(3) & 0xf;
        let registers = [9, 12, 1, 0, 0, 0, byte(3), byte(0), byte(4), byte(1), byte(5), byte(2), device, status];
        [&[0x72, 1, 0, 0x1d, 0, 0, 0, 14][..], &registers].concat()
    }

    impl Disk {
        fn with(words: &[(usize, u16)]) -> Disk {
            let mut all = number(100, 900_000);
            all.extend([(82, 1 << 10 | 2), (83, 1 << 14 | 1 << 10 | 1 << 11), (128, 1)]);
            all.extend_from_slice(words);
            Disk { words: all, aborts: None }
        }

        fn answer(&self, command: Command) -> Result<Reply, Errno> {
            let good = Reply { data: None, sense: Vec::new(), status: 0, host: 0 };
            Ok(match command {
                aborted if self.aborts == Some(aborted) => Reply { sense: sense(0, 0x51), status: 2, ..good },
                Command::Identify => Reply { data: Some(page(&self.words)), ..good },
                Command::Configuration => Reply { data: Some(page(&number(3, 999_999))), ..good },
                _ => Reply { sense: sense(949_999, 0x50), status: 2, ..good },
            })
        }

        fn hidden(&self) -> HiddenParts {
            ask(&|command| self.answer(command))
        }
    }

    #[test]
    fn hidden_sectors_and_passwords_are_stated() {
        let found = Disk::with(&[]).hidden();
        assert_eq!(found.hpa, Answer::Is(Limit { visible: 900_000, native: 950_000 }));
        assert_eq!(found.dco, Answer::Is(Limit { visible: 950_000, native: 1_000_000 }));
        assert!(found.hides());
        let lines: Vec<String> = found.lines().into_iter().map(|(_, text)| text).collect();
        assert_eq!(lines[0], "50000 sectors are hidden: 900000 can be read, the disk has 950000");
        assert_eq!(lines[2], "no password is set");
        // 28-bit addresses, and the command of ACS-3.
        let mut old = number(60, 900_000)[..2].to_vec();
        old.push((83, 1 << 14));
        assert_eq!(Disk::with(&old).hidden().hpa, Answer::Is(Limit { visible: 900_000, native: 950_000 }));
        let new = Disk::with(&[(82, 0), (83, 1 << 14 | 1 << 10), (119, 1 << 14 | 1 << 8)]).hidden();
        assert_eq!(new.hpa, Answer::Is(Limit { visible: 900_000, native: 950_000 }));
        assert_eq!((new.dco, new.security), (Answer::NotSupported, Answer::NotSupported));
        let locked = Disk::with(&[(82, 2), (83, 1 << 14), (128, 1 | 2 | 4 | 8 | 0x100)]).hidden();
        assert!(locked.hides() && locked.hpa == Answer::NotSupported);
        assert_eq!(locked.lines()[2].1, "a password is set, locked, frozen, security level maximum");
        let none = Disk::with(&number(100, 950_000)).hidden();
        assert_eq!(none.lines()[0].1, "none: all 950000 sectors can be read");
    }

    #[test]
    fn what_is_not_answered_is_not_determined() {
        let mut disk = Disk::with(&[]);
        for (command, at) in [(Command::NativeMaxExt, 0), (Command::Configuration, 1)] {
            disk.aborts = Some(command);
            assert_eq!(disk.hidden().lines()[at].1, "not determined: the disk aborted the command");
        }
        disk.aborts = Some(Command::Identify);
        assert!(disk.hidden().lines().iter().all(|(_, text)| text.starts_with("not determined")));
        let refused = |reply: Result<Reply, Errno>| ask(&|_| reply.clone()).lines()[0].1.clone();
        let reply = |status, host, sense: &[u8]| Ok(Reply { data: None, sense: sense.to_vec(), status, host });
        assert!(refused(Err(Errno::NOTTY)).contains("passes no ATA commands"));
        assert!(refused(Err(Errno::PERM)).contains("not allowed"));
        assert!(refused(Err(Errno::IO)).contains(&Errno::IO.to_string()));
        assert!(refused(reply(2, 0, &[0x70, 0, 5])).contains("takes no ATA commands"));
        assert!(refused(reply(2, 0, &[0x72, 4])).contains("sense key 4"));
        assert!(refused(reply(2, 0, &[])).contains("status 0x2"));
        assert!(refused(reply(0, 7, &[])).contains("host adapter"));
        assert!(refused(reply(0, 0, &[])).contains("without data"));
        let blank = Ok(Reply { data: Some([0; 512]), sense: Vec::new(), status: 0, host: 0 });
        assert!(refused(blank).contains("not an ATA disk"));
        let cut = |command: Command| {
            Disk::with(&[]).answer(command).map(|reply| Reply {
                sense: reply.sense[..reply.sense.len().min(20)].to_vec(),
                status: 0,
                ..reply
            })
        };
        assert!(ask(&cut).lines()[0].1.contains("without registers"));
    }
}
