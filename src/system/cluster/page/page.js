// The page of a run.
const metric = name => data.metrics[name] || {value: null, unit: ''};
const shown = name => amount(metric(name).value, metric(name).unit);

document.getElementById('about').textContent =
  `Workload ${data.workload}, ${plain(data.processors)} processors, seed ${data.seed}; simulated by clustersim ${data.version}. ` +
  `Digest ${data.digest}.`;

function headline() {
  const node = section('Headline figures');
  const list = [['jobs completed', shown('jobs.completed')]];
  if (metric('jobs.submitted').value > metric('jobs.completed').value) list.unshift(['jobs submitted', shown('jobs.submitted')]);
  for (const [name, label] of [['jobs.killed', 'jobs killed at their limits'], ['jobs.cancelled', 'jobs cancelled by their users'], ['jobs.lost', 'jobs lost when nodes failed'], ['jobs.rejected', 'jobs rejected'], ['jobs.unfinished', 'jobs unfinished']]) {
    if (metric(name).value > 0) list.push([label, shown(name)]);
  }
  list.push(['mean wait', shown('wait-time.mean')], ['median wait', shown('wait-time.median')], ['95 % wait at most', shown('wait-time.p95')],
    ['longest wait', shown('wait-time.max')],
    ['utilization', share(metric('utilization').value)], ['throughput', shown('throughput')], ['makespan', shown('makespan')]);
  for (const [name, label] of [['cpu-utilization', 'CPU utilization'], ['loss-of-cpu', 'loss of CPU'], ['loss-of-capacity.per-slot', 'loss of capacity, of all slots']]) {
    if (metric(name).value != null) list.push([label, share(metric(name).value)]);
  }
  const ofJobs = [['mean bounded slowdown', shown('bounded-slowdown.mean')]];
  const ofTasks = [['mean response', shown('response-time.mean')], ['mean slowdown', shown('slowdown.mean')]];
  list.splice(list.findIndex(([label]) => label === 'utilization'), 0, ...('cpu-utilization' in data.metrics ? ofTasks : ofJobs));
  for (const [name, label] of [['scheduling-skewness', 'scheduling skewness'], ['fairness', 'fairness: CV of the classes\u2019 responses'], ['deadlines.missed', 'late frames']]) {
    if (metric(name).value != null) list.push([label, name === 'deadlines.missed' ? share(metric(name).value) : shown(name)]);
  }
  if (metric('recorded-wait-time.mean').value != null) list.push(['mean wait in the log', shown('recorded-wait-time.mean')]);
  node.append(cards(list));
  for (const {code, text} of data.warnings || []) node.append(el('p', {class: 'warn'}, el('code', {}, code), ' ' + text));
  for (const {text} of data.notes || []) node.append(el('p', {class: 'note'}, 'Note: ' + text));
  if (metric('jobs.unfinished').value > 0) {
    node.append(el('p', {class: 'warn'}, `${shown('jobs.unfinished')} jobs had not ended when the run was stopped. They are not drawn: ` +
      'towards the end the machine was busier and the queue longer than the charts show.'));
  }
  const rows = Object.entries(data.metrics).map(([name, one]) => [name, one.value == null ? '\u2014' : String(one.value), one.unit || 'ratio or count']);
  node.append(lazily('All metrics as a table', () => table('Metrics', ['metric', 'value', 'unit'], rows, [2])));
}

// At detail `task`: where the time of processors went, and what each class got.
function onNodes() {
  if (!('cpu-utilization' in data.metrics)) return;
  const classes = Object.entries(data.classes || {});
  const of = figures => name => { const one = figures['profile.' + name]; return one ? one.value : null; };
  profileBars({
    title: 'Execution profile',
    note: 'Where the time of all processors went while they were observed' + (classes.length ? '; below, of the time that processors gave to the tasks of each class.' : '.'),
    bars: [{label: 'all processors', share: name => metric('profile.' + name).value, whole: 'all processor time'},
      ...classes.map(([name, figures]) => ({label: name, share: of(figures), whole: 'its processor time'}))],
  });
  if (!classes.length) return;
  const columns = [['jobs.completed', 'jobs'], ['wait-time.mean', 'mean wait'], ['response-time.mean', 'mean response'], ['execution-time.mean', 'mean execution'],
    ['slowdown.mean', 'mean slowdown'], ['pace.mean', 'computing by window'], ['pace.cv', 'its variation (CV)'], ['deadlines.missed', 'late frames'], ['deadlines.jitter', 'jitter']];
  const kept = columns.filter(([name]) => classes.some(([, figures]) => figures[name] && figures[name].value != null));
  const node = section('Classes', 'What the observed jobs of each class got. Slowdown is against the same job alone on nodes of its own; where classes wait alike their slowdowns are alike.');
  node.append(table('By class', ['class', ...kept.map(([, label]) => label)], classes.map(([name, figures]) =>
    [name, ...kept.map(([column]) => column === 'deadlines.missed' ? share(figures[column].value) : amount(figures[column].value, figures[column].unit))])));
}

