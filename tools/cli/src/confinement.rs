//! The kernel's means to confine a command, in words.

use pfh::process::{Confinement, confinement};

/// The sandbox, as `pfh --version` names it.
pub fn words() -> String {
    match confinement() {
        Confinement { landlock: 0, seccomp: false } => "no sandbox".into(),
        Confinement { landlock: 0, seccomp: true } => "sandbox: seccomp".into(),
        Confinement { landlock, seccomp: false } => format!("sandbox: Landlock {landlock}"),
        Confinement { landlock, seccomp: true } => format!("sandbox: Landlock {landlock}, seccomp"),
    }
}
