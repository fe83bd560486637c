//! Sources over real files and trees.

#[cfg(unix)]
mod trees;
#[cfg(windows)]
mod windows;
