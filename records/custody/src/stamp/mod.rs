//! Time stamps of an authority (RFC 3161): the question, and the parts of the answer that can be
//! checked without the authority's certificate.
//!
//! That is the status, the imprint, the nonce and the time. Who signed the token (RFC 5652) is not
//! checked here: `openssl ts -verify` does that ([`Stamp::openssl`] gives its arguments).

mod der;

pub use der::DerError;
use der::{CONTEXT_0, INTEGER, OBJECT, OCTETS, SEQUENCE, SET, TEXT, TIME, Values, dotted, value};
use pfh_digest::hex;

/// 2.16.840.1.101.3.4.2.1
const SHA256: &[u8] = &[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];
/// 1.2.840.113549.1.7.2 (RFC 5652, 5.1)
const SIGNED_DATA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02];
/// 1.2.840.113549.1.9.16.1.4 (RFC 3161, 2.4.2)
const TST_INFO: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04];

/// Why an answer holds no time stamp.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StampFault {
    /// It is not the answer of an authority.
    #[error("the answer is not that of a time stamp authority: {0}")]
    Malformed(#[from] DerError),
    /// The authority refused.
    #[error("the authority refused: status {status}{}", if said.is_empty() { String::new() } else { format!(", {said:?}") })]
    Refused {
        /// PKIStatus of RFC 3161, 2.4.2.
        status: u64,
        /// Its own words.
        said: String,
    },
    /// The stamp is of other bytes, or for another question.
    #[error("the answer is for another question: another {0}")]
    Other(&'static str),
}

/// The statements of a time stamp.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stamp {
    /// The SHA-256 that was stamped; `None` if the imprint is by another algorithm.
    pub sha256: Option<[u8; 32]>,
    /// When, as the authority states it, in UTC: `2026-11-23T19:22:55Z`.
    pub time: String,
    /// The same in seconds since 1970.
    pub seconds: i64,
    /// The authority's serial number for it, in hexadecimal.
    pub serial: String,
    /// Under which policy, as an object identifier in dots.
    pub policy: String,
    /// The number that makes the question one of a kind, without leading zeros.
    pub nonce: Option<Vec<u8>>,
}

/// The question for a stamp of the bytes with this SHA-256, as `application/timestamp-query`. The
/// authority is asked for its certificate.
pub fn query(sha256: &[u8; 32], nonce: &[u8; 8]) -> Vec<u8> {
    let algorithm = value(SEQUENCE, &[value(OBJECT, SHA256), vec![0x05, 0x00]].concat());
    let imprint = value(SEQUENCE, &[algorithm, value(OCTETS, sha256)].concat());
    let parts = [value(INTEGER, &[1]), imprint, value(INTEGER, &positive(nonce)), vec![0x01, 0x01, 0xff]];
    value(SEQUENCE, &parts.concat())
}

/// The digits of a number, as an INTEGER that is not negative.
fn positive(digits: &[u8]) -> Vec<u8> {
    let digits = without_zeros(digits);
    let sign = digits.first().is_none_or(|first| first & 0x80 != 0).then_some(0);
    sign.into_iter().chain(digits.iter().copied()).collect()
}

fn without_zeros(digits: &[u8]) -> &[u8] {
    &digits[digits.iter().take_while(|digit| **digit == 0).count()..]
}

