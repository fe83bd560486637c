//! The heat map: MB/s by language and algorithm.

use super::plot::{begin, write_text};
use super::table::megabytes_per_second;
use crate::study::{StudyResult, Time};

/// Every language and algorithm with its MB/s (10^6 bytes) on the longest message; the darker, the
/// faster, on a logarithmic scale.
pub fn heat_map(result: &StudyResult, time: Time) -> String {
    let methods = result.methods();
    let speed = |row: &str, method| result.cost(row, method, time).map(|(cost, _)| megabytes_per_second(cost));
    let speeds: Vec<Vec<Option<f64>>> =
        result.rows.iter().map(|row| methods.iter().map(|&method| speed(&row.name, method)).collect()).collect();
    let known: Vec<f64> = speeds.iter().flatten().flatten().copied().collect();
    let (low, high) = (known.iter().copied().fold(f64::MAX, f64::min), known.iter().copied().fold(1.0, f64::max));
    let (left, top, across, down) = (180.0, 40.0, 84.0, 26.0);
    let (width, height) = (left + across * methods.len() as f64 + 10.0, top + down * result.rows.len() as f64 + 10.0);
    let mut svg = begin(width, height, "MB/s by language and algorithm");
    for (column, method) in methods.iter().enumerate() {
        let x = left + across * (column as f64 + 0.5);
        write_text(&mut svg, x, top - 10.0, "middle", "font-weight=\"bold\"", method.name());
    }
    for (line, (row, speeds)) in result.rows.iter().zip(&speeds).enumerate() {
        let y = top + down * line as f64;
        write_text(&mut svg, left - 8.0, y + 17.0, "end", "", &row.label);
        for (column, speed) in speeds.iter().enumerate() {
            let x = left + across * column as f64;
            let part = speed.map_or(0.0, |v| if high > low { (v / low).ln() / (high / low).ln() } else { 1.0 });
            let fill = match speed {
                Some(_) => format!("hsl(215, 70%, {:.0}%)", 95.0 - 60.0 * part),
                None => "#f4f4f4".to_owned(),
            };
            svg += &format!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{fill}\"/>\n",
                across - 2.0,
                down - 2.0
            );
            let ink = if part > 0.55 { "#ffffff" } else { "#222222" };
            let text = speed.map_or("-".to_owned(), |v| format!("{v:.0}"));
            svg += &format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{ink}\">{text}</text>\n",
                x + across / 2.0 - 1.0,
                y + 16.0
            );
        }
    }
    svg + "</svg>\n"
}
