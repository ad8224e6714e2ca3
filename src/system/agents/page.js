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

function platform() {
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

// A lane a host: above, the share of its cores that computes, below, whether it sends.
function lanes() {
  const rows = data.lanes;
  if (!rows.length || !(data.makespan > 0)) return;
  const node = section('Hosts over time', `The upper part of a lane is darker the more of the host computes, the lower part while the host sends. ` +
    (data['lanes-left-out'] ? `The ${plain(rows.length)} hosts that did most; ${plain(data['lanes-left-out'])} others are in hosts.csv.` : ''));
  const bins = rows[0].computes.length, tall = 20, left = 110, wide = 760;
  const picture = svg('svg', {viewBox: `0 0 ${wide} ${rows.length * tall + 26}`, role: 'img', class: 'picture',
    'aria-label': `Hosts over time, ${rows.length} lanes of ${span(data.makespan)}; the figures stand in the table below.`});
  const cell = (wide - left - 10) / bins;
  rows.forEach((row, place) => {
    const y = place * tall;
    picture.append(svg('text', {x: left - 6, y: y + 13, 'text-anchor': 'end', class: 'quiet'}, row.host.length > 15 ? row.host.slice(0, 14) + '\u2026' : row.host));
    const strip = (values, from, height, which) => {
      for (let bin = 0; bin < bins;) {
        let end = bin + 1;
        while (end < bins && values[end] === values[bin]) end += 1;
        if (values[bin] > 0) {
          picture.append(svg('rect', {x: (left + bin * cell).toFixed(1), y: y + from, width: ((end - bin) * cell).toFixed(1), height, fill: colour(which), opacity: 0.2 + 0.8 * values[bin]}));
        }
        bin = end;
      }
    };
    strip(row.computes, 3, 9, 0);
    strip(row.sends, 13, 4, 1);
    picture.append(svg('path', {class: 'grid', d: `M${left} ${y + tall}H${wide - 10}`}));
  });
  picture.append(svg('text', {x: left, y: rows.length * tall + 18, class: 'quiet'}, '0'),
    svg('text', {x: wide - 10, y: rows.length * tall + 18, 'text-anchor': 'end', class: 'quiet'}, span(data.makespan)));
  node.append(el('figure', {}, picture), keys([[mark(0, 9), 'computes'], [mark(1, 4), 'sends']]),
    lazily('The figures as a table', () => table('Hosts', ['host', 'computing', 'tasks', 'sending'],
      rows.map(row => [row.host, share(row.busy), plain(row.tasks), share(row.sending)]))));
}

// A bar a flow, from its start to its end.
function flows() {
  const rows = data.flows;
  if (!rows.length) return;
  const node = section('Flows over time', data['flows-left-out'] ? `The first ${plain(rows.length)}; ${plain(data['flows-left-out'])} others are in flows.csv.` : '');
  const tall = 14, left = 150, wide = 760, whole = data.ended || 1, x = at => left + (wide - left - 10) * Math.min(1, at / whole);
  const picture = svg('svg', {viewBox: `0 0 ${wide} ${rows.length * tall + 26}`, role: 'img', class: 'picture',
    'aria-label': `Flows over time, ${rows.length} bars in ${span(whole)}; the figures stand in the table below.`});
  rows.forEach((row, place) => {
    const y = place * tall, end = row.end == null ? whole : row.end, name = `${row.flow}: ${row.from} \u2192 ${row.to}`;
    picture.append(svg('text', {x: left - 6, y: y + 11, 'text-anchor': 'end', class: 'quiet'}, name.length > 24 ? name.slice(0, 23) + '\u2026' : name),
      svg('rect', {x: x(row.start).toFixed(1), y: y + 3, width: Math.max(1, x(end) - x(row.start)).toFixed(1), height: 9,
        fill: colour(row.state === 'completed' ? 0 : 1), opacity: row.state === 'unfinished' ? 0.4 : 1}));
  });
  picture.append(svg('text', {x: left, y: rows.length * tall + 18, class: 'quiet'}, '0'),
    svg('text', {x: wide - 10, y: rows.length * tall + 18, 'text-anchor': 'end', class: 'quiet'}, span(whole)));
  node.append(el('figure', {}, picture), keys([[mark(0, 9), 'completed'], [mark(1, 9), 'failed, or unfinished (pale)']]),
    lazily('The figures as a table', () => table('Flows', ['flow', 'from', 'to', 'size', 'start', 'end', 'state', 'reason'],
      rows.map(row => [row.flow, row.from, row.to, bytes(row.size), span(row.start), row.end == null ? '\u2014' : span(row.end), row.state, row.why]), [1, 2, 6, 7])));
}

const mark = (which, height) => svg('svg', {viewBox: '0 0 26 14', 'aria-hidden': 'true'}, svg('rect', {x: 0, y: 7 - height / 2, width: 26, height, fill: colour(which)}));

function failures() {
  if (!data.failures.length) return;
  const node = section('Agents that failed', data['failures-left-out'] ? `The first ${plain(data.failures.length)}; there are ${plain(data['failures-left-out'])} more.` : '');
  node.append(table('Agents that failed', ['agent', 'host', 'at', 'why'], data.failures.map(one => [one.agent, one.host, span(one.at), one.why]), [1, 3]));
}

headline();
platform();
progress();
lanes();
flows();
failures();
const written = el('details', {}, el('summary', {}, 'scenario.resolved.toml'), el('pre', {tabindex: 0}, data.scenario));
section('Scenario', 'With every default filled in.').append(written);
// on paper nothing can be opened
let closed = false;
addEventListener('beforeprint', () => { closed = !written.open; written.open = true; });
addEventListener('afterprint', () => { written.open = !closed; });
document.body.dataset.drawn = 'agents';
