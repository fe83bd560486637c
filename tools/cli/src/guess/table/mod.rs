//! The table "you typed -> type": lines that users of other programs type here, and their meaning.
//! `pfh help coming-from` prints it, and the parser goes by it. Of several rows that fit the first
//! one counts; the result is looked up again.

mod commands;
mod files;
mod media;
mod trades;

use super::row::Row;

/// The rows, in the order in which they count.
pub fn rows() -> impl Iterator<Item = &'static Row> + Clone {
    [commands::ROWS, trades::ROWS, files::ROWS, media::ROWS].into_iter().flatten()
}
