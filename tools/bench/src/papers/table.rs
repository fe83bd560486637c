//! A table as a measuring script prints it: one JSON object on a line.

use super::bars::Bars;
use crate::markup::escape;
use crate::report::align;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The content of one place of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Cell {
    /// A figure.
    Number(f64),
    /// Words, or figures with a unit.
    Text(String),
    /// Nothing: not measured, or not printed in the paper.
    Nothing(()),
}

impl Cell {
    fn show(&self) -> String {
        match self {
            // Three figures of a time or ratio tell what a shared machine can tell; whole numbers
            // stay whole.
            Cell::Number(number) if number.fract() == 0.0 || number.abs() >= 1000.0 => format!("{number:.0}"),
            Cell::Number(number) if number.abs() >= 100.0 => format!("{number:.1}"),
            Cell::Number(number) => format!("{number:.2}"),
            Cell::Text(text) => text.clone(),
            Cell::Nothing(()) => "–".to_owned(),
        }
    }
}

/// A table of a paper, measured here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Table {
    /// Which table or figure of the paper this is, and of what.
    pub table: String,
    /// Heads of the columns. The first column names the row.
    pub columns: Vec<String>,
    /// Our figures, a row as wide as the heads.
    pub rows: Vec<Vec<Cell>>,
    /// The paper's row beside each of ours, where its figures are known.
    #[serde(default)]
    pub paper: Option<Vec<Option<Vec<Cell>>>>,
    /// How it was measured, and differences from the paper.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Under which conditions it was measured: `cold` or `cached`, the device, the processor.
    #[serde(default)]
    pub conditions: Vec<String>,
    /// Bars to draw.
    #[serde(default)]
    pub bars: Option<Bars>,
}

impl Table {
    /// The tables in the output of a script: every line that begins with a brace is one, other
    /// lines are for people.
    ///
    /// # Errors
    /// The line and its fault.
    pub fn parse(output: &str) -> Result<Vec<Table>, String> {
        let mut tables = Vec::new();
        for (number, line) in output.lines().enumerate().filter(|(_, line)| line.starts_with('{')) {
            let table: Table = serde_json::from_str(line).map_err(|error| format!("line {}: {error}", number + 1))?;
            table.check().map_err(|reason| format!("line {}: {}: {reason}", number + 1, table.table))?;
            tables.push(table);
        }
        if tables.is_empty() { Err("no table in the output".to_owned()) } else { Ok(tables) }
    }

    fn check(&self) -> Result<(), String> {
        let width = self.columns.len();
        let known = self.paper.iter().flatten().flatten();
        if let Some(row) = self.rows.iter().chain(known).find(|row| row.len() != width) {
            return Err(format!("a row of {} cells under {width} heads", row.len()));
        }
        match &self.paper {
            Some(paper) if paper.len() != self.rows.len() => {
                Err(format!("{} rows of the paper for {} of ours", paper.len(), self.rows.len()))
            }
            _ if self.rows.is_empty() || width == 0 => Err("no rows or no columns".to_owned()),
            _ => Ok(()),
        }
    }

    /// Rows with their origin: ours, each followed by the paper's where that is known.
    fn lines(&self) -> impl Iterator<Item = (bool, &Vec<Cell>)> {
        self.rows.iter().enumerate().flat_map(|(index, row)| {
            let paper = self.paper.as_ref().and_then(|paper| paper[index].as_ref());
            std::iter::once((true, row)).chain(paper.map(|row| (false, row)))
        })
    }

    /// Heads and rows as text cells, with a column that says whose figures they are.
    pub fn cells(&self) -> Vec<Vec<String>> {
        let mut rows = vec![self.columns.clone()];
        rows[0].insert(1, "whose".to_owned());
        for (ours, row) in self.lines() {
            let mut cells: Vec<String> = row.iter().map(Cell::show).collect();
            cells.insert(1, if ours { "here" } else { "paper" }.to_owned());
            rows.push(cells);
        }
        rows
    }

    /// The same for people: nothing says whose the figures are if all are in rows of ours.
    fn shown(&self) -> Vec<Vec<String>> {
        let mut rows = self.cells();
        if self.paper.iter().flatten().all(Option::is_none) {
            rows.iter_mut().for_each(|row| drop(row.remove(1)));
        }
        rows
    }

    /// As text.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n{}", self.table, align(&self.shown()));
        for note in &self.notes {
            writeln!(text, "  * {note}").expect("a string takes it");
        }
        text
    }

    /// As HTML.
    pub fn html(&self) -> String {
        let rows = self.shown();
        let row = |cells: &[String], tag: &str| {
            let paper = cells.get(1).is_some_and(|whose| whose == "paper");
            let class = if paper { " class=\"quiet\"" } else { "" };
            let cells: String = cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", escape(cell))).collect();
            format!("<tr{class}>{cells}</tr>\n")
        };
        let mut html = format!("<table><caption>{}</caption>\n{}", escape(&self.table), row(&rows[0], "th"));
        html.extend(rows[1..].iter().map(|cells| row(cells, "td")));
        html += "</table>\n";
        if let Some(bars) = &self.bars {
            writeln!(html, "<figure>{}</figure>", bars.svg(&self.table)).expect("a string takes it");
        }
        if !self.notes.is_empty() {
            let notes: String = self.notes.iter().map(|note| format!("<li>{}</li>", escape(note))).collect();
            writeln!(html, "<ul class=\"quiet\">{notes}</ul>").expect("a string takes it");
        }
        html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"table":"Table I <x>","columns":["hash","s"],"rows":[["md5",1.234],["sha1",null]],
        "paper":[["md5",2],null],"notes":["a & b"]}"#;

    fn table() -> Table {
        Table::parse(&format!("for people\n{}\n", LINE.replace('\n', ""))).unwrap().remove(0)
    }

    #[test]
    fn the_papers_row_stands_below_ours() {
        let text = table().text();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(
            lines[1..5],
            [
                vec!["hash", "whose", "s"],
                vec!["md5", "here", "1.23"],
                vec!["md5", "paper", "2"],
                vec!["sha1", "here", "–"]
            ]
        );
        let alone = Table { paper: None, ..table() }.text();
        assert!(!alone.contains("whose") && alone.contains("1.23"), "{alone}");
    }

    #[test]
    fn nothing_is_taken_as_html() {
        let html = table().html();
        assert!(html.contains("Table I &lt;x&gt;") && html.contains("a &amp; b") && !html.contains("<x>"), "{html}");
    }

    #[test]
    fn tables_that_do_not_fit_are_refused() {
        let bad = |line: &str| Table::parse(line).unwrap_err();
        assert!(bad("nothing here").contains("no table"));
        assert!(bad("{").starts_with("line 1: "));
        assert!(bad(r#"{"table":"a","columns":["x","y"],"rows":[[1]]}"#).contains("1 cells under 2"));
        assert!(
            bad(r#"{"table":"a","columns":["x"],"rows":[[1]],"paper":[null,null]}"#).contains("2 rows of the paper")
        );
        assert!(bad(r#"{"table":"a","columns":["x"],"rows":[]}"#).contains("no rows"));
    }
}
