// The two figures of a study's page: a metric against an axis, and its changes between points as a forest plot.
const spansDecades = values => values.length > 1 && Math.min(...values) > 0 && Math.max(...values) >= 100 * Math.min(...values);
const isSaturated = point => (point.warnings || []).some(warning => warning.code === 'saturated');

function choice(id, label, options, act) {
  const select = el('select', {id}, ...options.map(([value, text]) => el('option', {value}, text)));
  select.addEventListener('change', () => { remembered.keep(id, select.value); act(select.value); redraw(); });
  const before = remembered.of(id);
  if (options.some(([value]) => String(value) === before)) { select.value = before; act(before); }
  return [el('label', {for: id}, label), select];
}
// Linear or logarithmic: as the values suggest until a reader decides. `possible` and `usual` are looked at in every drawing.
function axisChoice(id, label, possible, usual) {
  let asked = null, of = chosen;
  const isLog = () => { if (of !== chosen) { asked = null; of = chosen; } return possible() && (asked == null ? usual() : asked); };
  const nodes = choice(id, label, [['linear', 'linear'], ['log', 'logarithmic']], value => { isLog(); asked = value === 'log'; });
  const show = () => { nodes[1].value = isLog() ? 'log' : 'linear'; for (const node of nodes) node.hidden = !possible(); };
  return {nodes, isLog, show};
}
// The table below a figure is that of what is drawn now.
function follow(made) {
  drawn.push(() => {
    made.draw();
    const open = made.node.querySelector('details');
    if (open.open) { open.open = false; open.open = true; }
  });
}

