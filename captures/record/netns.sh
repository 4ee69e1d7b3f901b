# Sourced by every recording script: two network namespaces joined by one veth pair,
# private servers in one, clients in the other, tcpdump at either end.
#
#   client namespace                                server namespace
#   c0  192.0.2.10      ───────── veth ─────────    s0  192.0.2.1 … 192.0.2.9, .53
#       2001:db8::10      MTU 1500, no offload          2001:db8::1 … ::9, ::53
#
# With `net_up wire` a third namespace stands between the two, and wire.py carries every
# frame across it (and may lose, repeat or delay it, or tag it on a trunk).
#
# Everything lives in one temporary folder and in namespaces of this run's own; leaving the
# script, by whatever way, ends every process it started (by process id) and deletes both.
# shellcheck shell=bash

export PYTHONDONTWRITEBYTECODE=1
record_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
servers_dir=$record_dir/servers
clients_dir=$record_dir/clients
python=${PYTHON:-/usr/bin/python3}
command -v "$python" >/dev/null || python=python3

client_mac=02:00:5e:00:53:10
server_mac=02:00:5e:00:53:01
server_v4=192.0.2.1
server_v6=2001:db8::1
client_v4=192.0.2.10
client_v6=2001:db8::10

# --- leaving ---------------------------------------------------------------------------------

work=
ns_client=
ns_server=
ns_wire=
started_pids=()

cannot() {            # cannot REASON: this machine cannot record
    echo "$(basename "$0"): cannot record here: $*" >&2
    exit 77
}

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

stop_pid() {          # stop_pid PID [SIGNAL]: end one process that we started, and wait for it
    local pid=$1 signal=${2:-TERM} i
    kill -"$signal" "$pid" 2>/dev/null || return 0
    for ((i = 0; i < 1200; i++)); do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.05
    done
    kill -KILL "$pid" 2>/dev/null || true
    wait "$pid" 2>/dev/null || true
}

net_down() {
    local status=$? pid ns
    trap - EXIT INT TERM HUP
    set +e
    for pid in "${started_pids[@]}"; do stop_pid "$pid"; done
    for ns in $ns_client $ns_server $ns_wire; do
        for pid in $(ip netns pids "$ns" 2>/dev/null); do kill -KILL "$pid" 2>/dev/null; done
        ip netns del "$ns" 2>/dev/null
        rm -rf "/etc/netns/$ns"
    done
    rmdir /etc/netns 2>/dev/null
    if [ -n "$work" ]; then
        if [ -n "${KEEP_WORK:-}" ]; then
            cp -a "$work/." "$KEEP_WORK/"
        fi
        rm -rf "$work"
    fi
    exit "$status"
}

# --- arriving --------------------------------------------------------------------------------

need() {              # need TOOL…
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null 2>&1 || [ -x "/usr/sbin/$tool" ] || cannot "no $tool"
    done
}

net_begin() {
    PATH=$PATH:/usr/sbin:/sbin
    [ "$(id -u)" = 0 ] || cannot "not root"
    need ip ethtool tcpdump curl
    umask 022
    work=$(mktemp -d "${TMPDIR:-/tmp}/record.XXXXXX")
    chmod 755 "$work"
    mkdir -p "$work/logs"
    trap net_down EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    local tag=$$
    ip netns add "snc$tag" 2>/dev/null || cannot "no network namespaces"
    ns_client=snc$tag
    ip netns add "sns$tag" || cannot "no network namespaces"
    ns_server=sns$tag
    # Names for programs that use the system's resolver, in the client's namespace only.
    mkdir -p "/etc/netns/$ns_client"
    {
        echo "127.0.0.1 localhost"
        echo "::1 localhost"
    } >"/etc/netns/$ns_client/hosts"
}

quiet_interface() {   # quiet_interface NAMESPACE INTERFACE: what is captured is what is sent
    # Generic receive and segmentation offload would show frames that no wire carried.
    ip netns exec "$1" ethtool -K "$2" tso off gso off gro off tx off rx off sg off >/dev/null 2>&1 \
        || ip netns exec "$1" ethtool -K "$2" tso off gso off gro off tx off rx off >/dev/null 2>&1 \
        || cannot "offload cannot be switched off on $2"
    ip netns exec "$1" ethtool -K "$2" lro off >/dev/null 2>&1 || true
}