const CLASSES = [[60, 'below 1 min'], [3600, 'below 1 h'], [14400, 'below 4 h'], [86400, 'below 1 d'], [Infinity, '1 d and more']];
function jobsOnProcessors() {
  if (!data.gantt) return section('Jobs on processors', 'No job ran.');
  const size = job => plain(job.fact('processors')), user = job => Number.isNaN(job.fact('user')) ? null : job.fact('user');
  const submitted = job => span(job.start - job.fact('wait')), ran = job => span(job.end - job.start);
  timeline(data.gantt, {
    title: 'Jobs on processors', what: 'jobs', one: 'job', lanes: 'processors', laneTitle: 'processor', from: data.from, to: data.to, since: 'since the first submission',
    note: 'A bar is a job, from its start to its end, on the processors it held.' + (onSeveral ? ' Where jobs share processors one bar may cover another.' : '') +
      (data.gantt.behind.length ? ' Hatched below them: ' + data.gantt.behind.join(', ') + '.' : ''),
    colours: ['wait'], byName: 'by job', classes: {wait: CLASSES}, find: 'Job', findBy: 'number', exactly: true, file: 'jobs.csv',
    tell: job => `Job ${job.name}${user(job) == null ? '' : `, user ${user(job)}`}: ${size(job)} processors (${job.on}), submitted at ${submitted(job)}, ` +
      `waited ${span(job.fact('wait'))}, ran ${ran(job)} of ${span(job.fact('estimate'))} estimated.`,
    head: ['job', 'user', 'processors', 'which', 'submitted at', 'wait', 'run time', 'estimate'], textual: [3],
    cells: job => [job.name, user(job) == null ? '\u2014' : String(user(job)), size(job), job.on, submitted(job), span(job.fact('wait')), ran(job), span(job.fact('estimate'))],
  });
}

function overTime(title, levels, yTitle, high, show, note) {
  const n = levels.mean.length, length = data.to - data.from, [unit, unitName] = unitFor(length);
  const middle = index => (index + 0.5) / n * length, begin = index => index / n * length;
  chart({
    title, note,
    name: () => `${title}: mean, least and greatest in ${n} equal spans of ${span(length)}`,
    scales: () => ({x: linear(0, length, unit), y: linear(0, high), xTitle: `time since the first submission [${unitName}]`, yTitle}),
    count: () => n,
    spot: index => [middle(index), levels.mean[index]],
    tell: index => `${span(begin(index))} to ${span(begin(index + 1))}: mean ${show(levels.mean[index])}, from ${show(levels.least[index])} to ${show(levels.greatest[index])}`,
    paint(layer, X, Y, box) {
      const outline = [...levels.greatest.flatMap((value, index) => [[begin(index), value], [begin(index + 1), value]]),
        ...levels.least.flatMap((value, index) => [[begin(index), value], [begin(index + 1), value]]).reverse()];
      layer.append(svg('path', {class: 'band', d: path(outline, X, Y) + 'Z', fill: colour(0)}),
        svg('path', {d: path(levels.mean.map((value, index) => [middle(index), value]), X, Y), fill: 'none', stroke: colour(0), 'stroke-width': 1.6}));
      if (data['observed-from'] != null) {
        const x = X(data['observed-from'] - data.from);
        layer.append(svg('path', {class: 'mark', d: `M${x} ${box.top}V${box.bottom}`}),
          svg('text', {x: x + 4, y: box.top + 12}, 'end of the warm-up'));
      }
    },
    table() {
      const every = Math.max(1, Math.floor(n / 60)), rows = [];
      for (let i = 0; i < n; i += every) {
        const stop = Math.min(n, i + every), part = list => list.slice(i, stop);
        const mean = part(levels.mean).reduce((sum, value) => sum + value, 0) / (stop - i);
        rows.push([`${span(begin(i))} to ${span(begin(stop))}`, show(Math.min(...part(levels.least))), show(mean), show(Math.max(...part(levels.greatest)))]);
      }
      return table(title, ['span of time', 'least', 'mean', 'greatest'], rows);
    },
  });
}

