// The sections of the page, in its order. Each gives [id, title in the navigation, element], or null without content.

const messageSum = (row, direction, parts) => sum(parts.map((part) => row[`${direction}_${part}`] ?? 0));
const partsOf = (row, parts) => parts.map((part) => row[`up_${part}`] + row[`down_${part}`]);

/** Whether there is HTTP. While a capture goes on, there are requests whose messages are not final. */
const hasMessages = (summary) => summary.messages > 0 || summary.requests > 0 || summary.responses > 0;

function tiles({ summary, parts, cookies: cookieTable, contents, hosts }) {
  const [up, down] = [sum(summary.up), sum(summary.down)];
  const header = parts.indexOf('header');
  const heads = summary.up[header] + summary.down[header];
  const cookies = sum([...records(cookieTable), others(cookieTable)].map((row) => row?.bytes ?? 0));
  const errors = summary.status_4xx + summary.status_5xx;
  const ledger = summary.difference === 0 ? ['balanced', 'every byte is in exactly one class', 'good']
    : summary.difference === summary.pending ? ['in progress', `${plural(summary.pending, 'byte has', 'bytes have')} no class yet`]
      : ['does not balance', `difference ${grouped(summary.difference)} bytes`, 'bad'];
  const tile = (title, value, detail, style = '') => element('div', {}, element('dt', {}, title),
    element('dd', { class: style }, value), element('dd', { class: 'detail' }, detail));
  const whole = [
    tile('On the wire', shortBytes(summary.original), `${grouped(summary.original)} bytes in ${plural(summary.packets, 'packet')}`),
    tile('Ledger', ...ledger),
  ];
  if (!hasMessages(summary)) {
    // Zeros of HTTP would hide what there is: what connections cost, opened or not.
    const rows = [...records(hosts), others(hosts)].filter((row) => row);
    const [sent, received] = ['up', 'down'].map((name) => sum(rows.map((row) => row[name])));
    const count = plural(sum(rows.map((row) => row.connections)), 'connection');
    return element('dl', { class: 'tiles' }, whole,
      tile('Up', shortBytes(sent), `${count}, 0 requests`),
      tile('Down', shortBytes(received), `${count}, 0 responses`));
  }
  return element('dl', { class: 'tiles' }, whole,
    tile('Up', shortBytes(up), `${percent(up, summary.original)} of the wire, ${plural(summary.requests, 'request')}`),
    tile('Down', shortBytes(down), `${percent(down, summary.original)} of the wire, ${plural(summary.responses, 'response')}`),
    tile('Header sections', shortBytes(heads), `${percent(heads, up + down)} of what HTTP costs, cookies ${unbrokenBytes(cookies)}`),
    tile('Transferred again', shortBytes(contents.repeated_bytes), `${plural(contents.repeated_contents, 'identical content')}`),
    tile('Errors', grouped(errors), `4xx: ${grouped(summary.status_4xx)}, 5xx: ${grouped(summary.status_5xx)}`, errors > 0 ? 'bad' : ''),
    tile('Waiting, median', summary.wait_ms_p50 === null ? '—' : duration(summary.wait_ms_p50), summary.wait_ms_p95 === null ? 'no exchange was seen whole' : `95 % are below ${unbroken(summary.wait_ms_p95)}`));
}

function warnings({ summary, anomalies }) {
  const lines = [...summary.closed];
  if (!summary.packets) lines.push('No packets were captured.');
  else if (!hasMessages(summary) && !lines.length) lines.push('There is no HTTP in the capture: what its packets are is in the ledger.');
  if (summary.dropped) lines.push(`Incomplete: the capture dropped ${plural(summary.dropped, 'packet')}.`);
  if (summary.truncated) lines.push(`${plural(summary.truncated, 'packet was', 'packets were')} cut by the snap length.`);
  if (summary.missing) lines.push(`${plural(summary.missing, 'byte')} of streams were not captured.`);
  if (summary.inferred) lines.push(`${plural(summary.inferred, 'byte was', 'bytes were')} assigned to an API by inference: packets are missing.`);
  if (summary.unknown) lines.push(`${plural(summary.unknown, 'byte')} of messages could not be assigned to an API: their requests are not known.`);
  if (summary.redacted) lines.push('Addresses, and paths beyond their first segment, are hashed.');
  if (summary.without_parts) lines.push(`The parts of some exchanges are not on this page: ${plural(summary.without_parts, 'message was', 'messages were')} too many in progress at once.`);
  const seen = records(anomalies).map((row) => row.name);
  const full = Object.entries(fullTables).filter(([name]) => seen.includes(name)).map(([, words]) => words);
  if (full.length) lines.push(`A limit was reached for ${full.join(', ')}: what came later is counted together, or not recognized when it comes again.`);
  return lines.map((text) => element('p', { class: 'notice' }, text));
}

