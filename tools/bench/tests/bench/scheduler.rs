//! The study's runs with a clock and processes that are made up.

use pfh_bench::machine::{Activity, Machine};
use pfh_bench::message::{Message, Method};
use pfh_bench::study::{Cell, Clock, Entry, Journal, Launch, Plan, ProcessEnd, Row, StudyResult, Time, run};
use std::cell::Cell as Shared;
use std::collections::HashMap;
use std::fs;
use std::rc::Rc;
use std::time::Duration;

/// A clock that only the processes move.
struct FakeClock(Rc<Shared<Duration>>);

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        self.0.get()
    }

    fn activity(&self) -> Activity {
        Activity { load: 0.25, ticks: self.0.get().as_millis() as u64, stolen: self.0.get().as_millis() as u64 / 10 }
    }
}

/// Processes that take 1 ms per byte of message, and answer as they should, except where set
/// otherwise.
struct FakeProcesses {
    time: Rc<Shared<Duration>>,
    digests: HashMap<String, String>,
    wrong: Option<&'static str>,
    commands: Vec<Vec<String>>,
}

impl Launch for FakeProcesses {
    fn launch(&mut self, command: &[String], _: Duration) -> ProcessEnd {
        self.commands.push(command.to_vec());
        let [program, json, repeats, warmups, method, path] = command else { panic!("{command:?}") };
        assert_eq!((json.as_str(), warmups.as_str()), ("--json", "1"));
        let bytes = fs::metadata(path).unwrap().len();
        self.time.set(self.time.get() + Duration::from_millis(bytes));
        if program == "fails" {
            return ProcessEnd::Failed("exit status: 9: no reason".into());
        }
        let mut digest = self.digests[&format!("{method} {bytes}")].clone();
        if self.wrong == Some(program.as_str()) {
            digest.replace_range(..1, if digest.starts_with('0') { "1" } else { "0" });
        }
        let mut text = format!(
            r#"{{"runtime":"fake","version":"1","provider":"{program}","algorithm":"{method}","bytes":{bytes}}}"#
        );
        for index in 0..repeats.parse::<u64>().unwrap() {
            let wall = bytes * 1_000_000;
            text += &format!("\n{{\"index\":{index},\"digest\":\"{digest}\",\"wall_ns\":{wall},\"cpu_ns\":{wall}}}");
        }
        ProcessEnd::Finished(text + "\n")
    }
}

struct Stage {
    directory: tempfile::TempDir,
    plan: Plan,
    rows: Vec<Row>,
    messages: Vec<Message>,
    machine: Machine,
    processes: FakeProcesses,
    clock: FakeClock,
}

fn stage(programs: &[&str]) -> Stage {
    let directory = tempfile::tempdir().unwrap();
    let messages: Vec<Message> =
        [100, 200, 400].map(|bytes| Message::create(directory.path(), bytes, 1).unwrap()).to_vec();
    let methods = vec![Method::Md5, Method::Sha256];
    let row = |name: &&str| Row {
        name: name.to_string(),
        label: name.to_uppercase(),
        command: vec![name.to_string()],
        methods: methods.clone(),
    };
    let rows: Vec<Row> = programs.iter().map(row).collect();
    let mut cells = Vec::new();
    let mut digests = HashMap::new();
    for row in &rows {
        for &method in &row.methods {
            for message in &messages {
                cells.push(Cell { row: row.name.clone(), method, bytes: message.bytes });
                digests.insert(format!("{method} {}", message.bytes), message.expected(method).unwrap());
            }
        }
    }
    let time = Rc::new(Shared::new(Duration::ZERO));
    Stage {
        directory,
        plan: Plan { cells, processes: 3, repeats: 2, warmups: 1, warm_bytes: 0, seed: 5 },
        rows,
        messages,
        machine: Machine { processor: "fake".into(), ..Machine::default() },
        processes: FakeProcesses { time: time.clone(), digests, wrong: None, commands: Vec::new() },
        clock: FakeClock(time),
    }
}

impl Stage {
    /// Runs the study; `stop` ends it, as an interruption would, after that many processes.
    fn run(&mut self, stop: usize) -> (Vec<Entry>, Vec<Option<Duration>>) {
        let path = self.directory.path().join("journal.jsonl");
        let (mut journal, entries) = Journal::open(&path, &self.plan, &self.machine).unwrap();
        let before = entries.len();
        let mut left = Vec::new();
        let (plan, rows, messages) = (&self.plan, &self.rows, &self.messages);
        let finished = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let mut watch = |step: &pfh_bench::study::Step| {
                if step.done - before == stop {
                    std::panic::resume_unwind(Box::new("interrupted"));
                }
                left.push(step.left);
            };
            run(plan, rows, messages, &mut journal, entries, &mut self.processes, &self.clock, &mut watch).unwrap()
        }));
        let entries = finished.unwrap_or_else(|_| Journal::open(&path, &self.plan, &self.machine).unwrap().1);
        (entries, left)
    }
}

