// The frames of WebSockets: by API and direction, and of one exchange over its time.

const socketFields = () => [
  columns.text('direction', 'direction'), columns.count('sockets', 'sockets'), columns.count('messages', 'messages'),
  optional(columns.count('text', 'text')), optional(columns.count('binary', 'binary')), columns.count('frames', 'frames'),
  optional(columns.count('pings', 'pings')), optional(columns.count('pongs', 'pongs')), columns.bytes('frame_bytes', 'frame headers'),
  optional(columns.bytes('keepalive_bytes', 'pings and pongs')), columns.bytes('payload_bytes', 'payload'),
  columns.bytes('decoded_bytes', 'decoded'), columns.share('compressed to', (row) => row.coded_bytes, (row) => row.decoded_bytes),
  columns.bytes('all', 'all bytes'),
];

const socketRow = (row) => row && ({ ...row, all: row.frame_bytes + row.payload_bytes });

/** The share of pings and pongs, which carry nothing of the app. */
function keepaliveWords(rows, them) {
  const [kept, all] = ['keepalive_bytes', 'all'].map((name) => sum(rows.map((row) => row[name])));
  return `Pings and pongs, which keep ${them} open, took ${grouped(kept)} bytes (${percent(kept, all) || '0%'}).`;
}

function webSocketsSection({ websockets }) {
  if (!websockets.rows.length) return null;
  const rows = records(websockets).map(socketRow);
  return ['websockets', 'WebSockets', section('websockets', 'WebSockets', `The frames of WebSockets, by API and direction. ${keepaliveWords(rows, 'them')}`,
    dataTable({
      name: 'WebSockets', rows, rest: socketRow(others(websockets)), total: websockets.total, sorted: 'all bytes',
      // An opened API has the kinds of frames, for which there is no room here.
      fields: [columns.place(), ...socketFields().filter(({ label }) => !['text', 'binary', 'pings', 'pongs'].includes(label))],
    }))];
}

/** The frames of an API or of an exchange, with the cost of keeping it open; nothing without frames. */
function frameDetail(name, frames) {
  if (!frames.length) return [];
  const rows = frames.map(socketRow);
  return [
    element('p', { class: 'soft' }, keepaliveWords(rows, 'it')),
    dataTable({ name: 'frames', label: `Frames of ${name}`, isWhole: true, rows, fields: socketFields().filter(({ label }) => label !== 'sockets' || rows.some(({ sockets }) => sockets > 1)) }),
  ];
}

/** When the last frames of an exchange came; 0 without any. */
const framesEnd = ({ frames }) => Math.max(0, ...frames.map(({ first, width, density }) => first + Math.max(0, density.length - 1) * width));

/** The frames of an exchange over its time, as marks on its bar: from the client above, from the server below. */
function densityMarks({ frames, end }, place) {
  const most = Math.max(1, ...frames.flatMap(({ density }) => density));
  return frames.flatMap(({ direction, first, width, density }) => density.map((count, step) => (count
    ? element('span', { class: `density ${direction}`, style: { ...place(first + step * width, Math.max(0, Math.min(width, end - first - step * width))), opacity: .25 + .75 * count / most } })
    : null)));
}

/** How many frames an exchange had, in words; empty without any. */
const frameWords = ({ frames }) => list(frames.map(({ direction, frames: count }) => [count, `frame ${direction}`, `frames ${direction}`]));
