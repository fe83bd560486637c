//! Disk images as bytes: Expert Witness (E01), split raw images, ddrescue's map of what could be read.

pub mod ewf;
pub mod map;
pub mod split;
