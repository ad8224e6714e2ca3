//! The account as one JSON object.

use serde_json::{Map, Value as Json, json};

use crate::output::VERSION;

use super::account::{FidelityAccount, FidelityGroup, WithoutCauses};
use super::compared::{ComparedWaits, WaitFigure};
use super::replayed::ErrorCause;
use super::resamples::WeekResamples;
use super::rules::{FidelityRules, FidelityWord, ReplayMachine, WordBounds};

/// Name and version of the object.
const SCHEMA: &str = "clustersim/fidelity/1";

impl FidelityAccount {
    /// The account as an object of the schema `clustersim/fidelity/1`; times are seconds.
    pub fn to_json(&self, title: &str) -> Json {
        let (from, to) = self.window();
        let groupings: Map<String, Json> = self
            .groupings
            .iter()
            .map(|grouping| {
                (grouping.by.to_owned(), grouping.groups.iter().map(|one| self.group(one)).collect())
            })
            .collect();
        let causes: Vec<Json> = self
            .causes
            .iter()
            .map(|one| {
                let cause = one.cause.map_or("none", ErrorCause::name);
                json!({ "cause": cause, "jobs": one.jobs, "share": one.share, "error-share": one.error_share })
            })
            .collect();
        json!({
            "schema": SCHEMA,
            "title": title,
            "version": VERSION,
            "word": word(self.word()),
            "machine": {
                "processors": self.facts.procs,
                "recorded-peak": self.facts.peak,
                "scenario": self.facts.stated,
            },
            "window": { "from": from.as_secs_f64(), "to": to.as_secs_f64() },
            "not-compared": {
                "in-edges": self.left_out.in_edges,
                "unrecorded": self.left_out.unrecorded,
                "not-run": self.left_out.not_run,
            },
            "rules": rules(&self.rules),
            "intervals": { "confidence": WeekResamples::CONFIDENCE, "draws": WeekResamples::COUNT,
                           "least-weeks": WeekResamples::LEAST_WEEKS },
            "jobs": self.compared(&self.whole),
            "by": groupings,
            "error": causes,
            "without": self.without.as_ref().map(|without| self.second(without)),
        })
    }

    fn compared(&self, compared: &ComparedWaits) -> Json {
        let figure = |figure: WaitFigure| {
            let interval = compared.interval(figure).map(|(low, high)| [low, high]);
            let value = compared.value(figure);
            let word = self.rules.word(figure, value).map(FidelityWord::name);
            let mut one = json!({ "value": value, "interval": interval });
            if let Some(word) = word {
                one["word"] = json!(word);
            }
            (figure.name().to_owned(), one)
        };
        let figures: Map<String, Json> = WaitFigure::ALL.into_iter().map(figure).collect();
        json!({ "jobs": compared.jobs, "weeks": compared.weeks, "figures": figures })
    }

    fn group(&self, group: &FidelityGroup) -> Json {
        let mut one = self.compared(&group.compared);
        one["name"] = json!(group.name);
        one["word"] = word(group.word);
        one["error-share"] = json!(group.error_share);
        one
    }

    fn second(&self, without: &WithoutCauses) -> Json {
        let causes: Vec<&str> = without.causes.iter().map(|cause| cause.name()).collect();
        json!({
            "causes": causes,
            "started-as-recorded": without.fixed,
            "others-before": self.compared(&without.before),
            "others-after": self.compared(&without.after),
            "word-before": word(without.before.word(&self.rules)),
            "word-after": word(without.after.word(&self.rules)),
        })
    }
}

fn word(word: Option<FidelityWord>) -> Json {
    word.map_or(Json::Null, |word| json!(word.name()))
}

fn rules(rules: &FidelityRules) -> Json {
    let bounds = |of: &WordBounds| -> Map<String, Json> {
        let bound = |figure: WaitFigure| Some((figure.name().to_owned(), json!(of.of(figure)?)));
        WaitFigure::ALL.into_iter().filter_map(bound).collect()
    };
    json!({
        "edge": rules.edge.as_secs_f64(),
        "within": rules.within.as_secs_f64(),
        "factor": rules.factor,
        "machine": match rules.machine {
            ReplayMachine::RecordedPeak => "recorded-peak",
            ReplayMachine::Scenario => "scenario",
        },
        "good": bounds(&rules.good),
        "usable": bounds(&rules.usable),
    })
}
