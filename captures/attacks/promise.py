"""What a run may take, whatever comes: memory, and CPU time in proportion to what there is and to what is written."""

import functools
import os
import time
import zlib

#: Octets that may be resident, with all formats.
MEMORY_LIMIT = 256 << 20
FORMATS = "csv,ndjson,sqlite,har,html,parquet"
#: Every option that adds work or memory, all of them in one run.
OPTIONS = [
    "--har-content", "headers,queries,bodies", "--template", "--by", "host", "--where", "ip_bytes >= 0",
    # The secrets of every connection of QUIC.
    "--keys", os.path.join(os.path.dirname(os.path.abspath(__file__)), "quic.keys"),
]


def options_with(others):
    """All options, and others; without contents where facts are left out, since a run has one or the other."""
    return [*(OPTIONS[2:] if "--redact" in others else OPTIONS), *others]


#: CPU nanoseconds. For a packet, an octet of a packet, an octet with a content coding (each may stand for 1,032), a written octet.
PACKET, OCTET, CODED_OCTET, WRITTEN = 3_000, 20, 3_000, 20
#: And for a run: to start, and what a few small bombs cost.
START = 2_000_000_000
#: Octets a CPU second that zlib makes of a bomb, on the machine that these amounts are for.
ZLIB_OCTETS = 470_000_000


@functools.cache
def slowness():
    """How many times longer this machine takes for zlib's work than that one; at least 1. It is measured once."""
    bomb = zlib.compress(bytes(16 << 20))
    start = time.process_time()
    octets = len(zlib.decompress(bomb))
    return max((time.process_time() - start) * ZLIB_OCTETS / octets, 1)


def allowed(packets, octets, coded, written):
    """CPU seconds for so many packets with so many octets, of which `coded` have content codings, and a report of so many octets."""
    nanoseconds = START + packets * PACKET + octets * OCTET + coded * CODED_OCTET + written * WRITTEN
    return nanoseconds / 1e9 * slowness()