function against() {
  const labels = () => axes.length ? axes[along].labels : [''];
  const numeric = () => { const values = labels().map(Number); return values.length > 1 && labels().every((label, i) => label.trim() !== '' && isFinite(values[i])) ? values : null; };
  const at = entry => numeric() ? numeric()[entry.point.at[along]] : entry.point.at[along];
  const names = seriesAxis < 0 ? [''] : axes[seriesAxis].labels, hidden = new Set((remembered.of('hidden') || []).map(name => names.indexOf(name)).filter(index => index >= 0));
  // of each series the points along the axis that is shown, with the chosen metric's summary
  const series = () => names.map((name, index) => {
    const list = points.filter(point => axes.every((_, axis) => axis === along || (axis === seriesAxis ? point.at[axis] === index : point.at[axis] === fixed[axis])));
    const place = point => numeric() ? numeric()[point.at[along]] : point.at[along];
    return {name, index, points: list.sort((a, b) => place(a) - place(b)).map(point => ({point, index, value: point.metrics[chosen.name]})).filter(one => one.value && one.value.mean != null)};
  });
  let all = [], flat = [], bottom = -Infinity;
  const means = () => all.flatMap(one => one.points.map(entry => entry.value.mean));
  const ends = ({value: {mean, half_width: half}}) => [mean - (half || 0), mean + (half || 0)];
  const gather = () => { all = series(); flat = all.filter(one => !hidden.has(one.index)).flatMap(one => one.points); };
  gather();
  const upright = axisChoice('scale-y', 'vertical axis', () => means().length > 0 && means().every(mean => mean > 0), () => spansDecades(means()));
  const level = axisChoice('scale-x', 'horizontal axis', () => numeric() != null && numeric().every(value => value > 0), () => spansDecades(numeric()));

  const controls = el('div', {class: 'bar'}, ...choice('metric', 'Metric', metrics.map(metric => [metric.name, metric.name]), name => {
    // axes are as the values of the metric suggest, until a reader decides again
    if (name !== chosen.name) for (const id of ['scale-x', 'scale-y', 'scale-change']) remembered.keep(id, null);
    chosen = metrics.find(metric => metric.name === name);
  }));
  controls.querySelector('select').value = chosen.name;
  if (axes.length > 2) {
    controls.append(...choice('along', 'along', axes.map((axis, index) => [index, axisName(axis)]).filter(([index]) => index !== seriesAxis), value => { along = Number(value); }));
    controls.querySelector('#along').value = along;
    axes.forEach((axis, index) => {
      if (index === seriesAxis || axis.labels.length < 2) return;
      const nodes = choice('fixed-' + index, `${axisName(axis)} =`, axis.labels.map((label, at) => [at, label]), value => { fixed[index] = Number(value); });
      const show = () => { for (const node of nodes) node.hidden = index === along; };
      show();
      drawn.push(show);
      controls.append(...nodes);
    });
  }
  controls.append(...upright.nodes, ...level.nodes);

  const remark = el('p', {class: 'note'});
  const entries = toggles(names.map((name, index) => [sample(index, true), name, hidden.has(index)]), index => { if (!hidden.delete(index)) hidden.add(index); remembered.keep('hidden', [...hidden].map(index => names[index])); made.draw(); });
  const legend = el('div', {}, ...(seriesAxis < 0 ? [] : [el('p', {class: 'note'}, axisName(axes[seriesAxis])), entries]), remark);
  const shift = (entry, box) => {
    const room = Math.min(14, (box.right - box.left) / labels().length / (names.length + 1) / 2);
    return (entry.index - (names.length - 1) / 2) * room;
  };
  const made = chart({
    title: 'Metric against axis', controls,
    note: 'A mark is the mean of a point' + (points.some(point => point.interval !== 'none') ? ', the bar its confidence interval.' : '.'),
    name: () => `${chosen.name}${unitOf(chosen)} against ${axes.length ? axisName(axes[along]) : 'the only point'}${upright.isLog() ? ', on a logarithmic axis' : ''}${flat.some(entry => entry.value.half_width != null) ? ', with confidence intervals' : ''}`,
    line: false,
    tall: wide => Math.round(Math.min(400, Math.max(250, wide * 0.5))),
    scales() {
      gather();
      upright.show();
      level.show();
      const values = numeric(), unit = scaleOf(chosen, flat.map(entry => entry.value.mean));
      const title = `${chosen.name}${unit[1] ? ` [${unit[1]}]` : ''}${AIMS[chosen.aim] ? ' \u2013 ' + AIMS[chosen.aim] : ''}`;
      let x = bands(labels());
      if (values) {
        const least = Math.min(...values), most = Math.max(...values), margin = (most - least) * 0.06;
        x = level.isLog() ? log(least, most) : linear(least - margin, most + margin);
      }
      const reach = flat.flatMap(ends);
      let low = Math.min(...reach), high = Math.max(...reach);
      bottom = -Infinity;
      let y = linear(0, 1);
      if (flat.length && upright.isLog()) {
        // an interval may end next to zero: the axis does not follow it there
        const least = Math.min(...flat.map(entry => entry.value.mean));
        y = log(Math.max(least / 10, Math.min(least, ...reach.filter(value => value > 0))), high, unit[0]);
        bottom = y.low;
      } else if (flat.length) {
        if (low > 0 && low < high * 0.6) low = 0;
        const room = (high - low || Math.abs(high) || 1) * 0.06;
        y = linear(low === 0 ? 0 : low - room, high + room, unit[0]);
      }
      return {x, y, xTitle: axes.length ? axisName(axes[along]) : '', yTitle: title};
    },
    count: () => flat.length,
    spot: index => [at(flat[index]), flat[index].value.mean],
    shift: (index, box) => shift(flat[index], box),
    tell(index) {
      const {point, value} = flat[index];
      return `${point.label || 'the only point'}: ${spread(value.mean, value.half_width)}, n = ${value.n}, from ${read(value.min)} to ${read(value.max)}${isSaturated(point) ? '; saturated' : ''}`;
    },
    key() {
      remark.textContent = [flat.some(entry => isSaturated(entry.point)) ? 'Hollow marks: saturated, the mean depends on how long the runs are.' : '',
        flat.some(entry => ends(entry)[0] < bottom) ? 'An interval that reaches below this logarithmic axis, as one that reaches 0 does, is drawn to its edge.' : ''].filter(text => text).join(' ');
      return legend;
    },
    paint(layer, X, Y, box) {
      for (const one of all.filter(one => !hidden.has(one.index))) {
        const place = entry => X(at(entry)) + shift(entry, box);
        const line = one.points.map((entry, i) => `${i ? 'L' : 'M'}${place(entry).toFixed(1)} ${Y(entry.value.mean).toFixed(1)}`).join('');
        if (numeric()) layer.append(svg('path', {d: line, fill: 'none', stroke: colour(one.index), 'stroke-width': 1.6, 'stroke-dasharray': dash(one.index)}));
        for (const entry of one.points) {
          const x = place(entry), [low, high] = ends(entry);
          if (entry.value.half_width != null) {
            const foot = low < bottom ? '' : `M${x - 5} ${Y(low)}h10`;
            layer.append(svg('path', {class: 'interval', d: `${foot}M${x - 5} ${Y(high)}h10M${x} ${Y(low)}V${Y(high)}`, stroke: colour(one.index), 'stroke-width': 1.6, fill: 'none'}));
          }
          layer.append(marker(one.index, x, Y(entry.value.mean), 4.5, {hollow: isSaturated(entry.point)}));
        }
      }
    },
    table: () => {
      const rows = points.filter(point => point.metrics[chosen.name]), values = rows.map(point => point.metrics[chosen.name]);
      const [scale, unit] = scaleOf(chosen, values.map(value => value.mean)), show = number => [plain(number == null ? number : number / scale), number];
      const pair = ({mean, half_width: half}) => half == null ? [show(mean), ['none', null]] : withHalf(mean / scale, half / scale).map((text, i) => [text, i ? half : mean]);
      return sortable(`${chosen.name}${unit ? ` [${unit}]` : ''}`, ['point', 'mean', 'half-width', 'median', 'least', 'greatest', 'n'],
        rows.map((point, i) => [[`${point.point}${point.label ? ': ' + point.label : ''}`, point.point], ...pair(values[i]), show(values[i].median), show(values[i].min), show(values[i].max), [plain(values[i].n), values[i].n]]));
    },
  });
  follow(made);
}

