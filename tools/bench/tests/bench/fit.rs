//! The study's analysis of results in its own two forms, against numbers computed with NumPy.

use pfh_bench::fit::{fit, parse, table};

#[test]
fn a_table_as_in_the_paper() {
    // Times of our own making; a and b of the first column from numpy.polyfit, rounded to three
    // places as the study does.
    let text = "#algo MB c Java\n\
                sha256 2 2.31 4.0\nsha256 4 4.18 8.0\nsha256 8 8.02 16.0\nsha256 16 15.77 32.0\nsha256 32 31.10 64.0\n\
                sha256 64 62.3 128.0\nsha256 128 124.9 256.0\nsha256 256 249.0 512.0\nsha256 512 501.7 1024.0\n\
                sha256 640 622.4 1280.0\nsha256 768 747.1 1536.0\nsha256 896 1010.6 1792.0\nsha256 1024 994.8 2048.0\n";
    let table = table(text).unwrap();
    let fields: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(fields[1][..6], ["sha256", "Java", "0.000", "2.000", "0.000", "2.000"]);
    assert_eq!(fields[2][..6], ["sha256", "c", "-3.850", "1.017", "0.306", "0.985"]);
    // R² by numpy.corrcoef squared; 2.048 s × 722 and 0.9948 s × 722 in seconds, as the study
    // prints them.
    assert_eq!(fields[1][6..], ["1.000000", "1479"]);
    assert_eq!(fields[2][6..], ["0.992113", "718"]);
    let c = &fit(text).unwrap()[1];
    assert_eq!((c.sizes, c.language.as_str()), (13, "c"));
    assert!((c.seconds_722gb.unwrap() - 718.2456).abs() < 1e-9, "{c:?}");
}

/// Table 11's C#: 28859 ms at 1024 MB are out of line, and the study's Table 15 has 7331*.
#[test]
fn the_studys_star() {
    let text = "algo MB c# java\nsha256 512 5077 6695\nsha256 768 8342 10028\nsha256 1024 28859 13370\n";
    let lines = fit(text).unwrap();
    assert_eq!((lines[0].starred, lines[0].seconds_722gb.map(f64::floor)), (true, Some(7331.0)));
    assert_eq!((lines[1].starred, lines[1].seconds_722gb.map(f64::floor)), (false, Some(9653.0)));
    let table = table(text).unwrap();
    assert!(table.contains("7331*") && table.contains("from 512 MB"), "{table}");
}

#[test]
fn results_as_the_studys_programs_wrote_them() {
    let digest = "d41d8cd98f00b204e9800998ecf8427e";
    let text = format!(
        "## platform: made up\njava md5 0002mb.dat 0 {digest} 11\njava md5 0002mb.dat 1 {digest} 13\n\
         java md5 0004mb.dat 0 {digest} 20\npython md5 0002mb.dat 0 {digest} 9\n"
    );
    let means = parse(&text).unwrap();
    let java: Vec<(f64, f64)> = means[&("md5".into(), "java".into())].iter().map(|p| (p.x, p.y)).collect();
    assert_eq!(java, [(2.0, 12.0), (4.0, 20.0)]);
    let lines = table(&text).unwrap();
    let fields: Vec<Vec<&str>> = lines.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(fields[1][..4], ["md5", "java", "4.000", "4.000"]);
    assert_eq!(fields[2][..4], ["md5", "python", "-", "-"], "one size is not a line");
}

#[test]
fn what_is_neither_is_refused_with_its_line() {
    let bad = [
        "",
        "## nothing but facts\n",
        "java md5 0002mb.dat 0 d41d\n",
        "java md5 2mb 0 d41d 5\n",
        "java md5 0002mb.dat 0 d41d fast\n",
        "java md5 0002mb.dat 0 d41d -5\n",
        "algo MB c\nmd5 2\n",
        "algo MB c\nmd5 0 5\n",
        "algo MB c\nmd5 2 x\n",
    ];
    for text in bad {
        assert!(parse(text).is_err(), "{text:?}");
    }
    assert!(parse("algo MB c\nmd5 2 1\nmd5 x 1\n").unwrap_err().starts_with("line 3"));
}
