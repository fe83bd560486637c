//! One number for many.

/// The arithmetic mean; not a number for no values.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The middle value; not a number for no values.
pub fn median(values: &[f64]) -> f64 {
    quantile(values, 0.5)
}

/// The value below which the part `q` (0 to 1) of the values lies, interpolated between the two
/// next to it (Hyndman & Fan's type 7, the default of R and NumPy); not a number for no values.
pub fn quantile(values: &[f64], q: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = q.clamp(0.0, 1.0) * last as f64;
    let (low, part) = (place.floor() as usize, place.fract());
    sorted[low] + (sorted[(low + 1).min(last)] - sorted[low]) * part
}

/// The median distance from the median, as a part of the median: 0.05 says that half of the values
/// lie within 5 %.
pub fn relative_spread(values: &[f64]) -> f64 {
    let middle = median(values);
    let distances: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    median(&distances) / middle
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_few_values() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert_eq!(median(&[6.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(relative_spread(&[90.0, 100.0, 110.0, 100.0, 180.0]), 0.1);
        assert!(mean(&[]).is_nan() && median(&[]).is_nan());
    }

    #[test]
    fn quantiles_are_those_of_numpy() {
        // numpy.quantile([15, 20, 35, 40, 50], [0, .05, .3, .4, .975, 1])
        let values = [50.0, 15.0, 40.0, 20.0, 35.0];
        for (q, expected) in [(0.0, 15.0), (0.05, 16.0), (0.3, 23.0), (0.4, 29.0), (0.975, 49.0), (1.0, 50.0)] {
            assert!((quantile(&values, q) - expected).abs() < 1e-12, "{q}");
        }
    }
}
