//! Nothing but the dependencies of its manifest: cargo gives a crate the features that all crates
//! of a build ask for, and compiles it again for a build that asks for more. `.ci/run` builds the
//! tests first as README says and then with all features; with these features in both, the crates
//! between are compiled once.
