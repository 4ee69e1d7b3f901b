// The sections of the page, in its order. Each gives [id, title in the navigation, element], or null without content.

const messageSum = (row, direction, parts) => sum(parts.map((part) => row[`${direction}_${part}`] ?? 0));
const partsOf = (row, parts) => parts.map((part) => row[`up_${part}`] + row[`down_${part}`]);

function tiles({ summary, parts, fields, contents }) {
  const [up, down] = [sum(summary.up), sum(summary.down)];
  const header = parts.map((part, index) => (part === 'start_line' || part === 'header' ? index : -1)).filter((index) => index >= 0);
  const heads = sum(header.map((index) => summary.up[index] + summary.down[index]));
  const cookies = sum(records(fields).filter((row) => ['cookie', 'set-cookie'].includes(row.name)).map((row) => row.bytes));
  const errors = summary.status_4xx + summary.status_5xx;
  const ledger = summary.difference === 0 ? ['balanced', 'every byte is in exactly one class', 'good']
    : summary.difference === summary.pending ? ['in progress', `${plural(summary.pending, 'byte has', 'bytes have')} no class yet`]
      : ['does not balance', `difference ${grouped(summary.difference)} bytes`, 'bad'];
  const tile = (title, value, detail, style = '') => element('div', {}, element('dt', {}, title),
    element('dd', { class: style }, value), element('dd', { class: 'detail' }, detail));
  return element('dl', { class: 'tiles' },
    tile('On the wire', shortBytes(summary.original), `${grouped(summary.original)} bytes in ${plural(summary.packets, 'packet')}`),
    tile('Ledger', ...ledger),
    tile('Up', shortBytes(up), `${percent(up, summary.original)} of the wire, ${plural(summary.requests, 'request')}`),
    tile('Down', shortBytes(down), `${percent(down, summary.original)} of the wire, ${plural(summary.responses, 'response')}`),
    tile('Header sections', shortBytes(heads), `${percent(heads, up + down)} of what HTTP costs, cookies ${shortBytes(cookies)}`),
    tile('Fetched again', shortBytes(contents.repeated_bytes), `${plural(contents.repeated_responses, 'identical body', 'identical bodies')}`),
    tile('Errors', grouped(errors), `${grouped(summary.status_4xx)} are 4xx, ${grouped(summary.status_5xx)} are 5xx`, errors > 0 ? 'bad' : ''),
    tile('Waiting, median', summary.wait_ms_p50 === null ? '—' : duration(summary.wait_ms_p50), summary.wait_ms_p95 === null ? 'no exchange was seen whole' : `95 % are below ${unbroken(summary.wait_ms_p95)}`));
}

function warnings({ summary, passed_over }) {
  const lines = [];
  if (summary.dropped) lines.push(`Incomplete: the capture dropped ${plural(summary.dropped, 'packet')}.`);
  if (summary.truncated) lines.push(`${plural(summary.truncated, 'packet was', 'packets were')} cut by the snap length.`);
  if (summary.missing) lines.push(`${plural(summary.missing, 'byte')} of streams were not captured.`);
  if (summary.inferred) lines.push(`Of the messages, ${plural(summary.inferred, 'byte has', 'bytes have')} an API that is only inferred: packets are missing.`);
  if (summary.unknown) lines.push(`No API can be given to ${plural(summary.unknown, 'byte')} of messages whose requests are not known.`);
  if (summary.redacted) lines.push('Addresses, and paths beyond their first segment, are hashed.');
  const seen = list([[passed_over.messages, 'message'], [passed_over.fields, 'field line'], [passed_over.contents, 'body', 'bodies']]);
  if (seen) lines.push(`Figures about fields, compression and caching leave out ${seen}: too many at once.`);
  const known = list([[passed_over.fields_not_remembered, 'field line'], [passed_over.contents_not_remembered, 'body', 'bodies']]);
  if (summary.compressed) lines.push('Field lines of HTTP/2 are counted in the spelling of HTTP/1.1: on the wire they are shorter.');
  if (known) lines.push(`What came again may be more than is said: of ${known} it was not remembered that they came.`);
  return lines.map((text) => element('p', { class: 'notice' }, text));
}

function bytesSection({ summary, parts, apis }) {
  const rows = records(apis);
  const rest = others(apis);
  if (!rows.length) return null;
  const top = rows.slice(0, 12);
  const label = (row) => element('span', {}, row.method ? `${row.method} ` : '', place(row.host, row.path));
  const items = top.map((row) => [label(row), partsOf(row, parts)]);
  const hidden = [...rows.slice(12), ...(rest ? [rest] : [])];
  const bars = element('div', {}, barList(parts, items));
  return ['bytes', 'Bytes', section('bytes', 'What the bytes are', 'Message octets by what they are, and the IP and TCP headers and retransmissions that carried them.',
    legend(parts.map((part) => [titled(part), color(part)])),
    element('h3', {}, 'Up and down'), barList(parts, [['up', summary.up], ['down', summary.down]]),
    element('h3', {}, 'APIs with the most bytes'),
    element('div', { class: 'tools' }, checkbox('All bars of one length, to compare shares', false, (isOn) => bars.replaceChildren(barList(parts, items, isOn)))),
    bars, hidden.length ? element('p', { class: 'soft' }, `${plural(apis.total - top.length, 'other API')} together: ${shortBytes(sum(hidden.flatMap((row) => partsOf(row, parts))))}.`) : null)];
}

