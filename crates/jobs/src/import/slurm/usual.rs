//! Values of keys that Slurm has where a file states none: they change nothing.
//!
//! Source: slurm.conf(5) of Slurm 22.05 to 24.05, defaults. Where versions differ, as in
//! `SelectType`, no value counts as usual.

/// A key, and the values that are usual.
type Usual = (&'static str, &'static [&'static str]);

const OF_SITE: &[Usual] = &[
    ("AccountingStorageEnforce", &["none", "0"]),
    ("AllowSpecResourcesUsage", &["no", "0", "false"]),
    ("BurstBufferType", &["none"]),
    ("CompleteWait", &["0"]),
    ("CoreSpecPlugin", &["core_spec/none"]),
    ("DefCpuPerGPU", &["0"]),
    ("DefMemPerCPU", &["0", "unlimited"]),
    ("DefMemPerGPU", &["0", "unlimited"]),
    ("DefMemPerNode", &["0", "unlimited"]),
    ("EnforcePartLimits", &["no"]),
    ("FairShareDampeningFactor", &["1"]),
    ("JobRequeue", &["1"]),
    ("MaxMemPerCPU", &["0", "unlimited"]),
    ("MaxMemPerNode", &["0", "unlimited"]),
    ("MCSPlugin", &["mcs/none"]),
    ("OverTimeLimit", &["0"]),
    ("PowerPlugin", &["power/none"]),
    ("PreemptExemptTime", &["-1", "0", "00:00:00"]),
    ("PreemptMode", &["off"]),
    ("PreemptType", &["preempt/none"]),
    ("PrioritySiteFactorPlugin", &["site_factor/none"]),
    ("PriorityUsageResetPeriod", &["none"]),
    ("PriorityWeightAssoc", &["0"]),
    ("PriorityWeightTRES", &["none"]),
    ("ResumeRate", &["300"]),
    ("ResumeTimeout", &["60"]),
    ("ResvOverRun", &["0"]),
    ("SchedulerTimeSlice", &["30"]),
    ("SuspendRate", &["60"]),
    ("SuspendTime", &["-1", "none", "infinite"]),
    ("SuspendTimeout", &["30"]),
    ("TopologyPlugin", &["topology/none", "topology/default", "topology/flat"]),
];

const OF_PARTITION: &[Usual] = &[
    ("DefMemPerCPU", &["0", "unlimited"]),
    ("DefMemPerNode", &["0", "unlimited"]),
    ("ExclusiveTopo", &["no"]),
    ("ExclusiveUser", &["no"]),
    ("GraceTime", &["0"]),
    ("LLN", &["no"]),
    ("MaxCPUsPerNode", &["unlimited"]),
    ("MaxCPUsPerSocket", &["unlimited"]),
    ("MaxMemPerCPU", &["0", "unlimited"]),
    ("MaxMemPerNode", &["0", "unlimited"]),
    ("MaxNodes", &["unlimited", "infinite"]),
    ("MinNodes", &["0", "1"]),
    ("OverSubscribe", &["no"]),
    ("PowerDownOnIdle", &["no"]),
    ("PreemptMode", &["off"]),
    ("PriorityTier", &["1"]),
    ("ReqResv", &["no"]),
    ("Shared", &["no"]),
    ("State", &["up", "yes", "true", "1"]),
];

const OF_NODES: &[Usual] =
    &[("CoreSpecCount", &["0"]), ("MemSpecLimit", &["0"]), ("TRESWeights", &["none"]), ("Weight", &["1"])];

fn is_usual(table: &[Usual], key: &str, value: &str) -> bool {
    let is = |other: &&str| value.eq_ignore_ascii_case(other);
    let nothing = ["", "(null)"].iter().any(is);
    nothing || table.iter().any(|(known, values)| known.eq_ignore_ascii_case(key) && values.iter().any(is))
}

/// Returns true if the whole site is as usual with this value.
pub(super) fn of_site(key: &str, value: &str) -> bool {
    let weighs_nothing = |part: &str| part.split_once('=').is_some_and(|(_, weight)| weight == "0");
    let is_unweighed = key.eq_ignore_ascii_case("PriorityWeightTRES") && value.split(',').all(weighs_nothing);
    is_unweighed || is_usual(OF_SITE, key, value)
}

/// Returns true if a partition is as usual with this value.
pub(super) fn of_partition(key: &str, value: &str) -> bool {
    is_usual(OF_PARTITION, key, value)
}

/// Returns true if nodes are as usual with this value.
pub(super) fn of_nodes(key: &str, value: &str) -> bool {
    is_usual(OF_NODES, key, value)
}

#[cfg(test)]
mod tests {
    use super::super::scheduler_keys::{self, KeyEffect};
    use super::*;

    #[test]
    fn usual_values_are_those_of_keys_that_are_lost_otherwise() {
        for (key, values) in OF_SITE {
            assert!(matches!(scheduler_keys::of_line(key), Some(KeyEffect::Lost(_))), "{key}");
            assert!(values.iter().all(|value| of_site(&key.to_lowercase(), value)), "{key}");
        }
        for (key, _) in OF_PARTITION.iter().filter(|(key, _)| *key != "MaxNodes") {
            assert!(matches!(scheduler_keys::of_partition(key), Some(KeyEffect::Lost(_))), "{key}");
        }
        for (key, _) in OF_NODES {
            assert!(matches!(scheduler_keys::of_nodes(key), Some(KeyEffect::Lost(_))), "{key}");
        }
    }

    #[test]
    fn other_values_are_not_usual() {
        for (key, value) in
            [("PreemptType", "preempt/qos"), ("PriorityWeightTRES", "CPU=0,Mem=1"), ("Bogus", "0")]
        {
            assert!(!of_site(key, value), "{key}={value}");
        }
        assert!(of_site("PriorityWeightTRES", "CPU=0,Mem=0") && of_site("Licenses", "(null)"));
        assert!(!of_partition("PriorityTier", "2") && of_partition("prioritytier", "1"));
        assert!(!of_nodes("Weight", "10") && of_nodes("Weight", "1"));
    }
}
