//! All integration tests, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod agent_examples;
mod agent_scenarios;
mod agent_studies;
mod agents;
mod agents_chapter;
mod analytic;
mod axes;
mod backfilling;
#[cfg(unix)]
mod bounds;
mod broker_outputs;
mod broker_studies;
mod browser;
#[cfg(unix)]
mod cancellations;
mod chapters;
mod check_command;
mod checked_numbers;
mod ci;
mod cli;
mod cluster;
mod conformance;
mod convert;
mod coscheduling;
mod coverage;
mod crossovers;
mod dag_gap;
mod dag_mixed;
mod dag_settings;
mod dag_studies;
mod dags;
mod dags_chapter;
mod definitions;
mod dependencies;
mod deployments;
mod determinism;
mod diagnostics;
mod evidence;
mod exact_times;
mod failing_nodes;
#[cfg(unix)]
mod failing_runs;
mod false_alarms;
mod foreign_programs;
#[cfg(unix)]
mod full_disk;
mod fuzz_corpus;
mod gang_jobs;
mod given_flows;
mod global_computing;
mod grid_text;
mod house;
#[cfg(unix)]
mod inside_reservations;
mod interrupted;
mod job_metrics;
mod killed_jobs;
mod layers;
mod limits;
mod links;
mod manual;
mod mistakes;
mod models;
mod moldable_files;
mod molding;
#[cfg(unix)]
mod node_resources;
mod one_at_a_time;
mod own_backfill;
mod own_brokers;
mod own_cpu_scheduler;
mod own_dags;
mod own_discipline;
mod own_policy;
mod own_role;
mod own_sweeps;
mod own_system;
mod own_wait_action;
mod parallel;
mod parquet;
mod platform;
mod policies_chapter;
mod program;
mod readme;
mod recognition;
mod recorded;
mod reference;
mod refused_pairs;
mod replay;
mod reservations;
mod result_table;
mod show;
mod space_sharing;
mod started_programs;
mod stream_names;
mod studies;
#[cfg(unix)]
mod study;
#[cfg(unix)]
mod sweep;
mod sweep_as_graph;
mod sweep_dialogue;
mod sweep_explained;
mod sweep_links_between;
mod sweep_origins;
mod sweep_returns;
mod sweep_shared_links;
mod sweep_studies;
mod sweep_texts;
mod sweeps;
mod task_detail;
mod telling;
#[cfg(unix)]
mod terminal;
mod trace;
mod trust;
mod tutorial;
mod two_runs;
mod warnings;
mod why;
mod words;
mod workflow_files;
mod workflows;
mod wrong_input;
