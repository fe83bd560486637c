//! Which members are wanted, by their names.

use crate::cat::NearestNames;

/// The wanted names, and which of them were met.
pub struct WantedNames {
    /// The printed names of the members begin with this.
    front: Vec<u8>,
    /// Names below the image, without a slash at either end, whether each was met, and the names
    /// that are nearest to it.
    names: Vec<(Vec<u8>, bool, NearestNames)>,
}

impl WantedNames {
    /// The members of this image, by the names that were given.
    pub fn new(image: &[u8], members: &[Vec<u8>]) -> WantedNames {
        let front = [image, b"!/"].concat();
        let below = |name: &Vec<u8>| {
            let name = name.strip_prefix(&front[..]).unwrap_or(name);
            let name = name.strip_prefix(b"/").unwrap_or(name);
            let name = name.strip_suffix(b"/").unwrap_or(name).to_vec();
            let near = NearestNames::new(&name);
            (name, false, near)
        };
        let names = members.iter().map(below).collect();
        WantedNames { front, names }
    }

    /// The path of a printed name below the image.
    pub fn path<'a>(&self, printed: &'a [u8]) -> Option<&'a [u8]> {
        printed.strip_prefix(&self.front[..])
    }

    /// Whether this member is wanted: it is named, lies below a name, or all are.
    pub fn takes(&mut self, path: &[u8]) -> bool {
        let mut takes = self.names.is_empty();
        for (name, met, near) in &mut self.names {
            let rest = path.strip_prefix(&name[..]);
            if rest.is_some_and(|rest| {
                rest.is_empty() || name.is_empty() || rest.starts_with(b"/") || rest.starts_with(b"!")
            }) {
                (*met, takes) = (true, true);
            } else if !*met {
                near.see(path);
            }
        }
        takes
    }

    /// Whether a wanted member may be hidden by a fault of this name: it is wanted itself, or one
    /// that is wanted lies in it.
    pub fn touches(&mut self, printed: &[u8]) -> bool {
        let Some(path) = self.path(printed).map(<[u8]>::to_vec) else { return true };
        let hides = self.names.iter().any(|(name, ..)| name.starts_with(&path));
        self.takes(&path) || hides
    }

    /// The names that no member has, each with the nearest ones.
    pub fn missing(self) -> impl Iterator<Item = (Vec<u8>, Vec<Vec<u8>>)> {
        let WantedNames { front, names } = self;
        let unmet = names.into_iter().filter(|(_, met, _)| !met);
        unmet.map(move |(name, _, near)| ([&front[..], &name].concat(), near.names()))
    }
}