function heatMap() {
  const {sizes, times, cells} = data.heat;
  const node = section('Mean wait by size and run time', 'Columns are processors, rows run times; a cell tells the mean wait of its jobs and how many they are. Darker (in the dark: lighter) is longer; each of the five shades stands for a fifth of the cells.');
  if (!sizes.length) { node.append(el('p', {}, 'Nothing was observed.')); return; }
  // five shades, each for a fifth of the cells: a few long waits do not make all others look alike
  const values = cells.flat().filter(cell => cell).map(cell => cell[0]);
  const head = el('tr', {}, el('th', {scope: 'col'}, 'run time'), ...sizes.map(size => el('th', {scope: 'col'}, size)));
  const body = times.map((time, row) => el('tr', {}, el('th', {scope: 'row'}, time), ...cells[row].map(cell => {
    if (!cell) return el('td', {class: 'none'}, '\u2014');
    const step = Math.floor(values.filter(value => value < cell[0]).length / values.length * 5);
    return el('td', {style: `background:var(--w${step});color:var(--on${step})`}, span(cell[0]),
      el('small', {}, plain(cell[1]) + (cell[1] === 1 ? ' job' : ' jobs')));
  })));
  node.append(scrolled('Mean wait by size and run time', true,
    el('table', {class: 'heat'}, el('caption', {}, 'mean wait; columns: processors of the job'), el('thead', {}, head), el('tbody', {}, ...body))));
}

function fairness() {
  const title = 'Fairness: bounded slowdown of each user';
  const users = data.users;
  if (!users) {
    section(title, 'The workload does not tell the users of its jobs, so there is nothing to compare.');
    return;
  }
  const most = Math.max(10, users[0][1]), worst = Math.max(10, ...users.map(user => user[2]));
  const order = users.map((_, index) => index).sort((a, b) => users[a][1] - users[b][1] || users[a][2] - users[b][2]);
  chart({
    title,
    note: 'A mark is a user: how many jobs, and their mean bounded slowdown (1 is the best there is). Users far above the others waited out of proportion.',
    name: () => `Mean bounded slowdown of ${users.length} users against their number of jobs, both axes logarithmic`,
    line: false,
    scales: () => ({x: log(1, most), y: log(1, worst), xTitle: 'jobs of the user', yTitle: 'mean bounded slowdown'}),
    count: () => users.length,
    spot: index => [users[order[index]][1], users[order[index]][2]],
    tell: index => { const [user, jobs, mean] = users[order[index]]; return `User ${user}: ${plain(jobs)} jobs, mean bounded slowdown ${plain(mean)}`; },
    paint(layer, X, Y) {
      for (const [, jobs, mean] of users) layer.append(svg('circle', {cx: X(jobs), cy: Y(mean), r: 4, fill: colour(0), 'fill-opacity': 0.45, stroke: colour(0)}));
    },
    table: () => table('Users, by number of jobs', ['user', 'jobs', 'mean bounded slowdown'], users.map(([user, jobs, mean]) => [String(user), plain(jobs), plain(mean)])),
  });
}

headline();
onNodes();
const onSeveral = 'cpu-utilization' in data.metrics;
const longest = Math.max(1, ...data.queue.greatest);
if (onSeveral) overTime('Tasks over time', data.utilization, 'tasks of running jobs per processor', Math.max(1, ...data.utilization.greatest), plain, 'Where jobs share processors there may be several. The line is the mean of each span of time, the band reaches from the least to the greatest.');
else overTime('Utilization over time', {mean: data.utilization.mean.map(v => v * 100), least: data.utilization.least.map(v => v * 100), greatest: data.utilization.greatest.map(v => v * 100)},
  'processors in use [%]', 100, value => plain(value) + ' %', 'The line is the mean of each span of time, the band reaches from the least to the greatest.');
overTime('Queue length over time', data.queue, 'jobs waiting', longest, plain, 'Jobs that were submitted and had not started.');
jobsOnProcessors();
const observed = {what: 'jobs', low: 1};
shares({...observed, title: 'Wait times', curve: data.wait, xTitle: 'wait [s]', show: span,
  note: below => `Of ${plain(data.observed)} observed jobs. ` + (below > 0 ? `${plain(below * 100)} % waited less than the axis begins with.` : '')});
if (onSeveral) shares({...observed, title: 'Response times', curve: data.response, xTitle: 'response [s]', show: span,
  note: () => 'From submission to end: jobs that share processors take longer instead of waiting.'});
else shares({...observed, title: 'Bounded slowdowns', curve: data.slowdown, xTitle: 'bounded slowdown', show: plain, floor: 1,
  note: () => 'Response time over run time, where run times below 10 s count as 10 s; at least 1.'});
heatMap();
fairness();
const written = el('details', {}, el('summary', {}, 'scenario.resolved.toml'), el('pre', {tabindex: 0}, data.scenario));
section('Scenario', 'With every default filled in.').append(written);
// on paper nothing can be opened
let closed = false;
addEventListener('beforeprint', () => { closed = !written.open; written.open = true; });
addEventListener('afterprint', () => { written.open = !closed; });
document.body.dataset.drawn = 'run';
