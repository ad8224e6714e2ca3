//! Keys of a `slurm.conf` by what they mean to a schedule.
//!
//! Source: slurm.conf(5) of Slurm 20.02 to 24.05. Keys that say who may use a partition change no
//! schedule of recorded jobs: they were let in.

/// Part of a policy that a key is about.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PolicyPart {
    /// Nodes, and which of them jobs get.
    Machine,
    /// Limits, preemption and all else.
    Policy,
    /// Jobs that overtake others.
    Backfill,
    /// The order of waiting jobs.
    Order,
}

/// Effect of a key on schedules.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KeyEffect {
    /// Carried over.
    Read,
    /// Not represented.
    Lost(PolicyPart),
    /// No effect.
    None,
}

const MACHINE: &[&str] = &[
    "AllowSpecResourcesUsage",
    "CoreSpecPlugin",
    "MCSParameters",
    "MCSPlugin",
    "NodeFeaturesPlugins",
    "PowerParameters",
    "PowerPlugin",
    "ResumeFailProgram",
    "ResumeProgram",
    "ResumeRate",
    "ResumeTimeout",
    "SelectType",
    "SelectTypeParameters",
    "SuspendExcNodes",
    "SuspendExcParts",
    "SuspendExcStates",
    "SuspendProgram",
    "SuspendRate",
    "SuspendTime",
    "SuspendTimeout",
    "TopologyParam",
    "TopologyPlugin",
];

const POLICY: &[&str] = &[
    "AccountingStorageEnforce",
    "BurstBufferParameters",
    "BurstBufferType",
    "CompleteWait",
    "DefCpuPerGPU",
    "DefMemPerCPU",
    "DefMemPerGPU",
    "DefMemPerNode",
    "DependencyParameters",
    "EnforcePartLimits",
    "JobRequeue",
    "Licenses",
    "MaxMemPerCPU",
    "MaxMemPerNode",
    "OverTimeLimit",
    "PreemptExemptTime",
    "PreemptMode",
    "PreemptParameters",
    "PreemptType",
    "RequeueExit",
    "RequeueExitHold",
    "ResvOverRun",
];

const BACKFILL: &[&str] = &["SchedulerParameters", "SchedulerTimeSlice"];

const ORDER: &[&str] = &[
    "FairShareDampeningFactor",
    "PriorityParameters",
    "PrioritySiteFactorParameters",
    "PrioritySiteFactorPlugin",
    "PriorityUsageResetPeriod",
    "PriorityWeightAssoc",
    "PriorityWeightTRES",
];

const READ: &[&str] = &[
    "ClusterName",
    "DownNodes",
    "Include",
    "NodeName",
    "NodeSet",
    "PartitionName",
    "PriorityCalcPeriod",
    "PriorityDecayHalfLife",
    "PriorityFavorSmall",
    "PriorityFlags",
    "PriorityMaxAge",
    "PriorityType",
    "PriorityWeightAge",
    "PriorityWeightFairshare",
    "PriorityWeightJobSize",
    "PriorityWeightPartition",
    "PriorityWeightQOS",
    "SchedulerType",
];

