//! Bars beside one another, in groups: theirs and ours, as SVG.

use crate::markup::escape;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Bars of one table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Bars {
    /// The unit.
    pub unit: String,
    /// Groups of bars, from left to right.
    pub groups: Vec<Group>,
}

/// Bars that stand together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// The name that its bars share.
    pub label: String,
    /// Each bar's name, and its length where it is known.
    pub values: Vec<(String, Option<f64>)>,
}

const COLOURS: [&str; 10] =
    ["#9aa7b5", "#4c6a8a", "#e0b083", "#c2632a", "#8fbf8f", "#3d7a3d", "#b79ac8", "#6b3f86", "#d6c35a", "#7a6f1d"];
/// Where the bars stand, in pixels.
const LEFT: f64 = 60.0;
const TOP: f64 = 30.0;
const HEIGHT: f64 = 240.0;
/// The whole picture fits on the page without scrolling sideways.
const WIDTH: f64 = 1040.0;
const GAP: f64 = 24.0;
const WIDEST: f64 = 46.0;

impl Bars {
    /// The picture: all groups on one scale that begins at 0, with an axis; every bar's value
    /// stands above it.
    pub fn svg(&self, title: &str) -> String {
        let count: usize = self.groups.iter().map(|group| group.values.len()).sum();
        let gaps = self.groups.len() as f64 * GAP;
        let bar = ((WIDTH - LEFT - gaps) / count.max(1) as f64).min(WIDEST);
        let width = (LEFT + gaps + bar * count as f64).max(420.0);
        let kinds = self.kinds();
        let bottom = TOP + HEIGHT;
        let height = bottom + 40.0 + kinds.len() as f64 * 16.0;
        let mut svg = crate::report::begin_picture(width, height, title);
        let mut draw = |args: std::fmt::Arguments| writeln!(svg, "{args}").expect("a string takes it");

        let values = self.groups.iter().flat_map(|group| group.values.iter().filter_map(|(_, value)| *value));
        let most = values.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
        let step = step(most);
        let top = (most / step).ceil() * step;
        let tall = |value: f64| value / top * (HEIGHT - 20.0);
        for mark in 0..=(top / step).round() as u32 {
            let value = f64::from(mark) * step;
            let (y, right) = (bottom - tall(value), width - 4.0);
            draw(format_args!(
                "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>"
            ));
            draw(format_args!(
                "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\" fill=\"#222222\">{}</text>",
                LEFT - 6.0,
                y + 4.0,
                shown(value)
            ));
        }
        let unit = escape(&self.unit);
        draw(format_args!("<text x=\"{:.1}\" y=\"16\" text-anchor=\"end\" fill=\"#222222\">{unit}</text>", LEFT - 6.0));
        draw(format_args!("<line x1=\"{LEFT}\" y1=\"{TOP}\" x2=\"{LEFT}\" y2=\"{bottom}\" stroke=\"#888888\"/>"));

        let small = if bar < 30.0 { " font-size=\"8\"" } else { "" };
        let mut left = LEFT + GAP / 2.0;
        for group in &self.groups {
            for (number, (name, value)) in group.values.iter().enumerate() {
                let (x, Some(value)) = (left + number as f64 * bar, value) else { continue };
                let (tall, wide) = (tall(*value), (bar - 4.0).max(1.0));
                let kind = kinds.iter().position(|kind| *kind == name).unwrap_or(0);
                let (colour, y) = (COLOURS[kind % COLOURS.len()], bottom - tall);
                draw(format_args!(
                    "<rect class=\"bar\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{tall:.1}\" fill=\"{colour}\"/>\n\
                     <text{small} x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#222222\">{}</text>",
                    x + wide / 2.0,
                    y - 4.0,
                    shown(*value)
                ));
            }
            let middle = left + group.values.len() as f64 * bar / 2.0;
            let (label, y) = (escape(&group.label), bottom + 16.0);
            draw(format_args!(
                "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"#222222\">{label}</text>"
            ));
            left += group.values.len() as f64 * bar + GAP;
        }
        for (number, kind) in kinds.iter().enumerate() {
            let y = bottom + 36.0 + number as f64 * 16.0;
            let (colour, label) = (COLOURS[number % COLOURS.len()], escape(kind));
            draw(format_args!(
                "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>\n\
                 <text x=\"{:.1}\" y=\"{y:.1}\" fill=\"#222222\">{label}</text>",
                y - 9.0,
                LEFT + 16.0
            ));
        }
        svg + "</svg>\n"
    }

    /// The names of the bars, each once.
    fn kinds(&self) -> Vec<&String> {
        let mut kinds: Vec<&String> = Vec::new();
        for (name, _) in self.groups.iter().flat_map(|group| &group.values) {
            if !kinds.contains(&name) {
                kinds.push(name);
            }
        }
        kinds
    }
}

fn shown(value: f64) -> String {
    if value >= 100.0 || value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// The distance of an axis's marks: 1, 2 or 5 times a power of ten, so that there are about five.
fn step(most: f64) -> f64 {
    let power = 10_f64.powf((most / 5.0).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|step| most / step <= 5.0).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heights(svg: &str) -> Vec<f64> {
        let bars = svg.split("<rect class=\"bar\"").skip(1);
        bars.map(|bar| bar.split("height=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap()).collect()
    }

    /// The cloner's times of 1 and of 20 GB: 25.9 and 571.5 s are not equally tall.
    #[test]
    fn all_groups_have_one_scale_and_an_axis() {
        let group = |label: &str, value| Group { label: label.into(), values: vec![("dd".into(), Some(value))] };
        let bars = Bars { unit: "s".into(), groups: vec![group("1024 MB", 25.8861), group("20480 MB", 571.5106)] };
        let svg = bars.svg("Figure 2");
        let tall = heights(&svg);
        assert!((tall[1] / tall[0] - 571.5106 / 25.8861).abs() < 0.1, "{tall:?}");
        assert!(svg.matches("class=\"axis\"").count() >= 4 && svg.contains(">600<") && svg.contains(">0<"), "{svg}");
    }

    #[test]
    fn many_bars_fit_on_the_page() {
        let values: Vec<(String, Option<f64>)> = (0..60).map(|n| (format!("{n}"), Some(f64::from(n)))).collect();
        let svg = Bars { unit: "s".into(), groups: vec![Group { label: "l".into(), values }] }.svg("wide");
        let width: f64 = svg.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(width <= WIDTH, "{width}");
    }

    #[test]
    fn marks_are_round() {
        assert_eq!([571.0, 1.9, 0.7, 5.2, 95.0].map(step), [200.0, 0.5, 0.2, 2.0, 20.0]);
    }
}
