//! Scripts that are played: the real jobs of the library over a real directory, with the world at
//! their seam.

use crate::account::{Account, Claims, End};
use crate::jobs;
use crate::laws::{self, Breach};
use crate::past::Past;
use crate::room::{Files, Room};
use crate::script::{Act, At, Event, Script};
use crate::stage::Stage;
use crate::step::Step;
use pfh_source::os::seam;
use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// The seam is that of the process: one world at a time.
static ONE: Mutex<()> = Mutex::new(());

/// Everything that happened in a world.
#[derive(Debug, Default)]
pub struct World {
    /// The laws that were broken.
    pub breaches: Vec<Breach>,
    /// Jobs that ran.
    pub jobs: u64,
    /// Calls that were seen.
    pub calls: u64,
    /// Acts that came to pass, by their first word.
    pub acts: BTreeMap<String, u64>,
    /// The steps with their accounts, if they are kept.
    pub steps: Vec<(Account, Past)>,
}

/// Whether the accounts of all steps are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// They are dropped when they have been judged.
    Breaches,
    /// They are kept.
    Accounts,
}

/// Plays a script to its end, or to the first step that breaks a law.
///
/// # Errors
/// The system's, on the files of the world itself.
pub fn play(script: &Script, keep: Keep) -> io::Result<World> {
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let room = Arc::new(Room::new()?);
    let mut past = Past::default();
    let mut world = World::default();
    let (mut numbers, mut clock) = (0, 0);
    let mut events = script.0.iter().peekable();
    while let Some(event) = events.next() {
        match event {
            Event::Numbers(seed) => numbers = *seed,
            Event::Deed(deed) => drop(room.act(deed, &mut past)?),
            // Of a step that was left out.
            Event::At(..) => {}
            Event::Step(steps) => {
                let mut acts = Vec::new();
                while let Some(Event::At(at, act)) = events.peek() {
                    acts.push((at.clone(), act.clone()));
                    events.next();
                }
                let account = step(&room, &mut past, steps, (acts, numbers, &mut clock))?;
                world.jobs += steps.len() as u64;
                world.calls += account.calls;
                for (_, act) in &account.acts {
                    let name = act.to_string();
                    *world.acts.entry(name.split(' ').next().unwrap_or_default().to_owned()).or_default() += 1;
                }
                if account.repeated > 0 {
                    *world.acts.entry("repeat".to_owned()).or_default() += account.repeated;
                }
                world.breaches = laws::breaches(&account, &past);
                if keep == Keep::Accounts {
                    world.steps.push((account, past.clone()));
                }
                if !world.breaches.is_empty() {
                    return Ok(world);
                }
            }
        }
    }
    Ok(world)
}

/// Runs the jobs of a step, each on a thread of its own.
fn step(
    room: &Arc<Room>,
    past: &mut Past,
    steps: &[Step],
    (acts, numbers, clock): (Vec<(At, Act)>, u64, &mut i64),
) -> io::Result<Account> {
    past.begin();
    if acts.iter().any(|(_, act)| matches!(act, Act::Deed(_))) {
        room.tick()?;
    }
    let before = room.written()?;
    let stage = Arc::new(Stage::new(Arc::clone(room), std::mem::take(past), acts, (numbers, *clock)));
    seam::play(Some(Arc::clone(&stage) as Arc<dyn seam::World>));
    let claims: Vec<Claims> = match steps {
        [one] => vec![claims(room, one)],
        several => std::thread::scope(|scope| {
            let running: Vec<_> = several.iter().map(|step| scope.spawn(move || claims(room, step))).collect();
            running.into_iter().map(|one| one.join().unwrap_or_else(|_| panicked())).collect()
        }),
    };
    seam::play(None);
    let unkilled = room.settled()?;
    let (calls, endless) = stage.calls();
    *clock = stage.clock();
    let mut played = stage.played();
    *past = std::mem::take(&mut played.past);
    let after: Files = match played.killed.take() {
        Some(files) => {
            room.restore(&files)?;
            files
        }
        None => unkilled.clone(),
    };
    Ok(Account {
        jobs: steps.iter().cloned().zip(claims).collect(),
        before,
        after,
        unkilled,
        acts: std::mem::take(&mut played.acts),
        calls,
        seen: std::mem::take(&mut played.order),
        endless,
        repeated: stage.repeated(),
        altered: room.altered(past)?,
    })
}

fn panicked() -> Claims {
    Claims { rows: Vec::new(), end: End::Panicked }
}

fn claims(room: &Room, step: &Step) -> Claims {
    catch_unwind(AssertUnwindSafe(|| jobs::run(room, step))).unwrap_or_else(|_| panicked())
}