/// Names of keys without an effect, with blanks between them.
const NONE: &str = "\
    AccountingStorageBackupHost AccountingStorageExternalHost AccountingStorageHost \
    AccountingStorageLoc AccountingStorageParameters AccountingStoragePass AccountingStoragePort \
    AccountingStorageTRES AccountingStorageType AccountingStorageUser AccountingStoreFlags \
    AccountingStoreJobComment AcctGatherEnergyType AcctGatherFilesystemType \
    AcctGatherInfinibandType AcctGatherInterconnectType AcctGatherNodeFreq AcctGatherProfileType \
    AuthAltParameters AuthAltTypes AuthInfo AuthType BackupAddr BackupController \
    BatchStartTimeout BcastExclude BcastParameters CacheGroups CertgenParameters CertgenType \
    CertmgrParameters CertmgrType CheckpointType CliFilterParameters CliFilterPlugins \
    CloudRegAddrs CommunicationParameters ConnectionTypes ControlAddr ControlMachine CpuFreqDef \
    CpuFreqGovernors CredType CryptoType DataParserParameters DebugFlags DisableRootJobs \
    EioTimeout Epilog EpilogMsgTime EpilogSlurmctld EpilogTimeout ExtSensorsFreq ExtSensorsType \
    FastSchedule FederationParameters FirstJobId FrontendName GetEnvTimeout GpuFreqDef GresTypes \
    GroupUpdateForce GroupUpdateTime HashPlugin HealthCheckInterval HealthCheckNodeState \
    HealthCheckProgram HttpParserType InactiveLimit InteractiveStepOptions JobAcctFrequency \
    JobAcctGatherFrequency JobAcctGatherParams JobAcctGatherType JobAcctLogFile JobAcctType \
    JobCheckpointDir JobCompHost JobCompLoc JobCompParams JobCompPass JobCompPassScript \
    JobCompPort JobCompType JobCompUser JobContainerType JobCredentialPrivateKey \
    JobCredentialPublicCertificate JobFileAppend JobSubmitPlugins KeepAliveTime KillOnBadExit \
    KillWait LaunchParameters LaunchType Layouts LogTimeFormat MailDomain MailProg MaxArraySize \
    MaxBatchRequeue MaxDBDMsgs MaxJobCount MaxJobId MaxNodeCount MaxStepCount MaxTasksPerNode \
    MemLimitEnforce MessageTimeout MetricsType MinJobAge MpiDefault MpiParams \
    MsgAggregationParams NamespaceType PluginDir PlugStackConfig PrEpParameters PrEpPlugins \
    PrivateData ProctrackType Prolog PrologEpilogTimeout PrologFlags PrologSlurmctld \
    PrologTimeout PropagatePrioProcess PropagateResourceLimits PropagateResourceLimitsExcept \
    RebootProgram ReconfigFlags ResvEpilog ResvProlog ReturnToService RoutePlugin \
    SallocDefaultCommand SbcastParameters SchedulerAuth SchedulerPort SchedulerRootFilter \
    ScronParameters SlurmctldAddr SlurmctldDebug SlurmctldHost SlurmctldLogFile \
    SlurmctldParameters SlurmctldPidFile SlurmctldPlugstack SlurmctldPort \
    SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg SlurmctldSyslogDebug SlurmctldTimeout \
    SlurmdDebug SlurmdLogFile SlurmdParameters SlurmdPidFile SlurmdPort SlurmdSpoolDir \
    SlurmdSyslogDebug SlurmdTimeout SlurmdUser SlurmSchedLogFile SlurmSchedLogLevel SlurmUser \
    SrunEpilog SrunPortRange SrunProlog StateSaveLocation SwitchParameters SwitchType TaskEpilog \
    TaskPlugin TaskPluginParam TaskProlog TCPTimeout TLSParameters TLSType TmpFS TrackWCKey \
    TreeWidth UnkillableStepProgram UnkillableStepTimeout UrlParserType UsePAM VSizeFactor \
    WaitTime X11Parameters";

