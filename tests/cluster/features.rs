//! Features of a site, each as a scenario says it, to be put together.

/// A feature: its name, and what a scenario that has it says.
#[derive(Clone, Copy)]
pub(crate) struct Feature {
    pub(crate) name: &'static str,
    /// Keys of the policy.
    pub(crate) policy: &'static str,
    pub(crate) workload: &'static str,
    pub(crate) cluster: &'static str,
    pub(crate) tables: &'static str,
    /// True if jobs ask for nodes, or nodes are what it is about.
    pub(crate) nodes: bool,
}

impl Feature {
    pub(crate) const NONE: Feature =
        Feature { name: "", policy: "", workload: "", cluster: "", tables: "", nodes: false };
}

const NONE: Feature = Feature::NONE;

/// Features that meet under space sharing.
pub(crate) const FEATURES: [Feature; 19] = [
    Feature {
        name: "memory",
        workload: "demand = [{ partitions = [1], memory = \"2GiB\" }]\n",
        nodes: true,
        ..NONE
    },
    Feature {
        name: "GPUs",
        workload: "demand = [{ partitions = [2], gpus = { count = 1, kind = \"a100\" } }]\n",
        nodes: true,
        ..NONE
    },
    Feature {
        name: "parts of GPUs",
        workload: "demand = [{ partitions = [2], gpus = { parts = 3, kind = \"t4\" } }]\n",
        nodes: true,
        ..NONE
    },
    Feature {
        name: "features of nodes",
        workload: "demand = [{ partitions = [1], features = [\"big\"] }]\n",
        nodes: true,
        ..NONE
    },
    Feature {
        name: "nodes of one's own",
        workload: "demand = [{ partitions = [1], exclusive = true }]\n",
        nodes: true,
        ..NONE
    },
    Feature {
        name: "maintenance",
        tables: "[[cluster.reservation]]\nat = \"450s\"\nfor = \"100s\"\nnotice = \"100s\"\n",
        ..NONE
    },
    Feature {
        name: "advance reservations",
        tables: "[[cluster.reservation]]\nat = \"100s\"\nfor = \"300s\"\nuse = \"advance\"\nusers = [3]\nSOME",
        ..NONE
    },
    Feature {
        name: "failing nodes",
        tables: "[cluster.failures]\nprocessors-per-node = 1\nup = { kind = \"exponential\", mean = \"20min\" }\ndown = \"40s\"\n",
        ..NONE
    },
    Feature {
        name: "checkpoints",
        tables: "[cluster.failures]\nprocessors-per-node = 1\nup = { kind = \"exponential\", mean = \"20min\" }\ndown = \"40s\"\ncheckpoint = { interval = \"20s\", cost = \"2s\" }\n",
        ..NONE
    },
    Feature {
        name: "limits of run times",
        cluster: "kill-at-estimate = true\nkill-grace = \"5s\"\n",
        ..NONE
    },
    Feature { name: "energy", cluster: "power = { idle = \"100W\", busy = \"200W\" }\n", ..NONE },
    Feature { name: "patience", workload: "patience = \"200s\"\n", ..NONE },
    Feature { name: "dependencies", workload: "dependencies = \"dependencies.csv\"\n", ..NONE },
    Feature {
        name: "limits of queues",
        policy: "queues = [{ name = \"all\", max-running-per-user = 2 }]\n",
        ..NONE
    },
    Feature {
        name: "pools",
        workload: "demand = [{ partitions = [2], pools = { matlab = 1 } }]\n",
        cluster: "pools = { matlab = 2 }\n",
        ..NONE
    },
    Feature {
        name: "queues with nodes of their own",
        policy: "queues = [{ name = \"one\", of = \"partition\", numbers = [1], nodes = [\"big\"] }, { name = \"two\", of = \"partition\", numbers = [2], nodes = [\"small\"] }]\n",
        nodes: true,
        ..NONE
    },
    Feature {
        name: "fair share",
        policy: "queue = { kind = \"priority\", age = 1.0, fairshare = 2.0 }\n",
        ..NONE
    },
    Feature { name: "predicted times", policy: "estimates = \"last-two\"\n", ..NONE },
    Feature {
        name: "moldable jobs",
        policy: "molding = \"efficient\"\n",
        tables: "[workload.moldable]\nlaw = { kind = \"downey\", variance = 0.2, parallelism = 2 }\n",
        ..NONE
    },
];
