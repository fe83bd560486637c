//! Pairs by all methods at once: a table for people, CSV, and JSON lines.

use super::Format;
pub use crate::facts::RelationFacts;
use crate::rows;
use pfh_manifest::csv;
use pfh_manifest::row::append_line;
use pfh_similarity::Evidence;
use pfh_source::terminal;
use std::fmt::Write;

/// Writes the header, where the form has one.
pub fn head(form: Format, out: &mut Vec<u8>) {
    match form {
        Format::Text => {
            out.extend_from_slice(b"relation     score    shared  a in b  b in a  a\tb\n");
        }
        Format::Csv => csv::record(
            out,
            &[
                "a",
                "b",
                "relation",
                "score",
                "shared_bytes",
                "a_in_b",
                "b_in_a",
                "resemblance",
                "ssdeep",
                "sdhash",
                "mrsh_v2",
                "tlsh",
                "strings",
                "text",
                "cells",
                "pdq",
                "crops",
                "once_in",
                "rarer",
                "degenerate",
                "a_b64",
                "b_b64",
            ],
        ),
        Format::Jsonl | Format::Values => {}
    }
}

/// Writes a pair. A method that has no digest of one of them has no number: in the table a line.
pub fn row(form: Format, out: &mut Vec<u8>, row: &RelationFacts<'_>) {
    let [a_in_b, b_in_a] = [0, 1].map(|i| row.contained.map(|contained| u64::from(contained[i])));
    let resemblance = Evidence { contained: row.contained, ..Evidence::default() }.resemblance().map(u64::from);
    let once_in = row.chance.map(|chance| chance.once_in);
    let scores = [row.ssdeep, row.sdhash, row.mrsh_v2, row.tlsh, row.strings, row.text, row.cells, row.pdq, row.crops];
    let [ssdeep, sdhash, mrsh_v2, tlsh, strings, text_score, cells, pdq, crops] =
        scores.map(|score| score.map(u64::from));
    match form {
        Format::Text | Format::Values => {
            // Columns that fit 80 with short names; the methods' own scores stand below.
            let [a, b] = [row.a, row.b].map(terminal::render);
            let shared = row.shared_bytes.map_or_else(|| "-".into(), crate::size_text);
            let [in_b, in_a] =
                [a_in_b, b_in_a].map(|share| share.map_or_else(|| "-".into(), |share| format!("{share} %")));
            let (relation, score) = (row.relation, row.score);
            let mut text = format!("{relation:<12} {score:>5}  {shared:>8}  {in_b:>6}  {in_a:>6}  {a}\t{b}\n");
            let methods = ["ssdeep", "sdhash", "mrsh-v2", "tlsh", "strings", "text", "cells", "pdq", "crops"];
            let scores =
                methods.into_iter().zip([ssdeep, sdhash, mrsh_v2, tlsh, strings, text_score, cells, pdq, crops]);
            let mut below: Vec<String> =
                scores.filter_map(|(name, score)| Some(format!("{name} {}", score?))).collect();
            let more = if row.chance.is_some_and(|chance| chance.is_bound) { ">" } else { "" };
            below.extend(once_in.map(|once_in| format!("once in {more}{once_in}")));
            below.extend(row.degenerate.map(|why| why.to_string()));
            if !below.is_empty() {
                let _ = writeln!(text, "{:13}{}", "", below.join(", "));
            }
            out.extend_from_slice(text.as_bytes());
        }
        Format::Csv => {
            let (a, a_exact) = csv::path(row.a);
            let (b, b_exact) = csv::path(row.b);
            let number = |number: Option<u64>| number.map_or_else(String::new, |number| number.to_string());
            let numbers = [
                row.shared_bytes,
                a_in_b,
                b_in_a,
                resemblance,
                ssdeep,
                sdhash,
                mrsh_v2,
                tlsh,
                strings,
                text_score,
                cells,
                pdq,
                crops,
                once_in,
            ]
            .map(number);
            let score = row.score.to_string();
            let degenerate = row.degenerate.map_or_else(String::new, |why| why.to_string());
            let mut fields: Vec<&str> = vec![&a, &b, row.relation, &score];
            fields.extend(numbers.iter().map(String::as_str));
            fields.extend([super::rarer(row.chance), &*degenerate, &a_exact, &b_exact]);
            csv::record(out, &fields);
        }
        Format::Jsonl => append_line(out, &rows::RelatedRow::of(row)),
    }
}
