//! Names of parts and attachments, each once.

use super::super::member::plain_name;
use std::collections::HashSet;

/// The names that were given below one message.
#[derive(Default)]
pub struct Names(HashSet<Vec<u8>>);

impl Names {
    /// The name of a part: its own, or the number that stands for it. A name that was given before
    /// has the number behind it, in front of its ending.
    pub fn give(&mut self, own: Option<&[u8]>, kind: &str, number: u64, ending: &str) -> Vec<u8> {
        let own = own.map(|name| name.trim_ascii()).filter(|name| !name.is_empty());
        let mut name = own.map_or_else(|| format!("{kind} {number}{ending}").into_bytes(), plain_name);
        while !self.0.insert(name.clone()) {
            let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0).unwrap_or(name.len());
            name = [&name[..dot], format!(" ({kind} {number})").as_bytes(), &name[dot..]].concat();
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_comes_once() {
        let mut names = Names::default();
        let mut give = |own: &str, number| {
            let own = (!own.is_empty()).then_some(own.as_bytes());
            String::from_utf8(names.give(own, "part", number, ".txt")).unwrap()
        };
        assert_eq!(give("a.doc", 1), "a.doc");
        assert_eq!(give("a.doc", 2), "a (part 2).doc");
        assert_eq!(give("", 3), "part 3.txt");
        assert_eq!(give("../x", 4), "..%2Fx");
        assert_eq!(give("part 5.txt", 4), "part 5.txt");
        assert_eq!(give("", 5), "part 5 (part 5).txt");
        assert_eq!(give("..", 6), ".._");
    }
}
