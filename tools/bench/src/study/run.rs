//! Goes through the jobs of a plan.

use super::{Answer, Clock, Entry, Job, Journal, Launch, Plan, ProcessEnd, Row};
use crate::Error;
use crate::message::Message;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// How far a study is.
#[derive(Debug)]
pub struct Step<'a> {
    /// Processes done, also those of an earlier session.
    pub done: usize,
    /// Processes in all.
    pub total: usize,
    /// The job that starts now.
    pub job: &'a Job,
    /// How long the rest will take, once something is known.
    pub left: Option<Duration>,
}

/// Hears of every step.
pub type Watch<'a> = dyn FnMut(&Step) + 'a;

/// No message of the study takes longer by orders of magnitude; a process that does hangs.
const LIMIT: Duration = Duration::from_secs(900);

/// Does the jobs of `plan` that the journal does not have yet, and gives all entries, in the
/// journal's order. `messages` are the plan's, with one of each length. A process that fails or
/// gives a wrong digest is an entry with a fault and no times, never an error: the study goes on,
/// and the report says so.
#[allow(clippy::too_many_arguments)] // each is another thing, and the one caller names them
pub fn run(
    plan: &Plan,
    rows: &[Row],
    messages: &[Message],
    journal: &mut Journal,
    mut entries: Vec<Entry>,
    launch: &mut dyn Launch,
    clock: &dyn Clock,
    watch: &mut Watch,
) -> Result<Vec<Entry>, Error> {
    plan.check()?;
    let jobs = plan.jobs();
    let known: HashSet<Job> =
        entries.iter().map(|entry| Job { cell: entry.cell.clone(), process: entry.process }).collect();
    let mut expected = HashMap::new();
    for (at, job) in jobs.iter().enumerate() {
        if known.contains(job) {
            continue;
        }
        let (cell, left) = (&job.cell, left(&jobs[at..], &known, &entries));
        watch(&Step { done: entries.len(), total: jobs.len(), job, left });
        let lost = || Error::Failed(format!("no runner or message for {} of {} bytes", cell.row, cell.bytes));
        let row = rows.iter().find(|row| row.name == cell.row).ok_or_else(lost)?;
        let message = messages.iter().find(|message| message.bytes == cell.bytes).ok_or_else(lost)?;
        let expected = match expected.entry((cell.method, cell.bytes)) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(new) => new.insert(message.expected(cell.method)?),
        };
        let mut command = row.command.clone();
        let (repeats, warmups) = (plan.repeats.to_string(), plan.warmups_for(cell.bytes).to_string());
        command.extend(["--json", &repeats, &warmups, cell.method.name()].map(str::to_owned));
        command.push(message.path.to_string_lossy().into_owned());

        let (start, before) = (clock.now(), clock.activity());
        let outcome = launch.launch(&command, LIMIT);
        let took = (clock.now() - start).as_secs_f64();
        let stolen = clock.activity().stolen_since(before);
        let answer = match outcome {
            ProcessEnd::Failed(reason) => Err(reason),
            ProcessEnd::Finished(text) => Answer::parse(&text, u64::from(plan.repeats)),
        };
        let fault = match &answer {
            Err(reason) => Some(reason.clone()),
            Ok(answer) => answer.fault(cell.bytes, expected),
        };
        let (header, repeats) = answer.map_or((None, vec![]), |answer| (Some(answer.header), answer.repeats));
        let times = if fault.is_some() { vec![] } else { repeats.iter().map(|r| (r.wall_ns, r.cpu_ns)).collect() };
        let (cell, process) = (cell.clone(), job.process);
        let entry = Entry { cell, process, header, times, fault, load: before.load, stolen, took };
        journal.append(&entry)?;
        entries.push(entry);
    }
    Ok(entries)
}

/// The time that the remaining jobs will take: those of a cell that ran before as long as then, the
/// others in proportion to their bytes.
fn left(jobs: &[Job], known: &HashSet<Job>, entries: &[Entry]) -> Option<Duration> {
    let (mut seen, mut seconds, mut bytes) = (HashMap::new(), 0.0, 0.0);
    for entry in entries {
        let sum: &mut (f64, f64) = seen.entry(&entry.cell).or_default();
        sum.0 += entry.took;
        sum.1 += 1.0;
        seconds += entry.took;
        bytes += entry.cell.bytes as f64;
    }
    if bytes == 0.0 {
        return None;
    }
    let rest = jobs.iter().filter(|job| !known.contains(job)).map(|job| match seen.get(&job.cell) {
        Some((sum, count)) => sum / count,
        None => job.cell.bytes as f64 * seconds / bytes,
    });
    Some(Duration::from_secs_f64(rest.sum()))
}