// The first family that judges a metric: the one that was asked for, else that of every metric.
const pairsOf = name => {
  const family = comparisons.find(one => (one.pairs_list || []).some(pair => pair.metric === name));
  return family ? family.pairs_list.filter(pair => pair.metric === name) : [];
};
// The tested figure of a pair, as the matrices show it: the change of the ratio and the ends of its interval, or the difference and its.
const isRatio = pairs => pairs.some(pair => pair.scale === 'ratio');
function tested(pair, ratio) {
  if (ratio) return {value: pair.relative, low: pair.relative_low, high: pair.relative_high};
  const {difference: value, half_width: half} = pair;
  return {value, low: half == null ? null : value - half, high: half == null ? null : value + half};
}
const signed = number => number == null ? '\u2014' : (number > 0 ? '+' : '') + plain(number);

// The forms of marks: of a verdict, and where nothing is tested.
const VERDICTS = {better: [3, 'var(--good)'], worse: [1, 'var(--bad)'], different: [2, 'var(--c0)'], 'no evidence': [0, 'var(--quiet)'], identical: [5, 'var(--quiet)'], 'no verdict': [4, 'var(--quiet)'], saturated: [0, 'var(--quiet)', true]};
const verdictMark = (pair, x, y) => { const [form, tone, hollow] = isRandom ? VERDICTS[pair.verdict] : [0, 'var(--c0)']; return marker(form, x, y, 4.5, {tone, hollow}); };

