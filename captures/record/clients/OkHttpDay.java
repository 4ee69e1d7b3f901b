import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;
import okhttp3.*;
import okhttp3.EventListener;

/**
 * A day of OkHttp with an EventListener that writes down what it is told of each exchange.
 * OkHttpDay LOG: a row for each message: log.csv of the other meters, in the order in which calls ended.
 *
 * The listener has requestBodyEnd and responseBodyEnd with the octets of bodies, requestHeadersEnd and responseHeadersEnd with the
 * fields; Headers.byteCount() is S + 4n. Start-lines are not told. A redirect is a new exchange of the same call.
 */
public class OkHttpDay {
  static final String APP = "http://app.example.com", OTHER = "http://api.example.net";
  /** HTTP/2 without TLS: the keys of Java's TLS are not to be had. */
  static final boolean IS_HTTP2 = "h2c".equals(System.getenv("SITE_PROTOCOL"));
  static final List<String> rows = Collections.synchronizedList(new ArrayList<>());
  static int next = 10000;

  static class Exchange {
    Request request;
    Response response;
    double began, answered;
    long sent = 0, received = -1;
    String error = "";
  }

  static class Listener extends EventListener {
    final List<Exchange> exchanges = new ArrayList<>();
    Exchange now;

    static double time() {
      java.time.Instant now = java.time.Instant.now();
      return now.getEpochSecond() + now.getNano() / 1e9;
    }

    @Override public void requestHeadersStart(Call call) {
      now = new Exchange();
      now.began = time();
    }
    @Override public void requestHeadersEnd(Call call, Request request) {
      now.request = request;
      exchanges.add(now);
    }
    @Override public void requestBodyEnd(Call call, long byteCount) { now.sent = byteCount; }
    @Override public void responseHeadersStart(Call call) { now.answered = time(); }
    @Override public void responseHeadersEnd(Call call, Response response) {
      now.answered = time();
      now.response = response;
    }
    @Override public void responseBodyEnd(Call call, long byteCount) { now.received = byteCount; }
    @Override public void callEnd(Call call) { write(); }
    @Override public void callFailed(Call call, IOException error) {
      if (now != null) now.error = error.getClass().getSimpleName();
      write();
    }

    void write() {
      for (Exchange e : exchanges) {
        HttpUrl url = e.request.url();
        String path = url.encodedPath() + (url.encodedQuery() == null ? "" : "?" + url.encodedQuery());
        String id = e.request.header("X-Id"), serial = e.response == null ? "" : e.response.header("X-Serial", "");
        rows.add(String.join(",", url.host(), '"' + path + '"', "request", String.format(Locale.ROOT, "%.6f", e.began),
            "" + e.request.headers().byteCount(), "" + e.sent, e.request.method(), "", "", id, serial));
        if (e.response != null)
          rows.add(String.join(",", url.host(), '"' + path + '"', "response", String.format(Locale.ROOT, "%.6f", e.answered),
              "" + e.response.headers().byteCount(), e.received < 0 ? "" : "" + e.received, e.request.method(), "" + e.response.code(), e.error, id, serial));
      }
      exchanges.clear();
    }
  }

  static String text(int octets) {
    String words = "amber birch canyon delta ember fern garnet harbor indigo jasper kettle lantern maple nectar olive pepper ";
    StringBuilder out = new StringBuilder();
    while (out.length() < octets) out.append(words);
    return out.substring(0, octets);
  }

  static Request request(String method, String url, RequestBody body, String... fields) {
    Request.Builder made = new Request.Builder().url(url.startsWith("http") ? url : APP + url).header("X-Id", "" + next++).method(method, body);
    for (int i = 0; i < fields.length; i += 2) made.header(fields[i], fields[i + 1]);
    return made.build();
  }

  static RequestBody body(String text) { return RequestBody.create(MediaType.parse("text/plain; charset=utf-8"), text); }

  static RequestBody stream(String text) {
    byte[] data = text.getBytes(StandardCharsets.UTF_8);
    return new RequestBody() {
      public MediaType contentType() { return MediaType.parse("application/octet-stream"); }
      public void writeTo(okio.BufferedSink sink) throws IOException {
        for (int at = 0; at < data.length; at += 4096) {
          sink.write(data, at, Math.min(4096, data.length - at));
          sink.flush();
        }
      }
    };
  }

  static OkHttpClient client;
  static ExecutorService pool = Executors.newFixedThreadPool(6);

  static void ask(Request request) {
    try (Response answer = client.newCall(request).execute()) {
      answer.body().bytes();
    } catch (IOException error) {
      // The listener knows.
    }
  }

