//! Points in time as images and manifests state them: RFC 3339, UTC, nanoseconds.

use std::fmt;

/// A point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time {
    /// Seconds since 1970-01-01T00:00:00Z, without leap seconds; negative before it.
    pub seconds: i64,
    /// Nanoseconds after `seconds`, below 10^9.
    pub nanoseconds: u32,
}

const DAY: i64 = 86_400;

/// Days since the epoch to year, month, day in the proleptic Gregorian calendar: Howard Hinnant,
/// "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
fn civil(days: i64) -> (i64, i64, i64) {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let day_of_era = z.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// The inverse of [`civil`]; `days_from_civil` of the same source.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// `2026-11-21T02:06:33Z`, with a fraction of nine digits where it is not 0. Years below 0 or above
/// 9999 take a sign or more digits, which XML Schema's `dateTime` allows and RFC 3339 does not.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = civil(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        if year < 0 {
            write!(f, "-{:04}", -year)?;
        } else {
            write!(f, "{year:04}")?;
        }
        write!(f, "-{month:02}-{day:02}T{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)?;
        if self.nanoseconds != 0 {
            write!(f, ".{:09}", self.nanoseconds)?;
        }
        f.write_str("Z")
    }
}

impl Time {
    /// Reads the form that [`Display`](fmt::Display) prints, fractions of one to nine digits, and
    /// offsets such as `+02:00`. `None` for anything else.
    pub fn parse(text: &str) -> Option<Time> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (date, clock) = rest.split_once('T')?;
        let mut date = date.splitn(3, '-');
        let year = digits(date.next()?, 4..=12)?;
        let month = digits(date.next()?, 2..=2)?;
        let day = digits(date.next()?, 2..=2)?;
        let at = clock.find(['Z', '+', '-'])?;
        let (clock, zone) = clock.split_at(at);
        let (clock, fraction) = match clock.split_once('.') {
            Some((clock, fraction)) => (clock, Some(fraction)),
            None => (clock, None),
        };
        let mut clock = clock.splitn(3, ':');
        let hour = digits(clock.next()?, 2..=2)?;
        let minute = digits(clock.next()?, 2..=2)?;
        let second = digits(clock.next()?, 2..=2)?;
        if !(1..=12).contains(&month) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        let days = days(if negative { -year } else { year }, month, day);
        if !(1..=31).contains(&day) || civil(days).2 != day {
            return None;
        }
        let nanoseconds = match fraction {
            None => 0,
            Some(fraction) => {
                let value = u32::try_from(digits(fraction, 1..=9)?).ok()?;
                value * 10_u32.pow(9 - u32::try_from(fraction.len()).ok()?)
            }
        };
        let offset = match zone {
            "Z" => 0,
            zone => {
                let (hours, minutes) = zone[1..].split_once(':')?;
                let minutes = digits(hours, 2..=2)? * 60 + digits(minutes, 2..=2)?;
                if zone.starts_with('-') { -minutes * 60 } else { minutes * 60 }
            }
        };
        Some(Time { seconds: days * DAY + hour * 3600 + minute * 60 + second - offset, nanoseconds })
    }
}

fn digits(text: &str, length: std::ops::RangeInclusive<usize>) -> Option<i64> {
    if !length.contains(&text.len()) || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_points() {
        let at = |seconds, nanoseconds| Time { seconds, nanoseconds }.to_string();
        assert_eq!(at(0, 0), "1970-01-01T00:00:00Z");
        assert_eq!(at(-1, 999_999_999), "1969-12-31T23:59:59.999999999Z");
        assert_eq!(at(951_782_400, 0), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_795_226_793, 5), "2026-11-21T02:06:33.000000005Z");
        assert_eq!(at(253_402_300_800, 0), "10000-01-01T00:00:00Z");
        assert_eq!(Time::parse("2026-11-21T04:06:33+02:00"), Some(Time { seconds: 1_795_226_793, nanoseconds: 0 }));
        assert_eq!(Time::parse("2026-11-21T02:06:33.5Z").map(|time| time.nanoseconds), Some(500_000_000));
        for bad in ["", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z"] {
            assert_eq!(Time::parse(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn parse_reads_back(seconds in -100_000_000_000_i64..300_000_000_000, nanoseconds in 0..1_000_000_000_u32) {
            let time = Time { seconds, nanoseconds };
            prop_assert_eq!(Time::parse(&time.to_string()), Some(time));
        }
    }
}
