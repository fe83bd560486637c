//! The source's own facts beside its bytes: hidden areas, and its S.M.A.R.T. values by `smartctl`,
//! before the first byte is read and behind the last.

use super::entry::{AskTime, Entry, Smart};
use super::hidden::HiddenRow;
use super::log::Logs;
use super::problem::log_failed;
use super::{Event, Events, send};
use crate::job::Error;
use pfh_digest::hex;
use pfh_source::device::Medium;
use pfh_source::device::hidden::HiddenParts;
use pfh_source::terminal::shown;
use serde_json::{Map, Value};
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// How long smartctl may take: a dying disk may never answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Longest report that is kept, in bytes; usual ones have 10 to 60 KB.
const MOST: u64 = 1 << 20;

/// Enters the hidden parts of the disk, and gives them.
pub(super) fn hidden(logs: &mut Logs, medium: &Medium, events: &mut Events<'_>) -> Result<Option<HiddenParts>, Error> {
    let Some(found) = medium.hidden() else { return Ok(None) };
    for (name, text) in found.lines() {
        logs.line(&format!("{name}: {text}"))?;
    }
    if found.hides() {
        send(events, Event::Hidden(&found))?;
    }
    logs.record(&Entry::Hidden(HiddenRow::from(&found)))?;
    Ok(Some(found))
}

/// The main facts of a report of smartctl, by their names in the log; an absent one is not stated.
fn facts(report: &Value) -> Map<String, Value> {
    let attribute = |id: u64| {
        let table = report["ata_smart_attributes"]["table"].as_array();
        let row = table.into_iter().flatten().find(|row| row["id"].as_u64() == Some(id));
        row.map_or(Value::Null, |row| row["raw"]["value"].clone())
    };
    let nvme = &report["nvme_smart_health_information_log"];
    let all = [
        ("model", report["model_name"].clone()),
        ("serial", report["serial_number"].clone()),
        ("firmware", report["firmware_version"].clone()),
        ("passed", report["smart_status"]["passed"].clone()),
        ("power-on-hours", report["power_on_time"]["hours"].clone()),
        ("temperature", report["temperature"]["current"].clone()),
        ("reallocated-sectors", attribute(5)),
        ("pending-sectors", attribute(197)),
        ("uncorrectable-sectors", attribute(198)),
        ("interface-errors", attribute(199)),
        ("media-errors", nvme["media_errors"].clone()),
        ("percentage-used", nvme["percentage_used"].clone()),
    ];
    all.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Asks smartctl for its report in JSON: the text and the exit status (bits: smartctl(8)).
fn report(device: &Path) -> Result<(String, i32), String> {
    let mut command = Command::new("smartctl");
    command.args(["--json", "-a"]).arg(device).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => "smartctl is not installed".to_owned(),
        _ => format!("smartctl: {error}"),
    })?;
    let Some(output) = child.stdout.take() else { return Err("smartctl: no pipe".to_owned()) };
    let reader = std::thread::spawn(move || {
        pfh_source::fail_point("health");
        let mut bytes = Vec::new();
        output.take(MOST).read_to_end(&mut bytes).map(|_| bytes)
    });
    let Some(status) = ended(&mut child) else {
        return Err(format!("smartctl did not end within {} s", PATIENCE.as_secs()));
    };
    let bytes = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let text = bytes.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    Ok((text.ok_or_else(|| "smartctl: its report cannot be read".to_owned())?, status))
}

/// The status of a program that ends in time; one that does not is killed.
fn ended(child: &mut Child) -> Option<i32> {
    let from = Instant::now();
    while from.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.code().unwrap_or(-1)),
            Ok(None) => std::thread::sleep(Duration::from_millis(10)),
            Err(_) => break,
        }
    }
    // Not waited for: in a call to a dead disk it ends when the kernel lets it.
    let _ = child.kill();
    None
}

/// Enters the S.M.A.R.T. values of a device, and gives their main facts.
pub(super) fn smart(logs: &mut Logs, device: &Path, when: AskTime) -> Result<Map<String, Value>, Error> {
    let word = when.word();
    let not_read = |logs: &mut Logs, cause: &str| {
        logs.line(&format!("S.M.A.R.T. {word}: not read: {cause}"))?;
        logs.record(&Entry::Smart(Smart { cause: Some(cause), ..Smart::new(when) }))?;
        Ok(Map::new())
    };
    let (text, status) = match report(device) {
        Ok(found) => found,
        Err(cause) => return not_read(logs, &cause),
    };
    let Ok(Value::Object(parsed)) = serde_json::from_str::<Value>(&text) else {
        return not_read(logs, "smartctl's report is not JSON");
    };
    let found = facts(&Value::Object(parsed.clone()));
    let sha256 = super::line_digest(text.as_bytes()).map(|digest| hex::encode(&digest)).map_err(log_failed)?;
    if found.is_empty() {
        // The device has none: smartctl's own words say why.
        let said = parsed.get("smartctl").and_then(|own| own["messages"][0]["string"].as_str());
        let cause = format!("smartctl: {}", said.unwrap_or("the report states nothing of the device"));
        return not_read(logs, &shown(Path::new(&cause)));
    }
    let words: Vec<String> = found.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect();
    logs.line(&format!("S.M.A.R.T. {word}: {}; smartctl's report: sha256 {sha256}", words.join(", ")))?;
    logs.record(&Entry::Smart(Smart {
        facts: Some(&found),
        report: Some(&text),
        sha256: Some(&sha256),
        status: Some(status),
        ..Smart::new(when)
    }))?;
    Ok(found)
}

/// A value as the log for people has it.
fn plain(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    shown(Path::new(&text))
}

/// Enters which values are others than before.
pub(super) fn changed(
    logs: &mut Logs,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    events: &mut Events<'_>,
) -> Result<(), Error> {
    let is_other = |(name, value): &(&String, &Value)| before.get(*name).is_some_and(|old| old != *value);
    // It is warmer behind hours of reading, and older: neither says that it is dying.
    let counts = |name: &str| !["temperature", "power-on-hours"].contains(&name);
    for (name, value) in after.iter().filter(is_other).filter(|(name, _)| counts(name)) {
        let what = format!("S.M.A.R.T.: {name} was {} before and is {} now", plain(&before[name]), plain(value));
        send(events, Event::Remark(&what))?;
        logs.line(&what)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_main_facts_of_a_report_are_found() {
        let ata = json!({ "model_name": "M", "smart_status": { "passed": false }, "power_on_time": { "hours": 7 },
            "ata_smart_attributes": { "table": [ { "id": 5, "raw": { "value": 8 } }, { "id": 9, "raw": { "value": 1 } } ] } });
        let found = facts(&ata);
        assert_eq!(found["reallocated-sectors"], 8);
        assert_eq!((found["passed"].clone(), found.len()), (Value::Bool(false), 4));
        let nvme = json!({ "nvme_smart_health_information_log": { "media_errors": 3, "percentage_used": 12 } });
        assert_eq!(facts(&nvme)["media-errors"], 3);
        assert!(facts(&json!({ "smartctl": { "exit_status": 1 } })).is_empty());
    }
}