  static void together(List<Request> requests) throws Exception {
    List<Future<?>> all = new ArrayList<>();
    for (Request r : requests) all.add(pool.submit(() -> ask(r)));
    for (Future<?> f : all) f.get();
  }

  public static void main(String[] arguments) throws Exception {
    client = new OkHttpClient.Builder().protocols(IS_HTTP2 ? List.of(Protocol.H2_PRIOR_KNOWLEDGE) : List.of(Protocol.HTTP_1_1))
        .eventListenerFactory(call -> new Listener()).readTimeout(1, TimeUnit.SECONDS)
        .connectionPool(new ConnectionPool(6, 1, TimeUnit.MINUTES)).build();
    List<Request> group = new ArrayList<>();
    for (int i = 0; i < 24; i++) group.add(request("GET", "/api/feed?page=" + i, null));
    together(group);
    for (int i = 0; i < 12; i++) ask(request("GET", "/api/feed?page=" + i, null));
    group.clear();
    for (int i = 0; i < 18; i++) group.add(request("GET", "/same?k=1", null));
    together(group);
    for (int i = 0; i < 16; i++) ask(request("GET", "/poll", null));
    for (int code : new int[] {301, 302, 303, 307, 308}) {
      ask(request("GET", "/r/" + code + "?n=40&to=/item/" + code, null));
      ask(request("POST", "/r/" + code + "?n=0&to=/up/redirected", body(text(300 + code))));
    }
    group.clear();
    for (int i = 0; i < 4; i++) group.add(request("GET", "/r/302?n=40&to=/same?k=2", null));
    together(group);
    for (int i = 1; i <= 3; i++) {
      ask(request("GET", "/etag/" + i, null));
      ask(request("GET", "/etag/" + i, null, "If-None-Match", "\"tag-" + i + "\""));
    }
    for (int n : new int[] {300, 5000, 40000})
      for (String path : new String[] {"/gz/cl/", "/gz/chunked/", "/chunked/", "/trailer/"}) ask(request("GET", path + n, null));
    for (int n : new int[] {0, 10, 1000, 30000}) {
      ask(request("POST", "/up/string", body(text(n))));
      ask(request("POST", "/up/form", new FormBody.Builder().add("name", "Zo\u00eb").add("text", text(n)).build()));
      ask(request("POST", "/up/file", new MultipartBody.Builder().setType(MultipartBody.FORM).addFormDataPart("file", "notes.txt", body(text(n))).build()));
      ask(request("POST", "/up/stream", stream(text(n))));
    }
    for (int n : new int[] {25000, 3000000}) ask(request("PUT", "/big", body(text(n))));
    group.clear();
    for (int i = 0; i < 4; i++) group.add(request("PUT", "/up/parallel", body(text(1000 + 700 * i))));
    together(group);
    for (int i = 0; i < 6; i++) {
      ask(request("POST", "/utf8/" + i, body("\u65e5\u672c\u8a9e \u00fcn\u00efc\u00f6d\u00e9 " + i)));
      ask(request("GET", "/utf8/" + 5 * i + "?q=gr\u00fcn", null));
    }
    for (int code : new int[] {404, 500, 204}) for (int i = 0; i < 2; i++) ask(request("GET", "/status/" + code, null));
    for (int i = 0; i < 4; i++) {
      ask(request("HEAD", "/item/" + i, null));
      ask(request("DELETE", "/item/" + i, null));
    }
    for (int i = 0; i < 2; i++) ask(request("GET", "/cookies/set", null));
    ask(request("GET", "/cut/6000", null));
    ask(request("GET", "/silent/500", null));
    for (int i = 0; i < 8; i++) ask(request("GET", OTHER + "/item/" + i, null));
    group.clear();
    for (int i = 0; i < 8; i++) group.add(request("GET", (i % 2 == 1 ? OTHER : APP) + "/poll", null));
    together(group);
    for (int i = 0; i < 30; i++) ask(i % 3 == 0 ? request("POST", "/item/" + i % 4, body("{\"n\":" + i + "}")) : request("GET", "/item/" + i % 4, null));
    try (PrintWriter out = new PrintWriter(new OutputStreamWriter(new FileOutputStream(arguments[0]), StandardCharsets.UTF_8))) {
      out.print("host,path,type,occur_time,header_length,body_length,method,status,error,id,serial\n");
      for (String row : rows) out.print(row + "\n");
    }
    System.out.println("okhttp " + rows.size() + " rows");
    System.exit(0);
  }
}
