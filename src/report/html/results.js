// The page of a run whose system draws none of its own.
document.getElementById('about').textContent =
  `${data.about}, seed ${data.seed}; simulated by clustersim ${data.version}. Digest ${data.digest}.`;

function headline() {
  const node = section('Figures');
  const all = Object.entries(data.metrics);
  node.append(cards(all.slice(0, 8).map(([name, one]) => [name, amount(one.value, one.unit)])));
  for (const {code, text} of data.warnings || []) node.append(el('p', {class: 'warn'}, el('code', {}, code), ' ' + text));
  for (const {text} of data.notes || []) node.append(el('p', {class: 'note'}, 'Note: ' + text));
  if (data.missing) node.append(el('p', {class: 'note'}, `Drawn from files; left out: ${data.missing}.`));
  const rows = all.map(([name, one]) => [name, one.value == null ? '\u2014' : String(one.value), one.unit || 'ratio or count']);
  node.append(lazily('All metrics as a table', () => table('Metrics', ['metric', 'value', 'unit'], rows, [2])));
}

headline();
if (data.lanes) {
  const title = data.lanes.title || 'lanes';
  timeline(data.lanes, {title: `Timeline: ${title}`, note: `A lane for each of the ${title}; a bar is a span of time, from its start to its end.`});
}
for (const {table: file, column, about, count, curve} of data.curves) {
  shares({title: `${column} (${file})`, curve, what: 'rows', xTitle: `${column} [s]`, show: span,
    note: below => `${about[0].toUpperCase()}${about.slice(1)}; of ${plain(count)} rows of ${file}.` + (below > 0 ? ` ${share(below)} are less than the axis begins with.` : '')});
}
const written = el('details', {}, el('summary', {}, 'scenario.resolved.toml'), el('pre', {tabindex: 0}, data.scenario));
section('Scenario', 'With every default filled in.').append(written);
// on paper nothing can be opened
let closed = false;
addEventListener('beforeprint', () => { closed = !written.open; written.open = true; });
addEventListener('afterprint', () => { written.open = !closed; });
document.body.dataset.drawn = 'results';
