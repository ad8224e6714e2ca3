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
name=$1 seconds=$2 seed=${3:-1}
cd "$(dirname "$0")"

host=$(rustc -vV | sed -n 's/^host: //p')
coverage="-C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4"
for part in inline-8bit-counters pc-table trace-compares; do
    coverage+=" -C llvm-args=-sanitizer-coverage-$part"
done
# With --target the flags reach neither build scripts nor procedural macros.
RUSTFLAGS="$coverage -C codegen-units=1" \
    cargo build --locked --release --target "$host" --target-dir target --bin "$name"

grown=target/corpus/$name
mkdir -p "$grown" "artifacts/$name"
options=(-max_total_time="$seconds" -seed="$seed" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1)
options+=(-artifact_prefix="artifacts/$name/")
[[ -f dictionaries/$name.dict ]] && options+=(-dict="dictionaries/$name.dict")
exec "target/$host/release/$name" "${options[@]}" "$grown" "corpus/$name"