fn among(keys: &[&str], key: &str) -> bool {
    keys.iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// Effect of a key that begins a line; `None` if it is unknown.
pub(super) fn of_line(key: &str) -> Option<KeyEffect> {
    let parts = [
        (MACHINE, PolicyPart::Machine),
        (POLICY, PolicyPart::Policy),
        (BACKFILL, PolicyPart::Backfill),
        (ORDER, PolicyPart::Order),
    ];
    if let Some((_, part)) = parts.into_iter().find(|(keys, _)| among(keys, key)) {
        return Some(KeyEffect::Lost(part));
    }
    if among(READ, key) {
        return Some(KeyEffect::Read);
    }
    NONE.split(' ').any(|known| known.eq_ignore_ascii_case(key)).then_some(KeyEffect::None)
}

/// Keys of partitions that are not represented.
pub(super) const PARTITION_LOST: &[&str] = &[
    "Alternate",
    "DefCpuPerGPU",
    "DefMemPerCPU",
    "DefMemPerGPU",
    "DefMemPerNode",
    "ExclusiveTopo",
    "ExclusiveUser",
    "GraceTime",
    "LLN",
    "MaxCPUsPerNode",
    "MaxCPUsPerSocket",
    "MaxMemPerCPU",
    "MaxMemPerNode",
    "MinNodes",
    "OverSubscribe",
    "OverTimeLimit",
    "PowerDownOnIdle",
    "PreemptMode",
    "PriorityTier",
    "ReqResv",
    "ResumeTimeout",
    "SelectTypeParameters",
    "Shared",
    "State",
    "SuspendTime",
    "SuspendTimeout",
    "Topology",
    "TRESBillingWeights",
];

const PARTITION_READ: &[&str] = &[
    "Default",
    "DefaultTime",
    "MaxNodes",
    "MaxTime",
    "Nodes",
    "PartitionName",
    "Priority",
    "PriorityJobFactor",
    "QOS",
];

const PARTITION_NONE: &[&str] = &[
    "AllocNodes",
    "AllowAccounts",
    "AllowGroups",
    "AllowQos",
    "CpuBind",
    "DenyAccounts",
    "DenyQos",
    "DisableRootJobs",
    "Hidden",
    "JobDefaults",
    "RootOnly",
];

/// Effect of a key of a partition; `None` if it is unknown.
pub(super) fn of_partition(key: &str) -> Option<KeyEffect> {
    if among(PARTITION_LOST, key) {
        Some(KeyEffect::Lost(PolicyPart::Policy))
    } else if among(PARTITION_READ, key) {
        Some(KeyEffect::Read)
    } else {
        among(PARTITION_NONE, key).then_some(KeyEffect::None)
    }
}

/// Keys of nodes that are not represented.
pub(super) const NODE_LOST: &[&str] =
    &["CoreSpecCount", "CpuSpecList", "MemSpecLimit", "TRESWeights", "Weight"];

const NODE_KNOWN: &[&str] = &[
    "BcastAddr",
    "Boards",
    "CoresPerSocket",
    "CpuBind",
    "CPUs",
    "Feature",
    "Features",
    "Gres",
    "InstanceId",
    "InstanceType",
    "NodeAddr",
    "NodeHostname",
    "NodeName",
    "Parameters",
    "Port",
    "Procs",
    "RealMemory",
    "Reason",
    "RestrictedCoresPerGPU",
    "Sockets",
    "SocketsPerBoard",
    "State",
    "ThreadsPerCore",
    "TmpDisk",
    "Topology",
];

/// Effect of a key of nodes; `None` if it is unknown.
pub(super) fn of_nodes(key: &str) -> Option<KeyEffect> {
    let lost = among(NODE_LOST, key).then_some(KeyEffect::Lost(PolicyPart::Machine));
    lost.or_else(|| among(NODE_KNOWN, key).then_some(KeyEffect::Read))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_in_any_case_and_by_one_list_each() {
        assert_eq!(of_line("schedulerparameters"), Some(KeyEffect::Lost(PolicyPart::Backfill)));
        assert_eq!(of_line("PRIORITYWEIGHTAGE"), Some(KeyEffect::Read));
        assert_eq!(
            (of_line("SlurmdDebug"), of_line("TaskPlugin")),
            (Some(KeyEffect::None), Some(KeyEffect::None))
        );
        assert_eq!(
            (of_line("AccountingStorageEnforce"), of_line("Bogus")),
            (Some(KeyEffect::Lost(PolicyPart::Policy)), None)
        );
        assert_eq!(
            (of_partition("prioritytier"), of_partition("Bogus")),
            (Some(KeyEffect::Lost(PolicyPart::Policy)), None)
        );
        assert_eq!(
            (of_nodes("weight"), of_nodes("Bogus")),
            (Some(KeyEffect::Lost(PolicyPart::Machine)), None)
        );
        // keys that only begin as others do are unknown
        for bogus in
            ["SlurmBogus", "TaskForce", "Controls", "KillJoy", "GroupUpdate", "Epilogue", "AuthTypes", ""]
        {
            assert_eq!(of_line(bogus), None, "{bogus}");
        }
        let none: Vec<&str> = NONE.split(' ').collect();
        assert!(none.iter().all(|key| !key.is_empty()), "{none:?}");
        for lists in [
            &[MACHINE, POLICY, BACKFILL, ORDER, READ, none.as_slice()][..],
            &[PARTITION_LOST, PARTITION_READ, PARTITION_NONE],
            &[NODE_LOST, NODE_KNOWN],
        ] {
            let mut all: Vec<String> =
                lists.iter().flat_map(|keys| keys.iter()).map(|key| key.to_lowercase()).collect();
            all.sort();
            assert!(all.windows(2).all(|pair| pair[0] != pair[1]), "{all:?}");
        }
    }
}
