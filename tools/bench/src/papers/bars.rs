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
    /// What they have in common.
    pub label: String,
    /// Each bar's name, and its length where it is known.
    pub values: Vec<(String, Option<f64>)>,
}

const COLOURS: [&str; 6] = ["#9aa7b5", "#4c6a8a", "#e0b083", "#c2632a", "#8fbf8f", "#3d7a3d"];
/// Where the bars stand, in pixels.
const LEFT: f64 = 30.0;
const TOP: f64 = 30.0;
const HEIGHT: f64 = 220.0;

impl Bars {
    /// The picture. Each group has a scale of its own, because sizes and machines differ by orders
    /// of magnitude; every bar's value stands above it.
    pub fn svg(&self, title: &str) -> String {
        let (bar, gap) = (46.0, 34.0);
        let wide = |group: &Group| group.values.len() as f64 * bar + gap;
        let width = LEFT + self.groups.iter().map(wide).sum::<f64>();
        let names: Vec<&String> =
            self.groups.iter().flat_map(|group| group.values.iter().map(|(name, _)| name)).collect();
        let mut kinds: Vec<&String> = Vec::new();
        names.into_iter().for_each(|name| {
            if !kinds.contains(&name) {
                kinds.push(name)
            }
        });
        let bottom = TOP + HEIGHT;
        let height = bottom + 40.0 + kinds.len() as f64 * 16.0;
        let mut svg = crate::report::begin_picture(width.max(420.0), height, title);
        let mut left = LEFT;
        for group in &self.groups {
            let most = group.values.iter().filter_map(|(_, value)| *value).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
            for (number, (name, value)) in group.values.iter().enumerate() {
                let (x, Some(value)) = (left + number as f64 * bar, value) else { continue };
                let tall = value / most * (HEIGHT - 20.0);
                let kind = kinds.iter().position(|kind| *kind == name).unwrap_or(0);
                let (colour, y) = (COLOURS[kind % COLOURS.len()], bottom - tall);
                let wide = bar - 6.0;
                let shown = if *value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") };
                write!(
                    svg,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{tall:.1}\" fill=\"{colour}\"/>\n\
                     <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#222222\">{shown}</text>\n",
                    x + wide / 2.0,
                    y - 4.0
                )
                .expect("a string takes it");
            }
            let middle = left + group.values.len() as f64 * bar / 2.0;
            let label = escape(&group.label);
            let y = bottom + 16.0;
            writeln!(
                svg,
                "<text x=\"{middle:.1}\" y=\"{y:.1}\" text-anchor=\"middle\" fill=\"#222222\">{label}</text>"
            )
            .expect("a string takes it");
            left += wide(group);
        }
        for (number, kind) in kinds.iter().enumerate() {
            let y = bottom + 36.0 + number as f64 * 16.0;
            let colour = COLOURS[number % COLOURS.len()];
            let label = escape(&format!("{kind}, {}", self.unit));
            write!(
                svg,
                "<rect x=\"{LEFT}\" y=\"{:.1}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>\n\
                 <text x=\"{:.1}\" y=\"{y:.1}\" fill=\"#222222\">{label}</text>\n",
                y - 9.0,
                LEFT + 16.0
            )
            .expect("a string takes it");
        }
        svg + "</svg>\n"
    }
}
