"""Usage: read_tables.py CLUSTERSIM FOLDER SCRATCH: DuckDB and clustersim count the same in tables of jobs of FOLDER.

DuckDB reads each table by a query of its own. Its jobs, processor-seconds and GPU-seconds, with parts of processors and of
GPUs, are those of `describe`; its jobs, their places in the table and their processors, which are whole, are those in
`jobs.csv` and `jobs.parquet` of a run.
"""

import json
import pathlib
import subprocess
import sys

import duckdb

program, folder, scratch = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])

EAGLE = "processors_req procs, nodes_req nodes, gpus_req gpus"
DATES = "epoch(submit_time) sub, epoch(start_time) st, epoch(end_time) en"
TEXTS = "epoch(submit_time::timestamptz) sub, epoch(start_time::timestamptz) st, epoch(end_time::timestamptz) en"
# of each table: its source, and the submission, start, end [s], processors, nodes and GPUs of every row
TABLES = {
    "eagle-sample.csv.gz": ("eagle", f"{DATES}, {EAGLE} from read_csv(?)"),
    "eagle-sample.parquet": ("eagle", f"{DATES}, {EAGLE} from read_parquet(?)"),
    "eagle-sample.json.gz": ("eagle", f"submit_time / 1e3 sub, start_time / 1e3 st, end_time / 1e3 en, {EAGLE} from read_json(?)"),
    "pm100.parquet": ("pm100", f"{DATES}, num_cores_alloc procs, num_nodes_alloc nodes, num_gpus_alloc gpus from read_parquet(?)"),
    "adastra-mi250.parquet": ("adastra", f"{DATES}, null procs, num_nodes_alloc nodes, 8 * num_nodes_alloc gpus from read_parquet(?)"),
    "helios.csv.gz": ("helios", f"{DATES}, cpu_num procs, node_num nodes, gpu_num gpus from read_csv(?)"),
    "acme-seren.csv.gz": (
        "acme",
        f"{TEXTS}, cpu_num::int procs, node_num::int nodes, gpu_num::int gpus from read_csv(?, all_varchar = true)",
    ),
    "openb-head500.csv.gz": (
        "openb",
        "creation_time sub, case when pod_phase <> 'Pending' then scheduled_time end st, deletion_time en,"
        " cpu_milli / 1000 procs, 1 nodes, num_gpu * gpu_milli / 1000 gpus from read_csv(?)",
    ),
    "opendc-workflow-tasks.parquet": (
        "opendc",
        "submission_time / 1e3 sub, sub st, sub + duration / 1e3 en, cpu_count procs, null nodes, 0 gpus from read_parquet(?)",
    ),
    "surf-lisa-head300.csv.gz": (
        "surf-lisa",
        "submission_time_ms / 1e3 sub, sub st, sub + duration_ms / 1e3 en, cpu_count procs, null nodes, 0 gpus from read_csv(?)",
    ),
}
JOBS = """select row_number() over () as place, en - st as run, coalesce(nullif(procs, 0), nullif(nodes, 0), gpus) as size,
    coalesce(procs, 0) as procs, coalesce(gpus, 0) as gpus from (select {0})
    qualify sub is not null and run > 0 and size > 0"""


def near(one, other):
    return abs(one - other) <= 1e-9 * max(abs(one), abs(other), 1)


def compare(name, of, ours, theirs):
    assert all(near(*pair) for pair in zip(ours, theirs, strict=True)), f"{name}, {of}: {ours}, DuckDB has {theirs}"


duckdb.execute("set timezone = 'UTC'")
for name, (like, query) in TABLES.items():
    duckdb.execute(f"create or replace temp table jobs as {JOBS.format(query)}", [str(folder / name)])
    counted = "count(*), sum(procs * run), sum(gpus * run) from jobs"
    (row,) = duckdb.execute(f"select {counted}").fetchall()
    described = subprocess.run([program, "describe", str(folder / name), "--json"], capture_output=True, check=True)
    description = json.loads(described.stdout)
    jobs = description["jobs"]
    compare(name, "describe", [jobs["jobs"], jobs["processor-seconds"], jobs["gpu-seconds"]], row)

    (whole,) = duckdb.execute(
        "select count(*), sum(place), sum(ceil(size)), sum(ceil(size) * run), max(ceil(size))::bigint from jobs"
    ).fetchall()
    place = scratch / name
    place.mkdir(parents=True)
    (place / "t.toml").write_text(
        f'title = "t"\ncluster = {{ procs = {whole[-1]} }}\npolicy = "fcfs"\n'
        f'workload = {{ kind = "table", file = {json.dumps(str((folder / name).resolve()))}, like = "{like}" }}\n'
    )
    command = [program, "run", str(place / "t.toml"), "--parquet", "-o", str(place / "run"), "--no-progress"]
    subprocess.run(command, capture_output=True, check=True)
    for file, reader in [("jobs.csv", "read_csv"), ("jobs.parquet", "read_parquet")]:
        sums = "count(*), sum(job_id), sum(requested_number_of_resources), sum(requested_number_of_resources * execution_time)"
        (ours,) = duckdb.execute(f"select {sums} from {reader}(?)", [str(place / "run" / file)]).fetchall()
        compare(name, file, ours, whole[:4])
    print(f"{name}: {row[0]} jobs, {row[1]:.0f} processor-s ({whole[3]:.0f} in whole processors), {row[2]:.0f} GPU-s")