/** Anomalies that say that a table of this page is not complete. */
const fullTables = {
  api_table_full: 'APIs', host_table_full: 'hosts', field_table_full: 'header fields', content_table_full: 'contents',
};

function bytesSection({ summary, parts, apis }) {
  const rows = records(apis);
  const rest = others(apis);
  if (!rows.length) return null;
  const top = rows.slice(0, 12);
  const label = (row) => element('span', {}, row.process ? `${row.process}: ` : '', row.method ? `${row.method} ` : '', place(row.host, row.path));
  const items = top.map((row) => [label(row), partsOf(row, parts)]);
  const hidden = [...rows.slice(12), ...(rest ? [rest] : [])];
  const bars = element('div', {}, barList(parts, items));
  return ['bytes', 'Bytes', section('bytes', 'What the bytes are', 'Bytes of messages by what they are, with the retransmissions and the headers of IP, TCP and UDP that carried them.',
    legend(parts.map((part) => [titled(part), color(part)])),
    element('h3', {}, 'Up and down'), barList(parts, [['up', summary.up], ['down', summary.down]]),
    element('h3', {}, 'APIs with the most bytes'),
    element('div', { class: 'tools' }, checkbox('All bars of one length, to compare shares', false, (isOn) => bars.replaceChildren(barList(parts, items, isOn)))),
    bars, hidden.length ? element('p', { class: 'soft' }, `${plural(apis.total - top.length, 'other API')} together: ${shortBytes(sum(hidden.flatMap((row) => partsOf(row, parts))))}.`) : null)];
}

function hostsSection({ hosts, host_parts: parts }) {
  const rows = records(hosts);
  if (!rows.length) return null;
  const extend = (row) => row && ({ ...row, all: row.up + row.down });
  const all = rows.map(extend);
  const rest = extend(others(hosts));
  const top = all.slice(0, 12);
  const used = parts.filter((part) => [...all, rest].some((row) => row?.[part]));
  return ['hosts', 'Hosts', section('hosts', 'Hosts', 'Everything that the connections of a host cost, opened or not: what carried them, their handshakes, and what could not be read.',
    legend(used.map((part) => [titled(part), color(part)])),
    barList(used, top.map((row) => [element('span', { class: 'path' }, row.host || '(unknown)'), used.map((part) => row[part])])),
    dataTable({
      name: 'hosts', rows: all, rest, total: hosts.total, sorted: 'all bytes', fields: [
        { ...columns.text('host', 'host', (row) => row.host || '(unknown)'), isWide: true, showsEmpty: true }, columns.text('source', 'named by', (row) => row.source.split(' ').map((name) => hostSources[name] ?? titled(name)).join(', ')),
        columns.count('connections', 'connections'), columns.count('requests', 'requests'),
        ...(rows.some((row) => row.http2 || row.http3) ? ['1', '2', '3'].map((version) => optional(columns.count(`http${version}`, `HTTP/${version}`))) : []),
        optional(columns.text('offers', 'offers')), optional(columns.count('quic_failed', 'QUIC failed')), optional(columns.count('quic_raced', 'QUIC raced')),
        columns.bytes('up', 'up'), columns.bytes('down', 'down'), columns.bytes('all', 'all bytes'), optional(columns.bytes('handshake', 'handshakes')),
        optional(columns.bytes('retransmitted', 'retrans\u00admitted')), optional(columns.bytes('unopened', 'not opened')),
      ],
    }))];
}

/** Where the names of hosts came from, in words. */
const hostSources = { target: 'request target', host: 'Host field', authority: ':authority', sni: 'TLS server name', sni_public: 'public TLS name', dns: 'DNS', address: 'address' };

