// The page of a run of agents.
const metric = name => data.metrics[name] || {value: null, unit: ''};
const shown = name => amount(metric(name).value, metric(name).unit);
const counted = (count, what) => `${plain(count)} ${what}${count === 1 ? '' : 's'}`;
// a size with the prefix that leaves it below a thousand
function bytes(value) {
  if (value == null) return '\u2014';
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let place = 0;
  while (value >= 999.5 && place < prefixes.length - 1) { value /= 1000; place += 1; }
  return plain(value) + ' ' + prefixes[place] + 'B';
}
const share = value => value == null ? '\u2014' : plain(value * 100) + ' %';

document.getElementById('about').textContent =
  `${counted(data.hosts, 'host')}, ${counted(data.links, 'link')}, ${counted(metric('agents.begun').value, 'agent')}, seed ${data.seed}; ` +
  `simulated by clustersim ${data.version}. Digest ${data.digest}.`;

function headline() {
  const node = section('Headline figures');
  const list = [['makespan', shown('makespan')]];
  if (data.agents || !data.flows.length) {
    list.push(['tasks computed', shown('tasks.completed')], ['throughput', shown('throughput')], ['hosts busy, mean', share(metric('host-utilization.mean').value)]);
  }
  if (data.flows.length) {
    list.push(['flows completed', shown('flows.completed')], ['flow time, mean', shown('flow-time.mean')], ['longest flow', shown('flow-time.max')]);
    for (const state of ['failed', 'unfinished']) if (metric('flows.' + state).value > 0) list.push(['flows ' + state, shown('flows.' + state)]);
  }
  list.push(['transfers', shown('transfers.completed')], ['sent', bytes(metric('bytes.transferred').value)]);
  const optimum = metric('steady-state.throughput').value, overlap = metric('steady-state.overlap').value;
  if (optimum != null) {
    const which = overlap <= 0 ? 'without overlap' : overlap >= 1 ? 'with overlap' : 'with overlap on ' + share(overlap) + ' of the hosts';
    list.push(['of the steady-state optimum ' + which + ', ' + plain(optimum) + ' tasks/s', share(metric('steady-state.share').value)]);
  }
  if (metric('transfers.failed').value > 0) list.push(['transfers that failed', shown('transfers.failed')]);
  if (metric('agents.failed').value > 0) list.push(['agents that failed', shown('agents.failed')]);
  node.append(cards(list));
  const rows = Object.entries(data.metrics).map(([name, one]) => [name, one.value == null ? '\u2014' : String(one.value), one.unit || 'ratio or count']);
  node.append(lazily('All metrics as a table', () => table('Metrics', ['metric', 'value', 'unit'], rows, [2])));
}

// What the files of the run do not hold, where the page was drawn from them.
function missing() {
  if (!data.missing.length) return;
  const node = section('What is left out', 'This page was drawn from the files of the run, which do not hold all that its first one had.');
  node.append(el('ul', {}, ...data.missing.map(what => el('li', {}, what))));
}

function platform() {
  if (!data.platform) return;
  const node = section('Platform', 'As it is at the start of the run.');
  const picture = el('img', {alt: `The platform: ${counted(data.hosts, 'host')} and ${counted(data.links, 'link')}.`, style: 'max-width:100%;height:auto'});
  picture.setAttribute('src', 'data:image/svg+xml;charset=utf-8,' + encodeURIComponent(data.platform));
  node.append(picture);
}

// When the x-th task was computed.
function progress() {
  const points = data.progress, last = points[points.length - 1];
  if (!last) return;
  const [unit, unitName] = unitFor(last[1]);
  chart({
    title: 'Tasks over time', note: 'When the x-th task was computed.',
    name: () => 'When the x-th task was computed',
    scales: () => ({x: linear(0, Math.max(1, last[0])), y: linear(0, last[1] || 1, unit), xTitle: 'task', yTitle: `computed at [${unitName}]`}),
    count: () => points.length,
    spot: index => points[index],
    tell: index => `task ${plain(points[index][0])}: computed at ${span(points[index][1])}`,
    paint(layer, X, Y) {
      layer.append(svg('path', {d: path([[0, 0], ...points], X, Y), fill: 'none', stroke: colour(0), 'stroke-width': 2}));
    },
    table: () => table('Tasks over time', ['task', 'computed at'], points.map(([task, at]) => [plain(task), span(at)])),
  });
}

// What agents and flows did when.
function overTime() {
  if (!data.timeline) return;
  const which = data.agents && data.flows.length ? 'agents and flows' : data.agents ? 'agents' : 'flows';
  timeline(data.timeline, {
    title: which[0].toUpperCase() + which.slice(1) + ' over time', laneTitle: which,
    note: `A lane for each of the ${which}; a bar is what was done, from its start to its end. What overlaps on a lane stands on further lanes of it.`,
  });
}

function hosts() {
  const rows = data['by-host'];
  if (!rows.length) return;
  const node = section('Hosts', data['hosts-left-out'] ? `The ${plain(rows.length)} hosts that computed most; ${plain(data['hosts-left-out'])} others computed too.` : 'The hosts that computed.');
  node.append(table('Hosts', ['host', 'cores', 'computing', 'share of its cores'], rows.map(row => [row.host, plain(row.cores), span(row.busy), share(row.share)])));
}

function flows() {
  const rows = data.flows;
  if (!rows.length) return;
  const node = section('Flows', data['flows-left-out'] ? `The first ${plain(rows.length)}; ${plain(data['flows-left-out'])} others are in flows.csv.` : '');
  node.append(table('Flows', ['flow', 'from', 'to', 'size', 'start', 'end', 'state', 'reason'],
    rows.map(row => [row.flow, row.from, row.to, bytes(row.size), span(row.start), row.end == null ? '\u2014' : span(row.end), row.state, row.why]), [1, 2, 6, 7]));
}

function failures() {
  if (!data.failures.length) return;
  const node = section('Agents that failed', data['failures-left-out'] ? `The first ${plain(data.failures.length)}; there are ${plain(data['failures-left-out'])} more.` : '');
  node.append(table('Agents that failed', ['agent', 'host', 'at', 'why'], data.failures.map(one => [one.agent, one.host, span(one.at), one.why]), [1, 3]));
}

headline();
missing();
platform();
progress();
overTime();
hosts();
flows();
failures();
const written = el('details', {}, el('summary', {}, 'scenario.resolved.toml'), el('pre', {tabindex: 0}, data.scenario));
section('Scenario', 'With every default filled in.').append(written);
// on paper nothing can be opened
let closed = false;
addEventListener('beforeprint', () => { closed = !written.open; written.open = true; });
addEventListener('afterprint', () => { written.open = !closed; });
document.body.dataset.drawn = 'agents';
