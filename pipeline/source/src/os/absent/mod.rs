//! Functions that only Linux has, absent: for the folders of all other systems.

pub(super) mod confine;
pub(super) mod device;
pub(super) mod machine;
pub(super) mod output;
pub(super) mod ring;
pub(super) mod waits;
pub(super) mod watch;
