//! Studies as scenarios write them: points of axes, what is resolved, and rules of repetition.

use std::path::Path;

use clustersim::system::standard;
use clustersim_experiment::scenario::{Override, Rejected, Repeat, Study, from_text, study};

const HEAD: &str = "title = \"T\"\ncluster.nodes = 8\n[workload]\nkind = \"synthetic\"\njobs = 5\n\
                    arrivals = { kind = \"exponential\", mean = \"6min\" }\nsizes = 1\n\
                    run-times = \"1h\"\nestimates = 2\n[policy]\nkind = \"space-sharing\"\n";

fn read(more: &str, overrides: &[Override]) -> Result<Study, Vec<String>> {
    let written = from_text("t.toml", format!("{HEAD}{more}"), Path::new(""), overrides);
    let told = |rejected: Box<Rejected>| rejected.complaints.iter().map(|one| one.message.clone()).collect();
    study(&standard(), written).map_err(told)
}

#[test]
fn points_are_the_product_of_the_axes_and_the_last_moves_fastest() {
    let more = "[[vary]]\n\"policy.backfill\" = [\"none\", \"easy\"]\n\
                [[vary]]\n\"workload.load\" = [0.5, 0.6, 0.7]\nseed = [1, 2, 3]\n[repeat]\nreplications = 4\n";
    let study = read(more, &[]).expect("valid");
    assert_eq!((study.points.len(), study.repeat.at_most()), (6, 4));
    assert_eq!(study.points[1].at, [0, 1]);
    assert_eq!(study.points[4].label(), "policy.backfill = easy, workload.load = 0.6, seed = 2");
    assert_eq!(study.points[4].scenario.seed, 2);
    assert_eq!(study.axes[1].labels[2], "0.7, 3");
}

#[test]
fn the_resolved_study_gives_the_same_points() {
    let more = "[[vary]]\npolicy = [\"fcfs\", { kind = \"space-sharing\", backfill = \"easy\" }]\n\
                [[vary]]\n\"workload.sizes\" = [2, { kind = \"uniform\", low = 1, high = 4 }]\n";
    for more in [more, "backfill = \"easy\"\n[[vary]]\n\"policy.backfill.kind\" = [\"none\", \"easy\"]\n"] {
        let first = read(more, &[]).expect("valid");
        let written = from_text("r.toml", first.resolved().to_owned(), Path::new(""), &[]);
        let again = study(&standard(), written).expect("valid too");
        assert_eq!(again.resolved(), first.resolved());
        for (one, two) in first.points.iter().zip(&again.points) {
            assert_eq!(one.scenario.resolved(), two.scenario.resolved());
        }
    }
}

#[test]
fn axes_may_come_from_the_command_line_and_replace_their_like() {
    let more = "[[vary]]\n\"workload.load\" = [0.5, 0.6]\n";
    let overrides = [
        Override::vary("workload.load=0.7,0.8,0.9"),
        Override::vary("policy=fcfs,{kind = 'space-sharing', backfill = 'easy'}"),
    ];
    let study = read(more, &overrides).expect("valid");
    assert_eq!(study.axes[0].labels, ["0.7", "0.8", "0.9"]);
    assert_eq!(study.points.len(), 6);
    assert_eq!(study.points[0].scenario.resolved().matches("kind = \"none\"").count(), 1);
    let array = read("", &[Override::vary("seed=[1, 2]")]).expect("valid");
    assert_eq!(array.points.len(), 2);
}

#[test]
fn each_mistake_is_told_once() {
    let wrong = |more: &str| read(more, &[]).expect_err("invalid");
    let load = "[[vary]]\n\"workload.load\" = [0.5, -1]\n[[vary]]\nseed = [1, 2, 3]\n";
    assert_eq!(wrong(load), ["`load` cannot be -1"]);
    assert_eq!(wrong("[[vary]]\n\"workload.laod\" = [1]\n"), ["unknown key `laod`"]);
    assert_eq!(wrong("[[vary]]\nseed = []\n"), ["`seed` has no values"]);
    assert_eq!(wrong("[[vary]]\n"), ["an axis without keys"]);
    assert_eq!(wrong("[[vary]]\nseed = [1, 2]\n[[vary]]\nseed = [3]\n"), ["`seed` is varied twice"]);
    let uneven = "[[vary]]\nseed = [1, 2]\n\"workload.load\" = [0.5]\n";
    assert_eq!(wrong(uneven), ["`workload.load` has 1, and `seed` has 2"]);
    let hundred: Vec<String> = (1..=101).map(|number| number.to_string()).collect();
    let list = hundred.join(", ");
    let many = format!("[[vary]]\nseed = [{list}]\n[[vary]]\n\"workload.jobs\" = [{list}]\n");
    assert_eq!(wrong(&many), ["the axes have 101 x 101 points, and a study at most 10000"]);
}

#[test]
fn the_rule_of_repetition_is_checked() {
    let wrong = |more: &str| read(more, &[]).expect_err("invalid");
    let until = "[repeat]\nuntil = { metric = \"wait-time.maen\", half-width = \"2%\" }\n";
    assert_eq!(wrong(until), ["unknown metric `wait-time.maen`"]);
    let both = "[repeat]\nreplications = 3\nuntil = { metric = \"makespan\", half-width = 0.1 }\n";
    assert_eq!(wrong(both), ["`replications` and `until` both say how often"]);
    let study = read("[repeat]\nuntil = { metric = \"makespan\", half-width = 0.1 }\n", &[]).expect("valid");
    let until = Repeat::Until { metric: "makespan".to_owned(), half_width: 0.1, at_most: 100 };
    assert_eq!(study.repeat, until);
    assert!(study.is_several());
}
