"""Playwright's `record_har` with the system's Chromium.    playwright_har.py HAR LIST

Three pages of one context: the day, the day's start again, a redirect to a page that is not there.
"""
import json, os, pathlib, sys

from playwright.sync_api import sync_playwright

here = pathlib.Path(__file__).parent
SITE = os.environ.get("SITE_SCHEME", "http") + "://app.example.com"
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), headless=True,
                                         args=["--no-sandbox", "--disable-dev-shm-usage", "--no-proxy-server", "--disable-background-networking",
                                               "--disable-features=HttpsUpgrades,LocalNetworkAccessChecks",
                                               *os.environ.get("CHROMIUM_FLAGS", "").split()])
    context = browser.new_context(record_har_path=sys.argv[1], record_har_content="omit", record_har_mode="full", ignore_https_errors=True)
    page = context.new_page()
    page.goto(f"{SITE}/")
    page.add_script_tag(content=(here / "day.js").read_text())
    asked = page.evaluate("day(10000)")
    for url in (f"{SITE}/", f"{SITE}/r/302?n=30&to=/status/404"):
        page.goto(url)
        page.wait_for_timeout(700)
    context.close()
    print(browser.version)
    browser.close()
pathlib.Path(sys.argv[2]).write_text(json.dumps(asked, indent=0, ensure_ascii=False))
