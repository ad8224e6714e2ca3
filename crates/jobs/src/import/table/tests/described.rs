//! Descriptions: a guess at the columns of a table, by which it is then read.

use super::sources::SAMPLES;
use super::*;

fn described(name: &str, bytes: &[u8]) -> TableSurvey {
    survey(Input::Bytes(bytes), name).unwrap_or_else(|mistakes| panic!("{name}: {mistakes:?}"))
}

fn of_text(text: &str) -> TableSurvey {
    described("t.csv", text.as_bytes())
}

/// The value of a guessed key.
fn value(survey: &TableSurvey, key: &str) -> String {
    survey.guess.columns.iter().find(|own| own.key == key).map_or(String::new(), |own| own.value.clone())
}

#[test]
fn tables_of_public_sources_are_known_by_their_columns() {
    let mut known = 0;
    for (name, keys) in SAMPLES {
        if name.ends_with(".parquet") && !cfg!(feature = "parquet") || !keys.starts_with("like") {
            continue;
        }
        let survey = described(name, &sample(name));
        let like = keys.split('"').nth(1);
        assert_eq!(survey.guess.like, like, "{name}");
        let (log, _) = survey.jobs.as_ref().unwrap_or_else(|mistakes| panic!("{name}: {mistakes:?}"));
        let as_stated = log_of(name, &sample(name), keys).expect("right");
        assert_eq!(log.jobs.len(), as_stated.jobs.len(), "{name}");
        assert_eq!(log.jobs[0].run_time, as_stated.jobs[0].run_time, "{name}");
        assert_eq!((survey.rows, log.origin), (as_stated.report.jobs, as_stated.origin), "{name}");
        known += 1;
    }
    assert!(known >= 12, "{known}");
}

#[test]
fn sums_are_of_amounts_before_they_are_whole() {
    let name = "openb-head500.csv.gz";
    let survey = described(name, &sample(name));
    let (log, totals) = survey.jobs.expect("right");
    // counted by a script of some lines over the file
    assert_eq!((log.jobs.len(), totals.with_gpus), (465, 430));
    assert!((totals.processor_seconds - 1_859_207_063.544).abs() < 1e-2, "{totals:?}");
    assert!((totals.gpu_seconds - 128_274_139.94).abs() < 1e-2, "{totals:?}");
}

#[test]
fn columns_of_a_site_are_guessed_with_their_units_and_states() {
    let survey = of_text(
        "job,queued,began,ended,cores,nodes,asked,account,result,mem_per_node_gb\n\
         a1,2026-03-01 08:00:00,2026-03-01 08:00:00,2026-03-01 09:00:00,96,3,120,physics,OK,64\n\
         a2,2026-03-01 08:05:00,2026-03-01 09:00:00,2026-03-01 10:00:00,64,2,60,biology,killed,64\n\
         a3,2026-03-01 08:10:00,2026-03-01 08:10:00,2026-03-01 08:30:00,32,1,30,physics,OK,32\n\
         a4,2026-03-01 08:20:00,,,32,1,30,physics,waiting,32\n",
    );
    let (submit, start, end) = (value(&survey, "submit"), value(&survey, "start"), value(&survey, "end"));
    assert_eq!((&*submit, &*start, &*end), ("\"queued\"", "\"began\"", "\"ended\""));
    assert_eq!(value(&survey, "limit"), "{ column = \"asked\", unit = \"min\" }");
    assert_eq!(value(&survey, "memory"), "{ column = \"mem_per_node_gb\", unit = \"GB\", per = \"node\" }");
    assert_eq!(value(&survey, "group"), "\"account\"");
    let states = value(&survey, "states");
    assert!(
        states.contains("completed = [\"OK\"]") && states.contains("dropped = [\"waiting\"]"),
        "{states}"
    );
    let (log, _) = survey.jobs.as_ref().expect("right");
    assert_eq!((log.jobs.len(), survey.rows), (3, 4));
    let text = survey.guess.workload("\"jobs.csv\"", false);
    assert!(text.contains("unit = \"min\" }  # a guess: in this unit 0 of the first 3 jobs"), "{text}");
    let column = &survey.columns[4];
    assert_eq!((column.kind(), column.stated, column.range), (ColumnType::Whole, 4, Some((32.0, 96.0))));
    assert_eq!(column.values, ["96", "64", "32"]);
}

