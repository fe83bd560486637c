//! A side whose files are read: a directory, or the members of an image or an archive.

use super::request::Request;
#[cfg(feature = "inside")]
use crate::inside::{ContainerTree, Expanding, Options};
use crate::job::Error;
use crate::objects;
use pfh_source::{Descend, Item, Operands, Source};

/// A tree whose files are read.
#[derive(Debug, Clone)]
pub struct Tree {
    /// The directory or the container, or the media that this is made of.
    pub paths: Vec<Vec<u8>>,
    /// The start of the names of its files.
    pub prefix: Vec<u8>,
    /// The directory in a container that all its files are below, and that the other side does not
    /// have; with a closing slash, or empty.
    pub common: Vec<u8>,
    /// Whether the streams of its files are files of it: the other side names some.
    pub streams: bool,
    /// Whether its files are objects, below the address of a folder.
    pub is_remote: bool,
    /// How the container is opened; `None` for a directory.
    #[cfg(feature = "inside")]
    container: Option<std::sync::Arc<Options>>,
}

impl Tree {
    /// A directory.
    pub fn directory(path: Vec<u8>) -> Tree {
        Tree {
            prefix: path.clone(),
            paths: vec![path],
            common: Vec::new(),
            streams: false,
            is_remote: false,
            #[cfg(feature = "inside")]
            container: None,
        }
    }

    /// The objects of a folder.
    pub fn objects(folder: Vec<u8>) -> Tree {
        Tree { is_remote: true, ..Tree::directory(folder) }
    }

    /// The content of a container, if the name is that of one.
    #[cfg(feature = "inside")]
    pub fn container(request: &Request, name: &[u8]) -> Option<Tree> {
        let ContainerTree { paths, prefix } = ContainerTree::of(name)?;
        let mut options = request.inside.clone().unwrap_or_default();
        if request.inside.is_none() {
            // Archives in it are files, as those in a directory are; so are those on the way there.
            options.limits.depth = prefix.windows(2).filter(|pair| pair == b"!/").count().max(1) as u32;
        }
        let container = Some(std::sync::Arc::new(options));
        Some(Tree { paths, prefix, container, ..Tree::directory(Vec::new()) })
    }

    /// Whether it is the members of an image or an archive.
    pub fn is_container(&self) -> bool {
        #[cfg(feature = "inside")]
        return self.container.is_some();
        #[cfg(not(feature = "inside"))]
        false
    }

    /// The prefix that is left out in front of the names of its files.
    pub fn base(&self) -> Vec<u8> {
        [&self.prefix[..], &self.common[..]].concat()
    }

    /// Leaves a directory out in front of the names, if it is a container and all are below it.
    pub fn strip(&mut self, base: Vec<u8>, names: &[Vec<u8>]) {
        if self.is_container() && names.iter().all(|name| name.starts_with(&base)) {
            self.common = base;
        }
    }

    /// Its entries.
    ///
    /// # Errors
    /// When this build speaks with no stores.
    pub fn source(&self, request: &Request) -> Result<Box<dyn Source>, Error> {
        if self.is_remote {
            return Ok(objects::source(&self.prefix)?);
        }
        let operands =
            Box::new(Operands::new(self.paths.clone(), Descend { streams: self.streams, ..request.descend() }));
        #[cfg(feature = "inside")]
        {
            if let Some(options) = &self.container {
                let source = Box::new(Expanding::new(operands, options.clone()));
                return Ok(Box::new(Below { source, prefix: self.prefix.clone() }));
            }
            if let Some(options) = &request.inside {
                return Ok(Box::new(Expanding::new(operands, std::sync::Arc::new(options.clone()))));
            }
        }
        Ok(operands)
    }

    /// The names of its files below the prefix, without reading any.
    pub fn names(&self, request: &Request) -> Vec<Vec<u8>> {
        let Ok(mut source) = self.source(request) else { return Vec::new() };
        let mut names = Vec::new();
        while let Some(item) = source.pull() {
            if let Item::Entry(entry) = item {
                names.extend(entry.name().strip_prefix(&self.prefix[..]).map(<[u8]>::to_vec));
            }
        }
        names
    }
}

/// The members of a container below a prefix, and those that could not be read.
#[cfg(feature = "inside")]
struct Below {
    source: Box<dyn Source>,
    prefix: Vec<u8>,
}

#[cfg(feature = "inside")]
impl Below {
    fn takes(&self, item: &Item) -> bool {
        match item {
            Item::Entry(entry) => entry.name().starts_with(&self.prefix),
            Item::Skipped { name, .. } | Item::Settled { name, .. } => name.starts_with(&self.prefix),
            Item::Problem { .. } => true,
        }
    }
}

#[cfg(feature = "inside")]
impl Source for Below {
    fn pull(&mut self) -> Option<Item> {
        loop {
            let item = self.source.pull()?;
            if self.takes(&item) {
                return Some(item);
            }
        }
    }
}
