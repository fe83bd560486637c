//! Arithmetic of RAID 5 and 6: the field of 256 elements, by x⁸ + x⁴ + x³ + x² + 1.

/// Logarithms to the base 2, and powers of 2 twice over.
const TABLES: ([u8; 256], [u8; 510]) = tables();

const fn tables() -> ([u8; 256], [u8; 510]) {
    let (mut logarithms, mut powers) = ([0; 256], [0; 510]);
    let (mut value, mut exponent) = (1_u16, 0);
    while exponent < 255 {
        powers[exponent] = value as u8;
        powers[exponent + 255] = value as u8;
        logarithms[value as usize] = exponent as u8;
        value <<= 1;
        if value > 255 {
            value ^= 0x11d;
        }
        exponent += 1;
    }
    (logarithms, powers)
}

/// 2 to a power.
fn power(exponent: usize) -> u8 {
    TABLES.1[exponent % 255]
}

fn times(a: u8, b: u8) -> u8 {
    match (a, b) {
        (0, _) | (_, 0) => 0,
        _ => TABLES.1[usize::from(TABLES.0[usize::from(a)]) + usize::from(TABLES.0[usize::from(b)])],
    }
}

/// The number whose product with `a` is one.
fn inverse(a: u8) -> u8 {
    TABLES.1[255 - usize::from(TABLES.0[usize::from(a)])]
}

/// Adds bytes to a sum, each times 2 to the power of its column.
pub fn add(sum: &mut [u8], bytes: &[u8], column: Option<usize>) {
    let factor = column.map_or(1, power);
    for (sum, &byte) in sum.iter_mut().zip(bytes) {
        *sum ^= if factor == 1 { byte } else { times(factor, byte) };
    }
}

/// One column out of Q without the others.
pub fn from_q(q: &mut [u8], column: usize) {
    let factor = inverse(power(column));
    q.iter_mut().for_each(|byte| *byte = times(factor, *byte));
}

/// The column `first` out of P and Q without all columns but `first` and `second`.
pub fn from_both(p: &[u8], q: &[u8], first: usize, second: usize) -> Vec<u8> {
    // P = a + b and Q = 2^first a + 2^second b.
    let factor = inverse(power(first) ^ power(second));
    p.iter().zip(q).map(|(&p, &q)| times(factor, q ^ times(power(second), p))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_two_columns_come_back() {
        let columns: Vec<Vec<u8>> =
            (0..7_u32).map(|c| (0..64).map(|at| (at * at * (c + 3) + c) as u8).collect()).collect();
        for first in 0..7 {
            for second in (0..7).filter(|&second| second != first) {
                let (mut p, mut q) = (vec![0; 64], vec![0; 64]);
                let mut alone = vec![0; 64];
                for (index, column) in columns.iter().enumerate() {
                    // P and Q of all, less those that are known.
                    let is_known = index != first && index != second;
                    for _ in 0..1 + usize::from(is_known) {
                        add(&mut p, column, None);
                        add(&mut q, column, Some(index));
                    }
                    if index == first {
                        add(&mut alone, column, Some(index));
                    }
                }
                assert_eq!(from_both(&p, &q, first, second), columns[first]);
                from_q(&mut alone, first);
                assert_eq!(alone, columns[first]);
            }
        }
        assert!((1..=255).all(|a| times(a, inverse(a)) == 1));
    }
}
