//! The cosine transform in whole numbers: on every machine the same bits. Sums that cancel out in a
//! symmetric picture are exactly 0, as nothing is rounded in between.

use std::f64::consts::PI;

/// Bits behind the point of a cosine.
const POINT: u32 = 24;

/// `round(2^24 cos(pi m / 2n))`, by the symmetries of the function.
fn cosine(n: usize, m: usize) -> i64 {
    let quarter = |m: usize| match m == n {
        true => 0,
        false => ((PI * m as f64 / (2 * n) as f64).cos() * f64::from(1 << POINT)).round() as i64,
    };
    let m = m % (4 * n);
    match m / n {
        0 => quarter(m),
        1 => -quarter(2 * n - m),
        2 => -quarter(m - 2 * n),
        _ => quarter(4 * n - m),
    }
}

/// The first `M` coefficients from number `first` on of the two-dimensional DCT-II of `N` rows,
/// each row of coefficients of one vertical frequency; not scaled.
pub fn transform<const N: usize, const M: usize>(rows: &[[i64; N]; N], first: usize) -> [[i128; M]; M] {
    let table: [[i64; N]; M] =
        std::array::from_fn(|k| std::array::from_fn(|place| cosine(N, (k + first) * (2 * place + 1))));
    let down: [[i64; N]; M] = std::array::from_fn(|k| {
        std::array::from_fn(|x| table[k].iter().zip(rows).map(|(cosine, row)| cosine * row[x]).sum())
    });
    let across = |k: usize, l: usize| down[k].iter().zip(&table[l]).map(|(a, b)| i128::from(*a) * i128::from(*b)).sum();
    std::array::from_fn(|k| std::array::from_fn(|l| across(k, l)))
}
