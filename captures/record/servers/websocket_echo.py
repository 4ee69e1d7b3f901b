"""An application for an ASGI server (hypercorn) that answers each WebSocket message twice as long, and closes after `close`."""


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            event = await receive()
            await send({"type": event["type"] + ".complete"})
            if event["type"] == "lifespan.shutdown":
                return
    if scope["type"] == "http":
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
        return await send({"type": "http.response.body", "body": b"amber birch cedar"})
    while True:
        event = await receive()
        if event["type"] == "websocket.connect":
            await send({"type": "websocket.accept"})
        elif event["type"] == "websocket.disconnect":
            return
        elif event.get("text") == "close":
            return await send({"type": "websocket.close", "code": 4001})
        elif event.get("text") is not None:
            await send({"type": "websocket.send", "text": event["text"] * 2})
        else:
            await send({"type": "websocket.send", "bytes": event["bytes"] * 2})
