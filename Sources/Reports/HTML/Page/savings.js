// What would save most: each with its bytes, and the largest rows behind it.

/** The words for each: a sentence, the section with all rows, and what its rows count. */
const savingWords = {
  again: [({ count }) => `${plural(count, 'content was', 'contents were')} the same as one that the same client had transferred for the same URL before, query included. A cache, or a conditional request, saves them.`, 'caching', ['content', 'contents']],
  elsewhere: [({ count }) => `${plural(count, 'content was', 'contents were')} new for the URL, and the same as one that the same client had transferred for another URL. One URL for each content lets a cache serve it.`, 'caching', ['content', 'contents']],
  fields: [({ bytes, whole }) => `${percent(bytes, whole)} of all header fields repeat the value that the same field had in the message before. Bytes are those on the wire, so that an indexed field of HTTP/2 or HTTP/3 counts a byte or two; fewer and shorter fields also help.`, 'headers', ['message', 'messages']],
  cookies: [({ whole }) => `Cookies are ${unbrokenBytes(whole)} in all; these repeat the value before. Serve static files from a host without cookies; shrink cookies.`, 'headers', ['message', 'messages']],
  gzip: [({ count, whole }) => `${plural(count, 'content', 'contents')} of ${unbrokenBytes(whole)} came without compression. Samples of them say how much smaller gzip makes them.`, 'compression', ['content', 'contents']],
  retransmissions: [() => 'They were lost on the way, or the sender took them for lost. That depends on the network more than on the app.', 'hosts', ['connection', 'connections']],
  connections: [({ count, whole }) => `Opening and closing connections took ${unbrokenBytes(whole)}. ${plural(count, 'connection', 'connections')} beyond one for each client and host took these: reuse of connections saves at most that.`, 'connections', ['connection', 'connections']],
  redirects: [({ count }) => `${plural(count, 'exchange', 'exchanges')} only told the client to ask elsewhere. Use the final URL directly.`, 'outcomes', ['exchange', 'exchanges']],
  errors: [({ count }) => `${plural(count, 'exchange', 'exchanges')} ended with an error, or without a response.`, 'outcomes', ['exchange', 'exchanges']],
};

function savingsSection({ savings, summary }) {
  if (!savings.length) {
    if (!summary.messages) return null;
    return ['savings', 'What would save most', section('savings', 'What would save most', null,
      element('p', {}, 'Nothing was found: no content was transferred again, nothing is left to compress, and nothing was lost.'))];
  }
  const most = savings[0].bytes;
  return ['savings', 'What would save most', section('savings', 'What would save most', 'The most bytes come first. The same bytes can be in several of these, so that they do not add up.',
    element('ol', { class: 'savings' }, savings.map((saving) => savingItem(saving, most, summary.original))))];
}

function savingItem(saving, most, original) {
  const [sentence, target, [one, many]] = savingWords[saving.id];
  const hidden = saving.total === null ? null : saving.total - saving.rows.length;
  return element('li', {},
    element('div', { class: 'saving-head' },
      element('h3', {}, saving.title),
      element('span', { class: 'saving-bytes' }, saving.estimate ? element('span', { class: 'badge' }, 'estimate') : null,
        element('strong', { title: `${grouped(saving.bytes)} bytes` }, shortBytes(saving.bytes)),
        element('span', { class: 'soft-figure' }, percent(saving.bytes, original)))),
    element('div', { class: 'meter wide-meter', 'aria-hidden': 'true' }, element('i', { style: { width: `${saving.bytes / most * 100}%` } })),
    element('p', {}, sentence(saving)),
    element('ul', { class: 'behind' }, saving.rows.map(([host, path, bytes, count]) => element('li', {},
      element('span', { class: 'label' }, place(host, path)),
      element('span', { class: 'count' }, plural(count, one, many)),
      element('span', { class: 'figure' }, `${grouped(bytes)} bytes`)))),
    hidden === 0 ? null : element('p', { class: 'soft more' }, element('a', { href: `#${target}` }, hidden === null ? 'More of them below' : `${plural(hidden, 'more row')} below`)));
}

const unbrokenBytes = (value) => shortBytes(value).replaceAll(' ', '\u00a0');
