// A day of a web app, for a page of app.example.com: about 250 requests by fetch and XMLHttpRequest. Each has X-Id, five
// digits, so that an entry of a HAR can be found on the wire again; navigations and pictures have only the server's X-Serial.
// `day(first)` resolves to a list of what was asked for: {id, what, method, url, ok}.
async function day(first) {
  const other = location.protocol + "//api.example.net", list = [];
  let next = first;
  const words = "amber birch canyon delta ember fern garnet harbor indigo jasper kettle lantern maple nectar olive pepper ";
  const text = n => words.repeat(Math.ceil(n / words.length)).slice(0, n);
  const pause = ms => new Promise(done => setTimeout(done, ms));
  async function go(what, method, url, { body, headers = {}, cache = "no-store", abort, simple, redirect, stream } = {}) {
    const id = String(next++).padStart(5, "0"), row = { id: simple ? "" : id, what, method, url, ok: false };
    list.push(row);
    const control = new AbortController(), options = { method, cache, redirect, signal: control.signal, headers: { ...headers } };
    if (!simple) options.headers["X-Id"] = id;
    if (body !== undefined) options.body = body;
    if (stream) options.duplex = "half";
    try {
      if (abort === "at once") setTimeout(() => control.abort(), 60);
      const answer = await fetch(url, options);
      row.status = answer.status;
      if (abort === "in the body") {
        await answer.body.getReader().read();
        await pause(50);
        control.abort();
      } else await answer.arrayBuffer();
      row.ok = true;
    } catch (error) { row.error = String(error); }
    return row;
  }
  function xhr(what, method, url, body) {
    const id = String(next++).padStart(5, "0"), row = { id, what, method, url, ok: false };
    list.push(row);
    return new Promise(done => {
      const asked = new XMLHttpRequest();
      asked.open(method, url);
      asked.setRequestHeader("X-Id", id);
      asked.onloadend = () => { row.status = asked.status; row.ok = asked.status > 0; done(row); };
      asked.send(body);
    });
  }
  const all = (n, make) => Promise.all(Array.from({ length: n }, (_, i) => make(i)));
  const form = n => { const f = new FormData(); f.append("name", "Zoë"); f.append("text", text(n)); return f; };
  const file = n => { const f = form(50); f.append("file", new File([text(n)], "notes.txt", { type: "text/plain" })); return f; };

  await all(24, i => go("feed parallel", "GET", `/api/feed?page=${i}`));
  for (let i = 0; i < 12; i++) await go("feed", "GET", `/api/feed?page=${i}`);
  await all(18, () => go("same parallel", "GET", "/same?k=1"));
  for (let i = 0; i < 6; i++) await go("same", "GET", "/same?k=1");
  for (let i = 0; i < 14; i++) await go("poll", "GET", "/poll");
  await all(6, () => go("poll parallel", "GET", "/poll"));

  for (const code of [301, 302, 303, 307, 308]) {
    await go("redirect", "GET", `/r/${code}?n=40&to=/item/${code}`);
    await go("redirect post", "POST", `/r/${code}?n=0&to=/up/redirected`, { body: text(300 + code) });
  }
  await go("redirect chain", "GET", "/r/302?n=10&to=/r/307%3Fn=20%26to=/r/301%253Fn=0%2526to=/item/3");
  await all(4, () => go("redirect parallel", "GET", "/r/302?n=40&to=/same?k=2"));
  await go("redirect to other", "GET", `/r/302?n=5&to=${other}/item/7`);
  await go("redirect form", "POST", "/r/307?n=5&to=/up/redirected", { body: form(500) });

  for (let i = 1; i <= 3; i++) await go("etag first", "GET", `/etag/${i}`, { cache: "default" });
  for (let i = 1; i <= 3; i++) await go("etag again", "GET", `/etag/${i}`, { cache: "no-cache" });
  for (let i = 1; i <= 3; i++) await go("etag own", "GET", `/etag/${i}`, { headers: { "If-None-Match": `"tag-${i}"` } });
  for (let i = 0; i < 3; i++) await go("cached", "GET", "/static/lib.js", { cache: "default" });
  for (let i = 0; i < 2; i++) await go("cached", "GET", "/img/1.png", { cache: "force-cache" });
  await go("not cached", "GET", "/static/lib.js", { cache: "reload" });

  for (const n of [300, 5000, 40000]) {
    await go("gzip", "GET", `/gz/cl/${n}`);
    await go("gzip chunked", "GET", `/gz/chunked/${n}`);
    await go("br", "GET", `/br/cl/${n}`);
    await go("br chunked", "GET", `/br/chunked/${n}`);
    await go("chunked", "GET", `/chunked/${n}`);
  }
  await all(6, i => go("chunked parallel", "GET", `/chunked/${2000 + 100 * i}`));

  for (const n of [0, 10, 1000, 30000]) {
    await go("string", "POST", "/up/string", { body: text(n) });
    await go("blob", "POST", "/up/blob", { body: new Blob([text(n)]) });
    await go("form", "POST", "/up/form", { body: form(n) });
    await go("file", "POST", "/up/file", { body: file(n) });
    await go("parameters", "POST", "/up/parameters", { body: new URLSearchParams({ a: "Zoë", text: text(n) }) });
    await go("buffer", "POST", "/up/buffer", { body: new TextEncoder().encode(text(n)) });
  }
  await go("stream", "POST", "/up/stream", { body: new Blob([text(900)]).stream(), stream: true });
  // What is encrypted is as large in the capture as it was.
  for (const n of [25000, location.protocol === "https:" ? 150000 : 3000000]) await go("string", "PUT", "/big", { body: text(n) });
  await go("blob", "PUT", "/big", { body: new Blob([text(25000)]) });
  await all(4, i => go("string parallel", "PUT", "/up/parallel", { body: text(1000 + 700 * i) }));
  await xhr("xhr string", "POST", "/up/string", text(777));
  await xhr("xhr form", "POST", "/up/form", form(777));
  await xhr("xhr blob", "POST", "/up/blob", new Blob([text(777)]));
  for (let i = 0; i < 4; i++) await xhr("xhr", "GET", `/item/${i}`);

  for (let i = 0; i < 3; i++) {
    await go("utf-8 up", "POST", `/utf8/${i}`, { body: "日本語 ünïcödé Ωμέγα 🎈".repeat(3 + i), headers: { "Content-Type": "text/plain; charset=utf-8" } });
    await go("utf-8", "GET", `/utf8/${5 * i}?q=gr%C3%BCn`);
    await go("utf-8 path", "GET", `/item/größe/${i}`);
  }
  for (const code of [404, 500, 503, 204]) for (let i = 0; i < 2; i++) await go("status", "GET", `/status/${code}`);
  for (let i = 0; i < 3; i++) await go("head", "HEAD", `/item/${i}`);
  for (let i = 0; i < 4; i++) await go("delete", "DELETE", `/item/${i}`);
  await go("cookies set", "GET", "/cookies/set");
  await go("cookies set", "GET", "/cookies/set");
  await go("cookies", "GET", "/cookies/echo");

  for (let i = 0; i < 3; i++) await go("abort body", "GET", "/slow/200000", { abort: "in the body" });
  await go("abort", "GET", "/silent/500", { abort: "at once" });
  await all(2, () => go("slow", "GET", "/slow/9000"));
  await go("cut", "GET", "/cut/6000");
  await go("cut chunked", "GET", "/cut/chunked/6000");

  for (let i = 0; i < 6; i++) await go("other", "GET", `${other}/item/${i}`);
  await all(8, i => go("other simple", "GET", `${other}/api/feed?page=${i}`, { simple: true }));
  await all(8, i => go("both", "GET", `${i % 2 ? other : ""}/poll`));
  for (let i = 0; i < 3; i++) await go("other up", "PUT", `${other}/up/other`, { body: text(400 * i) });
  for (let i = 0; i < 12; i++) await go("item", i % 3 ? "GET" : "POST", `/item/${i % 4}`, i % 3 ? {} : { body: `{"n":${i}}`, headers: { "Content-Type": "application/json" } });
  return list;
}
