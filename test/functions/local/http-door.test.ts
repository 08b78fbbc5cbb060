import { once } from "node:events";
import { connect } from "node:http2";
import { afterEach, expect, test } from "vitest";
import { openDoor, type Door } from "../../../functions/local/http-door.ts";
import { jsonResponse } from "../../../shared/api/http/message.ts";

let door: Door | undefined;
afterEach(() => door?.close());

async function answering(status: number): Promise<Door> {
  door = await openDoor({
    host: "127.0.0.1",
    port: 0,
    bodyMaxBytes: 1000,
    tooLarge: () => jsonResponse(413, {}),
    answer: async () => jsonResponse(status, { code: status }),
  });
  return door;
}

test.each([
  [599, 599],
  [600, 500],
  [999, 500],
])("a status of %i goes out over HTTP/2 as %i, with the number in the body", async (status, sent) => {
  const { port } = await answering(status);
  const client = connect(`http://127.0.0.1:${port}`);
  const stream = client.request({ ":path": "/" });
  const [headers] = (await once(stream, "response")) as [Record<string, unknown>];
  let body = "";
  for await (const piece of stream) body += String(piece);
  client.close();
  expect(headers[":status"]).toBe(sent);
  expect(JSON.parse(body)).toEqual({ code: status });
});

test("a status above 599 goes out over HTTP/1.1 as it is", async () => {
  const { port } = await answering(799);
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect(response.status).toBe(799);
});
