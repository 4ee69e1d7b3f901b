// Exchanges on one axis of time, each with its phases in their order and its bytes. One can be opened to see its parts.

const phases = [
  ['dns', 'var(--trailer)'], ['connect', 'var(--header)'], ['tls', 'var(--framing)'], ['send', 'var(--start_line)'],
  ['wait', 'var(--overhead)'], ['receive', 'var(--body)'],
];
const before = ['dns', 'connect', 'tls'];
const rowsAtATime = 40;

/** The orders in which exchanges can stand. */
const exchangeOrders = {
  start: ['by start', (a, b) => a.begin - b.begin || a.exchange - b.exchange],
  bytes: ['most bytes first', (a, b) => b.ip_bytes - a.ip_bytes || a.exchange - b.exchange],
  duration: ['longest first', (a, b) => b.end - b.begin - (a.end - a.begin) || a.exchange - b.exchange],
};

/** The exchanges of the data, each with when it begins and ends. */
function exchangeRecords({ exchanges }) {
  return records(exchanges).map(spanned);
}

/** Names, handshakes and keys are drawn right before the request. */
function spanned(exchange) {
  const length = (names) => sum(names.map((name) => exchange[name] ?? 0));
  return {
    ...exchange, begin: exchange.started - length(before),
    end: Math.max(exchange.started + length(['send', 'wait', 'receive']), framesEnd(exchange)),
  };
}

/**
 * A list of exchanges with its axis: `show(rows, order, isRelative)` draws it anew.
 *
 * - parts: what messages are made of.
 * - step: how many rows are shown at first, and how many more with each press of the button below.
 */
function exchangeList(parts, step = rowsAtATime) {
  const state = { rows: [], order: 'start', isRelative: false, limit: step };
  const axis = element('div', { class: 'ticks' });
  const list = element('ol', { class: 'waterfall' });
  const more = element('button', { type: 'button', onclick: () => { state.limit += 4 * step; draw(); } });

  function draw() {
    const shown = state.rows.slice(0, state.limit);
    const begin = shown.reduce((least, row) => Math.min(least, row.begin), Infinity);
    const end = shown.reduce((most, row) => Math.max(most, row.end), -Infinity);
    const longest = shown.reduce((most, row) => Math.max(most, row.end - row.begin), 0);
    const [from, length] = state.isRelative ? [0, longest] : [begin, end - begin];
    axis.replaceChildren(...(shown.length ? axisTicks(from, length) : []));
    list.replaceChildren(...shown.map((row) => exchangeRow(row, state.isRelative ? row.begin : begin, length, parts)));
    more.hidden = state.rows.length <= state.limit;
    more.textContent = `Show more of ${grouped(state.rows.length)} exchanges`;
  }

  function show(rows, order = 'start', isRelative = false) {
    Object.assign(state, { rows: rows.toSorted(exchangeOrders[order][1]), isRelative, limit: step });
    draw();
  }

  return { show, content: element('div', { class: 'exchange-list' }, element('div', { class: 'axis', 'aria-hidden': 'true' }, axis), list, more) };
}

/** Marks of round times over the bars. */
function axisTicks(from, length) {
  return niceTicks(length, document.documentElement.clientWidth < 740 ? 1 : 4).filter((tick) => tick <= length)
    .map((tick) => element('span', { class: tick > length * .85 ? 'last' : null, style: { left: `${length > 0 ? tick / length * 100 : 0}%` } },
      tick === 0 ? (from > 0 ? `after ${duration(from)}` : '0') : `+${duration(tick)}`));
}

function exchangeRow(row, begin, length, parts) {
  const percentage = (time) => `${length > 0 ? time / length * 100 : 0}%`;
  let at = row.begin - begin;
  const spans = phases.map(([name, background]) => {
    if (row[name] === null) return null;
    const span = element('span', { style: { left: percentage(at), width: percentage(row[name]), background } });
    at += row[name];
    return span;
  });
  const marks = densityMarks(row, (from, time) => ({ left: percentage(from - begin), width: percentage(time) }));
  const words = [phaseWords(row), frameWords(row)].filter((text) => text).join(', ');
  const item = element('li', {});
  const button = opener((detail) => item.append(detail), () => exchangeDetail(row, parts), element('span', {},
    element('span', { class: `status-code${isFailed(row) ? ' bad' : ''}` }, row.status ?? 'none'),
    element('span', { class: 'path' }, `${row.method} `, element('span', { class: 'host' }, row.host), row.path || (row.host ? '' : '(unknown)'))));
  button.title = `${row.method} ${row.host}${row.path}`;
  item.append(element('div', { class: 'exchange' }, button,
    element('div', { class: 'time', role: 'img', 'aria-label': words, title: words }, spans, marks),
    element('span', { class: 'figure', title: `${grouped(row.ip_bytes)} bytes` }, shortBytes(row.ip_bytes)),
    element('span', { class: 'figure' }, duration(row.end - row.begin))));
  return item;
}

const isFailed = (row) => row.status === null || row.status >= 400;
const phaseWords = (row) => phases.filter(([name]) => row[name] !== null).map(([name]) => `${name} ${duration(row[name])}`).join(', ') || 'no phase was seen';

