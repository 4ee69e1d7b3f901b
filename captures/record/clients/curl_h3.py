"""Sends requests over HTTP/3 with libcurl (curl_cffi), one after another on one connection. Prints a line of figures for each.

    curl_h3.py HOST ADDRESS PATH|PATH=OCTETS...

A path with a number of octets is a POST with a content of that length.
"""
import sys

from curl_cffi import CurlHttpVersion, CurlOpt, requests

host, address, *targets = sys.argv[1:]
session = requests.Session(verify=False, http_version=CurlHttpVersion.V3ONLY,
                           curl_options={CurlOpt.RESOLVE: [f"{host}:443:{address}"]})
for target in targets:
    path, _, octets = target.partition("=")
    method, content = ("POST", b"x" * int(octets)) if octets else ("GET", b"")
    answer = session.request(method, f"https://{host}{path}", data=content or None)
    print(method, path, answer.status_code, len(content), len(answer.content), sep=",")
