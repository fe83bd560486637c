//! How long a store that is busy, or that cannot be reached, is asked again.

use crate::problem::Failure;
use crate::sign::now;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// From the first failure of a request on, while the store answers others.
const LONG: Duration = Duration::from_secs(300);
/// While the store answers nothing at all.
const SILENT: Duration = Duration::from_secs(100);
/// Where nobody ever answered, and for an error inside of the store (500), which may be for good.
const SHORT: Duration = Duration::from_secs(20);
/// The longest pause that is not asked for.
const PAUSE: Duration = Duration::from_secs(10);

/// A store's answers, over all requests.
#[derive(Debug, Default)]
pub(crate) struct Steadiness {
    state: Mutex<State>,
    /// The most attempts of a request (`AWS_MAX_ATTEMPTS`).
    attempts: Option<u32>,
}

#[derive(Debug, Default, Clone, Copy)]
struct State {
    /// The last answer that was not a failure of the store.
    good: Option<Instant>,
    /// Any answer at all.
    is_known: bool,
    /// The first failure since the last good answer.
    failing: Option<Instant>,
}

impl Steadiness {
    /// A store that each request is sent to at most so often.
    pub(crate) fn of(attempts: Option<u32>) -> Steadiness {
        Steadiness { state: Mutex::default(), attempts }
    }

    fn change(&self, change: impl FnOnce(&mut State)) -> State {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut state);
        *state
    }

    /// Notes an answer.
    pub(crate) fn answered(&self, now: Instant) {
        self.change(|state| *state = State { good: Some(now), is_known: true, failing: None });
    }
}

/// The failures of one request.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    began: Option<Instant>,
    failures: u32,
}

impl Patience {
    /// How long to wait before the request is made again; `None` when it has failed.
    pub(crate) fn pause(&mut self, failure: &Failure, store: &Steadiness, now: Instant) -> Option<Duration> {
        let (reached, stated) = match failure {
            Failure::Busy { after, .. } => (true, *after),
            Failure::Broken { reached, .. } => (*reached, None),
            _ => return None,
        };
        let began = *self.began.get_or_insert(now);
        self.failures += 1;
        if store.attempts.is_some_and(|attempts| self.failures >= attempts) {
            return None;
        }
        let state = store.change(|state| {
            state.is_known |= reached;
            state.failing.get_or_insert(now);
        });
        // The first attempt of a request says little: a store that was restarted answers the next.
        let silence = state.failing.filter(|_| self.failures > 1).map(|since| now.duration_since(since));
        let limit = match state {
            State { is_known: false, .. } => SHORT,
            _ if matches!(failure, Failure::Busy { status: 200 | 500, after: None, .. }) => SHORT,
            State { good: Some(good), .. } if good >= began => LONG,
            _ => SILENT,
        };
        let silence = silence.unwrap_or_default().max(now.duration_since(began));
        if silence >= limit || now.duration_since(began) >= LONG {
            return None;
        }
        let grown = Duration::from_millis(100 << self.failures.min(8)).min(PAUSE);
        // Requests that failed together do not come back together.
        let spread = RandomState::new().hash_one(self.failures) % 1000;
        let own = grown / 2 + grown.mul_f64(spread as f64 / 2000.);
        match stated {
            // Longer than anybody waits.
            Some(stated) if stated > LONG => None,
            Some(stated) => Some(stated.max(own / 4)),
            None => Some(own),
        }
    }
}

/// The pause that an answer asks for (RFC 9110, section 10.2.3): seconds, or a date, which the
/// answer's own date is taken from.
pub(crate) fn stated(after: &str, date: Option<&str>) -> Option<Duration> {
    let after = after.trim();
    if let Ok(seconds) = after.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let at = seconds(after)?;
    Some(Duration::from_secs(at.saturating_sub(date.and_then(seconds).unwrap_or_else(now))))
}