net_up() {            # net_up [wire]
    local i
    net_begin
    if [ "${1:-}" = wire ]; then
        ip netns add "snw$$" || cannot "no network namespaces"
        ns_wire=snw$$
        ip -n "$ns_client" link add c0 address $client_mac type veth peer name m0 netns "$ns_wire" || cannot "no veth"
        ip -n "$ns_server" link add s0 address $server_mac type veth peer name m1 netns "$ns_wire" || cannot "no veth"
        for i in m0 m1; do
            # The middle has no address of its own: nothing of it may appear on the wire.
            ip netns exec "$ns_wire" sysctl -qw "net.ipv6.conf.$i.disable_ipv6=1"
            quiet_interface "$ns_wire" $i
            ip -n "$ns_wire" link set $i mtu 1600 up
        done
    else
        ip -n "$ns_client" link add c0 address $client_mac type veth peer name s0 netns "$ns_server" || cannot "no veth"
        ip -n "$ns_server" link set s0 address $server_mac
    fi
    quiet_interface "$ns_client" c0
    quiet_interface "$ns_server" s0
    ip -n "$ns_client" addr add $client_v4/24 dev c0
    ip -n "$ns_client" -6 addr add $client_v6/64 dev c0 nodad
    for i in 1 2 3 4 5 6 7 8 9 53; do
        ip -n "$ns_server" addr add 192.0.2.$i/24 dev s0
        ip -n "$ns_server" -6 addr add 2001:db8::$i/64 dev s0 nodad
    done
    ip -n "$ns_client" link set lo up
    ip -n "$ns_server" link set lo up
    ip -n "$ns_client" link set c0 mtu 1500 up
    ip -n "$ns_server" link set s0 mtu 1500 up
    wait_for "IPv6 on the veth pair" in_client ping_free
}

ping_free() {         # the link is up when the kernel has given it its link-local address
    ip -6 addr show dev c0 | grep -q fe80
}

wait_for() {          # wait_for WHAT COMMAND…: try for five seconds
    local what=$1 i
    shift
    for ((i = 0; i < 100; i++)); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.05
    done
    fail "$what did not come up"
}

in_client() {
    if [ "$(type -t "$1")" = function ]; then
        local body
        body=$(declare -f "$1")
        ip netns exec "$ns_client" bash -c "$body; $*"
    else
        ip netns exec "$ns_client" timeout "${limit:-60}" "$@"
    fi
}
in_server() { ip netns exec "$ns_server" timeout "${limit:-60}" "$@"; }

spawn() {             # spawn NAMESPACE NAME COMMAND…: in the background; its id is in $spawned
    local ns=$1 name=$2
    shift 2
    ip netns exec "$ns" "$@" </dev/null >"$work/logs/$name.out" 2>"$work/logs/$name.err" &
    spawned=$!
    started_pids+=("$spawned")
}

listening() {         # listening NAMESPACE PORT [t|u]
    local table=tcp state=0A port
    [ "${3:-t}" = u ] && { table=udp; state=07; }
    port=$(printf ':%04X' "$2")
    ip netns exec "$1" cat /proc/net/$table /proc/net/${table}6 2>/dev/null |
        awk -v p="$port" -v s=$state '$4 == s && index($2, p) { found = 1 } END { exit !found }'
}

client_hosts() {      # client_hosts "ADDRESS NAME…" …: the client's hosts file
    printf '%s\n' "$@" >>"/etc/netns/$ns_client/hosts"
}

# --- capturing -------------------------------------------------------------------------------

capture_name=
capture_pid=

# capture_start NAME NAMESPACE INTERFACE [tcpdump's arguments…]
# Into $work/NAME.pcap, whole packets, nanoseconds; returns once tcpdump listens.
capture_start() {
    local name=$1 ns=$2 interface=$3 i
    shift 3
    capture_name=$name
    spawn "$ns" "tcpdump.$name" tcpdump -i "$interface" -n -s 0 -B 16384 -U --immediate-mode \
        --time-stamp-precision=nano -Z root -w "$work/$name.pcap" "$@"
    capture_pid=$spawned
    for ((i = 0; i < 12000; i++)); do
        grep -q 'listening on' "$work/logs/tcpdump.$name.err" 2>/dev/null && return 0
        kill -0 "$capture_pid" 2>/dev/null || break
        sleep 0.05
    done
    cat "$work/logs/tcpdump.$name.err" >&2
    cannot "tcpdump does not listen on $interface"
}