#[test]
fn every_process_runs_once_and_its_times_are_kept() {
    let mut stage = stage(&["a", "b"]);
    let (entries, left) = stage.run(usize::MAX);
    assert_eq!(entries.len(), 2 * 2 * 3 * 3);
    assert_eq!(stage.processes.commands.len(), entries.len());
    for entry in &entries {
        assert_eq!(entry.fault, None);
        assert_eq!(entry.times, vec![(entry.cell.bytes * 1_000_000, entry.cell.bytes * 1_000_000); 2]);
        assert_eq!(entry.took, entry.cell.bytes as f64 / 1000.0);
        assert!((entry.stolen - 0.1).abs() < 0.02, "{}", entry.stolen);
    }
    // With every process taking 1 ms per byte, the forecast of the rest is the time that it took.
    let total: f64 = entries.iter().map(|entry| entry.took).sum();
    let mut spent = 0.0;
    assert_eq!(left[0], None, "nothing is known before the first process");
    for (entry, said) in entries.iter().zip(&left) {
        assert!(said.is_none_or(|said| (said.as_secs_f64() - (total - spent)).abs() < 1e-6), "{said:?}");
        spent += entry.took;
    }
}

#[test]
fn an_interrupted_study_goes_on_and_comes_to_the_same() {
    let mut whole = stage(&["a", "b"]);
    let (expected, _) = whole.run(usize::MAX);
    let mut stage = stage(&["a", "b"]);
    assert_eq!(stage.run(7).0.len(), 7);
    // The interruption also cut a line short.
    let path = stage.directory.path().join("journal.jsonl");
    let torn = fs::read_to_string(&path).unwrap() + r#"{"cell":{"row":"a","#;
    fs::write(&path, torn).unwrap();
    assert_eq!(stage.run(5).0.len(), 12);
    let (entries, _) = stage.run(usize::MAX);
    assert_eq!(entries, expected);
    assert_eq!(stage.processes.commands.len(), expected.len(), "no process ran twice");
    let (again, _) = stage.run(usize::MAX);
    assert_eq!(again, expected);
    assert_eq!(stage.processes.commands.len(), expected.len());
}

#[test]
fn another_study_or_machine_does_not_share_the_journal() {
    let mut stage = stage(&["a"]);
    stage.run(2);
    let path = stage.directory.path().join("journal.jsonl");
    let other = Plan { repeats: 9, ..stage.plan.clone() };
    assert!(Journal::open(&path, &other, &stage.machine).unwrap_err().to_string().contains("other arguments"));
    let machine = Machine { processor: "other".into(), ..stage.machine.clone() };
    assert!(Journal::open(&path, &stage.plan, &machine).unwrap_err().to_string().contains("another machine"));
    fs::write(&path, "not a journal\n").unwrap();
    let malformed = Journal::open(&path, &stage.plan, &stage.machine).unwrap_err();
    assert!(matches!(malformed, pfh_bench::Error::Malformed { .. }), "{malformed}");
}

#[test]
fn wrong_digests_and_failures_never_count() {
    let mut stage = stage(&["right", "wrong", "fails"]);
    stage.processes.wrong = Some("wrong");
    let (entries, _) = stage.run(usize::MAX);
    let result = StudyResult::gather(stage.plan.clone(), stage.machine.clone(), &stage.rows, &entries);
    for cell in &result.cells {
        let right = cell.cell.row == "right";
        assert_eq!(cell.mean(Time::Wall).is_some(), right, "{cell:?}");
        assert_eq!(cell.faults.is_empty(), right);
        assert_eq!(cell.faults.iter().any(|fault| fault.contains("in place of")), cell.cell.row == "wrong");
        assert_eq!(cell.faults.iter().any(|fault| fault.contains("no reason")), cell.cell.row == "fails");
    }
    assert!(result.estimate("right", Method::Md5, Time::Wall).is_some());
    assert!(result.estimate("wrong", Method::Md5, Time::Wall).is_none());
    // 1 ms per byte is 2^20 ms per MiB, and nothing per message.
    let line = result.estimate("right", Method::Md5, Time::Wall).unwrap().line;
    assert!((line.b / f64::from(1 << 20) - 1.0).abs() < 1e-9 && line.a.abs() < 1e-6, "{line:?}");
}

#[test]
fn a_result_survives_its_json() {
    let mut stage = stage(&["a"]);
    let (entries, _) = stage.run(usize::MAX);
    let result = StudyResult::gather(stage.plan.clone(), stage.machine.clone(), &stage.rows, &entries);
    let text = serde_json::to_string(&result).unwrap();
    assert_eq!(serde_json::from_str::<StudyResult>(&text).unwrap(), result);
}