/// Seconds since 1970 of `Wed, 21 Oct 2015 07:28:00 GMT`.
fn seconds(date: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let mut words = date.split_once(", ")?.1.split([' ', ':']);
    let day: u64 = words.next()?.parse().ok()?;
    let name = words.next()?;
    let month = MONTHS.iter().position(|month| *month == name)? as u64 + 1;
    let year: u64 = words.next()?.parse().ok().filter(|year| (1970..10_000).contains(year))?;
    let mut clock = || words.next()?.parse::<u64>().ok();
    let (hours, minutes, seconds) = (clock()?, clock()?, clock()?);
    // Years begin in March, so that a leap day is the last one.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    Some((days.checked_sub(719_468)?) * 86_400 + hours * 3600 + minutes * 60 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(after: Option<u64>) -> Failure {
        Failure::Busy { status: 503, what: "503".into(), after: after.map(Duration::from_secs) }
    }

    /// How long a request that always fails waits, and how often it was made.
    fn waited(store: &Steadiness, failure: &Failure, other: bool) -> (u64, u32) {
        let (began, mut patience) = (Instant::now(), Patience::default());
        let mut now = began;
        while let Some(pause) = patience.pause(failure, store, now) {
            now += pause;
            if other {
                store.answered(now);
            }
        }
        (now.duration_since(began).as_secs(), patience.failures)
    }

    #[test]
    fn patience_is_of_minutes_and_ends() {
        let (seconds, attempts) = waited(&Steadiness::default(), &busy(None), false);
        assert!((100..111).contains(&seconds) && (10..60).contains(&attempts), "{seconds} {attempts}");
        let (seconds, _) = waited(&Steadiness::default(), &busy(None), true);
        assert!((300..311).contains(&seconds), "{seconds}");
        let nobody = Failure::Broken { what: "refused".into(), reached: false };
        let inside = Failure::Busy { status: 500, what: "500".into(), after: None };
        for (failure, other) in [(nobody, false), (inside, true)] {
            let (seconds, _) = waited(&Steadiness::default(), &failure, other);
            assert!((20..31).contains(&seconds), "{seconds}");
        }
        // Once the store is known to be silent, the next objects do not wait as long.
        let store = Steadiness::default();
        let start = Instant::now();
        let mut first = Patience::default();
        assert!(first.pause(&busy(None), &store, start).is_some());
        let (mut next, later) = (Patience::default(), start + SILENT);
        assert!(next.pause(&busy(None), &store, later).is_some());
        assert!(next.pause(&busy(None), &store, later).is_none());
        assert!(Patience::default().pause(&Failure::Refused("no".into()), &store, start).is_none());
        let few = Steadiness::of(Some(3));
        assert_eq!(waited(&few, &busy(None), true).1, 3);
    }

    #[test]
    fn pauses_are_as_long_as_the_store_asks() {
        let store = Steadiness::default();
        let pause = |after| Patience::default().pause(&busy(Some(after)), &store, Instant::now());
        assert_eq!(pause(7), Some(Duration::from_secs(7)));
        assert_eq!(pause(240), Some(Duration::from_secs(240)));
        assert_eq!(pause(3600), None);
        assert!(pause(0).unwrap() < Duration::from_secs(1));
        let seconds = |after, date| stated(after, date).map(|stated| stated.as_secs());
        assert_eq!(seconds(" 12 ", None), Some(12));
        let (at, later) = ("Sat, 29 Feb 2020 23:59:58 GMT", "Sun, 01 Mar 2020 00:01:00 GMT");
        assert_eq!(seconds(later, Some(at)), Some(62));
        assert_eq!(seconds(at, Some(later)), Some(0));
        assert_eq!(super::seconds("Thu, 01 Jan 1970 00:00:00 GMT"), Some(0));
        assert_eq!(super::seconds("Fri, 24 May 2013 00:00:00 GMT"), Some(1_369_353_600));
        assert_eq!((seconds("soon", None), seconds("Thu, 01 Foo 1970 00:00:00 GMT", None)), (None, None));
    }
}
