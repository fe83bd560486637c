//! Names of a manifest that are inside of containers.

use super::Request;
use crate::inside::{Limits, Options, is_inside};
use std::sync::Arc;

/// How names of a list are looked for in containers; `None` if no name can be in one.
pub fn options<'a>(request: &Request, names: impl Iterator<Item = &'a [u8]>) -> Option<Arc<Options>> {
    let mut inside = names.filter(|name| is_inside(name).is_some()).peekable();
    inside.peek()?;
    let mut options = request.inside.clone().unwrap_or_default();
    // Each name says itself how deep it is.
    options.limits = Limits { depth: 64, ..options.limits };
    inside.for_each(|name| options.look_for(name));
    Some(Arc::new(options))
}
