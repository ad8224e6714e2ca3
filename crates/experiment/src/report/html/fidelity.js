// The page of an account of fidelity: words and figures, who carries the error, and groups of jobs.
const value = (compared, name) => compared.figures[name].value;
const percent = share => share == null ? '\u2014' : plain(share * 100) + ' %';
const SHARES = ['within-time', 'within-factor'];
const read = (name, number) => number == null ? '\u2014' : name.includes('.') ? span(number) : SHARES.includes(name) ? percent(number) : plain(number);
const figure = (compared, name) => read(name, value(compared, name));
const interval = (compared, name) => { const ends = compared.figures[name].interval; return ends ? `${read(name, ends[0])} to ${read(name, ends[1])}` : '\u2014'; };
const rules = data.rules, all = data.jobs;
const many = (count, what) => `${plain(count)} ${what}${count === 1 ? '' : 's'}`;
const JUDGED = [['ratio-of-means', 'ratio of means'], ['within-time', `within ${span(rules.within)}`],
  ['within-factor', `within a factor of ${plain(rules.factor)}`], ['kendall-tau', 'Kendall\u2019s \u03c4 of starts in a week']];

document.getElementById('about').textContent =
  `Simulated and recorded waits of ${many(all.jobs, 'job')} of ${many(all.weeks, 'week')}, ${span(rules.edge)} left out at either end; compared by clustersim ${data.version}.`;

function overview() {
  const node = section('All jobs');
  node.append(cards([['all of it', data.word || '\u2014'], ['jobs', plain(all.jobs)], ['weeks', plain(all.weeks)], ['processors', plain(data.machine.processors)],
    ['recorded peak', plain(data.machine['recorded-peak'])], ['in the edges', plain(data['not-compared']['in-edges'])],
    ['of unknown wait', plain(data['not-compared'].unrecorded)], ['not run', plain(data['not-compared']['not-run'])]]));
  node.append(table('Waits side by side', ['wait', 'recorded', 'simulated', 'simulated, 95 % interval'],
    [['mean', 'mean'], ['p50', '50 % of jobs'], ['p90', '90 % of jobs'], ['p99', '99 % of jobs']].map(([part, name]) =>
      [name, figure(all, 'recorded.' + part), figure(all, 'simulated.' + part), interval(all, 'simulated.' + part)])));
  node.append(table('How close they are', ['figure', 'value', '95 % interval', 'word'],
    JUDGED.map(([name, text]) => [text, figure(all, name), interval(all, name), all.figures[name].word || '\u2014']), [3]));
  node.append(el('p', {class: 'note'}, all.figures['error.mean'].interval ? 'Intervals come from whole weeks that are drawn with replacement.'
    : 'There are no intervals: they come from whole weeks, eight at least.'));
}

function who() {
  const node = section('Who carries the error', `The absolute difference of the two waits has a mean of ${figure(all, 'error.mean')} a job. A job that has several causes counts at each.`);
  node.append(table('Share of the absolute error', ['cause', 'jobs', 'of all jobs', 'of the error'],
    data.error.map(one => [one.cause === 'none' ? 'none of these' : one.cause, plain(one.jobs), percent(one.share), percent(one['error-share'])])));
}

function second() {
  const without = data.without;
  if (!without) return;
  const before = without['others-before'], after = without['others-after'];
  const node = section('Without ' + without.causes.join(', '), `In a second run ${many(without['started-as-recorded'], 'job')} started as recorded. These are the figures of the other ${many(after.jobs, 'job')}.`);
  node.append(table('The other jobs in both runs', ['figure', 'first run', 'second run'],
    [['simulated.mean', 'simulated mean wait'], ['error.mean', 'mean error'], ...JUDGED].map(([name, text]) => [text, figure(before, name), figure(after, name)])
      .concat([['all of it', without['word-before'] || '\u2014', without['word-after'] || '\u2014']])));
}

function weeks() {
  const list = data.by.week || [];
  if (!list.length) return;
  const both = ['recorded.mean', 'simulated.mean'], names = ['recorded', 'simulated'];
  const means = list.map(week => both.map(name => value(week, name) || 0));
  const top = Math.max(1e-9, ...means.flat()), [size, unitName] = unitFor(top);
  const tell = index => `week ${list[index].name}: recorded ${span(means[index][0])}, simulated ${span(means[index][1])}, ${plain(list[index].jobs)} jobs`;
  chart({
    title: 'Mean waits by week', note: 'Weeks count from the start of the log.',
    name: () => `Mean recorded and simulated waits of ${list.length} weeks`,
    scales: () => ({x: linear(Number(list[0].name), Math.max(Number(list[0].name) + 1, Number(list[list.length - 1].name))), y: linear(0, top, size), xTitle: 'week', yTitle: `mean wait [${unitName}]`}),
    count: () => list.length,
    spot: index => [Number(list[index].name), Math.max(...means[index])],
    tell,
    key: () => keys(names.map((name, place) => [sample(place, true), name])),
    paint(layer, X, Y) {
      names.forEach((_, place) => {
        const points = means.map((pair, index) => [Number(list[index].name), pair[place]]);
        layer.append(svg('path', {d: path(points, X, Y), fill: 'none', stroke: colour(place), 'stroke-width': 1.6, 'stroke-dasharray': dash(place)}));
        for (const [x, y] of points) layer.append(marker(place, X(x), Y(y), 3.5));
      });
    },
    table: () => groups('week', list),
  });
}

const groups = (by, list) => table(`Jobs by ${by}`, [by, 'jobs', 'recorded mean', 'simulated mean', 'ratio', `within ${span(rules.within)}`, `factor ${plain(rules.factor)}`, '\u03c4', 'of the error', 'word'],
  list.map(one => [one.name, plain(one.jobs), figure(one, 'recorded.mean'), figure(one, 'simulated.mean'), figure(one, 'ratio-of-means'),
    figure(one, 'within-time'), figure(one, 'within-factor'), figure(one, 'kendall-tau'), percent(one['error-share']), one.word || '\u2014']), [9]);

overview();
who();
second();
weeks();
for (const [by, list] of Object.entries(data.by)) if (by !== 'week' && list.length) section('By ' + by).append(groups(by, list));
document.body.dataset.drawn = 'fidelity';
