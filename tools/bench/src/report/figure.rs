//! The study's Figures 1 (Linux) and 2 (Windows), time against size, and this machine's times by
//! algorithm, with the fitted lines and their bands.

use super::plot::{Frame, Labels, Ranges, Series, begin, colour, panel, write_text};
use crate::message::Method;
use crate::study::{Program, StudyResult, Time, published};

/// The series of a row and an algorithm; empty when it was not measured or does not count.
fn series(result: &StudyResult, row: usize, method: Method, time: Time) -> Series {
    let name = &result.rows[row].name;
    let points: Vec<(f64, f64)> =
        result.line(name, method).filter_map(|cell| Some((cell.mebibytes(), cell.mean(time)?))).collect();
    let estimate = if points.is_empty() { None } else { result.estimate(name, method, time) };
    let band = estimate.as_ref().map_or(vec![], |estimate| {
        points.iter().map(|&(x, _)| (x, estimate.band(x))).map(|(x, band)| (x, band.low, band.high)).collect()
    });
    Series { colour: colour(row, result.rows.len()), points, line: estimate.map(|estimate| estimate.line), band }
}

fn all(result: &StudyResult, time: Time) -> Vec<(Method, Vec<Series>)> {
    let of = |method| (0..result.rows.len()).map(|row| series(result, row, method, time)).collect();
    result.methods().into_iter().map(|method| (method, of(method))).collect()
}

fn axis(time: Time) -> &'static str {
    match time {
        Time::Wall => "elapsed time in ms",
        Time::Cpu => "CPU time in ms",
    }
}

/// A panel for each column and line, as the study draws them, but with logarithmic axes.
struct Grid<'a> {
    title: &'a str,
    axis: &'a str,
    columns: Vec<String>,
    /// Name, and the series of each column's panel.
    lines: Vec<(String, Vec<Vec<Series>>)>,
}

impl Grid<'_> {
    fn svg(&self) -> String {
        let ranges = Ranges::of(self.lines.iter().flat_map(|(_, panels)| panels.iter().flatten()));
        let (across, down) = (110.0, 100.0);
        let (left, top) = (70.0, 50.0);
        let (columns, lines) = (self.columns.len() as f64, self.lines.len() as f64);
        let (width, height) = (left + columns * (across + 8.0) + 70.0, top + lines * (down + 10.0) + 45.0);
        let mut svg = begin(width, height, self.title);
        for (line, (name, panels)) in self.lines.iter().enumerate() {
            let y = top + line as f64 * (down + 10.0);
            for (column, series) in panels.iter().enumerate() {
                let frame = Frame { left: left + column as f64 * (across + 8.0), top: y, width: across, height: down };
                let title = if line == 0 { self.columns[column].as_str() } else { "" };
                let labels = Labels { title, sizes: line + 1 == self.lines.len(), times: column == 0 };
                panel(&mut svg, frame, ranges, labels, series);
            }
            let right = left + columns * (across + 8.0) + 4.0;
            write_text(&mut svg, right, y + down / 2.0, "start", "font-weight=\"bold\"", name);
        }
        write_text(&mut svg, width / 2.0, height - 10.0, "middle", "", "size of the message in MiB");
        let turned = format!("transform=\"rotate(-90 14 {:.0})\"", height / 2.0);
        write_text(&mut svg, 14.0, height / 2.0, "middle", &turned, self.axis);
        svg + "</svg>\n"
    }
}

/// The printed means of a program of 2014, in grey, with the line through them.
fn printed(program: &Program) -> Series {
    Series { colour: "#888888".to_owned(), points: program.times.clone(), line: Some(program.line()), band: vec![] }
}

/// Figure 1, Linux: each language and algorithm on this machine, and in grey the study's means of
/// 2014 on Linux.
pub fn linux(result: &StudyResult, time: Time) -> String {
    let published = published();
    let then = |row: &str, method: Method| {
        let same = |program: &&Program| {
            let today = program.today().unwrap_or("none");
            program.system == "linux"
                && program.method == method
                && (today == row || today.ends_with('-') && row.starts_with(today))
        };
        published.iter().find(same).map(printed)
    };
    let lines = all(result, time).into_iter().map(|(method, now)| {
        let panels = now.into_iter().zip(&result.rows);
        let panels = panels.map(|(now, row)| then(&row.name, method).into_iter().chain([now]).collect()).collect();
        (method.name().to_owned(), panels)
    });
    let (title, axis) = ("Figure 1: time against size, Linux; grey: 2014", axis(time));
    let columns = result.rows.iter().map(|row| row.name.clone()).collect();
    Grid { title, axis, columns, lines: lines.collect() }.svg()
}

/// Figure 2, Windows: the study's printed means of 2014. Nothing is measured under Windows.
pub fn windows() -> String {
    const LANGUAGES: [&str; 6] = ["c_openssl", "c_wincrypto", "c#", "java", "python", "ruby"];
    let published = published();
    let of = |language: &str, method: Method| {
        let same =
            |program: &&Program| (program.system, program.language, program.method) == ("windows", language, method);
        published.iter().find(same).map(printed).into_iter().collect()
    };
    let lines = Method::ALL[..4]
        .iter()
        .map(|&method| (method.name().to_owned(), LANGUAGES.iter().map(|language| of(language, method)).collect()));
    let title = "Figure 2: time against size, Windows: the printed means of 2014";
    Grid { title, axis: axis(Time::Wall), columns: LANGUAGES.map(str::to_owned).to_vec(), lines: lines.collect() }.svg()
}

/// A panel for each algorithm with all languages in it.
pub fn by_algorithm(result: &StudyResult, time: Time) -> String {
    let all = all(result, time);
    let ranges = Ranges::of(all.iter().flat_map(|(_, series)| series));
    let (across, down, columns) = (360.0, 300.0, 2);
    let (left, top) = (70.0, 40.0);
    let lines = all.len().div_ceil(columns);
    let legend = left + columns as f64 * (across + 30.0);
    let height = (top + lines as f64 * (down + 50.0) + 20.0).max(top + 18.0 * result.rows.len() as f64 + 20.0);
    let width = legend + 190.0;
    let mut svg = begin(width, height, "Time against size, by algorithm");
    for (index, (method, series)) in all.iter().enumerate() {
        let (column, line) = (index % columns, index / columns);
        let frame = Frame {
            left: left + column as f64 * (across + 30.0),
            top: top + line as f64 * (down + 50.0),
            width: across,
            height: down,
        };
        let labels = Labels { title: method.name(), sizes: true, times: column == 0 };
        panel(&mut svg, frame, ranges, labels, series);
    }
    for (row, name) in result.rows.iter().enumerate() {
        let y = top + 18.0 * row as f64 + 8.0;
        svg += &format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{}\"/>\n",
            legend,
            y - 9.0,
            colour(row, result.rows.len())
        );
        write_text(&mut svg, legend + 18.0, y + 1.0, "start", "", &name.label);
    }
    write_text(&mut svg, legend / 2.0, height - 8.0, "middle", "", "size of the message in MiB");
    let turned = format!("transform=\"rotate(-90 14 {:.0})\"", height / 2.0);
    write_text(&mut svg, 14.0, height / 2.0, "middle", &turned, axis(time));
    svg + "</svg>\n"
}
