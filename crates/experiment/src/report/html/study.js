// The page of a study: metrics against the axes, paired differences, warnings.
const axes = data.axes, points = data.points, metrics = data.metrics;
const comparisons = data.comparisons || [], failures = data.failures || [];
const axisName = axis => axis.keys.join(', ');
const pointOf = new Map(points.map(point => [point.point, point]));
// where jobs share processors they hardly wait, and pay in their response times
const lookedAt = metrics.some(metric => metric.name === 'cpu-utilization') ? 'response-time.mean' : 'wait-time.mean';
const asked = [...new Set(comparisons.filter(one => one.role !== 'unasked' || comparisons.length === 1).flatMap(one => (one.pairs_list || []).map(pair => pair.metric)))];
let chosen = metrics.find(metric => metric.name === asked[0]) || metrics.find(metric => metric.name === lookedAt) || metrics[0] || {name: '', unit: '', aim: 'none'};
const drawn = [];
// shares are read in percent
const unitName = metric => metric.share ? '%' : metric.unit;
const unitOf = chosen => unitName(chosen) ? ` [${unitName(chosen)}]` : '';
const AIMS = {lower: 'lower is better', higher: 'higher is better', none: ''};

// The compared axis makes the series where there is another to lie along.
const compared = comparisons.length && axes[comparisons[0].axis] ? comparisons[0].axis : 0;
const seriesAxis = axes.length > 1 ? compared : -1;
let along = axes.length > 1 && compared === 0 ? 1 : 0;
const fixed = axes.map(() => 0);

document.getElementById('about').textContent = `${points.length} points, seed ${data.seed}; ` +
  axes.map(axis => `${axisName(axis)}: ${axis.labels.join(', ')}`).join('; ') + `. Drawn by clustersim ${data.version || ''}.`;

function notes() {
  const list = points.flatMap(point => (point.warnings || []).map(warning => [point, warning]));
  const groups = data.warnings || list.map(([point, {code, text}]) => ({code, text, points: [point.point]}));
  const kinds = new Set(points.map(point => point.interval));
  const node = section('Overview');
  const runs = points.reduce((sum, point) => sum + (point.replications || 0), 0);
  node.append(cards([['points', plain(points.length)], ['runs', plain(runs)], ['runs that failed', plain(failures.length)], ['warnings', plain(groups.length)]]));
  const texts = {
    replications: `Intervals are over replications, at ${plain((data.confidence || 0.95) * 100)} % confidence.`,
    'batch-means': 'Some intervals come from batch means within a single run.',
    none: 'Some points have no interval: nothing random was drawn.',
  };
  node.append(el('p', {class: 'note'}, Object.keys(texts).filter(kind => kinds.has(kind)).map(kind => texts[kind]).join(' ')));
  if (list.length) {
    node.append(el('h3', {}, 'Warnings'));
    for (const {code, text, points: at} of groups) {
      const where = at.length === points.length && at.length > 1 ? 'all points' : `${at.length === 1 ? 'point' : 'points'} ${at.join(', ')}`;
      node.append(el('p', {class: 'warn'}, el('code', {}, code), ` at ${where}: ${text}`));
    }
    if (list.length > groups.length) {
      node.append(lazily('Warnings of each point', () => table('Warnings', ['point', 'settings', 'code', 'warning'],
        list.map(([point, warning]) => [String(point.point), point.label, warning.code, warning.text]), [1, 2, 3])));
    }
  }
  if (axes.length) node.append(el('h3', {}, 'Points'), summary());
  if (failures.length) {
    node.append(el('h3', {}, 'Runs that failed'));
    for (const failure of failures) {
      const point = pointOf.get(failure.point);
      node.append(el('p', {class: 'warn'}, `${point && point.label || 'point ' + failure.point}, replication ${failure.replication}: ${failure.error} `,
        failure.reproduce ? el('code', {}, failure.reproduce) : null));
    }
  }
}

