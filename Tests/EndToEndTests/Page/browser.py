#!/usr/bin/env python3
"""Opens a page in headless Chromium and does with it what a list of steps says.

Usage: browser.py CHROMIUM PAGE STEPS RESULT

PAGE is a file, or an address that begins with http://.
STEPS is a JSON list. Each step is an object with one of:
  "evaluate": a script; its value is a result
  "key": the name of a key that is pressed and let go
  "text": a text that is typed
  "size": [width, height] of the window in CSS pixels
  "scheme": "light" or "dark", what the system prefers
  "screenshot": the file for a picture of the whole page; "viewport": true takes the visible part only
  "navigate": nothing but true: loads the page again
  "touch": a file that is made, for who waits until the steps before are done

RESULT gets a JSON object: "values" of the evaluated scripts, and whatever went wrong or was asked of the world:
"console" messages, "exceptions", "requests" (addresses), "dialogs".

The browser is spoken to through a pipe (Chrome DevTools Protocol), so nothing listens anywhere. It needs Python's
standard library only.
"""

import base64
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PATIENCE = 300


class Browser:
    """One browser with one page."""

    def __init__(self, program, profile):
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()
        self.process = subprocess.Popen(
            [
                "/bin/sh", "-c", 'exec "$@" 3<&%d 4>&%d' % (to_browser, from_browser), "sh", program, "--headless",
                "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
                "--disable-sync", "--no-default-browser-check", "--remote-debugging-pipe",
                "--user-data-dir=" + profile, "about:blank",
            ],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL, env={**os.environ, "HOME": profile})
        os.close(to_browser)
        os.close(from_browser)
        self.pending = b""
        self.number = 0
        self.session = None
        self.log = {"console": [], "exceptions": [], "requests": [], "dialogs": []}
        self.seen = set()
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.note(answer)

    def receive(self):
        while b"\0" not in self.pending:
            octets = os.read(self.input, 1 << 20)
            if not octets:
                raise RuntimeError("the browser is gone")
            self.pending += octets
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def note(self, event):
        name, facts = event.get("method", ""), event.get("params", {})
        self.seen.add(name)
        if name == "Runtime.consoleAPICalled":
            self.log["console"].append(" ".join(str(a.get("value", a.get("description"))) for a in facts["args"]))
        elif name == "Log.entryAdded":
            self.log["console"].append(facts["entry"]["text"])
        elif name == "Runtime.exceptionThrown":
            details = facts["exceptionDetails"]
            self.log["exceptions"].append(details.get("exception", {}).get("description", details["text"]))
        elif name == "Network.requestWillBeSent":
            self.log["requests"].append(facts["request"]["url"][:200])
        elif name == "Page.javascriptDialogOpening":
            self.log["dialogs"].append(facts["message"])
            self.number += 1
            message = {"id": self.number, "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
            os.write(self.output, json.dumps({**message, "sessionId": self.session}).encode() + b"\0")

    def navigate(self, address):
        self.seen.discard("Page.loadEventFired")
        self.call("Page.navigate", url=address)
        end = time.monotonic() + PATIENCE
        while "Page.loadEventFired" not in self.seen:
            if time.monotonic() > end:
                raise RuntimeError("the page does not load")
            self.call("Runtime.evaluate", expression="0")
            time.sleep(0.01)

    def evaluate(self, script):
        result = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]) + " in " + script)
        return result["result"].get("value")

    def press(self, key):
        codes = {"Enter": (13, "\r"), "Tab": (9, ""), " ": (32, " ")}
        code, text = codes[key]
        facts = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", **facts, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **facts)

    def screenshot(self, path, is_viewport):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=not is_viewport)
        pathlib.Path(path).write_bytes(base64.b64decode(picture["data"]))

    def settle(self):
        """Lets a second pass for the page at once, so that what was set off and not waited for happens."""
        expired = "Emulation.virtualTimeBudgetExpired"
        self.seen.discard(expired)
        self.call("Emulation.setVirtualTimePolicy", policy="advance", budget=1000)
        while expired not in self.seen:
            self.note(self.receive())

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def run(program, page, steps):
    address = page if page.startswith("http://") else pathlib.Path(page).resolve(strict=True).as_uri()
    with tempfile.TemporaryDirectory(prefix="sniffer-browser-", ignore_cleanup_errors=True) as profile:
        browser = Browser(program, profile)
        try:
            browser.navigate(address)
            values = []
            for step in steps:
                if "evaluate" in step:
                    values.append(browser.evaluate(step["evaluate"]))
                if "key" in step:
                    browser.press(step["key"])
                if "text" in step:
                    browser.call("Input.insertText", text=step["text"])
                if "size" in step:
                    width, height = step["size"]
                    browser.call(
                        "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                        mobile=width < 600)
                if "scheme" in step:
                    feature = {"name": "prefers-color-scheme", "value": step["scheme"]}
                    browser.call("Emulation.setEmulatedMedia", features=[feature])
                if "navigate" in step:
                    browser.navigate(address)
                if "touch" in step:
                    pathlib.Path(step["touch"]).touch()
                if "screenshot" in step:
                    browser.screenshot(step["screenshot"], step.get("viewport", False))
            browser.settle()
            return {"values": values, **browser.log}
        finally:
            browser.close()


if __name__ == "__main__":
    with open(sys.argv[3], encoding="utf-8") as file:
        result = run(sys.argv[1], sys.argv[2], json.load(file))
    with open(sys.argv[4], "w", encoding="utf-8") as file:
        json.dump(result, file)
