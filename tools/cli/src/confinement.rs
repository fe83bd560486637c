//! What the kernel has to confine a command with, in words.

use pfh::process::{Confinement, confinement};

/// How `pfh --version` says what there is.
pub fn words() -> String {
    match confinement() {
        Confinement { landlock: 0, seccomp: false } => "no sandbox".into(),
        Confinement { landlock: 0, seccomp: true } => "sandbox: seccomp".into(),
        Confinement { landlock, seccomp: false } => format!("sandbox: Landlock {landlock}"),
        Confinement { landlock, seccomp: true } => format!("sandbox: Landlock {landlock}, seccomp"),
    }
}
