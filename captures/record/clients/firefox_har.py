"""Firefox's own HAR: the browser runs the day with the Network panel open, which then exports.    firefox_har.py HAR LIST

Driven by Marionette, Firefox's own remote control, spoken here directly. In the browser's own context the toolbox is
opened, and at the end its `getHARFromNetMonitor` is asked: the function that "Save All As HAR" and extensions use.
"""
import json, os, pathlib, shutil, socket, subprocess, sys, tempfile, time

here = pathlib.Path(__file__).parent
SITE = os.environ.get("SITE_SCHEME", "http") + "://app.example.com"
PREFERENCES = {
    "devtools.netmonitor.persistlog": True, "devtools.netmonitor.features.search": False, "devtools.toolbox.host": "window",
    "network.proxy.type": 0, "dom.security.https_first": False, "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False, "app.update.enabled": False, "browser.startup.page": 0,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False, "browser.safebrowsing.update.enabled": False,
    "browser.aboutwelcome.enabled": False, "toolkit.telemetry.enabled": False, "marionette.port": 2828,
}
# HTTP/3 without any offer of it, with a certificate that only this profile trusts.
CERTIFICATE = os.environ.get("H3_CERTIFICATE")
if CERTIFICATE:
    PREFERENCES |= {
        "network.http.http3.enable": True, "network.http.http3.disable_when_third_party_roots_found": False,
        "network.http.http3.alt-svc-mapping-for-testing": "app.example.com;h3=:443,api.example.net;h3=:443",
        "network.http.http3.force-use-alt-svc-mapping-for-testing": True,
    }


class Marionette:
    def __init__(self, port):
        for _ in range(300):
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 5)
                break
            except OSError:
                time.sleep(0.1)
        self.socket.settimeout(200)
        self.file, self.number = self.socket.makefile("rb"), 0
        self.read()
        self.ask("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
        self.ask("WebDriver:SetTimeouts", {"script": 180000, "pageLoad": 60000})

    def read(self):
        length = b""
        while (octet := self.file.read(1)) != b":":
            length += octet
        return json.loads(self.file.read(int(length)))

    def ask(self, command, parameters=None):
        self.number += 1
        data = json.dumps([0, self.number, command, parameters or {}]).encode()
        self.socket.sendall(f"{len(data)}:".encode() + data)
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{command}: {error}")
        return result

    def script(self, context, body, *arguments):
        self.ask("Marionette:SetContext", {"value": context})
        said = self.ask("WebDriver:ExecuteAsyncScript", {"script": "const done = arguments[arguments.length - 1]; (async () => {" + body +
                                                         "})().then(v => done({v}), e => done({e: String(e) + e.stack}))",
                                                         "args": list(arguments), "newSandbox": True})["value"]
        if "e" in said:
            raise RuntimeError(said["e"])
        return said.get("v")


profile = tempfile.mkdtemp(prefix="firefox.")
with open(f"{profile}/user.js", "w") as file:
    for name, value in PREFERENCES.items():
        file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
browser = subprocess.Popen([os.environ.get("FIREFOX", "firefox-esr"), "--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    firefox = Marionette(2828)
    if CERTIFICATE:
        octets = "".join(line for line in open(CERTIFICATE).read().splitlines() if "-----" not in line)
        firefox.script("chrome", """
          Cc["@mozilla.org/security/x509certdb;1"].getService(Ci.nsIX509CertDB).addCertFromBase64(arguments[0], "CT,,");
        """, octets)
    elif SITE.startswith("https"):
        # The certificate is the recording's own.
        firefox.script("chrome", """
          Cc["@mozilla.org/security/certoverride;1"].getService(Ci.nsICertOverrideService)
            .setDisableAllSecurityChecksAndLetAttackersInterceptMyData(true);
        """)
    firefox.script("chrome", """
      const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
      const { gDevTools } = require("devtools/client/framework/devtools");
      const browser = Services.wm.getMostRecentWindow("navigator:browser").gBrowser;
      const toolbox = await gDevTools.showToolboxForTab(browser.selectedTab, { toolId: "netmonitor" });
      await toolbox.getPanelWhenReady("netmonitor");
    """)
    time.sleep(2)
    firefox.ask("Marionette:SetContext", {"value": "content"})
    firefox.ask("WebDriver:Navigate", {"url": f"{SITE}/"})
    time.sleep(1.5)
    day = (here / "day.js").read_text()
    # As a script of the page: what Marionette's sandbox makes is not the page's. Its answer stands in an element.
    asked = firefox.script("content", """
      const script = document.createElement("script"), said = document.createElement("template");
      said.id = "asked";
      document.head.append(said);
      script.textContent = DAY + "; day(10000).then(list => document.getElementById('asked').setAttribute('data-list', JSON.stringify(list)));";
      document.head.append(script);
      while (!said.hasAttribute("data-list")) await new Promise(done => setTimeout(done, 200));
      return JSON.parse(said.getAttribute("data-list"));
    """.replace("DAY", json.dumps(day)))
    for url in (f"{SITE}/", f"{SITE}/r/302?n=30&to=/status/404"):
        firefox.ask("WebDriver:Navigate", {"url": url})
        time.sleep(1)
    time.sleep(2)
    har = firefox.script("chrome", """
      const { require } = ChromeUtils.importESModule("resource://devtools/shared/loader/Loader.sys.mjs");
      const { gDevTools } = require("devtools/client/framework/devtools");
      const browser = Services.wm.getMostRecentWindow("navigator:browser").gBrowser;
      const toolbox = gDevTools.getToolboxForTab(browser.selectedTab);
      return JSON.stringify(await toolbox.getHARFromNetMonitor());
    """)
    har = json.loads(har)
    har = har if "log" in har else {"log": har}
    pathlib.Path(sys.argv[1]).write_text(json.dumps(har))
    pathlib.Path(sys.argv[2]).write_text(json.dumps(asked, indent=0, ensure_ascii=False))
    print(har["log"]["creator"], len(har["log"]["entries"]), "entries")
    try:
        firefox.ask("Marionette:Quit", {"flags": ["eForceQuit"]})
    except Exception:
        pass
    browser.wait(20)
finally:
    if browser.poll() is None:
        browser.kill()
        browser.wait()
    shutil.rmtree(profile, ignore_errors=True)
