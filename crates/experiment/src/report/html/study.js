// The page of a study: the answer, curves, changes, points and runs; while it runs the points alone.
const axes = data.axes, points = data.points, metrics = data.metrics;
const comparisons = data.comparisons || [], failures = data.failures || [];
const axisName = axis => axis.keys.join(', ');
const pointOf = new Map(points.map(point => [point.point, point]));
// where jobs share processors they hardly wait, and pay in their response times
const lookedAt = metrics.some(metric => metric.name === 'cpu-utilization') ? 'response-time.mean' : 'wait-time.mean';
const asked = data.unfinished ? data.unfinished.asked : [...new Set(comparisons.filter(one => one.role !== 'unasked' || comparisons.length === 1).flatMap(one => (one.pairs_list || []).map(pair => pair.metric)))];
let chosen = metrics.find(metric => metric.name === remembered.of('metric')) || metrics.find(metric => metric.name === asked[0]) || metrics.find(metric => metric.name === lookedAt) || metrics[0] || {name: '', unit: '', aim: 'none'};
const drawn = [];
const redraw = () => { for (const one of drawn) one(); };
const isRandom = points.some(point => point.random !== false && point.replications > 0);
// shares are read in percent
const unitName = metric => metric.share ? '%' : metric.unit;
const unitOf = chosen => unitName(chosen) ? ` [${unitName(chosen)}]` : '';
const AIMS = {lower: 'lower is better', higher: 'higher is better', none: ''};

// The compared axis makes the series where there is another to lie along.
const judged = data.unfinished ? data.unfinished.axis : (comparisons[0] || {axis: 0}).axis;
const compared = axes[judged] ? judged : 0;
const seriesAxis = axes.length > 1 ? compared : -1;
let along = axes.length > 1 && compared === 0 ? 1 : 0;
const fixed = axes.map(() => 0);

document.getElementById('about').textContent = `${plain(points.length)} points, seed ${data.seed}; ` +
  axes.map(axis => `${axisName(axis)}: ${axis.labels.length > 12 ? `${axis.labels[0]} to ${axis.labels[axis.labels.length - 1]} (${plain(axis.labels.length)} values)` : axis.labels.join(', ')}`).join('; ') + `. Drawn by clustersim ${data.version || ''}.`;
main.before(el('p', {class: 'hint'}, 'Arrow keys and pointer read out figures, entries of a key hide and show, heads of tables sort.'));

// The reasons to doubt figures.
function warnings() {
  const list = points.flatMap(point => (point.warnings || []).map(warning => [point, warning]));
  const groups = data.warnings || list.map(([point, {code, text}]) => ({code, text, points: [point.point]}));
  if (!list.length) return;
  const node = section('Warnings');
  for (const {code, text, points: at} of groups) {
    const where = at.length === points.length && at.length > 1 ? 'all points' : `${at.length === 1 ? 'point' : 'points'} ${shortened(at.join(', '), 200)}`;
    node.append(el('p', {class: 'warn'}, el('code', {}, code), ` at ${where}: ${text}`));
  }
  if (list.length > groups.length) {
    node.append(lazily('Warnings of each point', () => sortable('Warnings', ['point', 'settings', 'code', 'warning'],
      list.map(([point, warning]) => [[String(point.point), point.point], point.label, warning.code, warning.text]), [1, 2, 3])));
  }
}

// The runs of a point that have pages of their own, and a link to one.
const pagesOf = point => (point.runs || []).filter(run => run.report);
const nameOfRun = run => run.replication == null ? 'as recorded' : `replication ${run.replication}`;
const pageLink = (point, run) => el('a', {href: `./${run.directory}/report.html`, 'aria-label': `${nameOfRun(run)} of point ${point.point}${point.label ? ', ' + point.label : ''}: page of the run`}, nameOfRun(run));

function runs() {
  const node = section('Runs');
  const made = points.reduce((sum, point) => sum + (point.replications || 0) + (point.failed || 0), 0);
  node.append(cards([['points', plain(points.length)], ['runs', plain(made)], ['runs that failed', plain(failures.length)]]));
  const kept = points.flatMap(point => pagesOf(point).map(run => [point, run]));
  if (kept.length) {
    node.append(el('p', {class: 'note'}, `${plain(kept.length)} ${kept.length === 1 ? 'run has a page' : 'runs have pages'} of ${kept.length === 1 ? 'its' : 'their'} own, in the folder runs next to this file.`),
      lazily('Pages of runs', () => sortable('Pages of runs', ['point', 'settings', 'page'],
        kept.map(([point, run]) => [[String(point.point), point.point], point.label, [pageLink(point, run), run.replication == null ? -1 : run.replication]]), [1, 2])));
  }
  if (kept.length < made) node.append(el('p', {class: 'note'}, kept.length ? 'Of the others there are figures. In the directory of the study, ' : 'A study keeps figures of its runs. In its directory, ', el('code', {}, 'clustersim run scenario.resolved.toml --point 0 --replication 0'),
    ' makes the first run of point 0 again, with a page of its own.'));
  for (const failure of failures) {
    const point = pointOf.get(failure.point);
    node.append(el('p', {class: 'warn'}, `${point && point.label || 'point ' + failure.point}, replication ${failure.replication}: ${failure.error} `,
      failure.reproduce ? el('code', {}, failure.reproduce) : null));
  }
}

