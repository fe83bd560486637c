//! Shares and times as they are typed.

use crate::exit::Failure;
use pfh::check::Share;
use std::time::Duration;

/// Reads `1/30`, or `5%` for five in a hundred.
///
/// # Errors
/// When it is not a share.
pub fn share(text: &str) -> Result<(u64, u64), Failure> {
    let share = text.parse::<Share>().ok().and_then(|share| share.part);
    share.ok_or_else(|| Failure::usage(format_args!("{text:?} is not a share of the files: write 1/30, or 5%")))
}

/// Reads `90s`, `45m`, `2h` or `1d`.
///
/// # Errors
/// When it is not a time.
pub fn time(text: &str) -> Result<Duration, Failure> {
    let units = [("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)];
    let found = units.iter().find_map(|(unit, seconds)| Some((text.strip_suffix(unit)?, *seconds)));
    let seconds = found.and_then(|(number, seconds)| number.parse::<u64>().ok()?.checked_mul(seconds));
    seconds
        .filter(|seconds| *seconds > 0)
        .map(Duration::from_secs)
        .ok_or_else(|| Failure::usage(format_args!("{text:?} is not a time: write 90s, 45m or 2h")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_times() {
        assert_eq!((share("1/30").unwrap(), share("5%").unwrap()), ((1, 30), (5, 100)));
        assert_eq!(time("2h").unwrap(), Duration::from_secs(7200));
        assert!(share("31/30").is_err());
        for wrong in ["", "2", "h", "0s", "-1h", "99999999999999999999d"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
