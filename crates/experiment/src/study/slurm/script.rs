//! The script that Slurm runs: a shard in a task of an array, the collector elsewhere.

/// The text of the script. `program` is the simulator; a task asks for at most `retries` further
/// tries.
///
/// The shell waits for the shard in the background, because only then a trap runs while it waits.
/// TERM comes before the time limit (`--signal=B:TERM@60`) and again from `scontrol requeue`: the
/// second is ignored.
pub fn text(program: &str, retries: u32) -> String {
    let program = quoted(program);
    format!(
        r#"#!/bin/sh
# One shard of a study as a task of a Slurm job array; outside of an array, the collector.
# Written by `clustersim sweep`; `clustersim sweep resume` submits it again for what is missing.
program={program}
retries={retries}

if [ -z "${{SLURM_ARRAY_TASK_ID:-}}" ]; then
    exec "$program" sweep collect .
fi

stopped=0
child=
stop() {{
    stopped=1
    [ -z "$child" ] || kill -TERM "$child" 2>/dev/null
}}
trap stop TERM

echo "shard $SLURM_ARRAY_TASK_ID on ${{SLURMD_NODENAME:-?}}, restart ${{SLURM_RESTART_COUNT:-0}}"
"$program" --no-progress sweep shard . --index "$SLURM_ARRAY_TASK_ID" &
child=$!
wait "$child"
status=$?
# a trap ends `wait` before the child has ended
while kill -0 "$child" 2>/dev/null; do
    wait "$child"
    status=$?
done
[ "$stopped" -eq 0 ] || [ "$status" -eq 0 ] || status=75
trap '' TERM

if [ "$status" -eq 75 ] && [ "${{SLURM_RESTART_COUNT:-0}}" -lt "$retries" ]; then
    scontrol requeue "${{SLURM_ARRAY_JOB_ID}}_${{SLURM_ARRAY_TASK_ID}}"
fi
exit "$status"
"#
    )
}

/// A word of the shell that stands for exactly `text`.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_is_as_it_was_looked_at() {
        insta::assert_snapshot!(text("/opt/it's here/clustersim", 2));
    }
}