// The answer in the words of the terminal: a sentence, then a matrix for each metric that was asked for.
function answer() {
  const said = data.findings, most = 8, few = 4;
  if (!said || !(said.matrices || []).length) return;
  const node = section('Answer');
  if (said.answer) node.append(el('p', {class: 'answer'}, said.answer));
  const [first, ...others] = [...new Set(said.matrices.map(matrix => matrix.metric))].map(name => said.matrices.filter(matrix => matrix.metric === name));
  // many matrices are opened one after another, so that the figures are near
  const whole = said.matrices.length <= most, shown = whole ? first.length : few;
  node.append(el('h3', {}, first[0].heading), ...first.slice(0, shown).map(matrixTable));
  const rest = first.slice(shown);
  if (rest.length) node.append(lazily(`${plain(rest.length)} more, from ${rest[0].rest} on`, () => el('div', {}, ...rest.map(matrixTable))));
  for (const group of others) {
    if (whole) node.append(el('h3', {}, group[0].heading), ...group.map(matrixTable));
    else node.append(lazily(group[0].heading, () => el('div', {}, ...group.map(matrixTable))));
  }
  for (const note of said.notes) node.append(el('p', {class: 'note'}, note));
}
const SIGNS = {v: '\u25bc', '^': '\u25b2', '.': '\u00b7', '=': '=', o: '\u25cb', '?': '?', ' ': ''};
function matrixTable(matrix) {
  const cell = (one, column) => {
    const head = {'data-head': matrix.columns[column] || ''};
    if (!one) return el('td', {...head, class: 'none'}, '\u2014');
    const below = [one.difference, one.needed ? `n for the change: ${plain(one.needed)}` : '', one.recorded ? `as recorded: ${one.recorded}` : ''].filter(text => text);
    const title = [`point ${one.point}`, one.verdict, one.p, `n = ${one.n}`].filter(text => text).join(', ');
    const tone = ['better', 'worse'].includes(one.verdict) ? one.verdict : one.verdict ? 'open' : 'base';
    return el('td', {...head, class: tone, title}, el('span', {}, el('b', {}, `${SIGNS[one.mark] || ''} ${one.figure}`.trim()), ...below.map(text => el('small', {}, text))));
  };
  const head = el('tr', {}, el('th', {scope: 'col'}, ''), ...matrix.columns.map(name => el('th', {scope: 'col'}, name)));
  const rows = matrix.rows.map(row => el('tr', {}, el('th', {scope: 'row'}, row.label), ...row.cells.map(cell)));
  const legend = matrix.marks.map(([mark, meaning]) => `${SIGNS[mark]} ${meaning}`).join('   ');
  const whole = el('table', {class: 'heat matrix'}, el('caption', {}, matrix.rest || matrix.metric), el('thead', {}, head), el('tbody', {}, ...rows));
  return el('div', {}, scrolled(matrix.heading, true, whole), legend ? el('p', {class: 'note'}, legend) : null);
}

// Where one setting begins to be ahead of another.
function crossovers() {
  if (!(data.crossovers || []).length) return;
  section('Crossovers').append(table('Where the mean difference of two settings is 0', ['settings', 'crossover'], data.crossovers.map(one => [one.heading, one.text]), [1]));
}

// The position of a point on an axis: its label, sorted as the number that it is, or in the order of the study.
const placed = (point, axis) => { const labels = axes[axis].labels, label = labels[point.at[axis]]; return [label, labels.every(one => one.trim() !== '' && isFinite(Number(one))) ? Number(label) : point.at[axis]]; };

