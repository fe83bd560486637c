//! Objects by the statements of their stores: requests refused before a store is asked.

use pfh::Control;
use pfh::job::Kind;
use pfh::stated::{self, Problem, Request};

#[test]
fn addresses_are_asked_for() {
    let nobody: [&str; 0] = [];
    let error = stated::run(&Request::new(nobody), &mut |_| Ok(()), &Control::new()).unwrap_err();
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::Nothing)));
    let error = stated::would_read(&Request::new(["s3://bucket/key", "a/file"])).unwrap_err();
    assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::NoAddress(_))), "{error}");
}