impl Stamp {
    /// Reads an answer (`application/timestamp-reply`).
    ///
    /// # Errors
    /// When it is not such an answer, or the authority refused.
    pub fn read(answer: &[u8]) -> Result<Stamp, StampFault> {
        let mut all = Values(answer);
        let mut response = all.within(SEQUENCE)?;
        if all.peek().is_some() {
            return Err(DerError("bytes behind its end").into());
        }
        let mut info = response.within(SEQUENCE)?;
        let status = number(info.take(INTEGER)?)?;
        // 0: granted; 1: granted with modifications, which the imprint and the nonce show.
        if status > 1 {
            let mut said = String::new();
            if info.peek() == Some(SEQUENCE) {
                let text = info.within(SEQUENCE)?.take(TEXT)?;
                said = String::from_utf8_lossy(text).into_owned();
            }
            return Err(StampFault::Refused { status, said });
        }
        let mut content = response.within(SEQUENCE)?;
        if content.take(OBJECT)? != SIGNED_DATA {
            return Err(DerError("no signed data").into());
        }
        let mut signed = content.within(CONTEXT_0)?.within(SEQUENCE)?;
        signed.take(INTEGER)?;
        signed.take(SET)?;
        let mut inner = signed.within(SEQUENCE)?;
        if inner.take(OBJECT)? != TST_INFO {
            return Err(DerError("signed data that are not a time stamp").into());
        }
        let token = inner.within(CONTEXT_0)?.take(OCTETS)?;
        Ok(Self::info(Values(token).within(SEQUENCE)?)?)
    }

    /// TSTInfo (RFC 3161, 2.4.2).
    fn info(mut info: Values<'_>) -> Result<Stamp, DerError> {
        if info.take(INTEGER)? != [1] {
            return Err(DerError("another version of TSTInfo"));
        }
        let policy = dotted(info.take(OBJECT)?);
        let mut imprint = info.within(SEQUENCE)?;
        let is_sha256 = imprint.within(SEQUENCE)?.take(OBJECT)? == SHA256;
        let digest = imprint.take(OCTETS)?;
        let sha256 = digest.try_into().ok().filter(|_| is_sha256);
        if is_sha256 && sha256.is_none() {
            return Err(DerError("an imprint of another length"));
        }
        let serial = hex::encode(without_zeros(info.take(INTEGER)?));
        let (time, seconds) = time(info.take(TIME)?).ok_or(DerError("no time in UTC"))?;
        let mut nonce = None;
        while info.peek().is_some() {
            // Accuracy, ordering, the authority's name and extensions have other tags.
            if let (INTEGER, digits) = info.any()? {
                nonce = Some(without_zeros(digits).to_vec());
            }
        }
        Ok(Stamp { sha256, time, seconds, serial, policy, nonce })
    }

    /// Whether it is the answer to the question.
    ///
    /// # Errors
    /// [`StampFault::Other`] with the part that differs.
    pub fn answers(&self, sha256: &[u8; 32], nonce: &[u8; 8]) -> Result<(), StampFault> {
        if self.sha256.as_ref() != Some(sha256) {
            return Err(StampFault::Other("imprint"));
        }
        match &self.nonce {
            Some(found) if found == without_zeros(nonce) => Ok(()),
            _ => Err(StampFault::Other("nonce")),
        }
    }

    /// The arguments of `openssl` that check who signed it, at the time that it states; behind them
    /// stand `-in ANSWER` and `-CAfile CERTIFICATES`. `None` if it is not by SHA-256.
    pub fn openssl(&self) -> Option<Vec<String>> {
        let words = ["ts", "-verify", "-sha256", "-attime"].map(str::to_owned);
        let digest = hex::encode(&self.sha256?);
        Some(words.into_iter().chain([self.seconds.to_string(), "-digest".to_owned(), digest]).collect())
    }
}

fn number(digits: &[u8]) -> Result<u64, DerError> {
    let digits = without_zeros(digits);
    if digits.len() > 8 {
        return Err(DerError("a status of more than 64 bits"));
    }
    Ok(digits.iter().fold(0, |number, digit| number << 8 | u64::from(*digit)))
}

