//! A page that stays open in Chromium, and is asked through the browser's own protocol for
//! debuggers.

use crate::Browser;
use serde_json::{Value, json};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

/// The browser may take long for an answer on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A page that stays open until it is dropped.
pub struct Tab {
    child: Child,
    asks: File,
    answers: Receiver<Value>,
    session: String,
    asked: u64,
}

impl Browser {
    /// Opens an address, and keeps it open.
    ///
    /// # Panics
    /// When the browser does not start.
    pub fn stay(&self, address: &str) -> Tab {
        let (asks, answers) = (self.profile().join("asks"), self.profile().join("answers"));
        let made = Command::new("mkfifo").args([&asks, &answers]).status().expect("mkfifo(1)");
        assert!(made.success());
        let mut command = Command::new("sh");
        command.args(["-c", "exec \"$@\" 3<\"$ASKS\" 4>\"$ANSWERS\"", "sh"]);
        command.args(self.words()).arg("--remote-debugging-pipe").arg("about:blank");
        command.env("ASKS", &asks).env("ANSWERS", &answers).stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("sh(1)");
        // Both ends of a FIFO wait for each other.
        let asks = OpenOptions::new().write(true).open(&asks).expect("the browser's end");
        let answers = BufReader::new(File::open(&answers).expect("the browser's end"));
        let (sender, receiver) = channel();
        thread::spawn(move || {
            for message in answers.split(0) {
                let Some(message) = message.ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()) else { return };
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut tab = Tab { child, asks, answers: receiver, session: String::new(), asked: 0 };
        let target = tab.ask("Target.createTarget", &json!({ "url": address }))["targetId"].clone();
        let session = tab.ask("Target.attachToTarget", &json!({ "targetId": target, "flatten": true }));
        tab.session = session["sessionId"].as_str().expect("a session").to_owned();
        tab
    }
}

impl Tab {
    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": parameters });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.asks.write_all(format!("{message}\0").as_bytes()).expect("the browser listens");
        loop {
            let answer = self.answers.recv_timeout(PATIENCE).expect("the browser answers");
            if answer["id"] == self.asked {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
        }
    }

    /// The value of an expression in the page.
    ///
    /// # Panics
    /// When the browser does not answer.
    pub fn value(&mut self, expression: &str) -> Value {
        self.ask("Runtime.evaluate", &json!({ "expression": expression, "returnByValue": true }))["result"]["value"]
            .clone()
    }

    /// The rules of axe that the page breaks for readers with a keyboard alone, a screen reader or
    /// weak sight, with the first place of each. `axe.min.js` of the package axe-core is on the
    /// path.
    ///
    /// # Panics
    /// When it is not, or does not come to an end.
    pub fn barriers(&mut self) -> Vec<String> {
        let found = Command::new("sh").args(["-c", "cat \"$(command -v axe.min.js)\""]).output().expect("sh(1)");
        assert!(found.status.success(), "axe.min.js is on the path");
        self.text_when(|text| !text.is_empty()).expect("a page");
        self.value(&String::from_utf8(found.stdout).expect("a script"));
        let first = "v.id + ' (' + v.impact + '): ' + v.nodes[0].target.join(' ')";
        self.value(&format!("axe.run().then(r => {{ window.barriers = r.violations.map(v => {first}) }}); 0"));
        let end = Instant::now() + PATIENCE;
        loop {
            if let Value::Array(barriers) = self.value("window.barriers") {
                return barriers.iter().map(|barrier| barrier.as_str().unwrap_or_default().to_owned()).collect();
            }
            assert!(Instant::now() < end, "axe does not end");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The text of the page, once it fulfils a condition; the last text if it never does.
    ///
    /// # Errors
    /// The text of the page after a minute.
    ///
    /// # Panics
    /// When the browser does not answer.
    pub fn text_when(&mut self, is_so: impl Fn(&str) -> bool) -> Result<String, String> {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let text = self.value("document.body ? document.body.innerText : ''");
            let text = text.as_str().unwrap_or_default().to_owned();
            match (is_so(&text), Instant::now() < end) {
                (true, _) => return Ok(text),
                (false, true) => thread::sleep(Duration::from_millis(100)),
                (false, false) => return Err(text),
            }
        }
    }
}

impl Drop for Tab {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
