// The application behind (or beside) the servers: answers of any shape the query asks for.
//
//   node app.mjs PORT LOG
//
//   ?n=OCTETS  length of the answer's content     ?s=STATUS
//   ?c=CHUNKS  sent in so many chunks             ?t=json|text|bin
//   ?e=gzip|br|deflate  content coding            ?d=MS  wait before answering
//   ?x=early|continue|trailer|abort|reset|close
//
// The log has one line per request: the octets that the socket itself counted between the start of
// a request and the end of its answer. They are exact while requests do not overlap on a connection.
import { createServer } from 'node:http';
import { appendFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { gzipSync, brotliCompressSync, deflateSync } from 'node:zlib';

const [port, log] = [Number(process.argv[2]), process.argv[3]];
const words = ('amber anchor apple arrow autumn badge basil beacon birch bottle branch bridge bronze candle canyon ' +
  'cedar chalk circle cliff cloud cobalt comet copper coral cotton crane crystal dawn delta desert drift').split(' ');

let seed = 7;
const next = (n) => { seed = (Math.imul(seed, 1103515245) + 12345) >>> 0; return (seed >>> 8) % n; };
const text = (n) => { let s = ''; while (s.length < n) s += words[next(words.length)] + ' '; return s.slice(0, n); };
function content(kind, n) {
  if (kind === 'bin') return Buffer.from(Array.from({ length: n }, () => next(256)));
  if (kind === 'json' && n >= 12) return Buffer.from(`{"words":"${text(n - 12)}"}`);
  return Buffer.from(text(n));
}
const types = { json: 'application/json', text: 'text/plain; charset=utf-8', bin: 'application/octet-stream' };

// What an app asks for in the demo, and how large the answer is: [path, from, to, further settings as in the query].
const routes = [
  [/^\/v1\/session$/, 180, 400, { k: 'dark' }], [/^\/v1\/me$/, 300, 700], [/^\/v1\/config$/, 3000, 5000], [/^\/v1\/flags$/, 400, 900],
  [/^\/v1\/feed$/, 6000, 18000], [/^\/v1\/items\/\d+$/, 700, 2600], [/^\/v1\/items\/\d+\/comments$/, 900, 7000],
  [/^\/v1\/items\/\d+\/like$/, 20, 30, { s: 204 }], [/^\/v1\/search$/, 2000, 9000, { c: 3 }], [/^\/v1\/search\/suggest$/, 80, 400],
  [/^\/v1\/categories$/, 1200, 1300], [/^\/v1\/categories\/\d+\/items$/, 4000, 12000, { c: 4 }], [/^\/v1\/cart$/, 200, 1800],
  [/^\/v1\/cart\/items$/, 120, 300, { s: 201 }], [/^\/v1\/cart\/items\/\d+$/, 0, 0, { s: 204 }], [/^\/v1\/orders$/, 300, 2500],
  [/^\/v1\/orders\/\d+$/, 600, 1600], [/^\/v1\/notifications$/, 40, 2200], [/^\/v1\/notifications\/read$/, 0, 0, { s: 204 }],
  [/^\/v1\/messages$/, 300, 5000], [/^\/v1\/devices$/, 60, 90, { s: 201 }], [/^\/v1\/weather$/, 700, 800], [/^\/v1\/geo\/stores$/, 1500, 6000],
  [/^\/v2\/recommendations$/, 3000, 9000, { e: 'br' }], [/^\/v1\/live\/scores$/, 200, 1200, { c: 2 }], [/^\/v1\/payments/, 200, 500],
  [/^\/oauth\/userinfo$/, 60, 90, { s: 401 }], [/^\/oauth\//, 500, 900], [/^\/collect$/, 0, 0, { s: 204 }], [/^\/batch$/, 30, 40, { s: 202 }],
  [/^\/slot$/, 100, 1500, { s: [200, 200, 204, 503] }], [/^\/stream\/export\/\d+$/, 20000, 30000, { x: 'trailer', t: 'text' }],
];

function remember(socket) {
  socket.seen ??= { read: 0, written: 0, ordinal: 0 };
  return socket.seen;
}

function note(request, response, received, decoded) {
  const socket = request.socket, seen = remember(socket);
  const done = () => {
    const read = socket.bytesRead - seen.read, written = socket.bytesWritten - seen.written;
    seen.read = socket.bytesRead; seen.written = socket.bytesWritten; seen.ordinal += 1;
    if (log) appendFileSync(log, JSON.stringify({
      client_address: (request.peer.address ?? '').replace('::ffff:', ''), client_port: request.peer.port,
      server_address: (request.peer.local ?? '').replace('::ffff:', ''), server_port: port, ordinal: seen.ordinal,
      method: request.method, host: request.headers.host ?? '', target: request.url, status: response.statusCode,
      request_bytes: read, response_bytes: written, request_body_bytes: received, decoded_bytes: decoded,
      completed: response.writableFinished ? 'OK' : '', id: request.headers['x-request'] ?? '' }) + '\n');
  };
  response.on('close', done);
}

async function answer(request, response) {
  const socket = request.socket;
  request.peer = { address: socket.remoteAddress, port: socket.remotePort, local: socket.localAddress };
  const url = new URL(request.url, 'http://localhost');
  const route = routes.find(([path]) => path.test(url.pathname));
  const usual = route ? { n: route[1] + next(route[2] - route[1] + 1), ...route[3] } : {};
  if (Array.isArray(usual.s)) usual.s = usual.s[next(usual.s.length)];
  const q = (name, fallback) => url.searchParams.get(name) ?? usual[name] ?? fallback;
  const x = q('x', '');
  if (x === 'early') response.writeEarlyHints({ link: ['</css/app.css>; rel=preload; as=style', '</js/app.js>; rel=preload; as=script'] });
  let received = 0;
  if (x !== 'ignore') for await (const part of request) received += part.length;
  const status = Number(q('s', 200)), kind = q('t', 'json'), chunks = Number(q('c', 0)), coding = q('e', '');
  let body = request.method === 'POST' || request.method === 'PUT' || request.method === 'PATCH'
    ? (q('n', null) !== null ? content(kind, Number(q('n', 0)))
      : Buffer.from(JSON.stringify({ received, method: request.method, trailers: request.trailers })))
    : content(kind, Number(q('n', 64)));
  if (status === 204 || status === 304) body = Buffer.alloc(0);
  const decoded = body.length;
  note(request, response, received, decoded);
  if (coding === 'gzip') body = gzipSync(body);
  if (coding === 'br') body = brotliCompressSync(body);
  if (coding === 'deflate') body = deflateSync(body);
  if (Number(q('d', 0))) await new Promise((resume) => setTimeout(resume, Number(q('d', 0))));
  if (x === 'close') response.shouldKeepAlive = false;
  if (x === 'reset') { socket.resetAndDestroy(); return; }
  const fields = { 'Content-Type': types[kind] };
  if (coding) fields['Content-Encoding'] = coding;
  if (q('k', null) !== null) fields['Set-Cookie'] = [`session=${text(24).replaceAll(' ', '-')}; Path=/; HttpOnly`, `theme=${q('k')}; Path=/; Max-Age=3600`];
  if (q('l', null) !== null) fields.Location = q('l');
  if (x === 'trailer') fields.Trailer = 'Digest-Words, X-Count';
  if (!chunks && x !== 'trailer' && status !== 204 && status !== 304) fields['Content-Length'] = body.length;
  response.writeHead(status, fields);
  if (request.method === 'HEAD' || status === 204 || status === 304) { response.end(); return; }
  const pieces = Math.max(1, chunks), size = Math.ceil(body.length / pieces) || 1;
  for (let at = 0, n = 0; at < body.length; at += size, n += 1) {
    if (x === 'abort' && n >= pieces / 2) { socket.destroy(); return; }
    await new Promise((sent) => response.write(body.subarray(at, at + size), sent));
  }
  if (x === 'trailer') response.addTrailers({ 'Digest-Words': createHash('md5').update(body).digest('base64'), 'X-Count': String(body.length) });
  response.end();
}

const server = createServer({ keepAliveTimeout: 20000, requestTimeout: 20000 }, (request, response) => {
  answer(request, response).catch(() => response.destroy());
});
server.on('checkContinue', (request, response) => {
  if (new URL(request.url, 'http://localhost').searchParams.get('x') === 'refuse') {
    request.peer = { address: request.socket.remoteAddress, port: request.socket.remotePort, local: request.socket.localAddress };
    note(request, response, 0, 0);
    response.writeHead(417, { 'Content-Length': 0, Connection: 'close' });
    response.end();
    return;
  }
  response.writeContinue();
  server.emit('request', request, response);
});
// Enough of a WebSocket to have a tunnel with octets in both directions: every frame comes back unmasked.
server.on('upgrade', (request, socket, head) => {
  const accept = createHash('sha1').update(request.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  let pending = head;
  const consume = () => {
    for (;;) {
      if (pending.length < 2) return;
      let length = pending[1] & 127, at = 2;
      if (length === 126) { if (pending.length < 4) return; length = pending.readUInt16BE(2); at = 4; }
      if (pending.length < at + 4 + length) return;
      const mask = pending.subarray(at, at + 4), payload = Buffer.from(pending.subarray(at + 4, at + 4 + length));
      for (let i = 0; i < length; i += 1) payload[i] ^= mask[i & 3];
      const opcode = pending[0] & 15;
      pending = pending.subarray(at + 4 + length);
      const head = length < 126 ? Buffer.from([0x80 | opcode, length]) : Buffer.from([0x80 | opcode, 126, length >> 8, length & 255]);
      socket.write(Buffer.concat([head, payload]));
      if (opcode === 8) { socket.end(); return; }
    }
  };
  consume();
  socket.on('data', (data) => { pending = Buffer.concat([pending, data]); consume(); });
  socket.on('error', () => {});
});
server.on('clientError', (error, socket) => { if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'); });
server.listen(port, '::');
