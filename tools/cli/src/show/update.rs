//! The results of bringing a manifest up to date: lines.

use pfh::terminal::render;
use pfh::update::Change;

/// A line for people: class and name.
pub fn text(change: &Change) -> String {
    let from = change.from.as_ref().map(|from| format!("  (from {})", render(from))).unwrap_or_default();
    let remarks = super::check::remarks(change.rot, change.cause.as_ref());
    format!("{:<13}  {}{from}{remarks}", change.class.name(), render(&change.name))
}