// Every point with the metrics that are looked at first: those that were asked for.
function allPoints() {
  const heads = (asked.length ? asked : [chosen.name]).map(name => metrics.find(metric => metric.name === name)).filter(metric => metric);
  const figures = metric => points.map(point => point.metrics[metric.name]).filter(value => value && value.mean != null);
  const scales = heads.map(metric => scaleOf(metric, figures(metric).map(value => value.mean)));
  // jobs that are missing from the means or not as they were recorded, as far as any point has such jobs
  const state = name => point => (point.metrics['jobs.' + name] || {mean: 0}).mean, ofLog = name => point => (point.log || {[name]: 0})[name];
  const counted = [...['rejected', 'unfinished', 'cancelled', 'lost', 'killed'].map(name => ['jobs ' + name, state(name)]),
    ...['dropped', 'repaired'].map(name => ['jobs ' + name, ofLog(name)])].filter(([, count]) => points.some(point => count(point) > 0));
  const cell = (value, [scale]) => !value || value.mean == null ? ['\u2014', null]
    : [value.half_width == null ? plain(value.mean / scale) : withHalf(value.mean / scale, value.half_width / scale).join(' \u00b1 '), value.mean];
  // the change of the first metric, where each point is compared with one other
  const first = comparisons.find(one => (one.pairs_list || []).some(pair => pair.metric === (heads[0] || {}).name));
  const pairs = first && first.baseline != null ? pairsOf(heads[0].name) : [], to = new Map(pairs.map(pair => [pair.to, pair]));
  const ratio = isRatio(pairs), [scale, unit] = ratio ? [0.01, '%'] : scaleOf(heads[0] || {}, pairs.map(pair => pair.difference));
  const change = point => { const value = to.has(point.point) ? tested(to.get(point.point), ratio).value : null; return [value == null ? '\u2014' : signed(value / scale), value]; };
  const p = point => { const pair = to.get(point.point); return pair && pair.p_adjusted != null ? [plain(pair.p_adjusted), pair.p_adjusted] : ['\u2014', null]; };
  const compared = pairs.length ? [[`change against ${axes[first.axis].labels[first.baseline]}${unit ? ` [${unit}]` : ''}`, change], ...(isRandom ? [['adjusted p', p]] : [])] : [];
  const codes = point => [...new Set((point.warnings || []).map(warning => warning.code))].join(', ');
  const warned = points.some(codes);
  const page = point => { const run = pagesOf(point)[0]; return run ? [pageLink(point, run), run.replication == null ? -1 : run.replication] : ['', null]; };
  const linked = points.some(point => pagesOf(point).length);
  const columns = ['point', ...axes.map(axisName), 'runs', ...(linked ? ['page'] : []), ...heads.map((metric, i) => metric.name + (scales[i][1] ? ` [${scales[i][1]}]` : '')), ...compared.map(([name]) => name), ...counted.map(([name]) => name), ...(warned ? ['warnings'] : [])];
  const kinds = new Set(points.map(point => point.interval));
  const texts = {
    replications: `Intervals are over replications, at ${plain((data.confidence || 0.95) * 100)} % confidence.`,
    'batch-means': 'Some intervals come from batch means within a single run.',
    none: 'Some points have no interval.',
  };
  section('Points', isRandom ? Object.keys(texts).filter(kind => kinds.has(kind)).map(kind => texts[kind]).join(' ') : 'No point has an interval: nothing random was drawn.')
    .append(sortable(isRandom ? 'Mean \u00b1 half-width of the interval' : 'All points', columns,
      points.map(point => [[String(point.point), point.point], ...axes.map((_, axis) => placed(point, axis)), [String(point.replications), point.replications], ...(linked ? [page(point)] : []),
        ...heads.map((metric, i) => cell(point.metrics[metric.name], scales[i])), ...compared.map(([, of]) => of(point)),
        ...counted.map(([, count]) => [plain(count(point)), count(point)]), ...(warned ? [codes(point) || ['', null]] : [])]),
      [...axes.map((_, i) => i + 1), ...(warned ? [columns.length - 1] : [])]));
}

const read = value => amount(chosen.share && value != null ? value * 100 : value, unitName(chosen));
// a mean with its interval, in one unit
function spread(mean, half, scale = scaleOf(chosen, [mean])) {
  const unit = scale[1] ? ' ' + scale[1] : '';
  return half == null ? `${plain(mean / scale[0])}${unit}, no interval` : withHalf(mean / scale[0], half / scale[0]).join(' \u00b1 ') + unit;
}

// At detail `task`: where the time of processors went at every point, side by side.
function profiles() {
  const most = 60, shown = points.filter(point => point.metrics['profile.compute']);
  if (!shown.length) return;
  const label = point => axes.map((axis, i) => axis.labels[point.at[i]]).join(', ') || 'the only point';
  profileBars({
    title: 'Execution profile',
    note: 'Where the time of all processors went, a bar a point, means over its runs.' + (shown.length > most ? ` The first ${most} of ${shown.length} points are drawn.` : ''),
    bars: shown.slice(0, most).map(point => ({label: label(point), share: name => (point.metrics['profile.' + name] || {}).mean, whole: 'all processor time'})),
  });
}

// Progress of the study. The page is read again until the last run is over.
function unfinished({done, wanted, failed, left}) {
  const node = section(`${plain(done)} of ${plain(wanted)} runs`);
  const seconds = 10, bar = el('progress', {max: wanted, value: done, 'aria-label': 'Runs that are over'});
  node.append(bar, el('p', {}, [left ? `About ${left} left.` : '', failed ? `${plain(failed)} failed.` : ''].filter(text => text).join(' ')),
    el('p', {class: 'note'}, `Means and intervals so far; the answer and its tests come with the last run. Written at ${new Date(document.lastModified).toLocaleTimeString()}, read again every ${seconds} s. ` +
      'If that was long ago, the study was interrupted, and the same command continues it.'));
  setTimeout(() => location.reload(), seconds * 1000);
}

if (data.unfinished) unfinished(data.unfinished);
answer();
crossovers();
if (metrics.length && points.length) { against(); forest(); }
if (!data.unfinished) warnings();
if (axes.length) allPoints();
if (!data.unfinished) runs();
if (metrics.length && points.length) profiles();
document.body.dataset.drawn = 'study';
