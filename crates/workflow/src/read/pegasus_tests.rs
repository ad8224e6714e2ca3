//! Workflows of Pegasus 5, and their mistakes at their places.

use super::tests::{edges, load, mistakes};
use super::*;

const PEGASUS: &str = "x-pegasus: {apiLang: python, createdOn: '2026-01-01'}
pegasus: '5.0.4'
name: diamond
profiles: {pegasus: {cores: 2}}
replicaCatalog:
  replicas:
  - {lfn: in, pfns: [{site: local, pfn: /in}], metadata: {size: '7'}}
transformationCatalog:
  transformations:
  - name: cut
    namespace: n
    sites:
    - {name: local, pfn: /bin/cut, type: installed, profiles: {pegasus: {runtime: 1.5, memory: 2}}}
jobs:
- type: job
  id: a
  name: cut
  namespace: n
  nodeLabel: first of all
  arguments: [-i, in]
  profiles:
    env: {runtime: x}
    pegasus: {runtime: '90', cores: '4'}
  uses:
  - {lfn: in, type: input}
  - {lfn: f, type: output, metadata: {size: '10'}, stageOut: true}
- {id: b, name: cut, profiles: {pegasus: {runtime: 3}}, uses: [{lfn: f, type: input}, {lfn: out, type: output, size: '5'}]}
- {id: 3, name: join, uses: &none [], profiles: {pegasus: {runtime: 0}}}
jobDependencies:
- id: b
  children: [3]
";

#[test]
fn a_workflow_of_pegasus_is_read() {
    let options = ReadOptions { cores: true, reference_speed: 1.0, ..ReadOptions::default() };
    let LoadedWorkflow { workflow, irregularities, without_cost } = load(PEGASUS, &options);
    assert_eq!(workflow.name(), "diamond");
    // what is written and read is an edge, stated or not
    assert_eq!(edges(&workflow), ["a>b:10", "b>3:0"]);
    let stated = workflow.tasks().iter().map(|task| (task.work, task.cores, task.memory));
    // the catalogue goes before the job, and the job before the workflow
    assert_eq!(stated.collect::<Vec<_>>(), [(1.5, 4, Some(2 << 20)), (3.0, 2, None), (0.0, 2, None)]);
    let first = workflow.task(TaskNumber(0));
    let label = first.properties.iter().flat_map(|all| all.iter()).next();
    assert_eq!(
        (first.category.as_deref(), label.map(|(_, label)| &**label)),
        (Some("cut"), Some("first of all"))
    );
    let sides: [u64; 2] =
        [workflow.inputs(), workflow.outputs()].map(|side| side.iter().map(|one| one.bytes).sum());
    assert_eq!(sides, [7, 5]);
    assert!(irregularities.is_empty() && without_cost.is_empty(), "{irregularities:?}");
    let json = "{\"pegasus\": \"5.0\", \"name\": \"w\", \"jobs\": [{\"id\": \"a\", \"name\": \"p\"}]}";
    assert_eq!(load(json, &options).without_cost, [TaskNumber(0)]);
}

#[test]
fn mistakes_of_pegasus_are_at_their_places() {
    let text = "pegasus: '4.0'\njobs:\n- {id: a, name: p, uses: [{lfn: f}, {lfn: f, type: in}]}\n- {name: q}\n- {id: a}\n\
                - {type: pegasusWorkflow, id: w}\n- {id: b, profiles: {pegasus: {runtime: -1, cores: x}}, uses: f}\n- word\n\
                jobDependencies:\n- {id: a, children: [c, [d]]}\n- {id: b, children: [a], id: b}\n";
    assert_eq!(
        mistakes(text),
        [
            "1['4.0'] version `4.0` of such workflows is not read; 5 is",
            "3[a] the runtime of `a` is missing",
            "3[{] the file has no `type`",
            "3[in] unknown type `in` of a file",
            "4[{] the job has no `id`",
            "5[a] `a` is defined twice",
            "6[pegasusWorkflow] a workflow in a workflow is not read",
            "7[-1] the runtime is negative",
            "7[x] the number of cores is no number",
            "7[f] `uses` is a list",
            "8[word] the job has no `id`",
            "10[c] there is no task `c`",
            "10[[] the `id` of a job should stand here",
            "11[id] the key `id` is there twice",
        ]
    );
    let cycle = PEGASUS.replace("- id: b\n", "- {id: 3, children: [a]}\n- id: b\n");
    assert_eq!(mistakes(&cycle), ["30[a] the tasks form a cycle: a -> b -> 3 -> a"]);
    let broken = mistakes("pegasus: '5.0'\njobs:\n- {id: a\n- {id: b}\n");
    assert!(broken.len() == 1 && broken[0].starts_with("4["), "{broken:?}");
    let bomb = format!("{}jobs: []\nx: &a [1, 2, 3]\n", "pegasus: '5.0'\n")
        + &(0..30)
            .map(|level| {
                format!(
                    "x{level}: &a{level} [{}]\n",
                    "*a, ".repeat(3).replace(
                        "*a",
                        &match level {
                            0 => "*a".to_owned(),
                            _ => format!("*a{}", level - 1),
                        }
                    )
                )
            })
            .collect::<Vec<_>>()
            .concat();
    assert!(mistakes(&bomb).iter().any(|found| found.contains("aliases stand for more")));
}
