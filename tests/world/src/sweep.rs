//! Every call of a job fails, one after the other; and another one while the first is handled.

use crate::laws::Breach;
use crate::play::{Keep, World, play};
use crate::script::{Act, At, ERRNOS, Errno, Event, Script};
use pfh_source::os::seam::Kind;
use std::fmt;
use std::io;

/// A job whose calls fail.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// Its name.
    pub name: &'static str,
    /// The script that leads to it.
    pub before: &'static str,
    /// The job.
    pub step: &'static str,
    /// The commands after it, which say the truth.
    pub after: &'static str,
}

const SOME: &str = "make tree/a 1000 1\nmake tree/b 5000 2\nmake tree/d/f 0 3\nmake tree/d/g 20000 4\n\
    run hash lists/one Sums false by 1 1 0 false 0 0";
const SEALED: &str = "make tree/a 1000 1\nmake tree/b 5000 2\nmake tree/d/f 0 3\nmake tree/d/g 20000 4\n\
    run hash lists/one Jsonl true by 1 1 0 false 0 0";
const CHANGED: &str = "make tree/a 1000 1\nmake tree/b 5000 2\nmake tree/d/f 0 3\n\
    run hash lists/one Sums false by 1 1 0 false 0 0\n\
    write tree/a 7 3 9\nrename tree/b tree/d/g\nmake tree/k/m 300 8";
const CHANGED_SEALED: &str = "make tree/a 1000 1\nmake tree/b 5000 2\nmake tree/d/f 0 3\n\
    run hash lists/one Jsonl true by 1 1 0 false 0 0\n\
    write tree/a 7 3 9\nrename tree/b tree/d/g\nmake tree/k/m 300 8";
const MEDIUM: &str = "make medium/disk 60000 5";
const HALF: &str = "make medium/disk 60000 5\nrun acquire by 1 1 0 false 0 32\n\
    at write images/disk.img 2: fail EIO 1";
const IMAGE: &str = "make medium/disk 60000 5\nrun acquire by 1 1 0 false 0 0";
const CHECKED: &str = "run check lists/one by 1 1 0 false 0 0\nrun audit lists/one by 1 1 0 false 0 0";
const VERIFIED: &str = "run acquire by 1 1 0 false 0 0\nrun verify by 1 1 0 false 0 0";

/// Ten jobs for all others: each kind of output, new and in the place of another.
pub const CASES: [Case; 10] = [
    Case {
        name: "hash",
        before: "make tree/a 1000 1\nmake tree/b 5000 2\nmake tree/d/f 0 3\nmake tree/d/g 20000 4",
        step: "run hash lists/one Sums false by 1 1 0 false 0 0",
        after: CHECKED,
    },
    Case {
        name: "hash-again",
        before: SEALED,
        step: "run hash lists/one Jsonl true by 1 1 0 false 0 0",
        after: CHECKED,
    },
    Case { name: "check", before: SOME, step: "run check lists/one by 1 1 0 false 0 0", after: CHECKED },
    Case { name: "check-sealed", before: SEALED, step: "run check lists/one by 1 1 0 true 0 0", after: CHECKED },
    Case { name: "audit", before: CHANGED, step: "run audit lists/one by 1 1 0 false 0 0", after: CHECKED },
    Case { name: "update", before: CHANGED, step: "run update lists/one by 1 1 0 false 0 0", after: CHECKED },
    Case {
        name: "update-sealed",
        before: CHANGED_SEALED,
        step: "run update lists/one by 1 1 0 false 0 0",
        after: CHECKED,
    },
    Case { name: "acquire", before: MEDIUM, step: "run acquire by 1 1 0 false 0 0", after: VERIFIED },
    Case { name: "acquire-again", before: HALF, step: "run acquire by 1 1 0 false 0 0", after: VERIFIED },
    Case { name: "verify", before: IMAGE, step: "run verify by 1 1 0 false 0 0", after: VERIFIED },
];

/// The calls of a sweep.
#[derive(Debug, Clone, Copy)]
pub struct Calls {
    /// One of this number fails.
    pub each: usize,
    /// The first that does, from 0.
    pub first: usize,
}

/// The worlds of a sweep.
#[derive(Debug, Default)]
pub struct Sweep {
    /// Calls that the job makes on the files of its world.
    pub calls: usize,
    /// Worlds that were played.
    pub worlds: u64,
    /// The worlds that broke a law.
    pub failures: Vec<Failure>,
}

/// A world that broke a law.
#[derive(Debug)]
pub struct Failure {
    /// The laws.
    pub breaches: Vec<Breach>,
    /// Its script.
    pub script: Script,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.breaches.iter().try_for_each(|breach| writeln!(f, "  {breach}"))?;
        write!(f, "{}", self.script)
    }
}

/// The errors that calls of this kind fail with.
fn errors(kind: Kind) -> [Errno; 2] {
    let other = match kind {
        Kind::Open | Kind::Stat | Kind::List | Kind::Read => "EACCES",
        _ => "ENOSPC",
    };
    ["EIO", other].map(|name| ERRNOS.into_iter().find(|errno| errno.name == name).unwrap_or(ERRNOS[1]))
}

impl Case {
    fn script(&self, acts: &[(At, Act)]) -> Script {
        let events = |text: &str| text.parse::<Script>().map(|script| script.0).unwrap_or_default();
        let mut all = events(self.before);
        all.extend(events(self.step));
        all.extend(acts.iter().map(|(at, act)| Event::At(at.clone(), act.clone())));
        all.extend(events(self.after));
        Script(all)
    }

    /// The calls of the job in a world of this case, in their order.
    fn seen(&self, world: &World) -> Vec<At> {
        let before = self.before.lines().filter(|line| line.starts_with("run ")).count();
        world.steps.get(before).map(|(account, _)| account.seen.clone()).unwrap_or_default()
    }

    /// Lets these calls of the job fail, each in a world of its own; then once more with the next
    /// two calls after it, which handle it. Ends at the first `most` worlds that break a law.
    ///
    /// # Errors
    /// The system's, on the files of the worlds themselves.
    pub fn sweep(&self, calls: Calls, most: usize) -> io::Result<Sweep> {
        let mut sweep = Sweep::default();
        let sound = self.play(&[], &mut sweep)?;
        let all = self.seen(&sound);
        sweep.calls = all.len();
        for (number, at) in all.iter().enumerate().skip(calls.first).step_by(calls.each) {
            let errors = errors(at.kind);
            let taken = if calls.each == 1 { &errors[..] } else { &errors[number % 2..][..1] };
            for errno in taken {
                let first = (at.clone(), Act::Fail(*errno, 1));
                let seen = self.seen(&self.play(std::slice::from_ref(&first), &mut sweep)?);
                let handled = seen.iter().position(|one| one == at).map_or(seen.len(), |at| at + 1);
                for next in seen.iter().skip(handled).take(2) {
                    let second = (next.clone(), Act::Fail(*errno, 1));
                    self.play(&[first.clone(), second], &mut sweep)?;
                }
            }
            self.play(&[(at.clone(), Act::Kill)], &mut sweep)?;
            if sweep.failures.len() >= most {
                break;
            }
        }
        Ok(sweep)
    }

    fn play(&self, acts: &[(At, Act)], sweep: &mut Sweep) -> io::Result<World> {
        let script = self.script(acts);
        let world = play(&script, Keep::Accounts)?;
        sweep.worlds += 1;
        if !world.breaches.is_empty() {
            sweep.failures.push(Failure { breaches: world.breaches.clone(), script });
        }
        Ok(world)
    }
}