function apisSection({ parts, apis, websockets }, exchanges) {
  const rows = records(apis);
  if (!rows.length) return null;
  const rest = others(apis);
  const extend = (row) => ({
    ...row, up: messageSum(row, 'up', parts), down: messageSum(row, 'down', parts), all: sum(partsOf(row, parts)),
    errors: row.status_4xx + row.status_5xx,
    head: row.up_header + row.down_header,
    body: row.up_body + row.down_body, retransmitted: row.up_retransmitted + row.down_retransmitted,
    overhead: row.up_overhead + row.down_overhead,
  });
  const fields = [
    columns.place('API'), ...['method', 'process'].filter((name) => apis.columns.includes(name)).map((name) => columns.text(name, name)),
    columns.count('requests', 'requests'), columns.bytes('up', 'up'), columns.bytes('down', 'down'), columns.bytes('all', 'all bytes'),
    columns.bytes('head', 'header'), optional(columns.bytes('saved', 'fields saved')), columns.bytes('body', 'body'), columns.bytes('overhead', 'overhead'), optional(columns.bytes('retransmitted', 'retrans\u00admitted')),
    optional(columns.bytes('missing', 'not seen')), optional(columns.bytes('inferred', 'inferred')), optional(columns.count('errors', 'errors')), columns.time('wait_ms_p50', 'wait, median'), columns.time('wait_ms_p95', 'wait, 95\u00a0%'),
  ];
  const ofAPI = Map.groupBy(exchanges, (row) => row.api);
  const sockets = records(websockets);
  return ['apis', 'APIs', section('apis', 'APIs', 'Bytes are everything on the wire from the IP header on, as a data plan is billed. Header is header sections without start-lines. Expand an API to see its exchanges, an exchange to its parts.',
    dataTable({
      name: 'APIs', fields, rows: rows.map((row, index) => ({ ...extend(row), index })), rest: rest && extend(rest), total: apis.total, sorted: 'all bytes',
      detail: (row) => apiDetail(row, ofAPI.get(row.index) ?? [], parts, sockets.filter(({ host, path }) => host === row.host && path === row.path)),
    }))];
}

/** What an API is made of, and its exchanges, as far as they are on the page. */
function apiDetail(row, exchanges, parts, frames) {
  const list = exchangeList(parts, 10);
  list.show(exchanges, 'bytes');
  const count = Math.max(row.requests, row.responses);
  return element('div', { class: 'opened' },
    linkTools(copier('Copy link', linkTo('api', `${row.host}${row.path}`)), commandFor([...(row.method ? [['method', row.method]] : []), ['host', row.host || null], ['api_path', row.path || null]])),
    barList(parts, ['up', 'down'].map((direction) => [direction, parts.map((part) => row[`${direction}_${part}`])])),
    frameDetail(`${row.host}${row.path}`, frames),
    element('p', { class: 'soft' }, exchanges.length < count ? `Of ${plural(count, 'exchange')}, ${grouped(exchanges.length)} ${exchanges.length === 1 ? 'is' : 'are'} on this page, those with the most bytes first.` : `${plural(exchanges.length, 'exchange')}, those with the most bytes first.`),
    list.content);
}

function exchangesSection({ parts, exchanges }, rows) {
  if (!rows.length) return null;
  const note = exchanges.total === rows.length ? null : element('p', { class: 'notice' },
    `${grouped(rows.length)} of ${grouped(exchanges.total)} exchanges: those with the most bytes, the slowest, failed ones, and one of each API in the table above.`);
  return ['exchanges', 'Exchanges', section('exchanges', 'Exchanges over time', 'All on one axis, as seen at the point of capture. Lengths are exact; name lookup and handshakes are drawn right before the request, although time may have passed between them.',
    rows.some(({ frames }) => frames.length) ? element('p', { class: 'soft' }, 'Dark marks are frames of WebSockets, from the client above and from the server below: the darker, the more frames.') : null,
    note, ...filteredExchanges(rows, parts))];
}

function timelineSection({ timeline }) {
  if (!timeline) return null;
  return ['timeline', 'Over time', section('timeline', 'Bytes over time', `All bytes of the capture by what they are, in intervals of ${duration(timeline.width)}: down above the line, up below it.`,
    ...timelineChart(timeline))];
}