/** Everything that is known of an exchange. */
function exchangeDetail(row, parts) {
  const fact = (name, value) => (value === null || value === '' ? null : [element('dt', {}, name), element('dd', {}, value)]);
  const hasParts = row.up.length > 0;
  const rows = parts.map((part, index) => ({ part, up: row.up[index], down: row.down[index], all: row.up[index] + row.down[index] }))
    .filter(({ all }) => all > 0);
  return element('div', { class: 'opened' },
    element('dl', { class: 'facts-of' },
      fact('Exchange', `${row.exchange}${row.connection === null ? '' : ` on connection ${row.connection}`}${row.version ? `, ${row.version}` : ''}`),
      fact('Between', row.client === null ? null : `${row.client} and ${row.server}`),
      fact('Started', `${duration(row.started)} after the start`),
      fact('Phases', phaseWords(row)),
      fact('On the wire', `${grouped(row.ip_bytes)} bytes: request ${grouped(row.request_bytes)}, response ${grouped(row.response_bytes)}, and what carried them`),
      fact('Content', contentWords(row, parts)),
      ...row.frames.map(({ direction, close_code: code }) => fact(`Closed ${direction}`, code === null ? null : `with code ${code}`)),
      fact('Known', exactnessWords(row)),
      fact('Oddities', row.flags ? row.flags.split(' ').map(titled).join(', ') : null)),
    linkTools(copier('Copy link', linkTo('exchange', row.exchange)), commandFor([['exchange', row.exchange]])),
    hasParts ? [
      barList(parts, [['up', row.up], ['down', row.down]]),
      dataTable({
        name: 'parts', label: `Parts of exchange ${row.exchange}`, isWhole: true, rows, fields: [
          columns.text('part', 'part', ({ part }) => element('span', {}, element('span', { class: 'swatch', style: { background: color(part) } }), titled(part))),
          columns.bytes('up', 'up'), columns.bytes('down', 'down'), columns.bytes('all', 'all bytes'),
        ],
      }), frameDetail(`exchange ${row.exchange}`, row.frames)].flat() : element('p', { class: 'soft' }, 'Its parts were not kept: too many exchanges were in progress.'));
}

function contentWords(row, parts) {
  const body = row.down[parts.indexOf('body')] ?? 0;
  if (!row.type && !body) return null;
  const decoded = row.decoded_body !== null && row.decoded_body !== body ? `, ${grouped(row.decoded_body)} bytes without its coding` : '';
  return `${row.type ?? 'no type'}, ${plural(body, 'byte')}${decoded}`;
}

function exactnessWords({ exactness, missing }) {
  const words = {
    exact: 'every byte was seen', inferred: 'the counts are complete, but some bytes were not seen',
    at_least: 'the end was not seen: the counts are the least that there were',
  }[exactness];
  return words ? `${words}${missing ? `; ${plural(missing, 'byte')} not captured` : ''}` : null;
}

/** What a person has chosen of the exchanges, by the labels: it stays when the page of a run that goes on is drawn anew. */
const exchangeChoices = {};

/** The filters over all exchanges, and the list of those that they let through. */
function filteredExchanges(rows, parts) {
  const list = exchangeList(parts);
  const status = element('p', { class: 'status', role: 'status' });
  const isRelative = checkbox('Align starts', exchangeChoices.isRelative ?? false, () => draw());
  const search = element('input', { type: 'search', value: exchangeChoices.Search ?? '', placeholder: 'part of a name, or #number', spellcheck: 'false', autocomplete: 'off', oninput: () => chosen() });
  const order = choice(Object.entries(exchangeOrders).map(([value, [label]]) => [value, label]), () => chosen());
  const filters = [
    ['Host', (row) => row.host], ['Status', (row) => statusClass(row)], ['Method', (row) => row.method], ['Type', (row) => row.type ?? ''],
  ].map(([label, value]) => {
    const values = [...new Set(rows.map(value))].sort();
    const select = choice([['', 'all'], ...values.filter((name) => name !== '').map((name) => [name, name]),
      ...(label === 'Status' && rows.some(isFailed) ? [[failed, 'failed']] : [])], () => chosen());
    return { label, value, select, isUseful: values.length > 1 };
  });
  for (const [label, select] of [['Order', order], ...filters.map(({ label, select }) => [label, select])]) {
    const chosen = exchangeChoices[label];
    // A value that is not there any more is no choice.
    if ([...select.options].some((option) => option.value === chosen)) select.value = chosen;
  }

  function draw() {
    Object.assign(exchangeChoices, { Search: search.value, Order: order.value, isRelative: isRelative.querySelector('input').checked });
    for (const { label, select } of filters) exchangeChoices[label] = select.value;
    const query = search.value.trim().toLowerCase();
    const found = rows.filter((row) => filters.every(({ value, select }) => !select.value
      || (select.value === failed ? isFailed(row) : value(row) === select.value))
      && (query.startsWith('#') ? String(row.exchange) === query.slice(1) : `${row.method} ${row.host}${row.path}`.toLowerCase().includes(query)));
    status.textContent = `${plural(found.length, 'exchange')}, ${shortBytes(sum(found.map((row) => row.ip_bytes)))}`;
    list.show(found, order.value, isRelative.querySelector('input').checked);
  }

  function chosen() {
    draw();
    noteFilters();
  }

  draw();
  return [
    element('div', { class: 'tools' }, element('label', {}, 'Search exchanges', search),
      filters.filter(({ isUseful }) => isUseful).map(({ label, select }) => element('label', {}, label, select)),
      element('label', {}, 'Order', order), isRelative, status),
    legend(phases), list.content,
  ];
}

/** The value of the filter for everything that failed; no status is called so. */
const failed = 'failed';
const statusClass = (row) => (row.status === null ? 'no response' : `${Math.floor(row.status / 100)}xx`);

function choice(options, changed) {
  return element('select', { onchange: changed }, options.map(([value, label]) => element('option', { value }, label)));
}
