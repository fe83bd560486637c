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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!((days(1970, 1, 1), days(2000, 3, 1), days(2026, 11, 22)), (Some(0), Some(11_017), Some(20_779)));
        assert_eq!((days(2000, 13, 1), days(2000, 1, 0)), (None, None));
        assert_eq!((windows(0), windows(116_444_736_000_000_001)), (None, Some(100)));
        // 1980-01-01 00:00:02.5
        assert_eq!(dos(0x21, 1, 50), Some(315_532_802_500_000_000));
    }
}
