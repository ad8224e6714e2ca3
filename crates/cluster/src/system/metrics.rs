//! Metrics that a run of a cluster may have: by the metrics of one in which nothing happens.

use std::sync::Arc;

use crate::batch::pools::{Pool, Pools};
use crate::instrument::by_class::fairness;
use crate::instrument::loss_of_capacity::capacity_metric;
use crate::instrument::metrics::FinishedRun;
use crate::instrument::{
    Draw, Failures, OnNodeFailure, Record, Requeue, RequeuePlace, RequeueSize, SiteModel, slice_metrics,
    task_metrics,
};
use crate::kernel::SimDuration;
use crate::measure::metric::{Metric, Value};

use crate::registry::{Node, Tree};
use crate::scenario::Scenario;
use crate::system::description::Cluster;
use crate::system::site::SITE_FEATURE;
use crate::system::task_detail::{self, Detail, detail_of};
use crate::units::Power;
use crate::workload::resources::{Demands, FeatureNames, Features, NodeKind, Nodes, Resources};
use crate::workload::{Habits, LimitOf, Walltime};

/// Features that a run at detail `job` may have, and not every run has.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a feature by itself")]
struct More {
    /// Jobs run in slices.
    slices: bool,
    /// Features of its site.
    site: SiteModel,
    /// Jobs ask for more than processors.
    resources: bool,
    /// GPUs are distinguished.
    gpus: bool,
    /// Pools lie beside processors.
    pools: bool,
    /// Jobs are classified.
    classes: bool,
}

impl More {
    /// All that there is.
    const ALL: More = {
        let none = Power::from_milliwatts(0);
        let walltime = Some(Walltime { grace: SimDuration::ZERO, of: LimitOf::Run });
        let power = match none {
            Some(none) => Some(Draw { idle: none, busy: none }),
            None => None,
        };
        let failures =
            Some(Failures { processors_per_node: 1, then: OnNodeFailure::Requeued, checkpoint: None });
        let (place, size) = (RequeuePlace::Submission, RequeueSize::Molded);
        let requeue = Requeue { place, delay: SimDuration::ZERO, size };
        let site = SiteModel {
            walltime,
            power,
            users: Habits::ALL,
            failures,
            reserves: true,
            inside: true,
            requeue,
            holds_failed: true,
        };
        More { slices: true, site, resources: true, gpus: true, pools: true, classes: true }
    };

    /// Features that either has.
    #[must_use]
    fn or(self, other: More) -> More {
        let walltime = self.site.walltime.or(other.site.walltime);
        let power = self.site.power.or(other.site.power);
        let failures = self.site.failures.or(other.site.failures);
        let reserves = self.site.reserves || other.site.reserves;
        let holds_failed = self.site.holds_failed || other.site.holds_failed;
        let site = SiteModel {
            walltime,
            power,
            failures,
            reserves,
            holds_failed,
            inside: self.site.inside || other.site.inside,
            users: self.site.users.or(other.site.users),
            ..self.site
        };
        let (resources, gpus) = (self.resources || other.resources, self.gpus || other.gpus);
        let pools = self.pools || other.pools;
        let (slices, classes) = (self.slices || other.slices, self.classes || other.classes);
        More { slices, site, resources, gpus, pools, classes }
    }
}

/// Every metric that a run of a scenario as written may have, whatever its policy.
pub(super) fn bounded(root: &Node) -> Vec<Metric> {
    match detail_of(root) {
        Detail::Job => {
            let mut metrics = metrics_with(Detail::Job, More::ALL);
            metrics.extend(bounded_own(root));
            metrics
        }
        Detail::Task => metrics_with(Detail::Task, More::default()),
    }
}

/// The metrics that `[expect]` bounds and whose names begin with the kind of a feature of another
/// crate: which of them there are is known to that.
fn bounded_own(root: &Node) -> Vec<Metric> {
    let features = root.at("cluster").and_then(|cluster| cluster.at(SITE_FEATURE.name));
    let kinds: Vec<&str> = features
        .map_or(&[][..], Node::items)
        .iter()
        .filter_map(|feature| feature.as_text().or_else(|| feature.at("kind")?.as_text()))
        .collect();
    let is_own = |name: &str| {
        let further = |rest: &str| rest.starts_with('.') || rest.starts_with('-') && rest.contains('.');
        kinds.iter().any(|kind| name.strip_prefix(kind).is_some_and(further))
    };
    let slots = root.table_at("expect").map_or(&[][..], Tree::slots);
    let own = slots.iter().filter(|slot| is_own(&slot.name));
    own.map(|slot| Metric { name: slot.name.clone(), value: Value::Nothing, unit: "" }).collect()
}

/// The metrics of a study of these scenarios: those of the greatest detail among them.
pub(super) fn of_study(scenarios: &[&Scenario]) -> Vec<Metric> {
    let clusters = || scenarios.iter().filter_map(|scenario| Some((*scenario, scenario.own::<Cluster>()?)));
    if clusters().any(|(_, cluster)| cluster.nodes.is_some()) {
        return metrics_with(Detail::Task, More::default());
    }
    let more = |(scenario, cluster): (&Scenario, &Cluster)| More {
        slices: task_detail::runs_in_slices(scenario.root()),
        site: cluster.site,
        resources: task_detail::asks_for_resources(scenario.root()),
        gpus: task_detail::distinguishes_gpus(scenario.root()),
        pools: scenario.root().at("cluster.pools").is_some(),
        classes: cluster.classes.is_some(),
    };
    let mut metrics = metrics_with(Detail::Job, clusters().map(more).fold(More::default(), More::or));
    for metric in clusters().flat_map(|(_, cluster)| &cluster.own_metrics) {
        if metrics.iter().all(|one| one.name != metric.name) {
            metrics.push(metric.clone());
        }
    }
    metrics
}

/// Every metric of a run at this detail that has more.
fn metrics_with(detail: Detail, more: More) -> Vec<Metric> {
    let pool = || vec![Pool { name: "any".to_owned(), count: 1, asked: Vec::new() }];
    let pools = if more.pools { Pools::of(pool(), 0) } else { None };
    let resources = more.resources.then(|| of_nothing(more.gpus));
    let mut record = Record::new(0).at(more.site).on_nodes(resources).with_pools(pools);
    record.reservations_moved(0);
    let mut metrics = FinishedRun::of_nothing(&record).metrics();
    if detail == Detail::Task {
        metrics.extend(task_metrics::of_nothing());
    }
    if more.slices {
        metrics.extend(slice_metrics::of_nothing());
    } else if detail == Detail::Job {
        metrics.push(capacity_metric(None));
    }
    if more.classes && detail == Detail::Job {
        metrics.push(fairness(None));
    }
    metrics
}

/// A node without demands, which lists its GPUs or not.
fn of_nothing(lists_gpus: bool) -> Arc<Resources> {
    let (memory, features) = (NodeKind::ENDLESS, Features::NONE);
    let kind = NodeKind { nodes: 1, processors: 1, memory, gpus: 0, features };
    let mut nodes = Nodes::new(vec![kind], FeatureNames::default()).expect("one node");
    if lists_gpus {
        nodes.gpus_mut().set(vec![Vec::new()]);
    }
    Arc::new(Resources { nodes, demands: Demands::default() })
}