function stepsSection({ steps }) {
  if (!steps.rows.length) return null;
  return ['steps', 'Steps', section('steps', 'Steps of the test', 'All bytes of the capture between one mark and the next, in order of time.',
    dataTable({
      name: 'steps', rows: records(steps), rest: others(steps), total: steps.total, fields: [
        columns.count('step', 'number'), columns.text('label', 'step'), columns.count('packets', 'packets'),
        columns.bytes('up', 'up'), columns.bytes('down', 'down'), columns.bytes('bytes', 'all bytes'),
      ],
    }))];
}

function waitsSection({ waits: { limits, counts, percentiles } }) {
  const first = counts.findIndex((count) => count > 0);
  if (first < 0) return null;
  const last = counts.findLastIndex((count) => count > 0);
  const label = (index) => (index === limits.length ? `more than ${duration(limits[index - 1])}`
    : `${index === 0 ? 'up' : `${duration(limits[index - 1])}`} to ${duration(limits[index])}`);
  return ['waits', 'Waiting', section('waits', 'Waiting times', `How long exchanges waited from the end of the request to the start of the response. ${percentiles.map(([percent, time]) => (percent === 100 ? `The longest waited ${unbroken(time)}.` : percent === 50 ? `Half of them waited at most ${unbroken(time)},` : `${percent}\u00a0% at most ${unbroken(time)}${percent === 99 ? '.' : ','}`)).join(' ')}`,
    countList(counts.slice(first, last + 1).map((count, index) => [label(first + index), count]), 'exchange', 'exchanges'))];
}

/** What it took to open and to close a connection. */
const opening = (row) => row.setup_bytes + row.handshake_bytes + row.teardown_bytes;

function connectionsSection({ summary, connections, pairs }) {
  const rows = records(connections);
  if (!rows.length) return null;
  return ['connections', 'Connections', section('connections', 'Connections', `Of ${summary.connections === 1 ? 'the one connection' : `all ${plural(summary.connections, 'connection')}`}: setup ${grouped(summary.setup)}, teardown ${grouped(summary.teardown)}, in no message ${grouped(summary.unattributed)} bytes.`,
    dataTable({
      name: 'connections', rows, total: connections.total, fields: [
        { label: 'number', value: (row) => row.connection, show: (row) => String(row.connection) },
        {
          label: 'host, client, server', isText: true, isWide: true, value: (row) => `${row.host} ${row.client} ${row.server}`,
          show: (row) => element('span', {}, [row.host, row.client, row.server].filter((name) => name).map((name) => element('span', { class: 'line' }, name))),
        },
        columns.text('protocol', 'protocol'),
        columns.time('opened', 'opened'), columns.time('duration', 'lasted'), columns.bytes('client_ip_bytes', 'up'), columns.bytes('server_ip_bytes', 'down'),
        { label: 'opening, closing', value: opening, show: (row) => grouped(opening(row)) }, optional(columns.bytes('unattributed_bytes', 'in no message')),
        optional(columns.bytes('retransmitted_bytes', 'retrans\u00admitted')), optional(columns.bytes('missing_bytes', 'not seen')), columns.count('messages', 'messages'),
        columns.text('end', 'end, oddities', (row) => [row.end, ...row.flags.split(' ')].filter((name) => name).map(titled).join(', ')),
      ],
    }),
    pairs.rows.length ? element('h3', {}, 'What opening and closing took') : null,
    pairs.rows.length ? dataTable({
      name: 'clients and servers', rows: records(pairs), rest: others(pairs), total: pairs.total, sorted: 'beyond the first', fields: [
        { ...columns.text('host', 'host'), showsEmpty: true, isWide: true, show: (row) => row.host || '(unknown)' }, columns.text('client', 'client'), columns.text('server', 'server'),
        columns.count('connections', 'connections'), columns.bytes('bytes', 'bytes'), columns.bytes('beyond_first', 'beyond the first'),
      ],
    }) : null)];
}

function clientsSection({ clients }) {
  if (!clients.rows.length) return null;
  const extend = (row) => row && ({ ...row, all: row.up + row.down });
  return ['clients', 'Clients', section('clients', 'Clients', 'Everything that the connections of a client cost.',
    dataTable({
      name: 'clients', rows: records(clients).map(extend), rest: extend(others(clients)), total: clients.total, sorted: 'all bytes', fields: [
        columns.text('client', 'client'), columns.count('connections', 'connections'), columns.count('messages', 'messages'),
        columns.bytes('up', 'up'), columns.bytes('down', 'down'), columns.bytes('all', 'all bytes'),
      ],
    }))];
}
