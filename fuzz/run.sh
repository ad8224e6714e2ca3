#!/usr/bin/env bash
# Fuzzes one target on the stable toolchain:  fuzz/run.sh TARGET SECONDS [SEED]
#
# Coverage comes from LLVM's own pass by plain codegen flags, so neither a nightly compiler nor cargo-fuzz is needed.
# Instrumented builds go to fuzz/target. New inputs that reach new code go to fuzz/target/corpus/TARGET; the seeds in
# fuzz/corpus/TARGET are only read. A crashing input is left in fuzz/artifacts/TARGET and the exit status is not 0.
set -euo pipefail

if (($# < 2 || $# > 3)); then
    sed -n '2s/^# //p' "$0" >&2
    exit 2
fi
cd "$(dirname "$0")"
. ./common.sh
build "$1"
fuzz "$1" "$2" "${3:-1}"
