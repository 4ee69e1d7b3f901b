"""What a run may take, whatever comes: memory, and CPU time in proportion to what there is and to what is written."""

#: Octets that may be resident, with all formats.
MEMORY_LIMIT = 256 << 20
FORMATS = "csv,ndjson,sqlite,har,html,parquet"
#: Every option that adds work or memory, all of them in one run.
OPTIONS = [
    "--har-content", "headers,queries,bodies", "--template", "--by", "host", "--where", "ip_bytes >= 0",
]


def options_with(others):
    """All options, and others; without contents where facts are left out, since a run has one or the other."""
    return [*(OPTIONS[2:] if "--redact" in others else OPTIONS), *others]


#: CPU nanoseconds. For a packet, an octet of a packet, an octet with a content coding (each may stand for 1,032), a written octet.
PACKET, OCTET, CODED_OCTET, WRITTEN = 3_000, 20, 3_000, 20
#: And for a run: to start, and what a few small bombs cost.
START = 2_000_000_000


def allowed(packets, octets, coded, written):
    """CPU seconds for so many packets with so many octets, of which `coded` have content codings, and a report of so many octets."""
    return (START + packets * PACKET + octets * OCTET + coded * CODED_OCTET + written * WRITTEN) / 1e9
