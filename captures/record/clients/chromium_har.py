"""Chromium's own HAR: the browser runs the day, and the Network panel of a real DevTools page, open beside it, exports.

    chromium_har.py HAR LIST [--netlog FILE] [--small]

DevTools' front end is a document that the browser serves for remote debugging; it is opened in a second tab with the
first one's debugging socket, with "Keep log" set. At the end its own `HAR.Log.Log.build` is asked for all requests
that the panel holds: the function that "Export HAR (with sensitive data)" calls. Nothing of the HAR is made here.
Needs aiohttp.
"""
import argparse, asyncio, json, os, pathlib, shutil, tempfile

import aiohttp

here = pathlib.Path(__file__).parent
parser = argparse.ArgumentParser()
parser.add_argument("har")
parser.add_argument("list")
parser.add_argument("--netlog")
parser.add_argument("--small", action="store_true")
options = parser.parse_args()
PORT = 9333
SITE = os.environ.get("SITE_SCHEME", "http") + "://app.example.com"


class Target:
    """One debugging socket."""

    def __init__(self, socket):
        self.socket, self.number, self.waiting, self.events = socket, 0, {}, []
        self.reader = asyncio.ensure_future(self.read())

    async def read(self):
        async for message in self.socket:
            said = json.loads(message.data)
            if said.get("id") in self.waiting:
                self.waiting.pop(said["id"]).set_result(said)
            else:
                self.events.append(said)

    async def ask(self, method, **parameters):
        self.number += 1
        answer = self.waiting[self.number] = asyncio.get_running_loop().create_future()
        await self.socket.send_json({"id": self.number, "method": method, "params": parameters})
        said = await asyncio.wait_for(answer, 120)
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']}")
        return said["result"]

    async def evaluate(self, expression):
        said = await self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in said:
            raise RuntimeError(json.dumps(said["exceptionDetails"])[:600])
        return said["result"].get("value")


async def main():
    folder = tempfile.mkdtemp(prefix="chromium.")
    flags = ["--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--disable-dev-shm-usage", "--no-proxy-server",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--mute-audio",
             "--disable-features=HttpsUpgrades,OptimizationHints,MediaRouter,Translate,LocalNetworkAccessChecks",
             f"--remote-debugging-port={PORT}", f"--remote-allow-origins=*", f"--user-data-dir={folder}"]
    if SITE.startswith("https"):
        flags += ["--ignore-certificate-errors"]
    flags += os.environ.get("CHROMIUM_FLAGS", "").split()
    if options.netlog:
        flags += [f"--log-net-log={options.netlog}", "--net-log-capture-mode=IncludeSensitive"]
    browser = await asyncio.create_subprocess_exec(os.environ.get("CHROMIUM", "chromium"), *flags, "about:blank",
                                                   stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL)
    try:
        async with aiohttp.ClientSession() as session:
            base = f"http://127.0.0.1:{PORT}"
            for _ in range(200):
                try:
                    targets = await (await session.get(f"{base}/json/list")).json()
                    break
                except aiohttp.ClientError:
                    await asyncio.sleep(0.1)
            page = next(t for t in targets if t["type"] == "page")
            tab = Target(await session.ws_connect(page["webSocketDebuggerUrl"], max_msg_size=0))
            inspector = f"{base}/devtools/devtools_app.html?ws=127.0.0.1:{PORT}/devtools/page/{page['id']}&panel=network"
            if options.netlog:
                tools = None
            else:
                opened = await (await session.put(f"{base}/json/new?{inspector}")).json()
                tools = Target(await session.ws_connect(opened["webSocketDebuggerUrl"], max_msg_size=0))
                # Its modules are asked for only once it stands: asked earlier, they would be made without its settings.
                await tools.ask("Runtime.enable")
                for turn in range(90):
                    await asyncio.sleep(0.2)
                    if await tools.evaluate("document.readyState === 'complete' && !!document.querySelector('.root-view')"):
                        break
                    if turn % 30 == 29:
                        await tools.ask("Page.reload")
                else:
                    raise RuntimeError(f"DevTools did not come up: {tools.events}")
                await asyncio.sleep(2)
                # "Keep log", or a navigation would empty the panel.
                await tools.evaluate("""(async () => {
                  const common = await import('./core/common/common.js'), sdk = await import('./core/sdk/sdk.js');
                  common.Settings.Settings.instance().resolve(sdk.SDKSettings.preserveNetworkLogSettingDescriptor).set(true);
                })()""")
                await asyncio.sleep(3)
            await tab.ask("Page.enable")
            await tab.ask("Page.navigate", url=f"{SITE}/")
            await asyncio.sleep(1.5)
            await tab.evaluate((here / "day.js").read_text() + "\nundefined")
            if options.small:
                asked = await tab.evaluate("(async () => { const l = []; for (let i = 0; i < 20; i++) { const r = await fetch(`/api/feed?page=${i}`,"
                                           " {headers: {'X-Id': String(90000 + i)}}); await r.text(); l.push({id: String(90000 + i)}); } return l; })()")
            else:
                asked = await tab.evaluate("day(10000)")
                # Three navigations more: two pages again, and one that is not there.
                for url in (f"{SITE}/", f"{SITE}/r/302?n=30&to=/status/404"):
                    await tab.ask("Page.navigate", url=url)
                    await asyncio.sleep(1)
            pathlib.Path(options.list).write_text(json.dumps(asked, indent=0, ensure_ascii=False))
            if tools:
                version = await (await session.get(f"{base}/json/version")).json()
                har = await tools.evaluate("""(async () => {
                  const har = await import('./models/har/har.js'), logs = await import('./models/logs/logs.js');
                  const requests = logs.NetworkLog.NetworkLog.instance().requests();
                  return JSON.stringify({log: await har.Log.Log.build(requests, {sanitize: false})});
                })()""")
                pathlib.Path(options.har).write_text(har)
                print(version["Browser"], len(json.loads(har)["log"]["entries"]), "entries")
            await tab.ask("Browser.close")
            await asyncio.wait_for(browser.wait(), 20)
    finally:
        if browser.returncode is None:
            browser.kill()
            await browser.wait()
        shutil.rmtree(folder, ignore_errors=True)


asyncio.run(main())
