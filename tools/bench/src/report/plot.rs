//! Panels with two logarithmic axes, as SVG.

use crate::markup::escape;
use crate::statistics::Line;
use std::fmt::Write;

/// The curve of one row of the study.
pub struct Series {
    /// CSS colour.
    pub colour: String,
    /// Size in MiB and time in milliseconds.
    pub points: Vec<(f64, f64)>,
    /// The fitted line.
    pub line: Option<Line>,
    /// For each size the interval of the line.
    pub band: Vec<(f64, f64, f64)>,
}

/// The ranges of both axes; positive numbers.
#[derive(Clone, Copy)]
pub struct Ranges {
    /// MiB.
    pub x: (f64, f64),
    /// Milliseconds.
    pub y: (f64, f64),
}

impl Ranges {
    /// Ranges that hold all points of all series, a little wider.
    pub fn of<'a>(series: impl Iterator<Item = &'a Series>) -> Ranges {
        let mut ranges = Ranges { x: (f64::MAX, 0.0), y: (f64::MAX, 0.0) };
        for &(x, y) in series.flat_map(|series| &series.points) {
            ranges.x = (ranges.x.0.min(x), ranges.x.1.max(x));
            ranges.y = (ranges.y.0.min(y), ranges.y.1.max(y));
        }
        if ranges.x.1 == 0.0 {
            ranges = Ranges { x: (1.0, 2.0), y: (1.0, 2.0) };
        }
        Ranges { x: (ranges.x.0 / 1.3, ranges.x.1 * 1.3), y: (ranges.y.0 / 1.6, ranges.y.1 * 1.6) }
    }
}

/// Where a panel is in the picture, in pixels.
#[derive(Clone, Copy)]
pub struct Frame {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// Which labels stand at a panel's axes.
#[derive(Clone, Copy)]
pub struct Labels<'a> {
    /// Above the panel.
    pub title: &'a str,
    /// Whether sizes stand below.
    pub sizes: bool,
    /// Whether times stand left.
    pub times: bool,
}

/// The beginning of a picture.
pub fn begin(width: f64, height: f64, title: &str) -> String {
    let title = escape(title);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" font-family=\"sans-serif\" font-size=\"11\" role=\"img\" aria-label=\"{title}\">\n\
         <title>{title}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    )
}

/// A text at a place; `anchor` is start, middle or end.
pub fn write_text(svg: &mut String, x: f64, y: f64, anchor: &str, more: &str, text: &str) {
    let text = escape(text);
    writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"#222222\" {more}>{text}</text>")
        .expect("a string takes it");
}

/// A colour of its own for each of `count` rows.
pub fn colour(index: usize, count: usize) -> String {
    let hue = 360.0 * index as f64 / count.max(1) as f64;
    format!("hsl({hue:.0}, 75%, {}%)", [32, 46][index % 2])
}

/// Draws one panel.
pub fn panel(svg: &mut String, frame: Frame, ranges: Ranges, labels: Labels, series: &[Series]) {
    let scale = |value: f64, (low, high): (f64, f64)| (value / low).ln() / (high / low).ln();
    let x = |value: f64| frame.left + frame.width * scale(value, ranges.x);
    let y = |value: f64| frame.top + frame.height * (1.0 - scale(value.max(ranges.y.0 / 2.0), ranges.y));
    let mut draw = |args: std::fmt::Arguments| writeln!(svg, "{args}").expect("a string takes it");
    let Frame { left, top, width, height } = frame;
    let clip = format!("c{left:.0}-{top:.0}");
    draw(format_args!(
        "<clipPath id=\"{clip}\"><rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/></clipPath>"
    ));
    draw(format_args!(
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"none\" stroke=\"#888888\"/>"
    ));
    for (place, _) in ticks(ranges.x, 4.0) {
        let at = x(place);
        draw(format_args!(
            "<line x1=\"{at:.1}\" y1=\"{top:.1}\" x2=\"{at:.1}\" y2=\"{:.1}\" stroke=\"#e4e4e4\"/>",
            top + height
        ));
    }
    for (place, _) in ticks(ranges.y, 10.0) {
        let at = y(place);
        draw(format_args!(
            "<line x1=\"{left:.1}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#e4e4e4\"/>",
            left + width
        ));
    }
    draw(format_args!("<g clip-path=\"url(#{clip})\">"));
    for Series { colour, points, line, band } in series {
        if !band.is_empty() {
            let low = band.iter().map(|&(at, low, _)| (at, low));
            let high = band.iter().rev().map(|&(at, _, high)| (at, high));
            let corners: Vec<String> = low.chain(high).map(|(at, v)| format!("{:.1},{:.1}", x(at), y(v))).collect();
            draw(format_args!("<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.25\"/>", corners.join(" ")));
        }
        if let Some(line) = line {
            // A line is a curve on logarithmic axes.
            let (from, to) = ranges.x;
            let at = |step: i32| from * (to / from).powf(f64::from(step) / 40.0);
            let path: Vec<String> = (0..=40).map(at).map(|at| format!("{:.1},{:.1}", x(at), y(line.at(at)))).collect();
            draw(format_args!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.3\"/>",
                path.join(" ")
            ));
        }
        for &(at, time) in points {
            draw(format_args!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"2.4\" fill=\"{colour}\"/>", x(at), y(time)));
        }
    }
    draw(format_args!("</g>"));
    if labels.sizes {
        for (place, text) in ticks(ranges.x, 4.0) {
            write_text(svg, x(place), top + height + 14.0, "middle", "", &text);
        }
    }
    if labels.times {
        for (place, text) in ticks(ranges.y, 10.0) {
            write_text(svg, left - 5.0, y(place) + 4.0, "end", "", &text);
        }
    }
    write_text(svg, left + width / 2.0, top - 6.0, "middle", "font-weight=\"bold\"", labels.title);
}

/// Powers of `base` in the range, with how they are written.
fn ticks((low, high): (f64, f64), base: f64) -> Vec<(f64, String)> {
    let first = (low.ln() / base.ln()).ceil() as i32;
    let last = (high.ln() / base.ln()).floor() as i32;
    (first..=last)
        .map(|power| base.powi(power))
        .map(|value| {
            (
                value,
                if value < 1.0 { format!("{value:.4}").trim_end_matches('0').to_owned() } else { value.to_string() },
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::ticks;

    #[test]
    fn ticks_are_round_and_inside() {
        let texts = |range, base| ticks(range, base).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(texts((0.2, 100.0), 4.0), ["0.25", "1", "4", "16", "64"]);
        assert_eq!(texts((0.05, 5000.0), 10.0), ["0.1", "1", "10", "100", "1000"]);
    }
}
