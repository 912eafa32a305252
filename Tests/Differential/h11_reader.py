"""Reads streams of requests with h11. The same result as wire-reader, as a dictionary."""
import h11


def read(data):
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)
    messages, end, fault = [], "open", ""
    try:
        connection.receive_data(data)
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                break
            if event is h11.PAUSED:
                if connection.their_state is h11.MIGHT_SWITCH_PROTOCOL:
                    end = "closed"
                    break
                if connection.our_state is h11.SEND_RESPONSE or connection.our_state is h11.SEND_BODY:
                    # Answered, so that the next request in the pipeline is read.
                    connection.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
                    connection.send(h11.EndOfMessage())
                if connection.our_state is h11.DONE and connection.their_state is h11.DONE:
                    connection.start_next_cycle()
                    continue
                end = "closed"
                break
            if isinstance(event, h11.Request):
                messages.append({
                    "method": event.method.hex(), "target": event.target.hex(),
                    "minor": int(event.http_version.split(b".")[1]), "major": int(event.http_version.split(b".")[0]),
                    "fields": [[name.hex(), value.hex()] for name, value in event.headers.raw_items()],
                    "body": "", "complete": False,
                })
            elif isinstance(event, h11.Data):
                messages[-1]["body"] += bytes(event.data).hex()
            elif isinstance(event, h11.EndOfMessage):
                messages[-1]["complete"] = True
                if connection.their_state is h11.MUST_CLOSE:
                    end = "closed"
                    break
                if connection.their_state is h11.MIGHT_SWITCH_PROTOCOL:
                    end = "closed"
                    break
                connection.send(h11.Response(status_code=200, headers=[("content-length", "0")]))
                connection.send(h11.EndOfMessage())
                if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
                    end = "closed"
                    break
                connection.start_next_cycle()
            elif isinstance(event, h11.ConnectionClosed):
                end = "closed"
                break
    except h11.RemoteProtocolError as error:
        end, fault = "refused", str(error)
    return {"messages": messages, "end": end, "fault": fault}
