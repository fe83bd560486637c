//! One page of all that the papers print and this machine answers: self-contained, without a
//! script.

use super::claims::{self, JudgedClaim};
use super::items::{By, ITEMS, Item};
use super::{PartOutcome, Progress, html};
use crate::markup::escape;
use std::fmt::Write;

/// The title of the page: by this an earlier one is known.
pub const TITLE: &str = "The five papers on this machine";

/// Words stand at the left, not as figures at the right.
const LEFT: &str = "text-align:left";

/// The same on one line: `Table III`.
const LEFT_WHOLE: &str = "text-align:left;white-space:nowrap";

/// An item's claims by verdict, or why there are none.
fn known(item: &Item, repeated: &[PartOutcome], judged: &[JudgedClaim]) -> String {
    if let Some(words) = claims::of_item(item, judged) {
        return words;
    }
    match item.by {
        By::Nothing(why) => format!("cannot be shown here: {why}"),
        By::Drawing(_) => "a drawing without figures".to_owned(),
        By::Command(_) => "by a command of its own".to_owned(),
        By::Part(name) => match repeated.iter().find(|part| part.name == name).map(|part| &part.found) {
            None => "not measured yet".to_owned(),
            Some(Err(why)) => format!("cannot be shown here: {why}"),
            Some(Ok(_)) => "measured; the paper makes no claim of it".to_owned(),
        },
    }
}

/// The peers that are built from source, or stood in for.
const PEERS: &str = "The originals of sdhash and mrsh-v2 are in no distribution: they are built from their authors' \
                     sources (`bench/measure/originals.py`). Languages are compared by least processor time. Debian has no .NET: `bench/runners/install dotnet` \
                     gets the runtime 3.1, else Mono stands for C#. \
                     ppss is replaced by 15 lines of ours that do the same.";

/// The list of all items, the claims, and every table that was measured.
///
/// `measured` states the machine, the corpus and the rounds.
pub fn body(repeated: &[PartOutcome], judged: &[JudgedClaim], progress: Progress, measured: &str) -> String {
    let Progress { done, of } = progress;
    let state =
        if done == of { format!("All {of} parts were run") } else { format!("{done} of {of} parts were run so far") };
    let mut body = format!(
        "<p>{state}. Every table and figure that the five papers number: what it is, what repeats it, and how many of \
         its claims hold on this machine. A claim compares rows of one kind that were measured in turns; it is not \
         decided while one of them is missing.</p>\n<p>{}.</p>\n<p>{PEERS}</p>\n",
        escape(measured)
    );
    let heads = ["item", "what", "claims", "command"].map(|head| format!("<th style=\"{LEFT}\">{head}</th>")).concat();
    writeln!(body, "<table><tr>{heads}</tr>").expect("a string takes it");
    let mut paper = "";
    for item in ITEMS {
        if item.paper != paper {
            paper = item.paper;
            writeln!(body, "<tr><th style=\"{LEFT}\" colspan=\"4\">{}</th></tr>", escape(paper))
                .expect("a string takes it");
        }
        let cells = [item.number, item.what, &known(item, repeated, judged), &item.command()].map(escape);
        let style = [LEFT_WHOLE, LEFT, LEFT, LEFT];
        let cells: String =
            cells.iter().zip(style).map(|(cell, style)| format!("<td style=\"{style}\">{cell}</td>")).collect();
        writeln!(body, "<tr class=\"item\">{cells}</tr>").expect("a string takes it");
    }
    body += "</table>\n";
    body += &claims::html(judged);
    body + &html(repeated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::Table;
    use crate::papers::claims::{Evidence, judge};

    #[test]
    fn each_item_and_each_claim_has_a_line() {
        let line = r#"{"table":"pfh Table III: T","columns":["row","here, s"],"rows":[["original",2],["SMT",1.5],["MTP",1]],
            "bars":{"unit":"s","groups":[{"label":"1 GB","values":[["dd, paper",25.9],["dd, here",2.5]]}]}}"#;
        let found = Ok(Table::parse(&line.replace('\n', "")).unwrap());
        let part =
            PartOutcome { name: "pfh-III".into(), paper: "P".into(), what: "Table III".into(), command: vec![], found };
        let parts = [part];
        let judged = judge(&Evidence { repeated: &parts, study: None, plain: None });
        let page = body(&parts, &judged, Progress { done: 1, of: 16 }, "Measured on <this>");
        assert!(page.contains("Measured on &lt;this&gt;"), "{page}");
        assert_eq!(page.matches("<tr class=\"item\"").count(), ITEMS.len(), "{page}");
        assert_eq!(page.matches("<tr class=\"claim\"").count(), judged.len(), "{page}");
        for word in ["1 of 16 parts", "MTP / original: 50 %", "<svg", "25.9", "not measured yet", "a drawing without"] {
            assert!(page.contains(word), "{word}");
        }
        assert!(!page.contains("<script") && !page.contains("http://") || page.contains("www.w3.org/2000/svg"));
    }
}
