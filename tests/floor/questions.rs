//! `[question]` and the flags that ask: what contradicts itself is refused at its place, and what
//! is not asked anew stays.

use clustersim_testing::program::Place;

/// Three policies at two loads, with this question.
fn scenario(question: &str) -> String {
    format!(
        "title = \"Study\"\ncluster.nodes = 16\n[workload]\nkind = \"synthetic\"\njobs = 60\n\
         arrivals = {{ kind = \"exponential\", mean = \"6min\" }}\n\
         sizes = {{ kind = \"uniform\", low = 1, high = 16 }}\n\
         run-times = {{ kind = \"exponential\", mean = \"1h\" }}\nestimates = 2\n[policy]\nkind = \"space-sharing\"\n\
         [[vary]]\n\"policy.backfill\" = [\"none\", \"easy\"]\n[[vary]]\n\"workload.load\" = [0.4, 0.6]\n\
         [repeat]\nreplications = 5\n[question]\n{question}\n"
    )
}

#[test]
fn a_question_that_contradicts_itself_is_refused_at_its_place() {
    let place = Place::new();
    for (question, at, words) in [
        ("baseline = 0.6", "19:12", "`0.6` is no value of `policy.backfill`"),
        ("baseline = 0.6", "19:12", "axis = \"workload.load\" compares along it"),
        ("axis = \"workload.load\"\nbaseline = \"easy\"", "20:12", "`easy` is no value of `workload.load`"),
        ("baseline = \"esay\"", "19:12", "did you mean `easy`?"),
        ("metrics = [\"makespan\", \"wait-time.maen\"]", "19:24", "did you mean `wait-time.mean`?"),
        ("metrics = [\"makespan\", \"all\"]", "19:24", "`all` stands for every metric"),
    ] {
        place.file("wrong.toml", scenario(question));
        for command in [&["validate", "wrong.toml"][..], &["compare", "wrong.toml", "-o", "out"]] {
            let refused = place.run(command);
            let is_there = refused.stderr.contains(&format!("wrong.toml:{at}"));
            assert!(
                refused.status == 2 && is_there && refused.stderr.contains(words),
                "{question}: {}",
                refused.stderr
            );
        }
    }
    assert_eq!(place.names("."), ["wrong.toml"]);
    place.file("s.toml", scenario(""));
    let refused = place.run(&["compare", "s.toml", "-o", "out", "--metric", "all,makespan"]);
    assert!(refused.status == 2 && refused.stderr.contains("`all` stands for every metric"));
}

#[test]
fn parts_that_are_not_asked_anew_stay_as_the_study_asks_them() {
    let place = Place::new();
    let question = "metrics = [\"wait-time.p95\"]\naxis = \"workload.load\"\nbaseline = 0.6";
    place.file("s.toml", scenario(question));
    let answer = |arguments: &[&str]| {
        let run = place.run(&[&["compare", "s.toml", "-o", "out"][..], arguments].concat());
        assert_eq!(run.status, 0, "{arguments:?}: {}", run.stderr);
        run.stdout
    };
    for (arguments, begin, end) in [
        (&[][..], "wait-time.p95 against 0.6 [", "primary"),
        (&["--metric", "makespan"], "makespan against 0.6 [", "asked afterwards"),
        (&["--baseline", "0.4"], "wait-time.p95 against 0.4 [", "asked afterwards"),
        (&["--axis", "policy.backfill"], "wait-time.p95 against none [", "asked afterwards"),
        (&["--axis", "workload.load"], "wait-time.p95 against 0.6 [", "primary"),
    ] {
        let text = answer(arguments);
        assert_eq!(text.matches(" against ").count(), 1, "{arguments:?}: {text}");
        let is_so = text.contains(&format!("\n{begin}")) && text.contains(&format!("n = 5, {end}\n"));
        assert!(is_so, "{arguments:?}: {text}");
    }
}

#[test]
fn one_replication_is_made_where_one_is_asked_for() {
    let place = Place::new();
    place.file("s.toml", scenario(""));
    let one = place.run(&["compare", "s.toml", "-o", "one", "--replications", "1"]);
    assert_eq!(one.status, 0, "{}", one.stderr);
    assert!(one.stdout.contains("settled: fewer than 5 replications."), "{}", one.stdout);
    assert!(one.stdout.contains("n = 1, primary"), "{}", one.stdout);
}
