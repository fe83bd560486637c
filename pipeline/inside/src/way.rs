//! Names of snapshots beside those of their volume.

/// The start of the names in a snapshot, by that of its volume's names: `p2/` becomes `p2@1/`. In a
/// volume without partitions around it, it is `@1!/`, which no file can be named.
pub fn prefix(volume: &[u8], number: u32) -> Vec<u8> {
    match volume.strip_suffix(b"/") {
        Some(part) if !part.ends_with(b"!") => [part, format!("@{number}/").as_bytes()].concat(),
        _ => [volume, format!("@{number}!/").as_bytes()].concat(),
    }
}

/// The relation of a name that is looked for to a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// It may be one of the volume, or none is looked for.
    Live,
    /// It is one of its snapshots.
    Snapshot,
    /// It is elsewhere.
    Aside,
}

/// The same for the names in a volume that begin with `volume`.
pub fn way(volume: &[u8], wanted: &[u8]) -> Way {
    // `@1!/` in a whole volume, `p2@` beside the names of a partition.
    let is_number = |rest: &[u8]| {
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        digits > 0 && rest[digits..].starts_with(b"!/")
    };
    match (wanted.strip_prefix(volume), volume.strip_suffix(b"/")) {
        (Some(rest), _) if volume.ends_with(b"!/") && rest.strip_prefix(b"@").is_some_and(is_number) => Way::Snapshot,
        (Some(_), _) => Way::Live,
        (None, Some(part)) if wanted.strip_prefix(part).is_some_and(|rest| rest.starts_with(b"@")) => Way::Snapshot,
        _ => Way::Aside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_snapshots_are_no_names_of_files() {
        let cases: [(&[u8], &[u8]); 4] = [
            (b"i!/p2/", b"i!/p2@3/"),
            (b"i!/", b"i!/@3!/"),
            (b"i!/vg-home/", b"i!/vg-home@3/"),
            (b"i!!!/", b"i!!!/@3!/"),
        ];
        for (volume, expected) in cases {
            assert_eq!(prefix(volume, 3), expected);
            assert_eq!(way(volume, &[expected, b"a/b"].concat()), Way::Snapshot);
            assert_eq!(way(volume, &[volume, b"@3/b"].concat()), Way::Live);
            assert_eq!(way(volume, b"other!/p2/b"), Way::Aside);
        }
    }
}