#[test]
fn times_are_dates_by_the_size_of_their_numbers_or_by_their_form() {
    let numbers = |unit: &str, factor: i64| {
        let row = |at: i64| format!("{},{},{},4\n", at * factor, (at + 9) * factor, (at + 99) * factor);
        let text = format!("submit,start,end,cpus\n{}{}", row(1_772_323_200), row(1_772_323_300));
        let survey = of_text(&text);
        assert!(value(&survey, "times").contains(&format!("unit = \"{unit}\"")), "{unit}: {survey:?}");
        assert_eq!(survey.jobs.expect("right").0.unix_origin(), Some(1_772_323_200), "{unit}");
    };
    [("s", 1), ("ms", 1_000), ("us", 1_000_000)].iter().for_each(|&(unit, factor)| numbers(unit, factor));
    let american =
        of_text("submit,start,end,cpus\n03/25/2026 08:00:00,03/25/2026 08:01:00,03/25/2026 09:00:00,4\n");
    assert_eq!(value(&american, "times"), "{ format = \"%m/%d/%Y %H:%M:%S\" }");
    assert_eq!(american.jobs.expect("right").0.unix_origin(), Some(1_774_425_600));
    let dateless = of_text("arrival,duration_min,cores\n0,5,1\n17,9,2\n");
    assert_eq!(value(&dateless, "times"), "{ unit = \"s\", origin = \"trace\" }");
    assert_eq!(value(&dateless, "run-time"), "{ column = \"duration_min\", unit = \"min\" }");
}

#[test]
fn a_file_of_a_source_with_other_units_is_read_by_them() {
    if !cfg!(feature = "parquet") {
        return;
    }
    let name = "opendc-small-gpu-tasks.parquet";
    let survey = described(name, &sample(name));
    assert_eq!((survey.guess.like, &*value(&survey, "times")), (Some("opendc"), "{ unit = \"s\" }"));
    let (_, totals) = survey.jobs.expect("right");
    assert!((totals.gpu_seconds - 1_512_000_000.0).abs() < 1.0, "{totals:?}");
}

#[test]
fn a_wrong_cell_among_many_does_not_hide_what_a_column_is() {
    let mut text = "submit,start,end,cpus\n".to_owned();
    for row in 0..20 {
        let cpus = if row == 11 { "many" } else { "4" };
        text += &format!("2026-03-01 08:00:{row:02},2026-03-01 09:00:00,2026-03-01 09:30:00,{cpus}\n");
    }
    let survey = of_text(&text);
    assert_eq!((survey.columns[3].kind(), &*value(&survey, "procs")), (ColumnType::Text, "\"cpus\""));
    let mistakes = survey.jobs.expect_err("refused");
    let [problem] = &mistakes[..] else { panic!("{mistakes:?}") };
    assert_eq!(problem.place.as_ref().map(|place| place.line), Some(13));
    assert!(problem.message.contains("`many` is no number"), "{}", problem.message);
}

#[test]
fn what_is_no_table_of_jobs_says_so() {
    let nodes = described("n.csv", &sample("openb-nodes-head40.csv.gz"));
    assert!(nodes.foreign.is_some_and(|(about, _)| about.contains("openb")) && !nodes.is_of_jobs());
    let other = of_text("host,time,free\na,0,0.5\n");
    assert!(!other.is_of_jobs() && other.jobs.is_err());
    let refused =
        |text: &str| survey(Input::Bytes(text.as_bytes()), "a.txt").expect_err("no table")[0].message.clone();
    assert!(refused("Dear reader\nthis is a letter\n").contains("no sign between cells"));
    assert!(refused("").contains("empty"), "{}", refused(""));
    let headless = of_text("1,2026-03-01 08:00:00,4\n2,2026-03-01 08:00:01,8\n");
    assert_eq!((&*value(&headless, "header"), headless.rows), ("false", 2));
}

