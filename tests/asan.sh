#!/usr/bin/env bash
# The kernels and the scheduler under AddressSanitizer: a read beyond a message or a state ends the test.
# Needs a nightly toolchain. The target is named so that build scripts and macros are compiled without the sanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
target="$(rustc --version --verbose | sed -n 's/^host: //p')"
export RUSTFLAGS="-Zsanitizer=address" RUSTDOCFLAGS="-Zsanitizer=address" CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-target}/asan"
exec cargo +nightly test --target "$target" --lib --tests -p pfh-kernel -p pfh-digest "$@"