function forest() {
  const first = comparisons.find(one => (one.pairs_list || []).length);
  if (!first) return;
  const labels = axes[first.axis].labels, against = first.baseline == null ? 'each with each' : `against ${labels[first.baseline]}`;
  const setting = pair => {
    const [from, to] = [pair.from, pair.to].map(number => labels[pointOf.get(number).at[first.axis]]);
    return first.baseline == null ? `${from} \u2192 ${to}` : to;
  };
  const others = axes.map((_, axis) => axis).filter(axis => axis !== first.axis && axes[axis].labels.length > 1);
  const group = pair => others.map(axis => `${axisName(axes[axis])} = ${axes[axis].labels[pointOf.get(pair.to).at[axis]]}`).join(', ');
  // as many whole groups as a reader can look at
  const most = 60;
  let begin = 0, lines = [], ratio = false;
  const groups = () => {
    const list = [];
    for (const pair of pairsOf(chosen.name)) {
      if (!list.length || list[list.length - 1].name !== group(pair)) list.push({name: group(pair), pairs: []});
      list[list.length - 1].pairs.push(pair);
    }
    return list;
  };
  const each = Math.max(1, Math.floor(most / Math.max(1, ...groups().map(one => one.pairs.length + 1)))), count = groups().length;
  const gather = () => {
    ratio = isRatio(pairsOf(chosen.name));
    lines = groups().slice(begin, begin + each).flatMap(one => [...(one.name ? [{head: one.name}] : []), ...one.pairs.map(pair => ({pair}))]);
  };
  const shown = () => lines.filter(line => line.pair && tested(line.pair, ratio).value != null);
  gather();
  const ratios = () => shown().flatMap(line => { const {value, low, high} = tested(line.pair, ratio); return [value, low, high].filter(end => end != null).map(end => end + 1); });
  const axis = axisChoice('scale-change', 'axis', () => ratio && ratios().every(value => value > 0), () => spansDecades(ratios()));
  const controls = el('div', {class: 'bar'});
  if (count > each) {
    const parts = Array.from({length: Math.ceil(count / each)}, (_, part) => [part * each, `${groups()[part * each].name} and on`]);
    controls.append(...choice('part', `${plain(each)} of ${plain(count)} groups, from`, parts, value => { begin = Number(value); }));
  }
  controls.append(...axis.nodes);
  const percent = share => signed(share * 100);
  const words = pair => {
    const {value, low, high} = tested(pair, ratio), scale = scaleOf(chosen, [pair.difference]), half = pair.half_width;
    const unit = scale[1] ? ' ' + scale[1] : '';
    const difference = pair.difference == null ? '\u2014' : (pair.difference > 0 ? '+' : '') + (half == null ? plain(pair.difference / scale[0]) : withHalf(pair.difference / scale[0], half / scale[0]).join(' \u00b1 ')) + unit;
    if (!ratio || value == null) return difference;
    return `${percent(value)} %${low == null ? '' : ` (95 % interval ${percent(low)} to ${percent(high)} %)`}, a difference of ${difference}`;
  };
  const left = wide => Math.min(Math.round(wide * 0.38), 20 + LETTER * Math.max(4, ...lines.filter(line => line.pair).map(line => setting(line.pair).length)));
  let wideNow = 640;
  const made = chart({
    title: `Changes ${against}`, controls,
    note: isRandom ? 'The figure that is tested, with its own 95 % interval, at equal settings of the other axes.' : 'At equal settings of the other axes.',
    name: () => `Changes of ${chosen.name} ${against}${isRandom ? ', with confidence intervals and verdicts' : ''}`,
    line: false,
    left,
    tall(wide) { gather(); axis.show(); wideNow = wide; return 76 + 24 * Math.max(1, lines.length); },
    scales() {
      const ends = shown().flatMap(({pair}) => { const {value, low, high} = tested(pair, ratio); return [value, low, high].filter(end => end != null); }).concat(0);
      const low = Math.min(...ends), high = Math.max(...ends), room = (high - low || 1) * 0.06, letters = Math.floor(left(wideNow) / LETTER) - 1;
      const unit = ratio ? [0.01, '%'] : scaleOf(chosen, [Math.max(Math.abs(low), Math.abs(high))]);
      let x = linear(low - room, high + room, unit[0]);
      if (axis.isLog()) {
        const factor = log(1 + low, 1 + high);
        x = {at: share => factor.at(1 + share), ticks: most => factor.ticks(most).map(([value]) => [value - 1, percent(value - 1)])};
      }
      return {
        x, y: {at: index => 1 - (index + 0.5) / Math.max(1, lines.length), ticks: () => lines.map((line, index) => [index, line]).filter(([, line]) => line.pair).map(([index, line]) => [index, shortened(setting(line.pair), letters)])},
        xTitle: `${ratio ? 'change' : 'difference'}${unit[1] ? ` [${unit[1]}]` : ''}${AIMS[chosen.aim] ? ' \u2013 ' + AIMS[chosen.aim] : ''}`, yTitle: chosen.name,
      };
    },
    count: () => shown().length,
    spot: index => { const line = shown()[index]; return [tested(line.pair, ratio).value, lines.indexOf(line)]; },
    tell(index) {
      const {pair} = shown()[index], at = group(pair);
      return `${setting(pair)}${at ? ` at ${at}` : ''}: ${words(pair)}, n = ${pair.n}` + (isRandom ? `; ${pair.verdict}${pair.p_adjusted == null ? '' : `, adjusted p = ${plain(pair.p_adjusted)}`}` : '');
    },
    key() {
      const used = Object.keys(VERDICTS).filter(name => isRandom && lines.some(line => line.pair && line.pair.verdict === name));
      return keys(used.map(name => [svg('svg', {viewBox: '0 0 26 14', 'aria-hidden': 'true'}, verdictMark({verdict: name}, 13, 7)), name === 'no evidence' ? 'not settled' : name]));
    },
    paint(layer, X, Y, box) {
      layer.append(svg('path', {class: 'mark', d: `M${X(0)} ${box.top}V${box.bottom}`}));
      lines.forEach((line, index) => {
        const y = Y(index);
        if (line.head) {
          // the axis is interrupted by the name of a group
          const name = shortened(line.head, Math.floor(wideNow / LETTER));
          layer.append(svg('rect', {x: 0, y: y - 7, width: 6 + LETTER * name.length, height: 18, fill: 'var(--paper)'}), svg('text', {class: 'head inside', x: 2, y: y + 6}, name));
          return;
        }
        const {value, low, high} = tested(line.pair, ratio);
        if (value == null) return;
        if (low != null) layer.append(svg('path', {class: 'interval', d: `M${X(low)} ${y}H${X(high)}M${X(low)} ${y - 5}v10M${X(high)} ${y - 5}v10`, stroke: isRandom ? VERDICTS[line.pair.verdict][1] : 'var(--c0)', 'stroke-width': 2, fill: 'none'}));
        layer.append(verdictMark(line.pair, X(value), y));
      });
    },
    table() {
      const pairs = pairsOf(chosen.name), [scale, unit] = scaleOf(chosen, pairs.map(pair => pair.difference)), recorded = pairs.some(pair => pair.recorded);
      const inUnit = unit ? ` [${unit}]` : '', shares = ratio ? ['change [%]', 'from [%]', 'to [%]'] : [];
      const share = value => [value == null ? '\u2014' : percent(value), value];
      const difference = ({difference: mean, half_width: half}) => mean == null ? [['\u2014', null], ['none', null]] : half == null ? [[plain(mean / scale), mean], ['none', null]]
        : withHalf(mean / scale, half / scale).map((text, i) => [text, i ? half : mean]);
      const heads = ['setting', ...others.map(axis => axisName(axes[axis])), ...shares, 'difference' + inUnit, 'half-width' + inUnit, ...(recorded ? ['log as recorded' + inUnit] : []), 'n', ...(isRandom ? ['p', 'adjusted p', 'verdict'] : [])];
      const rows = pairs.map(pair => [setting(pair), ...others.map(axis => placed(pointOf.get(pair.to), axis)),
        ...(ratio ? [pair.relative, pair.relative_low, pair.relative_high].map(share) : []), ...difference(pair),
        ...(recorded ? [pair.recorded ? [plain(pair.recorded.difference / scale), pair.recorded.difference] : ['\u2014', null]] : []), [plain(pair.n), pair.n],
        ...(isRandom ? [[plain(pair.p), pair.p], [plain(pair.p_adjusted), pair.p_adjusted], pair.verdict] : [])]);
      const node = sortable(`Changes of ${chosen.name} ${against}`, heads, rows, [...others.map((_, i) => i + 1), ...(isRandom ? [heads.length - 1] : [])]);
      for (const cell of node.querySelectorAll('td:last-child')) if (['better', 'worse'].includes(cell.textContent)) cell.classList.add(cell.textContent);
      return node;
    },
  });
  follow(made);
}
