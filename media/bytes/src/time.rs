//! Times of the formats as nanoseconds since 1970.

/// Days from 1970 to a date of the Gregorian calendar; `None` if there is no such day.
pub fn days(year: i64, month: u32, day: u32) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years that begin in March, in eras of 400 years.
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

/// Date and time in the words of DOS, as if they were UTC; `hundredths` are those of exFAT and of
/// FAT's creation time, up to 199.
pub fn dos(date: u16, time: u16, hundredths: u8) -> Option<i128> {
    let days = days(i64::from(date >> 9) + 1980, u32::from(date >> 5 & 15), u32::from(date & 31))?;
    let (hours, minutes, seconds) = (i64::from(time >> 11), i64::from(time >> 5 & 63), i64::from(time & 31) * 2);
    let seconds = days * 86_400 + hours * 3600 + minutes * 60 + seconds;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(hundredths) * 10_000_000)
}

/// A count of 100 ns since 1601; `None` for 0, which stands for no time.
pub fn windows(ticks: u64) -> Option<i128> {
    (ticks != 0).then(|| (i128::from(ticks) - 116_444_736_000_000_000) * 100)
}

/// A count of seconds since 1904; `None` for 0, which stands for no time.
pub fn mac(seconds: u32) -> Option<i128> {
    (seconds != 0).then(|| (i128::from(seconds) - 2_082_844_800) * 1_000_000_000)
}

/// Seven bytes of ISO 9660: years since 1900 to seconds, and the distance to UTC in quarters of an
/// hour.
pub fn zoned(raw: &[u8]) -> Option<i128> {
    let &[year, month, day, hour, minute, second, zone] = raw else { return None };
    let days = days(i64::from(year) + 1900, month.into(), day.into())?;
    let seconds = days * 86_400 + i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    Some(i128::from(seconds - i64::from(zone.cast_signed()) * 900) * 1_000_000_000)
}

/// Seventeen bytes of ISO 9660: sixteen digits from the year to hundredths, and the distance to
/// UTC.
pub fn digits(raw: &[u8]) -> Option<i128> {
    let number = |from: usize, to: usize| std::str::from_utf8(raw.get(from..to)?).ok()?.parse::<u32>().ok();
    let days = days(number(0, 4)?.into(), number(4, 6)?, number(6, 8)?)?;
    let seconds = days * 86_400 + i64::from(number(8, 10)?) * 3600 + i64::from(number(10, 12)? * 60 + number(12, 14)?);
    let zone = i64::from(raw.get(16)?.cast_signed());
    Some(i128::from(seconds - zone * 900) * 1_000_000_000 + i128::from(number(14, 16)?) * 10_000_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!((days(1970, 1, 1), days(2000, 3, 1), days(2026, 11, 22)), (Some(0), Some(11_017), Some(20_779)));
        assert_eq!((days(2000, 13, 1), days(2000, 1, 0)), (None, None));
        assert_eq!((windows(0), windows(116_444_736_000_000_001)), (None, Some(100)));
        assert_eq!((mac(0), mac(1), mac(2_082_844_801)), (None, Some(-2_082_844_799_000_000_000), Some(1_000_000_000)));
        // 2026-11-22 01:00:00, an hour east of Greenwich, and the same with digits.
        assert_eq!(zoned(&[126, 11, 22, 1, 0, 0, 4]), Some(20_779 * 86_400_000_000_000));
        assert_eq!(digits(b"2026112201000050\x04"), Some(20_779 * 86_400_000_000_000 + 500_000_000));
        // 1980-01-01 00:00:02.5
        assert_eq!(dos(0x21, 1, 50), Some(315_532_802_500_000_000));
    }
}
