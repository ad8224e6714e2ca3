# Shared by the scripts of this folder: runs steps one after another, counts, and keeps going when one fails.
# shellcheck shell=bash
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
# where CI is true, a test that lacks a file fails: only one that lacks another program is skipped
export CI=${CI:-true}
# builds take less time without line tables, which serve debuggers
export CARGO_PROFILE_DEV_DEBUG=false
export CARGO_TERM_COLOR=never CARGO_TERM_PROGRESS_WHEN=never CARGO_INCREMENTAL=0 INSTA_UPDATE=no

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0 failures=()

# step NAME COMMAND…: prints and runs the command; a test run counts its tests, anything else counts as one check. A test
# that lacks a program says SKIPPED and passes: it is counted as skipped.
step() {
    local name=$1 log=$scratch/step.log begun=$SECONDS status=0 ok=0 bad=0 out=0
    shift
    printf '\n==> %s\n    %s\n' "$name" "$*"
    "$@" </dev/null 2>&1 | tee "$log"
    status=${PIPESTATUS[0]}
    read -r ok bad < <(awk '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0 }' "$log")
    if ((status != 0)); then
        failures+=("$name (exit status $status)")
        ((bad > 0)) || bad=1
    elif ((ok == 0)); then
        ok=1
    fi
    out=$(grep -c 'SKIPPED: ' "$log")
    ((out <= ok)) || out=$ok
    passed=$((passed + ok - out)) failed=$((failed + bad)) skipped=$((skipped + out))
    printf -- '--- %s: exit status %d after %d s\n' "$name" "$status" $((SECONDS - begun))
    return "$status"
}

# scenarios [FIND OPTIONS]: the scenario files, sorted; data folders hold none.
scenarios() {
    find scenarios "$@" -name '*.toml' ! -path 'scenarios/data/*' | LC_ALL=C sort
}

# finish: what failed, and the closing line; the exit status is 0 only if nothing failed.
finish() {
    printf '\n%d s in all\n' "$SECONDS"
    ((${#failures[@]})) && printf 'failed: %s\n' "${failures[@]}"
    printf '%d passed, %d failed' "$passed" "$failed"
    ((skipped)) && printf ', %d skipped' "$skipped"
    printf '\n'
    ((failed == 0))
}
