//! One page of all that the papers print and this machine answers: self-contained, without a
//! script.

use super::items::{By, ITEMS, Item};
use super::table::Judged;
use super::{Repeated, html};
use crate::markup::escape;
use std::fmt::Write;

/// What the page begins with: by this an earlier one is known.
pub const TITLE: &str = "The five papers on this machine";

/// Words stand at the left, not as figures at the right.
const LEFT: &str = "text-align:left";

/// The same on one line: `Table III`.
const LEFT_WHOLE: &str = "text-align:left;white-space:nowrap";

/// The table of an item: theirs, ours and the verdict are in the tables below the list.
fn verdict(item: &Item, repeated: &[Repeated]) -> String {
    let By::Part(name) = item.by else {
        return match item.by {
            By::Nothing(why) => format!("cannot be shown here: {why}"),
            _ => "by a command of its own".to_owned(),
        };
    };
    let Some(part) = repeated.iter().find(|part| part.name == name) else {
        return "not measured yet".to_owned();
    };
    match &part.found {
        Err(why) => format!("cannot be shown here: {why}"),
        Ok(tables) => {
            let words: Vec<&str> =
                tables.iter().filter_map(|table| table.verdict.as_ref()).map(|judged| judged.word.as_str()).collect();
            match () {
                () if words.is_empty() => "measured; the paper prints nothing that can be compared".to_owned(),
                () if words.contains(&Judged::MISSED) => Judged::MISSED.to_owned(),
                () if words.contains(&Judged::REACHED) => Judged::REACHED.to_owned(),
                () => Judged::UNSHOWN.to_owned(),
            }
        }
    }
}

/// The list of all items, and below it every table that was measured.
pub fn body(repeated: &[Repeated]) -> String {
    let mut body = String::from(
        "<p>Every table and figure that the five papers number: what it is, what repeats it, and whether this machine \
         reaches what the paper reports, in proportion: a machine of today is faster throughout, so times relative to \
         the paper's own first row are compared.</p>\n",
    );
    let heads = ["item", "what", "verdict", "command"].map(|head| format!("<th style=\"{LEFT}\">{head}</th>")).concat();
    writeln!(body, "<table><tr>{heads}</tr>").expect("a string takes it");
    let mut paper = "";
    for item in ITEMS {
        if item.paper != paper {
            paper = item.paper;
            writeln!(body, "<tr><th style=\"{LEFT}\" colspan=\"4\">{}</th></tr>", escape(paper))
                .expect("a string takes it");
        }
        let cells = [item.number, item.what, &verdict(item, repeated), &item.command()].map(escape);
        let style = [LEFT_WHOLE, LEFT, LEFT, LEFT];
        let cells: String =
            cells.iter().zip(style).map(|(cell, style)| format!("<td style=\"{style}\">{cell}</td>")).collect();
        writeln!(body, "<tr>{cells}</tr>").expect("a string takes it");
    }
    body += "</table>\n";
    body + &html(repeated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::papers::Table;

    #[test]
    fn each_item_has_a_line_and_a_verdict() {
        let line = r#"{"table":"T","columns":["row","s"],"rows":[["a",1]],
            "verdict":{"word":"missed","why":"MTP: 70% here, 62% in the paper"},
            "bars":{"unit":"s","groups":[{"label":"1 GB","values":[["dd, paper",25.9],["dd, here",2.5]]}]}}"#;
        let found = Ok(Table::parse(&line.replace('\n', "")).unwrap());
        let part =
            Repeated { name: "pfh-III".into(), paper: "P".into(), what: "Table III".into(), command: vec![], found };
        let page = body(&[part]);
        assert_eq!(page.matches("<tr><td").count(), ITEMS.len() + 1, "{page}");
        for word in ["missed", "70% here, 62% in the paper", "<svg", "25.9", "not measured yet", "cannot be shown here"]
        {
            assert!(page.contains(word), "{word}");
        }
        assert!(!page.contains("<script") && !page.contains("http://") || page.contains("www.w3.org/2000/svg"));
    }
}
