//! The algorithm that was probably meant by a name that none has.

use super::Algorithm;

impl Algorithm {
    /// The list of algorithms that a text which names none was probably meant to be: one letter is
    /// missing, wrong, too many or changed places with the next; or several names are not separated
    /// by commas.
    ///
    /// ```
    /// use pfh::Algorithm;
    /// assert_eq!(Algorithm::nearest("sha265").as_deref(), Some("sha256"));
    /// assert_eq!(Algorithm::nearest("md5+sha1").as_deref(), Some("md5,sha1"));
    /// assert_eq!(Algorithm::nearest("rot13"), None);
    /// ```
    pub fn nearest(text: &str) -> Option<String> {
        let names: Vec<&str> = text.split(['+', '/', ';', '|', ' ', ',']).filter(|name| !name.is_empty()).collect();
        if names.len() > 1 {
            let found = names.iter().map(|name| match name.parse::<Algorithm>() {
                Ok(found) => Some(found.to_string()),
                Err(_) => one(name),
            });
            return found.collect::<Option<Vec<_>>>().map(|names| names.join(","));
        }
        names.first().and_then(|name| one(name))
    }
}

/// The nearest name, if one is at most one step away; of several the first in the registry.
fn one(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    // Of shorter ones most are one step from another.
    if text.len() < 3 {
        return None;
    }
    let all = || {
        Algorithm::all().flat_map(|algorithm| {
            std::iter::once(algorithm.name())
                .chain(algorithm.aliases().iter().copied())
                .map(move |name| (name, algorithm))
        })
    };
    all()
        .find(|(name, _)| is_swapped(&text, name))
        .or_else(|| all().find(|(name, _)| is_near(&text, name)))
        .map(|(_, algorithm)| algorithm.to_string())
}

/// Whether two neighbours changed places, the most frequent slip of fingers.
fn is_swapped(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let Some(at) = one.iter().zip(other).position(|(a, b)| a != b) else { return false };
    one.len() == other.len()
        && at + 1 < one.len()
        && one[at] == other[at + 1]
        && one[at + 1] == other[at]
        && one[at + 2..] == other[at + 2..]
}

/// Whether one byte is missing, wrong or too many.
fn is_near(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let (short, long) = (short.as_bytes(), long.as_bytes());
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    match long.len() - short.len() {
        0 => same == short.len() || short[same + 1..] == long[same + 1..],
        1 => short[same..] == long[same + 1..],
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_one_step_away_are_found() {
        for (text, meant) in [
            ("sha265", Some("sha256")),
            ("SHA265", Some("sha256")),
            ("sha25", Some("sha256")),
            ("sha-265", Some("sha256")),
            ("mdd5", Some("md5")),
            ("ssdep", Some("ssdeep")),
            ("md5+sha265", Some("md5,sha256")),
            ("md5 sha1", Some("md5,sha1")),
            ("md5+nothing", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(Algorithm::nearest(text).as_deref(), meant, "{text}");
        }
    }
}