// The answer in the words of the terminal: a sentence, then a matrix for each metric that was asked for.
function answer() {
  const said = data.findings, most = 12;
  if (!said || !(said.matrices || []).length) return;
  const node = section('Answer');
  if (said.answer) node.append(el('p', {class: 'answer'}, said.answer));
  const groups = [...new Set(said.matrices.map(matrix => matrix.metric))].map(name => said.matrices.filter(matrix => matrix.metric === name));
  const drawnMatrices = list => el('div', {}, ...list.flatMap(group => [el('h3', {}, group[0].heading), ...group.map(matrixTable)]));
  node.append(drawnMatrices(groups.slice(0, most)));
  if (groups.length > most) node.append(lazily(`${groups.length - most} more metrics`, () => drawnMatrices(groups.slice(most))));
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

// Every point with the metrics that are looked at first: those of the first comparison.
function summary() {
  const heads = asked.map(name => metrics.find(metric => metric.name === name)).filter(metric => metric);
  const figures = metric => points.map(point => point.metrics[metric.name]).filter(value => value && value.mean != null);
  const scales = heads.map(metric => scaleOf(metric, figures(metric).map(value => value.mean)));
  // jobs that are missing from the means or not as they were recorded, as far as any point has such jobs
  const state = name => point => (point.metrics['jobs.' + name] || {mean: 0}).mean, ofLog = name => point => (point.log || {[name]: 0})[name];
  const counted = [...['rejected', 'unfinished', 'cancelled', 'lost', 'killed'].map(name => ['jobs ' + name, state(name)]),
    ...['dropped', 'repaired'].map(name => ['jobs ' + name, ofLog(name)])].filter(([, count]) => points.some(point => count(point) > 0));
  const cell = (value, [scale]) => !value || value.mean == null ? '\u2014' : value.half_width == null ? plain(value.mean / scale)
    : withHalf(value.mean / scale, value.half_width / scale).join(' \u00b1 ');
  return table('Mean \u00b1 half-width of the interval', ['point', ...axes.map(axisName), 'runs', ...heads.map((metric, i) => metric.name + (scales[i][1] ? ` [${scales[i][1]}]` : '')), ...counted.map(([name]) => name)],
    points.map(point => [String(point.point), ...axes.map((axis, i) => axis.labels[point.at[i]]), String(point.replications),
      ...heads.map((metric, i) => cell(point.metrics[metric.name], scales[i])), ...counted.map(([, count]) => plain(count(point)))]), axes.map((_, i) => i + 1));
}

function choice(id, label, options, act) {
  const select = el('select', {id}, ...options.map(([value, text]) => el('option', {value}, text)));
  select.addEventListener('change', () => { act(select.value); for (const one of drawn) one(); });
  return [el('label', {for: id}, label), select];
}

// What is drawn: of each series the points along the axis that is shown, with the chosen metric's summary.
function series() {
  const names = seriesAxis < 0 ? [''] : axes[seriesAxis].labels;
  return names.map((name, index) => {
    const list = points.filter(point => axes.every((_, axis) => axis === along || (axis === seriesAxis ? point.at[axis] === index : point.at[axis] === fixed[axis])));
    return {name, index, points: list.sort((a, b) => a.at[along] - b.at[along]).map(point => ({point, value: point.metrics[chosen.name]})).filter(one => one.value && one.value.mean != null)};
  });
}
const flat = () => series().flatMap(one => one.points.map(entry => ({...entry, series: one})));
const read = value => amount(chosen.share && value != null ? value * 100 : value, unitName(chosen));
// a mean with its interval, in one unit
function spread(mean, half, scale = scaleOf(chosen, [mean])) {
  const unit = scale[1] ? ' ' + scale[1] : '';
  return half == null ? `${plain(mean / scale[0])}${unit}, no interval` : withHalf(mean / scale[0], half / scale[0]).join(' \u00b1 ') + unit;
}

function against() {
  const controls = el('div', {class: 'bar'}, ...choice('metric', 'Metric', metrics.map(metric => [metric.name, metric.name]), name => { chosen = metrics.find(metric => metric.name === name); }));
  controls.querySelector('select').value = chosen.name;
  if (axes.length > 2) {
    controls.append(...choice('along', 'along', axes.map((axis, index) => [index, axisName(axis)]).slice(1), value => { along = Number(value); }));
    axes.forEach((axis, index) => {
      if (index > 0) controls.append(...choice('fixed-' + index, `${axisName(axis)} (where it is not drawn along)`, axis.labels.map((label, at) => [at, label]), value => { fixed[index] = Number(value); }));
    });
  }
  const labels = () => axes.length ? axes[along].labels : [''];
  const numeric = () => { const values = labels().map(Number); return values.length > 1 && labels().every((label, i) => label.trim() !== '' && isFinite(values[i])) ? values : null; };
  const at = entry => numeric() ? numeric()[entry.point.at[along]] : entry.point.at[along];
  const shift = (entry, box) => {
    const count = seriesAxis < 0 ? 1 : axes[seriesAxis].labels.length;
    const room = Math.min(14, (box.right - box.left) / labels().length / (count + 1) / 2);
    return (entry.series.index - (count - 1) / 2) * room;
  };
  const made = chart({
    title: 'Metric against axis', controls,
    note: 'A mark is the mean of a point, the bar its confidence interval.',
    name: () => `${chosen.name}${unitOf(chosen)} against ${axes.length ? axisName(axes[along]) : 'the only point'}, with confidence intervals`,
    line: false,
    tall: wide => Math.round(Math.min(400, Math.max(250, wide * 0.5))),
    scales() {
      const ends = flat().flatMap(({value}) => [value.mean - (value.half_width || 0), value.mean + (value.half_width || 0)]);
      let low = Math.min(...ends), high = Math.max(...ends);
      if (!ends.length) { low = 0; high = 1; }
      if (low > 0 && low < high * 0.6) low = 0;
      const room = (high - low || Math.abs(high) || 1) * 0.06;
      const values = numeric();
      const least = values && Math.min(...values), most = values && Math.max(...values), margin = values && (most - least) * 0.06;
      const scale = scaleOf(chosen, [Math.max(Math.abs(low), Math.abs(high))]);
      return {
        x: values ? linear(least - margin, most + margin) : bands(labels()),
        y: linear(low === 0 ? 0 : low - room, high + room, scale[0]),
        xTitle: axes.length ? axisName(axes[along]) : '',
        yTitle: `${chosen.name}${scale[1] ? ` [${scale[1]}]` : ''}${AIMS[chosen.aim] ? ' \u2013 ' + AIMS[chosen.aim] : ''}`,
      };
    },
    count: () => flat().length,
    spot: index => { const entry = flat()[index]; return [at(entry), entry.value.mean]; },
    shift: (index, box) => shift(flat()[index], box),
    tell(index) {
      const {point, value} = flat()[index];
      return `${point.label}: ${spread(value.mean, value.half_width)}, n = ${value.n}, from ${read(value.min)} to ${read(value.max)}`;
    },
    key: () => seriesAxis < 0 ? el('div') : el('div', {}, el('p', {class: 'note'}, axisName(axes[seriesAxis])), keys(axes[seriesAxis].labels.map((label, index) => [sample(index, true), label]))),
    paint(layer, X, Y, box) {
      for (const one of series()) {
        const place = entry => X(at(entry)) + shift({...entry, series: one}, box);
        const line = one.points.map((entry, i) => `${i ? 'L' : 'M'}${place(entry).toFixed(1)} ${Y(entry.value.mean).toFixed(1)}`).join('');
        if (numeric()) layer.append(svg('path', {d: line, fill: 'none', stroke: colour(one.index), 'stroke-width': 1.6, 'stroke-dasharray': dash(one.index)}));
        for (const entry of one.points) {
          const x = place(entry), {mean, half_width: half} = entry.value;
          if (half != null) {
            const a = Y(mean - half), b = Y(mean + half);
            layer.append(svg('path', {class: 'interval', d: `M${x - 5} ${a}h10M${x - 5} ${b}h10M${x} ${a}V${b}`, stroke: colour(one.index), 'stroke-width': 1.6, fill: 'none'}));
          }
          layer.append(marker(one.index, x, Y(mean)));
        }
      }
    },
    table: () => {
      const rows = points.filter(point => point.metrics[chosen.name]), values = rows.map(point => point.metrics[chosen.name]);
      const [scale, unit] = scaleOf(chosen, values.map(value => value.mean)), show = number => plain(number == null ? number : number / scale);
      const pair = value => value.half_width == null ? [show(value.mean), 'none'] : withHalf(value.mean / scale, value.half_width / scale);
      return table(`${chosen.name}${unit ? ` [${unit}]` : ''}`, ['point', 'mean', 'half-width', 'median', 'least', 'greatest', 'n'],
        rows.map((point, i) => [`${point.point}${point.label ? ': ' + point.label : ''}`, ...pair(values[i]), show(values[i].median), show(values[i].min), show(values[i].max), String(values[i].n)]));
    },
  });
  drawn.push(() => { made.draw(); const open = made.node.querySelector('details'); if (open.open) { open.open = false; open.open = true; } });
}

function differences() {
  const title = 'Paired differences';
  // the first family that judges the metric: the headline's, else that of every metric
  const family = () => comparisons.find(one => (one.pairs_list || []).some(pair => pair.metric === chosen.name));
  const pairs = () => (family() ? family().pairs_list : []).filter(pair => pair.metric === chosen.name);
  if (!comparisons.some(one => (one.pairs_list || []).length)) {
    section(title, 'No points were compared: a comparison needs an axis of which two settings were run on the same replications.');
    return;
  }
  const label = number => { const point = pointOf.get(number); return point ? point.label : 'point ' + number; };
  // What differs stands first, what is common behind it.
  const called = pair => {
    const a = pointOf.get(pair.from), b = pointOf.get(pair.to);
    if (!a || !b) return `${label(pair.from)} \u2192 ${label(pair.to)}`;
    const differs = axes.map((axis, i) => a.at[i] !== b.at[i] ? `${axis.labels[a.at[i]]} \u2192 ${axis.labels[b.at[i]]}` : null).filter(text => text);
    const common = axes.map((axis, i) => a.at[i] === b.at[i] ? `${axis.keys[axis.keys.length - 1].split('.').pop()} ${axis.labels[a.at[i]]}` : null).filter(text => text);
    return differs.join(', ') + (common.length ? ` (${common.join(', ')})` : '');
  };
  const called_family = one => `${[...new Set(one.pairs_list.map(pair => pair.metric))].join(', ')}`;
  const counted = one => { const n = one.pairs_list.filter(pair => pair.p != null).length; return `${plain(n)} ${n === 1 ? 'test' : 'tests'}`; };
  const random = points.some(point => point.random !== false);
  const methods = !random ? 'Nothing random was drawn, so there is no interval and no verdict.' :
    'Verdicts hold together within a family: ' + comparisons.map(one => `${one.role === 'unasked' && one.metrics > 4 ? 'the ' + one.metrics + ' metrics that were not asked for' : called_family(one)} (${one.role}, ${counted(one)})`).join('; ') + '.';
  const MARKS = {better: '\u25c6', worse: '\u25c7', different: '\u25c8', 'no evidence': '\u00b7', identical: '=', 'no verdict': '?', saturated: '\u25cb'};
  // next to the bars where there is room, else above them
  let wideNow = 640;
  const narrow = () => wideNow < 620;
  const text = pair => `${MARKS[pair.verdict] || ''} ${called(pair)}`;
  const short = pair => {
    const most = Math.max(8, Math.floor(wideNow * (narrow() ? 0.95 : 0.36) / 6.6));
    return text(pair).length > most ? text(pair).slice(0, most - 1) + '\u2026' : text(pair);
  };
  const made = chart({
    title, note: `The later setting minus the earlier one, replication by replication. Left or right of zero says which way. ${methods}`,
    name: () => `Paired differences of ${chosen.name}${unitOf(chosen)} with confidence intervals and verdicts`,
    line: false,
    left: () => narrow() ? 10 : Math.round(wideNow * 0.38),
    tall: wide => { wideNow = wide; return 76 + (narrow() ? 44 : 30) * Math.max(1, pairs().length); },
    scales() {
      const ends = pairs().filter(pair => pair.difference != null).flatMap(pair => [pair.difference - (pair.half_width || 0), pair.difference + (pair.half_width || 0)]).concat(0);
      const low = Math.min(...ends), high = Math.max(...ends), room = (high - low || 1) * 0.08;
      const scale = scaleOf(chosen, [Math.max(Math.abs(low), Math.abs(high))]);
      const names = pairs().map(pair => narrow() ? '' : short(pair));
      return {
        x: linear(low - room, high + room, scale[0]),
        y: {at: index => 1 - (index + 0.5) / Math.max(1, names.length), ticks: () => names.map((name, index) => [index, name])},
        xTitle: `difference${scale[1] ? ` [${scale[1]}]` : ''}`, yTitle: chosen.name,
      };
    },
    count: () => pairs().length,
    spot: index => [pairs()[index].difference || 0, index],
    tell: index => { const pair = pairs()[index]; return `${called(pair)}: ${pair.verdict}; ${spread(pair.difference, pair.half_width)}, n = ${pair.n}, adjusted p = ${plain(pair.p_adjusted)}`; },
    key: () => keys(Object.entries(MARKS).filter(([name]) => pairs().some(pair => pair.verdict === name)).map(([name, sign]) => [el('span', {'aria-hidden': 'true'}, sign + ' '), name])),
    paint(layer, X, Y, box) {
      layer.append(svg('path', {class: 'mark', d: `M${X(0)} ${box.top}V${box.bottom}`}));
      pairs().forEach((pair, index) => {
        if (narrow()) layer.append(svg('text', {class: 'quiet', x: box.left + 4, y: Y(index) - 9}, short(pair)));
        if (pair.difference == null) return;
        const tone = pair.verdict === 'better' ? 'var(--good)' : pair.verdict === 'worse' ? 'var(--bad)' : 'var(--quiet)';
        const y = Y(index), x = X(pair.difference), half = pair.half_width;
        if (half != null) layer.append(svg('path', {class: 'interval', d: `M${X(pair.difference - half)} ${y}H${X(pair.difference + half)}M${X(pair.difference - half)} ${y - 5}v10M${X(pair.difference + half)} ${y - 5}v10`, stroke: tone, 'stroke-width': 2, fill: 'none'}));
        layer.append(svg('circle', {cx: x, cy: y, r: 4.5, fill: tone}));
      });
    },
    table: () => {
      const [scale, unit] = scaleOf(chosen, pairs().map(pair => pair.difference)), shown = pair => pair.difference == null ? ['\u2014', 'none']
        : pair.half_width == null ? [plain(pair.difference / scale), 'none'] : withHalf(pair.difference / scale, pair.half_width / scale);
      const recorded = pairs().some(pair => pair.recorded);
      const node = table(`Differences of ${chosen.name}${unit ? ` [${unit}]` : ''}`, ['from \u2192 to', 'difference', 'half-width', ...(recorded ? ['log as recorded'] : []), 'n', 'p', 'adjusted p', 'verdict'],
        pairs().map(pair => [called(pair), ...shown(pair), ...(recorded ? [pair.recorded ? plain(pair.recorded.difference / scale) : '\u2014'] : []), String(pair.n), plain(pair.p), plain(pair.p_adjusted), pair.verdict]), [recorded ? 7 : 6]);
      for (const cell of node.querySelectorAll('td:last-child')) if (['better', 'worse'].includes(cell.textContent)) cell.classList.add(cell.textContent);
      return node;
    },
  });
  drawn.push(() => { made.draw(); const open = made.node.querySelector('details'); if (open.open) { open.open = false; open.open = true; } });
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

answer();
crossovers();
if (metrics.length && points.length) { against(); differences(); }
notes();
if (metrics.length && points.length) profiles();
document.body.dataset.drawn = 'study';
