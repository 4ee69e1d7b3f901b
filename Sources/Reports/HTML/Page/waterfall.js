// Exchanges by connection, each with its phases in their order.

const phases = [
  ['dns', 'var(--trailer)'], ['connect', 'var(--header)'], ['tls', 'var(--framing)'], ['send', 'var(--start_line)'],
  ['wait', 'var(--overhead)'], ['receive', 'var(--body)'],
];
const before = ['dns', 'connect', 'tls'];
const rowsAtATime = 40;

function waterfall(exchanges, connections) {
  const groups = new Map();
  for (const exchange of exchanges) {
    const key = exchange.connection ?? 0;
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(spanned(exchange));
  }
  const order = [...groups.keys()].sort((a, b) => a - b);
  for (const key of order) groups.get(key).sort((a, b) => a.exchange - b.exchange);
  const facts = new Map(connections.map((connection) => [connection.connection, connection]));
  const state = { connection: '', isRelative: false, limit: rowsAtATime };
  const list = element('ol', { class: 'waterfall' });
  const more = element('button', { type: 'button', onclick: () => { state.limit += 4 * rowsAtATime; draw(); } });

  function draw() {
    const keys = state.connection === '' ? order : [Number(state.connection)];
    const rows = [];
    let count = 0;
    for (const key of keys) {
      const members = groups.get(key);
      if (count < state.limit) {
        rows.push(groupHead(key, members, facts.get(key)));
        const shown = members.slice(0, state.limit - count);
        const longest = Math.max(...shown.map((row) => row.end - row.begin));
        const begin = Math.min(...shown.map((row) => row.begin));
        const all = Math.max(...shown.map((row) => row.end)) - begin;
        rows.push(...shown.map((row) => (state.isRelative
          ? exchangeRow(row, row.begin, longest) : exchangeRow(row, begin, all))));
      }
      count += members.length;
    }
    list.replaceChildren(...rows);
    more.hidden = count <= state.limit;
    more.textContent = `Show more of ${grouped(count)} exchanges`;
  }

  const select = element('select', {
    onchange: () => { state.connection = select.value; state.limit = rowsAtATime; draw(); },
  }, element('option', { value: '' }, order.length === 1 ? 'One connection' : `All ${plural(order.length, 'connection')}`), order.map((key) =>
    element('option', { value: key }, `${key ? `Connection ${key}` : 'No connection'}: ${groups.get(key)[0].host || 'unknown host'}, ${plural(groups.get(key).length, 'exchange')}`)));
  draw();
  return [
    element('div', { class: 'tools' }, element('label', {}, 'Connection', select),
      checkbox('Each exchange from its own start', false, (isOn) => { state.isRelative = isOn; draw(); })),
    legend(phases), list, more,
  ];
}

/** When the exchange begins and ends: names, handshakes and keys are drawn right before the request. */
function spanned(exchange) {
  const length = (names) => sum(names.map((name) => exchange[name] ?? 0));
  return {
    ...exchange, begin: exchange.started - length(before),
    end: exchange.started + length(['send', 'wait', 'receive']),
  };
}

function groupHead(key, members, connection) {
  const ends = connection ? ` ${connection.client} → ${connection.server}` : '';
  return element('li', { class: 'group' }, element('strong', {}, key ? `Connection ${key}` : 'No connection'),
    `${ends} · ${plural(members.length, 'exchange')} · first after ${duration(Math.min(...members.map((row) => row.started)))}`);
}

function exchangeRow(row, begin, length) {
  const percentage = (time) => `${length > 0 ? time / length * 100 : 0}%`;
  let at = row.begin - begin;
  const words = [];
  const spans = phases.map(([name, background]) => {
    const time = row[name];
    if (time === null) return null;
    words.push(`${name} ${duration(time)}`);
    const span = element('span', { style: { left: percentage(at), width: percentage(time), background } });
    at += time;
    return span;
  });
  const title = words.join(', ') || 'no phase was seen';
  return element('li', { class: 'exchange' },
    element('span', { class: 'label', title: `${row.method} ${row.host}${row.path}` },
      element('span', { class: `status-code${row.status === null || row.status >= 400 ? ' bad' : ''}` }, row.status ?? '—'),
      element('span', { class: 'path' }, `${row.method} ${row.path || row.host || '(unknown)'}`)),
    element('div', { class: 'time', role: 'img', 'aria-label': title, title }, spans),
    element('span', { class: 'figure' }, duration(row.end - row.begin)));
}
