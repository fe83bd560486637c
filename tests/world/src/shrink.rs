//! The least script that breaks the same law.

use crate::laws::Law;
use crate::play::{Keep, play};
use crate::script::{Event, Script};

/// Scripts that are tried.
const TRIES: usize = 300;

/// Leaves out events, while the law is still broken without them.
pub fn shrink(script: &Script, law: Law) -> Script {
    let mut least = script.clone();
    let mut tries = 0;
    loop {
        let before = least.0.len();
        for at in (0..before).rev() {
            let Some(shorter) = without(&least, at) else { continue };
            tries += 1;
            if tries > TRIES {
                return least;
            }
            let broken =
                play(&shorter, Keep::Breaches).is_ok_and(|world| world.breaches.iter().any(|breach| breach.law == law));
            if broken {
                least = shorter;
            }
        }
        if least.0.len() == before {
            return least;
        }
    }
}

/// The script without an event; without a step its acts go, too.
fn without(script: &Script, at: usize) -> Option<Script> {
    let is_step = matches!(script.0.get(at)?, Event::Step(_));
    let acts = script.0[at + 1..].iter().take_while(|event| is_step && matches!(event, Event::At(..))).count();
    let mut events = script.0.clone();
    events.drain(at..=at + acts);
    Some(Script(events))
}
