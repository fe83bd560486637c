//! Requests signed by AWS Signature Version 4, and keys as parts of an address. A key's path is
//! signed as S3 reads it, and sent so that nobody on the way takes a part of it for a step.

use pfh_source::os::clock;
use ring::{digest, hmac};
use std::fmt::Write;

/// The keys of an account.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Keys<'a> {
    pub id: &'a str,
    pub secret: &'a str,
    pub token: Option<&'a str>,
    /// Whether they are those of a session of a directory bucket.
    pub is_session: bool,
}

/// The place that a signature is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub region: &'a str,
    pub service: &'a str,
    /// Seconds since 1970.
    pub now: u64,
}

/// A request as it is signed: parts that are percent-encoded already.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Canonical<'a> {
    pub method: &'a str,
    pub host: &'a str,
    /// With `/` between the parts of a key, however it is sent.
    pub path: &'a str,
    /// In the order of the names.
    pub query: &'a str,
    /// Names in lower case.
    pub headers: &'a [(&'a str, String)],
}

/// SHA-256 of nothing: no request here has a body.
const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

impl Canonical<'_> {
    /// The headers to add.
    pub(crate) fn headers(&self, keys: Keys<'_>, scope: Scope<'_>) -> Vec<(&'static str, String)> {
        let stamp = stamp(scope.now);
        let day = &stamp[..8];
        let mut added = vec![("x-amz-content-sha256", EMPTY.to_owned()), ("x-amz-date", stamp.clone())];
        let token = if keys.is_session { "x-amz-s3session-token" } else { "x-amz-security-token" };
        added.extend(keys.token.map(|value| (token, value.to_owned())));
        let own = self.headers.iter().filter(|(name, _)| name.starts_with("x-amz-"));
        let mut all: Vec<(&str, &str)> = own.map(|(name, value)| (*name, value.trim())).collect();
        all.extend(added.iter().map(|(name, value)| (*name, &**value)));
        all.push(("host", self.host));
        all.sort_unstable();
        let names = all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(";");
        let lines: String = all.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let canonical = format!("{}\n{}\n{}\n{lines}\n{names}\n{EMPTY}", self.method, self.path, self.query);
        let place = format!("{day}/{}/{}/aws4_request", scope.region, scope.service);
        let hashed = hex(digest::digest(&digest::SHA256, canonical.as_bytes()).as_ref());
        let to_sign = format!("AWS4-HMAC-SHA256\n{stamp}\n{place}\n{hashed}");
        let mut key = format!("AWS4{}", keys.secret).into_bytes();
        for part in [day, scope.region, scope.service, "aws4_request", &to_sign] {
            let signed = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), part.as_bytes());
            key = signed.as_ref().to_vec();
        }
        let id = keys.id;
        let signature = hex(&key);
        added.push((
            "authorization",
            format!("AWS4-HMAC-SHA256 Credential={id}/{place}, SignedHeaders={names}, Signature={signature}"),
        ));
        added
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    clock::now().as_secs()
}

/// `20130524T000000Z`.
fn stamp(seconds: u64) -> String {
    // Days since 1 March of year 0: the leap day is the last of its year.
    let (days, of_day) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = (era * 400 + year + u64::from(month >= 10), if month < 10 { month + 3 } else { month - 9 });
    let (hours, minutes, seconds) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}{month:02}{day:02}T{hours:02}{minutes:02}{seconds:02}Z")
}

/// Every byte but those that no part of an address encodes.
pub(crate) fn encode(text: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(char::from(byte)),
            _ => {
                let _ = write!(encoded, "%{byte:02X}");
            }
        }
        encoded
    })
}

/// The text without its percent signs, where what comes is text; `+` is a space in forms alone.
pub(crate) fn decode(text: &str, is_form: bool) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
            }
            b'+' if is_form => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The query in the order of its names.
pub(crate) fn query(pairs: &[(&str, String)]) -> String {
    let mut parts: Vec<String> =
        pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    parts.sort_unstable();
    parts.join("&")
}

/// The path of a key below a bucket's: as it is signed, and as it is sent. A part `.` or `..`
/// would be a step of the address: the slash beside it is encoded, which stores read as the same.
pub(crate) fn path(bucket: &str, key: &str) -> (String, String) {
    let parts: Vec<&str> = key.split('/').collect();
    let signed = parts.iter().map(|part| encode(part)).collect::<Vec<_>>().join("/");
    let is_step = |part: Option<&&str>| part.is_some_and(|part| matches!(*part, "." | ".."));
    let mut sent = bucket.to_owned();
    for (n, part) in parts.iter().enumerate() {
        let before = n.checked_sub(1).and_then(|n| parts.get(n));
        // In front of the first part is the bucket, which it is kept apart from if it can.
        let joined =
            if n > 0 { is_step(before) || is_step(Some(part)) } else { is_step(Some(part)) && parts.len() == 1 };
        sent.push_str(if joined { "%2F" } else { "/" });
        sent.push_str(&encode(part));
    }
    (format!("{bucket}/{signed}"), sent)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of "Authenticating Requests: Using the Authorization Header" in Amazon's
    /// reference of S3.
    #[test]
    fn signatures_are_those_of_the_reference() {
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        let keys = Keys { id: "AKIAIOSFODNN7EXAMPLE", secret, token: None, is_session: false };
        let scope = Scope { region: "us-east-1", service: "s3", now: 1_369_353_600 };
        let of = |query: &str| {
            let signed =
                Canonical { method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/", query, headers: &[] };
            let headers = signed.headers(keys, scope);
            let line = &headers.iter().find(|(name, _)| *name == "authorization").unwrap().1;
            line.rsplit_once("Signature=").unwrap().1.to_owned()
        };
        let lifecycle = "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543";
        assert_eq!(of("lifecycle="), lifecycle);
        let list = "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7";
        assert_eq!(of(&query(&[("prefix", "J".into()), ("max-keys", "2".into())])), list);
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "19700101T000000Z"),
            (951_782_399, "20000228T235959Z"),
            (951_782_400, "20000229T000000Z"),
            (1_709_251_199, "20240229T235959Z"),
            (4_107_542_400, "21000301T000000Z"),
        ] {
            assert_eq!(stamp(seconds), text);
        }
    }

    #[test]
    fn no_part_of_a_key_is_a_step() {
        for (key, sent) in [
            ("a/b c", "/b/a/b%20c"),
            ("a//b", "/b/a//b"),
            ("/a", "/b//a"),
            ("d/", "/b/d/"),
            ("a/../b", "/b/a%2F..%2Fb"),
            ("a/./", "/b/a%2F.%2F"),
            ("../a", "/b/..%2Fa"),
            ("../../a", "/b/..%2F..%2Fa"),
            ("..", "/b%2F.."),
            ("a/..", "/b/a%2F.."),
            ("%2e%2e/x", "/b/%252e%252e/x"),
            ("n\nl\u{1}", "/b/n%0Al%01"),
            ("a?b#c", "/b/a%3Fb%23c"),
        ] {
            let path = path("/b", key);
            assert_eq!(path.1, sent, "{key}");
            assert_eq!(decode(&path.0, false).unwrap(), format!("/b/{key}"));
            let url = url::Url::parse(&format!("http://host{}", path.1)).unwrap();
            assert_eq!(url.path(), sent, "{key}");
        }
        assert_eq!(decode("a+b%2Bc%20d", true).as_deref(), Some("a b+c d"));
        assert_eq!((decode("%f", false), decode("%ff", false), decode("%zz", false)), (None, None, None));
    }
}
