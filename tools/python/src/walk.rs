//! The options of the command's walk, as `pfh/_files.py` hands them over in a dictionary.

use crate::error;
use pfh::inside::{Key, Keys, Options};
use pfh::{Content, Descend, Input, Links, Order, Recurse, Selection, Special};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Which files are read below the paths, and how they are opened.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Walk {
    recursive: bool,
    follow: bool,
    exactly: bool,
    versions: bool,
    include: Vec<String>,
    exclude: Vec<String>,
    min_size: Option<u64>,
    max_size: Option<u64>,
    one_file_system: bool,
    streams: bool,
    hold: bool,
    special: bool,
    image: bool,
    order: String,
    /// `strict`, `lenient`, or none to open nothing.
    inside: Option<String>,
    depth: Option<u32>,
    deleted: bool,
    unallocated: bool,
    documents: bool,
    members: bool,
    raw: bool,
    passwords: Option<Vec<String>>,
    volume_keys: Option<Vec<PathBuf>>,
    container_timeout: Option<u64>,
    expand: Option<u64>,
}

impl Walk {
    /// The input of a job with these operands.
    ///
    /// # Errors
    /// `RequestError` for a pattern, a word or a combination that makes no sense.
    pub fn input(&self, paths: Vec<OsString>) -> PyResult<Input> {
        let selection = Selection::new(&self.include, &self.exclude, self.min_size, self.max_size);
        let mut input = Input::new(paths);
        input.addresses = crate::request::addresses(&input.paths, self.exactly, self.versions)?;
        input.order = self.order()?;
        input.inside = self.inside()?;
        input.content = if self.image { Content::Images } else { Content::Files };
        if self.image && self.recursive {
            return Err(error::value("image and recursive exclude each other: images are named by their first file"));
        }
        input.descend = Descend {
            recurse: if self.recursive { Recurse::Yes } else { Recurse::No },
            links: if self.follow { Links::Follow } else { Links::Keep },
            special: if self.special { Special::Read } else { Special::Skip },
            one_file_system: self.one_file_system,
            streams: self.streams,
            hold: self.hold,
            selection: selection.map_err(error::value)?,
        };
        Ok(input)
    }

    fn order(&self) -> PyResult<Order> {
        Ok(match &*self.order {
            "path" => Order::Path,
            "size" => Order::Size,
            "inode" => Order::Inode,
            "extent" => Order::Extent,
            "balanced" => Order::Balanced,
            other => {
                return Err(error::value(format!("order takes path, size, inode, extent or balanced, not {other:?}")));
            }
        })
    }

    fn inside(&self) -> PyResult<Option<Options>> {
        let mut options = Options::default();
        match self.inside.as_deref() {
            Some("strict") => {}
            Some("lenient") => options.lenient = true,
            Some(other) => return Err(error::value(format!("inside takes strict or lenient, not {other:?}"))),
            None => {
                let named = self.deleted || self.unallocated || self.documents || self.members || self.raw;
                let named = named || self.passwords.is_some() || self.volume_keys.is_some();
                if named || self.depth.is_some() || self.expand.is_some() || self.container_timeout.is_some() {
                    return Err(error::value(
                        "depth, deleted, unallocated, documents, members, raw, passwords, volume_keys, container_timeout and expand need inside",
                    ));
                }
                return Ok(None);
            }
        }
        if self.depth.is_some_and(|depth| !(1..=64).contains(&depth)) {
            return Err(error::value("depth is a number from 1 to 64"));
        }
        if self.container_timeout == Some(0) {
            return Err(error::value("container_timeout is a number of seconds, at least 1"));
        }
        (options.deleted, options.unallocated) = (self.deleted, self.unallocated);
        (options.documents, options.members, options.raw) = (self.documents, self.members, self.raw);
        options.time = self.container_timeout.map(Duration::from_secs);
        options.keys = Arc::new(self.keys()?);
        options.limits.depth = self.depth.unwrap_or(options.limits.depth);
        options.limits.bytes = self.expand.unwrap_or(options.limits.bytes);
        Ok(Some(options))
    }

    fn keys(&self) -> PyResult<Keys> {
        let mut keys = Keys::new();
        for password in self.passwords.iter().flatten() {
            keys.push(Key::Password(password.clone().into_bytes().into()));
        }
        for path in self.volume_keys.iter().flatten() {
            keys.read_file(path).map_err(|error| {
                let message = format!("{}: {error}", pfh::terminal::shown(path));
                Python::attach(|py| error::unread(py, &message, Some(path)))
            })?;
        }
        Ok(keys)
    }
}
