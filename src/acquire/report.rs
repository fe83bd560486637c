//! What came of an acquisition, as text and as JSON.

use super::{Compared, Stamped, Summary, health, sectors};
use crate::shown;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

impl Summary {
    /// The targets with how they compare.
    fn targets(&self) -> impl Iterator<Item = (&PathBuf, Option<&Compared>)> {
        self.targets.iter().enumerate().map(|(at, path)| (path, self.compared.get(at)))
    }

    /// Lines for people.
    pub fn text(&self) -> String {
        let imaged = &self.imaged;
        let seconds = imaged.times.total.as_secs_f64();
        let source = self.source.as_deref().map_or_else(|| "a pattern".into(), shown);
        let rate = imaged.bytes as f64 / 1e6 / seconds.max(1e-9);
        let read = imaged.bytes - imaged.padded;
        let mut text = format!("{read} bytes of {source} in {seconds:.2} s, {rate:.1} MB/s\n");
        if imaged.padded > 0 {
            let what = "zero bytes to whole sectors: the digests are those of the padded image";
            text += &format!("padded with {} {what}\n", imaged.padded);
        }
        for digest in &imaged.digests {
            text += &format!("{} {digest}\n", digest.algorithm());
        }
        for bad in &imaged.bad {
            text += &format!("unreadable: {}\n", sectors::lost(bad, self.from, self.sector));
        }
        if !imaged.bad.is_empty() {
            let bytes: u64 = imaged.bad.iter().map(|b| b.length).sum();
            let what = "bytes were unreadable and are filled in; the digests are those of the filled image";
            text += &format!("{bytes} {what}\n");
        }
        if let Some(hidden) = &self.hidden {
            for (name, what) in hidden.lines() {
                text += &format!("{name}: {what}\n");
            }
        }
        for lost in &self.lost {
            text += &format!("{}: NOT COMPLETE: {}\n", shown(&lost.path), lost.cause);
        }
        if !self.lost.is_empty() {
            let whole: Vec<String> = self.targets.iter().map(|path| shown(path)).collect();
            text += &format!("complete: {}\n", whole.join(", "));
        }
        match &self.stamped {
            Some(Ok(stamped)) => {
                text += &format!("time stamp {}: {}\n", stamped.stamp.time, shown(&stamped.path));
            }
            Some(Err(_)) => text += "no time stamp\n",
            None => {}
        }
        for (path, compared) in self.targets().filter_map(|(path, compared)| Some((path, compared?))) {
            let verified = if compared.is_good() { "verified, " } else { "" };
            text += &format!("{}: {verified}{}\n", shown(path), compared.word());
        }
        text
    }

    /// One JSON object and a line feed.
    pub fn json(&self) -> String {
        let imaged = &self.imaged;
        let digests: Map<String, Value> =
            imaged.digests.iter().map(|d| (d.algorithm().to_string(), d.to_string().into())).collect();
        let bad = imaged.bad.iter().map(|b| {
            let at = self.from + b.offset;
            json!({ "offset": b.offset, "length": b.length, "errno": b.errno, "cause": b.cause(),
                "medium-offset": at, "sector": at / u64::from(self.sector) })
        });
        let targets = self.targets().map(|(path, compared)| {
            json!({ "path": shown(path), "verified": compared.map(Compared::is_good),
                "differing": compared.map(|c| &c.differing) })
        });
        let stamped = self.stamped.as_ref().map(|stamped| match stamped {
            Ok(Stamped { path, stamp, .. }) => json!({ "path": shown(path), "time": stamp.time, "serial": stamp.serial,
                "policy": stamp.policy, "cause": null }),
            Err(cause) => json!({ "path": null, "time": null, "serial": null, "policy": null, "cause": cause }),
        });
        let value = json!({
            "bytes": imaged.bytes, "padded": imaged.padded, "digests": digests, "unreadable": bad.collect::<Vec<_>>(),
            "retried": imaged.retried, "sector": self.sector, "targets": targets.collect::<Vec<_>>(),
            "seconds": imaged.times.total.as_secs_f64(), "log": self.log.as_deref().map(shown),
            "lost": self.lost.iter().map(|lost| json!({ "path": shown(&lost.path), "cause": lost.cause }))
                .collect::<Vec<_>>(),
            "timestamp": stamped, "hidden": self.hidden.as_ref().map(health::to_json),
            "smart": { "before": self.smart[0], "after": self.smart[1] },
        });
        format!("{value}\n")
    }
}
