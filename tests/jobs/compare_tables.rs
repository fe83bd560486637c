//! Tables in another form are rows.

use crate::compare_all::rows;
use crate::room::Room;
use crate::rows::input;
use pfh::compare::Request;

/// The line of a table of people, made of a number.
fn line(at: usize) -> [String; 4] {
    let number = at * 104_729 % 1_000_003;
    [
        format!("{number:06}"),
        format!("Name {}", number % 5003),
        format!("Place {}", number % 997),
        format!("{}", number % 89),
    ]
}

#[test]
fn a_table_in_another_form_is_a_row() {
    let room = Room::new();
    let table = |separator: &str, columns: &[usize], order: &dyn Fn(usize) -> usize| {
        let row = |at: usize| {
            columns.iter().map(|column| line(order(at))[*column].clone()).collect::<Vec<_>>().join(separator)
        };
        (0..400).map(|at| row(at) + "\n").collect::<String>()
    };
    room.file("t/a.csv", table(",", &[0, 1, 2, 3], &|at| at).as_bytes());
    room.file("t/b-semicolons.csv", table(";", &[0, 1, 2, 3], &|at| at).as_bytes());
    room.file("t/c-without.tsv", table("\t", &[0, 1], &|at| at).as_bytes());
    room.file("t/d-other-order.csv", table("|", &[2, 3, 1, 0], &|at| 399 - at).as_bytes());
    room.file("t/e-another.csv", table(",", &[0, 1, 2, 3], &|at| 5000 + at).as_bytes());
    room.file(
        "t/f-prose",
        "A text, of no table; it is long enough.\nAnd it goes on\nwith lines.\n".repeat(9).as_bytes(),
    );
    let (found, ..) = rows(&Request::new(input(&room, &["t"])));
    let mut names = crate::compare_all::names(&found);
    names.sort_unstable();
    let of_one = ["a.csv", "b-semicolons.csv", "c-without.tsv", "d-other-order.csv"];
    let expected: Vec<(&str, &str)> =
        of_one.iter().enumerate().flat_map(|(at, a)| of_one[at + 1..].iter().map(|b| (*a, *b))).collect();
    assert_eq!(names, expected);
    assert!(found.iter().all(|row| row.5.get("cells").is_some_and(|score| *score >= 30)), "{found:#?}");
}