# settled FILE PID [LOOKS]: returns once its writer has nothing to do: at so many looks the file is as long as before, and every
# thread sleeps. One that is kept from running does not.
settled() {
    local before=-1 now i same=0
    for ((i = 0; i < 4000 && same < ${3:-3}; i++)); do
        now=$(stat -c %s "$1" 2>/dev/null || echo 0)
        if [ "$now" != "$before" ] || grep -hs '^State:' "/proc/$2/task/"*/status | grep -qv 'S (sleeping)'; then same=0; fi
        before=$now
        sleep 0.15
        same=$((same + 1))
    done
}

# capture_stop [NAME PID]: once nothing more arrives; a dropped packet is a failure.
capture_stop() {
    local name=${1:-$capture_name} pid=${2:-$capture_pid}
    settled "$work/$name.pcap" "$pid"
    stop_pid "$pid" INT
    local said=$work/logs/tcpdump.$name.err
    grep -q '^0 packets dropped by kernel' "$said" || { cat "$said" >&2; fail "$name: packets were dropped"; }
    local taken
    taken=$(awk '/packets? captured/ { print $1 }' "$said")
    echo "$name: $taken packets, 0 dropped"
}

# --- servers ---------------------------------------------------------------------------------

make_site() {         # the files that the servers serve, made of random words; same ones every time
    [ -d "$work/site" ] || "$python" "$record_dir/make_site.py" "$work/site"
}

start_nginx() {       # start_nginx [TEMPLATE]: on ports 80 (and [::]:80); its log is $work/logs/nginx.jsonl
    local template=${1:-$record_dir/conf/nginx.conf.in}
    need nginx
    make_site
    mkdir -p "$work/nginx/tmp" "$work/dav"
    chmod 777 "$work/nginx" "$work/nginx/tmp" "$work/dav" "$work/logs"
    sed -e "s|@WORK@|$work|g" "$template" >"$work/nginx/nginx.conf"
    spawn "$ns_server" nginx nginx -p "$work/nginx" -c "$work/nginx/nginx.conf" -e "$work/logs/nginx.error"
    nginx_pid=$spawned
    wait_for nginx listening "$ns_server" 80
}

start_apache() {      # start_apache: on port 8080; its log is $work/logs/apache.tsv
    local modules
    need apache2
    for modules in /usr/lib/apache2/modules /usr/lib64/httpd/modules; do [ -d $modules ] && break; done
    make_site
    mkdir -p "$work/apache"
    chmod 777 "$work/apache" "$work/logs"
    sed -e "s|@WORK@|$work|g" -e "s|@MODULES@|$modules|g" "$record_dir/conf/apache.conf.in" >"$work/apache/apache.conf"
    spawn "$ns_server" apache apache2 -d "$work/apache" -f "$work/apache/apache.conf" -DFOREGROUND
    apache_pid=$spawned
    wait_for Apache listening "$ns_server" 8080
}

start_app() {         # start_app [PORT]: the Node application; its log is $work/logs/app.PORT.jsonl
    local port=${1:-3000} node=node
    command -v node >/dev/null || node=nodejs
    command -v "$node" >/dev/null || cannot "no node"
    spawn "$ns_server" "app.$port" "$node" "$servers_dir/app.mjs" "$port" "$work/logs/app.$port.jsonl"
    wait_for "the Node application" listening "$ns_server" "$port"
}

start_python() {      # start_python NAME PORT [ARGUMENTS…]: a Python server of this folder; log $work/logs/NAME.jsonl
    local name=$1 port=$2
    shift 2
    spawn "$ns_server" "$name" "$python" "$servers_dir/$name.py" "$port" "$work/logs/$name.jsonl" "$@"
    wait_for "$name" listening "$ns_server" "$port"
}

stop_servers() {      # end the servers, so that their logs are whole
    local pid
    for pid in "${started_pids[@]}"; do stop_pid "$pid"; done
    started_pids=()
}

# --- keeping ---------------------------------------------------------------------------------