#[test]
fn numbers_that_stand_for_no_limit_are_named() {
    let row =
        |limit: &str| format!("2026-03-01 08:00:00,2026-03-01 08:00:00,2026-03-01 09:00:00,4,{limit}\n");
    let rows: String = ["90", "4294967295", "-1", "4294967294", "60"].map(row).concat();
    let survey = of_text(&format!("submit,start,end,cpus,timelimit\n{rows}"));
    assert_eq!(
        value(&survey, "limit"),
        "{ column = \"timelimit\", unit = \"min\", none = [-1, 4294967295, 4294967294] }"
    );
    let (log, _) = survey.jobs.expect("right");
    assert_eq!(log.jobs.len(), 5);
}

#[test]
fn a_name_that_two_columns_have_is_reported() {
    let row = "2026-03-01 08:00:00,2026-03-01 08:00:00,2026-03-01 09:00:00,4";
    let survey = of_text(&format!("submit,start,end,cpus,user,user\n{row},a,b\n"));
    assert_eq!((&*survey.twice, survey.guess.has("user")), (&["user".to_owned()][..], false));
    let row = "{\"submit\": 1772323200, \"start\": 1772323200, \"end\": 1772326800, \"cpus\": 4, \"u\": 1, \"u\": 2}\n";
    let survey = described("t.jsonl", row.repeat(3).as_bytes());
    assert_eq!((&*survey.twice, survey.rows), (&["u".to_owned()][..], 3));
    assert!(survey.jobs.is_ok() && survey.damage.is_empty(), "{survey:?}");
}

#[test]
fn columns_that_are_called_as_those_of_jobs_are_taken_whatever_stands_in_them() {
    let survey = of_text("job,submit,start,end,cpus\n1,soon,now,later,many\n2,soon,now,later,many\n");
    assert!(survey.is_of_jobs() && value(&survey, "procs") == "\"cpus\"", "{:?}", survey.guess);
    let mistakes = survey.jobs.expect_err("wrong cells");
    let places: Vec<_> =
        mistakes.iter().filter_map(|one| one.place.as_ref()).map(|at| (at.line, at.column)).collect();
    assert_eq!(places, [(2, 3), (2, 8), (2, 12), (2, 18), (3, 3), (3, 8), (3, 12), (3, 18)]);
    let survey = of_text("job,submit,start,end,cpus\n");
    assert!(survey.is_of_jobs() && survey.damage[0].message.contains("no row"), "{:?}", survey.damage);
    // another table keeps its columns
    let survey = of_text("host,start,end,nodes\na,x,y,r1i0n1\n");
    assert!(!survey.is_of_jobs() && survey.guess.columns.is_empty(), "{:?}", survey.guess);
}

#[test]
fn a_machine_of_pai_whose_amount_is_wrong_is_one_of_its_table() {
    let row = |name: &str, amount: &str| format!("{name},T4,{amount},512,2\n");
    let rows: String = (0..20).map(|at| row(&format!("m{at}"), "96")).collect();
    let survey = of_text(&(rows + &row("last", "many")));
    let mistakes = survey.nodes.expect("a table of nodes").expect_err("no number");
    let place = mistakes[0].place.as_ref().expect("a place");
    assert_eq!((place.line, place.column), (21, 9), "{mistakes:?}");
}

#[test]
fn the_first_of_very_many_columns_are_looked_at_and_all_are_counted() {
    let names: Vec<String> = (0..5000).map(|at| format!("c{at}")).collect();
    let survey = of_text(&format!("{}\n{}\n", names.join(","), vec!["1"; 5000].join(",")));
    assert_eq!((survey.columns.len(), survey.all_columns), (2000, 5000));
}
