/** Tests the optional frames that a regular peer of HTTP/2 may send. */
import { describe, expect, test } from "vitest";
import type { Exchange } from "../../../../shared/engine/ports/endpoints.ts";
import { readAll, reasonOf } from "../../../contracts/endpoints-contract.ts";
import { ask, peerInHand, withOwnClient } from "./own-client.ts";
import {
  END_HEADERS,
  END_STREAM,
  OK,
  PADDED,
  PRIORITY,
  TYPE,
  answer,
  field,
  frame,
  settings,
  uint32,
} from "./scripted-peer.ts";

withOwnClient();
const textOf = async (exchange: Exchange): Promise<string> => (await readAll(exchange)).toString();
const zeros = (size: number): Buffer => Buffer.alloc(size);

describe("frames that we receive", () => {
  const received = async (bytes: (id: number) => Buffer): Promise<{ head: unknown; text: string }> => {
    const { uri, connected } = await peerInHand();
    const exchange = ask(uri);
    const connection = await connected;
    connection.send(settings(), bytes(await connection.request()));
    return { head: await exchange.head(), text: await textOf(exchange) };
  };

  test("padding, priorities, unknown frames, informational heads and trailers are ignored", async () => {
    const inform = Buffer.concat([Buffer.from([0x08, 3]), Buffer.from("103"), field("link", "x")]);
    const padded = Buffer.concat([Buffer.from([4]), zeros(5), OK, field("a", "b"), zeros(4)]);
    const { head, text } = await received((id) =>
      Buffer.concat([
        frame(TYPE.priority, 0, id, zeros(5)),
        frame(TYPE.priority, 0, 77, zeros(5)),
        frame(0xfe, 0xff, 9, zeros(9)),
        frame(TYPE.headers, END_HEADERS, id, inform),
        frame(TYPE.headers, END_HEADERS | PADDED | PRIORITY, id, padded),
        frame(TYPE.data, 0xf0 | PADDED, id, Buffer.concat([Buffer.from([2]), Buffer.from("one "), zeros(2)])),
        frame(TYPE.data, 0, id),
        frame(TYPE.data, PADDED, id, zeros(1)),
        frame(TYPE.data, 0, 0x80000000 + id, Buffer.from("two")),
        frame(TYPE.headers, END_HEADERS | END_STREAM, id, field("x-check", "1")),
      ]),
    );
    expect(head).toMatchObject({ status: 200, headers: { a: "b" } });
    expect(text).toBe("one two");
  });

  test("a head in three frames is one head, and an answer may consist of a head only", async () => {
    const { head, text } = await received((id) =>
      Buffer.concat([
        frame(TYPE.headers, END_STREAM, id, Buffer.from([0x20])),
        frame(TYPE.continuation, 0, id, Buffer.concat([OK, field("a", "b").subarray(0, 3)])),
        frame(TYPE.continuation, END_HEADERS, id, field("a", "b").subarray(3)),
      ]),
    );
    expect(head).toMatchObject({ status: 200, headers: { a: "b" } });
    expect(text).toBe("");
  });

  test("a status without content may state a length", async () => {
    const { head } = await received((id) =>
      frame(
        TYPE.headers,
        END_HEADERS | END_STREAM,
        id,
        Buffer.concat([Buffer.from([0x8b]), field("content-length", "9")]),
      ),
    );
    expect(head).toMatchObject({ status: 304, headers: { "content-length": "9" } });
  });

  test("if a connection ends inside a frame, the received part of the frame is delivered before the error", async () => {
    const { uri, connected } = await peerInHand();
    const exchange = ask(uri);
    const connection = await connected;
    const id = await connection.request();
    connection.send(settings(), frame(TYPE.headers, END_HEADERS, id, OK));
    await exchange.head();
    connection.send(frame(TYPE.data, 0, id, Buffer.from("whole ")), frame(TYPE.data, 0, id, zeros(100)).subarray(0, 9));
    // The client does not acknowledge a part of a frame, so the peer cannot wait for an acknowledgement, and ends the
    // connection at once.
    connection.socket.end(Buffer.from("half"));
    expect(Buffer.from((await exchange.next()) ?? []).toString()).toBe("whole ");
    expect(Buffer.from((await exchange.next()) ?? []).toString()).toBe("half");
    expect(await reasonOf(exchange.next())).toBe("broken");
  });

  test("a request that neither of two GOAWAY frames excludes is served before the connection closes", async () => {
    const { uri, connected } = await peerInHand();
    const exchange = ask(uri);
    const connection = await connected;
    const id = await connection.request();
    connection.send(settings(), frame(TYPE.goAway, 0, 0, uint32(0x7fffffff, 0)));
    connection.send(frame(TYPE.goAway, 0, 0, uint32(id, 0)), answer(id, "served"));
    expect(await textOf(exchange)).toBe("served");
    await connection.closed;
  });

  test("a reset that demands HTTP/1.1 gives the reason http1-only", async () => {
    const { uri, connected } = await peerInHand();
    const exchange = ask(uri);
    const connection = await connected;
    connection.send(settings(), frame(TYPE.reset, 0, await connection.request(), uint32(13)));
    expect(await reasonOf(exchange.head())).toBe("http1-only");
  });
});
