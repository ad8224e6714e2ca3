# What run.sh and all.sh share; sourced from the folder fuzz.

# Builds the targets named, or all of them, and sets `binaries` to their folder; with FUZZ_BINARIES set, those there are used.
build() {
    binaries=${FUZZ_BINARIES:-}
    [[ -n $binaries ]] && return
    local host coverage part name bins=()
    host=$(rustc -vV | sed -n 's/^host: //p')
    coverage="-C passes=sancov-module -C llvm-args=-sanitizer-coverage-level=4"
    for part in inline-8bit-counters pc-table trace-compares; do
        coverage+=" -C llvm-args=-sanitizer-coverage-$part"
    done
    for name in "$@"; do bins+=(--bin "$name"); done
    # With --target the flags reach neither build scripts nor procedural macros.
    RUSTFLAGS="$coverage -C codegen-units=1" \
        cargo build --locked --release --target "$host" --target-dir target "${bins[@]:---bins}"
    binaries=target/$host/release
}

# Fuzzes a target: fuzz NAME SECONDS SEED. Memory is limited, so that an allocation by a number of the input fails.
fuzz() {
    local name=$1 grown=target/corpus/$1
    mkdir -p "$grown" "artifacts/$name"
    local options=(-max_total_time="$2" -seed="$3" -timeout=60 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1)
    options+=(-artifact_prefix="artifacts/$name/")
    [[ -f dictionaries/$name.dict ]] && options+=(-dict="dictionaries/$name.dict")
    (
        ulimit -c 0 -v 4194304
        exec "$binaries/$name" "${options[@]}" "$grown" "corpus/$name"
    )
}
