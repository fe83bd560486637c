//! Where the members of a group are drawn: linked ones attract each other, all repel each other
//! (Fruchterman and Reingold 1991). The start is a circle and nothing is left to chance, so a
//! picture is always the same.

/// Steps after which a layout is done.
const STEPS: u32 = 120;

/// The places of `count` points in a square of side 1; `links` are pairs of them.
pub(super) fn places(count: usize, links: &[(usize, usize)]) -> Vec<(f64, f64)> {
    let turn = std::f64::consts::TAU / count.max(1) as f64;
    let mut points: Vec<(f64, f64)> =
        (0..count).map(|i| (0.5 + 0.4 * (turn * i as f64).cos(), 0.5 + 0.4 * (turn * i as f64).sin())).collect();
    if count < 3 {
        return points;
    }
    // The distance that suits as many points on the area.
    let ideal = 0.7 / (count as f64).sqrt();
    let mut degrees = vec![0.0f64; count];
    for &(i, j) in links {
        (degrees[i], degrees[j]) = (degrees[i] + 1.0, degrees[j] + 1.0);
    }
    for step in 0..STEPS {
        let mut forces = vec![(0.0f64, 0.0f64); count];
        for i in 0..count {
            for j in i + 1..count {
                let (x, y) = (points[i].0 - points[j].0, points[i].1 - points[j].1);
                let square = (x * x + y * y).max(1e-6);
                let push = ideal * ideal / square;
                forces[i] = (forces[i].0 + x * push, forces[i].1 + y * push);
                forces[j] = (forces[j].0 - x * push, forces[j].1 - y * push);
            }
        }
        for &(i, j) in links {
            let (x, y) = (points[i].0 - points[j].0, points[i].1 - points[j].1);
            // Where all are linked with all, the links must not outweigh the repulsion.
            let pull = (x * x + y * y).sqrt() / ideal / (degrees[i] * degrees[j]).sqrt().max(1.0) * 2.0;
            forces[i] = (forces[i].0 - x * pull, forces[i].1 - y * pull);
            forces[j] = (forces[j].0 + x * pull, forces[j].1 + y * pull);
        }
        // Steps become shorter, so that the points come to rest.
        let reach = 0.1 * f64::from(STEPS - step) / f64::from(STEPS);
        for (point, (x, y)) in points.iter_mut().zip(forces) {
            let length = (x * x + y * y).sqrt().max(1e-9);
            let far = length.min(reach) / length;
            *point = (point.0 + x * far, point.1 + y * far);
        }
    }
    fit(points)
}

/// The points moved and scaled so that they fill the square but for a margin.
fn fit(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    let reach = |axis: fn(&(f64, f64)) -> f64| {
        points.iter().map(axis).fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (x, y) = (reach(|point| point.0), reach(|point| point.1));
    let side = (x.1 - x.0).max(y.1 - y.0).max(1e-9);
    let place = |value: f64, (low, high): (f64, f64)| 0.5 + 0.86 * (value - (low + high) / 2.0) / side;
    points.iter().map(|point| (place(point.0, x), place(point.1, y))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linked_points_come_near() {
        // Two triangles and a bridge.
        let links = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)];
        let points = places(6, &links);
        let distance = |a: usize, b: usize| (points[a].0 - points[b].0).hypot(points[a].1 - points[b].1);
        assert!(distance(0, 1) < distance(0, 5) && distance(3, 4) < distance(1, 4));
        assert!(points.iter().all(|(x, y)| (0.0..=1.0).contains(x) && (0.0..=1.0).contains(y)));
        assert_eq!(points, places(6, &links));
        assert_eq!(places(0, &[]).len(), 0);
    }
}
