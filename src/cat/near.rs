//! The names nearest to one that is not there.

/// How many are kept.
const KEPT: usize = 3;
/// Bytes of a name that are compared.
const LONGEST: usize = 512;

/// The names nearest to a wanted one, of those that came by.
pub struct NearestNames {
    wanted: Vec<u8>,
    /// The best so far with their marks, the best first.
    best: Vec<(usize, Vec<u8>)>,
}

impl NearestNames {
    /// None so far.
    pub fn new(wanted: &[u8]) -> NearestNames {
        NearestNames { wanted: wanted.to_vec(), best: Vec::new() }
    }

    /// Looks at a name. Those that differ in one place are the nearest: what the two begin and end
    /// with counts, so that a name costs its length alone.
    pub fn see(&mut self, name: &[u8]) {
        let (most, length) = (self.wanted.len().max(name.len()), self.wanted.len().min(name.len()));
        if most > LONGEST {
            return;
        }
        let same = |(one, other): &(&u8, &u8)| one.eq_ignore_ascii_case(other);
        let front = self.wanted.iter().zip(name).take_while(same).count();
        let back = self.wanted.iter().rev().zip(name.iter().rev()).take_while(same).count();
        let apart = most - (front + back).min(length);
        // Half of the last part of the name, at least, is right.
        let last = self.wanted.iter().rev().take_while(|byte| **byte != b'/').count();
        let is_beyond = self.best.len() == KEPT && self.best.last().is_some_and(|(worst, _)| apart >= *worst);
        if apart > last.max(8) || is_beyond || self.best.iter().any(|(_, kept)| kept == name) {
            return;
        }
        let at = self.best.partition_point(|(kept, _)| *kept <= apart);
        self.best.insert(at, (apart, name.to_vec()));
        self.best.truncate(KEPT);
    }

    /// The nearest names, the nearest first.
    pub fn names(self) -> Vec<Vec<u8>> {
        self.best.into_iter().map(|(_, name)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_one_place_are_near() {
        let mut near = NearestNames::new(b"i!/p1/Users/ada.txt");
        for name in ["i!/p1/Users/Ada.TXT", "i!/p1/Users/adaa.txt", "i!/p2/Users/ada.txt", "i!/p1/x", "i"] {
            near.see(name.as_bytes());
        }
        near.see(&[b'x'; 4096]);
        let names: Vec<String> = near.names().into_iter().map(|name| String::from_utf8(name).unwrap()).collect();
        assert_eq!(names, ["i!/p1/Users/Ada.TXT", "i!/p1/Users/adaa.txt", "i!/p2/Users/ada.txt"]);
    }
}
