#!/usr/bin/env bash
# Fuzzes every target for an equal share of a budget of CPU time:  fuzz/all.sh HOURS [SEED [TARGET…]]
#
# Targets run one after the other, in slices of four minutes, until each has used its share; every slice has another seed. A finding
# ends its slice and is counted; the input is in fuzz/artifacts. The table at the end is a row of README.md for each target.
set -euo pipefail

if (($# < 1)); then
    sed -n '2s/^# //p' "$0" >&2
    exit 2
fi
cd "$(dirname "$0")"
. ./common.sh
hours=$1 seed=${2:-1}
shift $(($# < 2 ? $# : 2))
targets=("$@")
(($# > 0)) || targets=(corpus/*/)
targets=("${targets[@]%/}")
targets=("${targets[@]##*/}")
build
logs=target/logs
mkdir -p "$logs"
share=$(awk -v hours="$hours" -v targets="${#targets[@]}" 'BEGIN { printf "%d", hours * 3600000 / targets }')

declare -A used executions findings
found=0
TIMEFORMAT='%U %S'
for ((slice = 0, left = ${#targets[@]}; left > 0; slice++)); do
    left=0
    for name in "${targets[@]}"; do
        ((${used[$name]:-0} < share)) || continue
        log=$logs/$name.$seed.$slice
        cpu=$({ time fuzz "$name" 240 $((seed + slice)) >"$log" 2>&1 || echo failed >>"$log"; } 2>&1)
        milliseconds=$(awk '{ printf "%d", ($1 + $2) * 1000 + 1 }' <<<"$cpu")
        done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        used[$name]=$((${used[$name]:-0} + milliseconds))
        executions[$name]=$((${executions[$name]:-0} + ${done:-0}))
        if [[ $(tail -n 1 "$log") == failed ]]; then
            findings[$name]=$((${findings[$name]:-0} + 1))
            found=1
        fi
        ((used[$name] >= share)) || left=1
    done
done
printf '| date | target | seed | CPU hours | executions | findings |\n|---|---|---|---|---|---|\n'
for name in "${targets[@]}"; do
    awk -v day="$(date +%F)" -v name="$name" -v seed="$seed" -v used="${used[$name]}" -v runs="${executions[$name]}" \
        -v found="${findings[$name]:-none}" \
        'BEGIN { printf "| %s | `%s` | %d | %.2f | %d | %s |\n", day, name, seed, used / 3600000, runs, found }'
done
exit "$found"