# keep NAME [pcap|pcap.gz|pcap.zst|pcapng|pcapng.gz|pcapng.zst]: into $out
keep() {
    local name=$1 form=${2:-pcap} source=$work/$1.pcap
    local target=$out/$name.$form
    rm -f "$out/$name".pcap{,.gz,.zst} "$out/$name".pcapng{,.gz,.zst}
    case $form in
    pcapng*)
        if [ -f "$work/$name.pcapng" ]; then source=$work/$name.pcapng
        else editcap -F pcapng "$source" "$work/$name.pcapng" && source=$work/$name.pcapng; fi
        "$python" "$record_dir/plain_pcapng.py" "$source" ;;
    esac
    case $form in
    *.gz) gzip -9 -n -c "$source" >"$target" ;;
    *.zst) zstd -q -19 -f "$source" -o "$target" ;;
    *) cp "$source" "$target" ;;
    esac
    chmod 644 "$target"
}

witness() {           # witness NAME ARGUMENTS…: joins the logs into $out/NAME.witness.csv
    local name=$1
    shift
    "$python" "$record_dir/witness.py" --name "$name" --out "$out/$name.witness.csv" "$@"
}

# --- clients ---------------------------------------------------------------------------------

# run_curl FOLDER LOG: every session of the folder, one after another
run_curl() {
    local folder=$1 log=$2
    : >"$log"
    # shellcheck disable=SC2016
    in_client bash -c 'for session in "$1"/*.curl; do curl -q -K "$session" >>"$2" || true; done' run_curl "$folder" "$log" 2>>"$work/logs/curl.err"
}

# curl_lines PREFIX < LINES: see clients/curl_lines.py; its log is $work/logs/curl.tsv
curl_lines() {
    in_client "$python" "$clients_dir/curl_lines.py" "$work/logs/curl.tsv" "$1" < <(sed -e "s|@SITE@|$work/site|g" -e "s|@WORK@|$work|g")
}

# begin [FOLDER]: first line of every scenario; FOLDER is where its files go, captures/ unless told
begin() {
    out=$(cd "${1:-$record_dir/..}" && pwd)
    need tshark editcap nginx apache2 node gzip zstd
}

usual_hosts() {
    client_hosts "192.0.2.1 api.example.com www.example.com img.example.com cdn.example.net apache.example.com node.example.com" \
        "2001:db8::1 six.example.com"
}

# dumpcap writes pcapng itself, with the interface's name and statistics in it.
capture_start_ng() {  # capture_start_ng NAME NAMESPACE INTERFACE [dumpcap's arguments…]
    local name=$1 ns=$2 interface=$3
    shift 3
    need dumpcap
    capture_name=$name
    spawn "$ns" "dumpcap.$name" dumpcap -q -n -i "$interface" -s 0 -B 16 -w "$work/$name.pcapng" "$@"
    capture_pid=$spawned
    wait_for "dumpcap on $interface" grep -q '^File:' "$work/logs/dumpcap.$name.err"
    sleep 0.2
}

capture_stop_ng() {
    local said=$work/logs/dumpcap.$capture_name.err
    sleep 0.7
    stop_pid "$capture_pid" INT
    grep -q 'dropped on interface.*/0 (pcap:0/dumpcap:0' "$said" || { cat "$said" >&2; fail "$capture_name: packets were dropped"; }
    echo "$capture_name: $(capinfos -Mrc "$work/$capture_name.pcapng" | awk '/Number of packets/ { print $NF }') packets, 0 dropped"
}

# make_certificate NAME…: a self-signed one for example.com names, in $work/tls
make_certificate() {
    need openssl
    mkdir -p "$work/tls"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=www.example.com" \
        -addext "subjectAltName=DNS:*.example.com,DNS:*.example.net,IP:192.0.2.1" \
        -keyout "$work/tls/key.pem" -out "$work/tls/cert.pem" 2>/dev/null
    chmod 644 "$work/tls/key.pem"
}

# join_wire A B [wire.py's arguments…]: after `net_up wire`, in the middle namespace
join_wire() {
    spawn "$ns_wire" "wire.$1" "$python" -u "$record_dir/wire.py" "$@"
    wait_for "the wire" grep -q ready "$work/logs/wire.$1.out"
}

# start_dns: the name server, and the client's resolver set to it (over IPv4)
start_dns() {
    spawn "$ns_server" dns "$python" "$servers_dir/dns.py" 53 "$work/logs/dns.jsonl"
    wait_for "the name server" listening "$ns_server" 53 u
    printf 'nameserver %s\noptions timeout:2 attempts:2 %s\n' "${1:-192.0.2.53}" "${2:-}" >"/etc/netns/$ns_client/resolv.conf"
    echo "hosts: files dns" >"/etc/netns/$ns_client/nsswitch.conf"
}
