"""Reads the frames in the octets of one direction of a WebSocket (RFC 6455, RFC 7692), for witnesses."""
import zlib

COLUMNS = "frames messages text binary pings pongs frame_bytes keepalive_bytes payload_bytes decoded_bytes tunnel_bytes close_code".split()


def counted(octets, masked):
    """The figures of `websockets.csv`, by its columns."""
    found = dict.fromkeys(COLUMNS, 0) | {"tunnel_bytes": len(octets), "close_code": ""}
    window, compressed, at = zlib.decompressobj(-15), False, 0
    while at < len(octets):
        start = at
        first, second = octets[at], octets[at + 1]
        at += 2
        length = second & 127
        wide = {126: 2, 127: 8}.get(length, 0)
        if wide:
            length = int.from_bytes(octets[at:at + wide], "big")
            at += wide
        assert bool(second & 128) == masked
        key = octets[at:at + 4] if masked else bytes(4)
        at += 4 if masked else 0
        payload = bytes(octet ^ key[place % 4] for place, octet in enumerate(octets[at:at + length]))
        assert len(payload) == length
        at += length
        code = first & 15
        found["frames"] += 1
        if code >= 8:
            found["frame_bytes"] += at - start
            found["keepalive_bytes"] += at - start if code in (9, 10) else 0
            found["pings"] += code == 9
            found["pongs"] += code == 10
            if code == 8 and length >= 2:
                found["close_code"] = int.from_bytes(payload[:2], "big")
            continue
        found["frame_bytes"] += at - start - length
        found["payload_bytes"] += length
        if code:
            compressed = bool(first & 0x40)
            found["text" if code == 1 else "binary"] += 1
        found["decoded_bytes"] += len(window.decompress(payload)) if compressed else length
        if first & 0x80:
            found["messages"] += 1
            found["decoded_bytes"] += len(window.decompress(b"\0\0\xff\xff")) if compressed else 0
    return found