/// GeneralizedTime in UTC, `YYYYMMDDhhmmss[.fff]Z`: as text, and in seconds since 1970.
fn time(content: &[u8]) -> Option<(String, i64)> {
    let text = std::str::from_utf8(content).ok()?.strip_suffix('Z')?;
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() != 14 || !digits(whole) || fraction.is_some_and(|fraction| fraction.is_empty() || !digits(fraction))
    {
        return None;
    }
    let part = |from: usize, to: usize| whole[from..to].parse::<i64>().ok();
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    // Days since 1970-01-01 in the Gregorian calendar, with years that begin in March.
    let (years, months) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 + day - 1 - 719_468;
    let fraction = fraction.map(|fraction| format!(".{fraction}")).unwrap_or_default();
    let text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}Z");
    Some((text, days * 86_400 + hour * 3600 + minute * 60 + second))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The answer of an authority, as far as it is read here.
    fn answer(status: u8, sha256: &[u8; 32], nonce: &[u8], time: &[u8]) -> Vec<u8> {
        let sequence = |parts: &[Vec<u8>]| value(SEQUENCE, &parts.concat());
        let object = |bytes: &[u8]| value(OBJECT, bytes);
        let imprint = sequence(&[sequence(&[object(SHA256)]), value(OCTETS, sha256)]);
        let mut info = vec![value(INTEGER, &[1]), object(&[0x2a, 3]), imprint, value(INTEGER, &[0, 0x99])];
        info.extend([value(TIME, time), sequence(&[value(INTEGER, &[1])]), value(INTEGER, nonce)]);
        let inner = sequence(&[object(TST_INFO), value(CONTEXT_0, &value(OCTETS, &sequence(&info)))]);
        let signed = sequence(&[value(INTEGER, &[3]), value(SET, &[]), inner, value(SET, &[])]);
        let token = sequence(&[object(SIGNED_DATA), value(CONTEXT_0, &signed)]);
        let said = if status > 1 { sequence(&[value(TEXT, b"no")]) } else { Vec::new() };
        sequence(&[sequence(&[value(INTEGER, &[status]), said]), token])
    }

    const TIME_OF: &[u8] = b"20261123192255.5Z";

    #[test]
    fn an_answer_is_held_to_its_question() {
        let (sha256, nonce) = ([7; 32], [0, 0, 0x81, 1, 2, 3, 4, 5]);
        let stamp = Stamp::read(&answer(0, &sha256, &[0, 0x81, 1, 2, 3, 4, 5], TIME_OF)).unwrap();
        assert_eq!(stamp.time, "2026-11-23T19:22:55.5Z");
        assert_eq!((stamp.seconds, stamp.policy.as_str(), stamp.serial.as_str()), (1_795_461_775, "1.2.3", "99"));
        assert_eq!(stamp.answers(&sha256, &nonce), Ok(()));
        assert_eq!(stamp.answers(&[8; 32], &nonce), Err(StampFault::Other("imprint")));
        assert_eq!(stamp.answers(&sha256, &[1; 8]), Err(StampFault::Other("nonce")));
        let refused = Stamp::read(&answer(2, &sha256, &[1], TIME_OF));
        assert_eq!(refused, Err(StampFault::Refused { status: 2, said: "no".into() }));
        for time in [&b"20261323192255Z"[..], b"20261123192255", b"20261123192255.Z", b"2026112319225"] {
            assert!(Stamp::read(&answer(0, &sha256, &[1], time)).is_err());
        }
        for nonsense in [&b""[..], b"<html>", b"0\x03\x02\x01\x00"] {
            assert!(matches!(Stamp::read(nonsense), Err(StampFault::Malformed(_))));
        }
    }

    #[test]
    fn a_question_is_encoded_as_by_openssl() {
        // The output of `openssl ts -query -digest 07…07 -sha256 -cert` of OpenSSL 3.0, and its
        // nonce.
        let nonce = [0x6c, 0x36, 0xf0, 0xd1, 0x52, 0xb0, 0xe9, 0x0f];
        let seven = "07".repeat(32);
        let written = format!("30430201013031300d0609608648016503040201050004 20{seven}02086c36f0d152b0e90f0101ff");
        assert_eq!(hex::encode(&query(&[7; 32], &nonce)), written.replace(' ', ""));
        assert_eq!(positive(&[0, 0x81]), [0, 0x81], "no negative number");
    }

    proptest! {
        #[test]
        fn nothing_brings_it_down(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut bytes = answer(0, &[7; 32], &[1], TIME_OF);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = Stamp::read(&bytes);
            let _ = Stamp::read(&bytes[..at]);
        }
    }
}
