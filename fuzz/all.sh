#!/usr/bin/env bash
# Fuzzes every target for an equal share of a budget of CPU time:  fuzz/all.sh HOURS [SEED [TARGET…]]
#
# Targets run one after the other, in slices of four minutes, until each has used its share; every slice has another seed. What earlier
# calls with this seed used counts, so an interrupted call is continued, and 0 hours print the table. A finding ends its slice; its input
# is in fuzz/artifacts. The table is made from the logs in fuzz/target/logs: a row of README.md for each target.
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
logs=target/logs
mkdir -p "$logs"
share=$(awk -v hours="$hours" -v targets="${#targets[@]}" 'BEGIN { printf "%d", hours * 3600000 / targets }')

# The sum of a figure over the logs of a target.
total() {
    local found=("$logs/$1.$seed".*)
    [[ -e ${found[0]} ]] || found=(/dev/null)
    sed -n "s/^stat::$2: *//p" "${found[@]}" | awk '{ sum += $1 } END { printf "%d", sum }'
}

if ((share > 0)); then
    build
fi
TIMEFORMAT='%U %S'
for ((slice = 0, left = share; left > 0; slice++)); do
    left=0
    for name in "${targets[@]}"; do
        (($(total "$name" cpu_milliseconds) < share)) || continue
        left=1
        log=$logs/$name.$seed.$slice
        [[ -e $log ]] && continue
        cpu=$({ time fuzz "$name" 240 $((seed + slice)) >"$log" 2>&1 || echo 'stat::failed: 1' >>"$log"; } 2>&1)
        awk '{ printf "stat::cpu_milliseconds: %d\n", ($1 + $2) * 1000 + 1 }' <<<"$cpu" >>"$log"
    done
done
printf '| date | target | seed | CPU hours | executions | slices with a finding |\n|---|---|---|---|---|---|\n'
found=0
for name in "${targets[@]}"; do
    failed=$(total "$name" failed)
    ((failed == 0)) || found=1
    awk -v day="$(date +%F)" -v name="$name" -v seed="$seed" -v used="$(total "$name" cpu_milliseconds)" \
        -v runs="$(total "$name" number_of_executed_units)" -v failed="$failed" \
        'BEGIN { printf "| %s | `%s` | %d | %.2f | %d | %s |\n", day, name, seed, used / 3600000, runs, failed ? failed : "none" }'
done
exit "$found"
