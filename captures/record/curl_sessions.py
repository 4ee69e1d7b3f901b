"""Write curl's configuration files: many requests on one connection, each with its own -w line.

A session is one run of curl (`curl -K FILE`), a request is a dict:
    url, id, and any of: method, headers, data, data_file, upload (a file, or "-" for chunked), form, head, http10,
    compressed, close, cookie, expect, range, time_cond …; `raw` is a list of further configuration lines.
"""

WRITE = "\\t".join(["%{local_ip}", "%{local_port}", "%{remote_ip}", "%{remote_port}", "%{method}", "%{http_code}",
                    "%{size_request}", "%{size_header}", "%{size_download}", "%{size_upload}",
                    "%{num_connects}", "%{num_redirects}", "%{exitcode}", "%{url_effective}"]) + "\\n"


def quoted(value):
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def section(request):
    lines = [f"url = {quoted(request['url'])}", "silent", "globoff", 'output = "/dev/null"',
             'max-time = "20"', f'write-out = "{request["id"]}\\t{WRITE}"',
             f'header = "X-Request: {request["id"]}"']
    def put(name, value):
        lines.append(f"{name} = {quoted(str(value))}")
    if request.get("method"):
        put("request", request["method"])
    for header in request.get("headers", []):
        put("header", header)
    if request.get("head"):
        lines.append("head")
    if request.get("compressed"):
        lines.append("compressed")
    if request.get("http10"):
        lines.append("http1.0")
    if request.get("close"):
        put("header", "Connection: close")
    if "data" in request:
        put("data-raw", request["data"])
    if "data_file" in request:
        put("data-binary", "@" + request["data_file"])
    if "upload" in request:
        put("upload-file", request["upload"])
    if request.get("chunked"):
        put("header", "Transfer-Encoding: chunked")
    for field in request.get("form", []):
        put("form", field)
    if "cookie" in request:
        put("cookie", request["cookie"])
    if "range" in request:
        put("range", request["range"])
    lines += request.get("raw", [])
    return "\n".join(lines)


def write_session(path, requests):
    with open(path, "w", encoding="utf-8") as f:
        f.write("\nnext\n".join(section(r) for r in requests) + "\n")