function apisSection({ parts, apis }) {
  const rows = records(apis);
  if (!rows.length) return null;
  const rest = others(apis);
  const extend = (row) => ({
    ...row, up: messageSum(row, 'up', parts), down: messageSum(row, 'down', parts), all: sum(partsOf(row, parts)),
    errors: row.status_4xx + row.status_5xx,
    head: row.up_header + row.down_header + row.up_start_line + row.down_start_line,
    body: row.up_body + row.down_body, retransmitted: row.up_retransmitted + row.down_retransmitted,
    overhead: row.up_overhead + row.down_overhead,
  });
  const fields = [
    columns.place('API'), ...(apis.columns.includes('method') ? [columns.text('method', 'method')] : []),
    columns.count('requests', 'requests'), columns.bytes('up', 'up'), columns.bytes('down', 'down'), columns.bytes('all', 'all bytes'),
    columns.bytes('head', 'header'), optional(columns.bytes('saved', 'saved by field compression')), columns.bytes('body', 'body'), columns.bytes('overhead', 'overhead'), optional(columns.bytes('retransmitted', 'sent again')),
    optional(columns.bytes('missing', 'not seen')), optional(columns.bytes('inferred', 'inferred')), optional(columns.count('errors', 'errors')), columns.time('wait_ms_p50', 'wait, median'), columns.time('wait_ms_p95', 'wait, 95\u00a0%'),
  ];
  return ['apis', 'APIs', section('apis', 'APIs', 'Bytes are everything on the wire from the IP header on, as a data plan is billed. Header has the start-lines.',
    dataTable({ name: 'APIs', fields, rows: rows.map(extend), rest: rest && extend(rest), total: apis.total, sorted: 'all bytes' }))];
}

function throughputSection({ throughput }) {
  if (!throughput) return null;
  return ['throughput', 'Throughput', section('throughput', 'Throughput over time', `Messages with the headers of their packets, spread evenly from their first to their last packet, in intervals of ${duration(throughput.width)}.`,
    legend([['down', 'var(--down)'], ['up', 'var(--up)']]), throughputChart(throughput))];
}

function waterfallSection({ exchanges, connections }) {
  const rows = records(exchanges);
  if (!rows.length) return null;
  return ['exchanges', 'Exchanges', section('exchanges', 'Exchanges by connection', 'As seen at the point of capture. Lengths are exact; name lookup and handshakes are drawn right before the request, although time may have passed between them.',
    cut(rows.length, exchanges.total, 'exchanges, by bytes'), ...waterfall(rows, records(connections)),
    element('details', {}, element('summary', {}, 'The same in a table'), dataTable({
      name: 'exchanges', rows, sorted: 'all bytes', fields: [
        columns.text('method', 'method'), columns.place(), columns.count('status', 'status'), columns.time('started', 'started'),
        ...phases.map(([name]) => optional(columns.time(name, name))), columns.bytes('ip_bytes', 'all bytes'), columns.count('connection', 'connection'),
      ].map((field) => (field.label === 'status' || field.label === 'connection' ? { ...field, show: (row) => String(field.value(row)) } : field)),
    })))];
}

function connectionsSection({ summary, connections }) {
  const rows = records(connections);
  if (!rows.length) return null;
  return ['connections', 'Connections', section('connections', 'Connections', `Of ${summary.connections === 1 ? 'the one connection' : `all ${plural(summary.connections, 'connection')}`}: setup ${grouped(summary.setup)}, teardown ${grouped(summary.teardown)}, in no message ${grouped(summary.unattributed)} bytes.`,
    dataTable({
      name: 'connections', rows, total: connections.total, fields: [
        { label: 'number', value: (row) => row.connection, show: (row) => String(row.connection) },
        {
          label: 'client, server', isText: true, isWide: true, value: (row) => `${row.client} ${row.server}`,
          show: (row) => element('span', {}, element('span', { class: 'line' }, row.client), element('span', { class: 'line' }, row.server)),
        },
        columns.text('protocol', 'protocol'),
        columns.time('opened', 'opened'), columns.time('duration', 'lasted'), columns.bytes('client_ip_bytes', 'up'), columns.bytes('server_ip_bytes', 'down'),
        columns.bytes('setup_bytes', 'setup'), columns.bytes('teardown_bytes', 'teardown'), optional(columns.bytes('unattributed_bytes', 'in no message')),
        optional(columns.bytes('retransmitted_bytes', 'sent again')), optional(columns.bytes('missing_bytes', 'not seen')), columns.count('messages', 'messages'),
        columns.text('end', 'end', (row) => titled(row.end)), optional(columns.text('flags', 'flags', (row) => titled(row.flags))),
      ],
    }))];
}
