#!/bin/bash
# The compiler that `bench/run weight` has cargo call: notes the CPU seconds of each crate in a file of its own below PFH_WEIGHT, and with
# PFH_WEIGHT_LINES the lines of LLVM code of the project's crates.
name=- kind=- before=
for word in "$@"; do
    case $before in
    --crate-name) name=$word ;;
    --crate-type) kind=$word ;;
    esac
    case $word in --test) kind=test ;; esac
    before=$word
done
lines=()
if [ -n "${PFH_WEIGHT_LINES:-}" ] && [[ $name == pfh* && $kind == lib ]]; then
    lines=("--emit=llvm-ir=$PFH_WEIGHT/$name.ll")
fi
"$@" "${lines[@]}"
code=$?
{ echo "$name $kind" && times; } >"$PFH_WEIGHT/$name-$kind-$$"
exit $code
