// The page of two runs, side by side over one axis of time.
const many = data.what + 's';
document.getElementById('about').textContent =
  data.names.map((name, run) => `${name}: ${plain(data.started[run])} ${many} started`).join('; ') + `; drawn by clustersim ${data.version}.`;

function decision() {
  const found = data.difference;
  const node = section('The first difference', found ? '' : `There is none: every ${data.what} starts at the same time in both runs.`);
  if (!found) return;
  node.append(el('p', {}, `${data.what} ${found.row}, at ${span(found.at)} (${found.at} s). Before that, every ${data.what} starts at the same time in both.`));
  const row = (name, side) => [name, side ? `${side.start} s` : 'does not start', side ? side.reason || '\u2014' : '\u2014'];
  node.append(table(`${data.what} ${found.row}`, ['run', 'starts at', 'reason'], [row(data.names[0], found.one), row(data.names[1], found.other)], [1, 2]));
}

decision();
data.runs.forEach((run, place) => {
  if (run == null) return;
  timeline(run, {
    title: data.names[place], note: `Every ${data.what} on its lanes, from its start to its end.`, id: 'run-' + (place + 1) + '-',
    from: data.from, to: data.to, mark: data.difference && data.difference.at, what: many,
  });
});
document.body.dataset.drawn = 'two-runs';
