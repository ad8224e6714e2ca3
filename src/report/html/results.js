// The page of a run whose system draws none of its own.
document.getElementById('about').textContent =
  `${data.about}, seed ${data.seed}; simulated by clustersim ${data.version}. Digest ${data.digest}.`;

function headline() {
  const node = section('Figures');
  const all = Object.entries(data.metrics);
  node.append(cards(all.slice(0, 8).map(([name, one]) => [name, amount(one.value, one.unit)])));
  const rows = all.map(([name, one]) => [name, one.value == null ? '\u2014' : String(one.value), one.unit || 'ratio or count']);
  node.append(lazily('All metrics as a table', () => table('Metrics', ['metric', 'value', 'unit'], rows, [2])));
}

headline();
const written = el('details', {}, el('summary', {}, 'scenario.resolved.toml'), el('pre', {tabindex: 0}, data.scenario));
section('Scenario', 'With every default filled in.').append(written);
document.body.dataset.drawn = 'results';
