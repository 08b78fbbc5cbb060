/** Tests header blocks against the examples and tables of RFC 7541, and our encoder against our decoder. */
import { createHash } from "node:crypto";
import { createServer } from "node:http2";
import type { Server } from "node:net";
import { assert, property, record, string, stringMatching } from "fast-check";
import { describe, expect, test } from "vitest";
import { ConnectionError } from "../../../../shared/adapters/https/http2/frames.ts";
import { decodedFields, huffmanCodes, huffmanDecoded } from "../../../../shared/adapters/https/http2/header-decoder.ts";
import { RequestEncoder } from "../../../../shared/adapters/https/http2/request-encoder.ts";
import { STATIC_FIELDS } from "../../../../shared/adapters/https/http2/static-table.ts";
import { HttpsEndpoints } from "../../../../shared/adapters/https/https-endpoints.ts";
import { parseUri } from "../../../../shared/adapters/https/exchange/parsed-uri.ts";
import { requestTo } from "../../../contracts/endpoints-contract.ts";
import { startServer } from "../../../harness/https/peer.ts";

const digest = (lines: readonly string[]): string => createHash("sha256").update(lines.join("\n")).digest("hex");
const decode = (hex: string, listMaxBytes = 65_536): unknown => {
  const bytes = Buffer.from(hex.replaceAll(" ", ""), "hex");
  return decodedFields(bytes, 0, bytes.length, listMaxBytes);
};
const huffman = (hex: string): string => {
  const bytes = Buffer.from(hex, "hex");
  return huffmanDecoded(bytes, 0, bytes.length);
};

describe("the tables", () => {
  test("a digest of 257 lines 'symbol code bits' shows that the Huffman code is the one of appendix B", () => {
    const lines = huffmanCodes().map(({ code, bits }, symbol) => `${symbol} ${code.toString(16)} ${bits}`);
    expect(lines).toHaveLength(257);
    expect(lines.slice(0, 3)).toEqual(["0 1ff8 13", "1 7fffd8 23", "2 fffffe2 28"]);
    expect(digest(lines)).toBe("379833a3c2006b415da9e2244f14c2e9e82af0b156cbd2b082b37ce6566e1667");
  });

  test("a digest of 61 lines 'index name value' shows that the static table is the one of appendix A", () => {
    const lines = STATIC_FIELDS.map(([name, value], at) => `${at + 1} ${name} ${value}`);
    expect(lines).toHaveLength(61);
    expect(digest(lines)).toBe("810223c09d71b4292a0687cef1c51db4f55c62e91bb8473001eb552340341f6b");
  });

  test("each byte encoded with the published code decodes to itself", () => {
    for (const [byte, { code, bits }] of huffmanCodes().entries()) {
      if (byte === 256) continue;
      const padded = code.toString(2).padStart(bits, "0");
      const whole = padded.padEnd(Math.ceil(bits / 8) * 8, "1");
      const bytes = Buffer.from(whole.match(/.{8}/g)?.map((octet) => Number.parseInt(octet, 2)) ?? []);
      expect(huffmanDecoded(bytes, 0, bytes.length).charCodeAt(0)).toBe(byte);
      expect(huffmanDecoded(bytes, 0, bytes.length)).toHaveLength(1);
    }
  });

  test("every character that Node's encoder may send decodes correctly", async () => {
    const codes = [
      ...Array.from({ length: 0x5f }, (_, i) => 0x20 + i),
      ...Array.from({ length: 0x80 }, (_, i) => 0x80 + i),
    ];
    // The letter `a` has a short code, so the encoder uses the Huffman code even if the code of the tested character is long.
    const headers = Object.fromEntries(
      codes.map((code) => [`x-${code}`, `aaaaaaaaaaaaaaaaaaaa${String.fromCharCode(code)}aaaaaaaaaaaaaaaaaaaa`]),
    );
    const server = createServer((_request, response) => {
      response.writeHead(200, headers).end();
    });
    const peer = await startServer(server as Server);
    const endpoints = new HttpsEndpoints({ allow: ["loopback"] });
    expect((await endpoints.open(requestTo(peer.uri, "h2 in the clear")).head()).headers).toMatchObject(headers);
    endpoints.close();
    await peer.stop();
  });
});

describe("the examples of appendix C", () => {
  test.each([
    ["C.2.1", "400a637573746f6d2d6b65790d637573746f6d2d686561646572", [["custom-key", "custom-header"]]],
    ["C.2.2", "040c2f73616d706c652f70617468", [[":path", "/sample/path"]]],
    ["C.2.3", "100870617373776f726406736563726574", [["password", "secret"]]],
    ["C.2.4", "82", [[":method", "GET"]]],
    [
      "C.3.1",
      "828684410f7777772e6578616d706c652e636f6d",
      [
        [":method", "GET"],
        [":scheme", "http"],
        [":path", "/"],
        [":authority", "www.example.com"],
      ],
    ],
    [
      "C.4.1",
      "828684418cf1e3c2e5f23a6ba0ab90f4ff",
      [
        [":method", "GET"],
        [":scheme", "http"],
        [":path", "/"],
        [":authority", "www.example.com"],
      ],
    ],
    [
      "C.5.1",
      `4803333032580770726976617465611d4d6f6e2c203231204f637420323031332032303a31333a323120474d54
       6e1768747470733a2f2f7777772e6578616d706c652e636f6d`.replaceAll(/\s/g, ""),
      [
        [":status", "302"],
        ["cache-control", "private"],
        ["date", "Mon, 21 Oct 2013 20:13:21 GMT"],
        ["location", "https://www.example.com"],
      ],
    ],
    [
      "C.6.1",
      "488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3",
      [
        [":status", "302"],
        ["cache-control", "private"],
        ["date", "Mon, 21 Oct 2013 20:13:21 GMT"],
        ["location", "https://www.example.com"],
      ],
    ],
  ])("%s is decoded", (_name, hex, fields) => expect(decode(hex)).toEqual(fields));

  test.each([
    ["C.4.2", "a8eb10649cbf", "no-cache"],
    ["C.4.3", "25a849e95ba97d7f", "custom-key"],
    ["C.4.3", "25a849e95bb8e8b4bf", "custom-value"],
    ["C.6.2", "640eff", "307"],
    ["C.6.3", "9bd9ab", "gzip"],
    [
      "C.6.3",
      "94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007",
      "foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1",
    ],
  ])("%s: the Huffman-coded text %s decodes to %s", (_name, hex, text) => expect(huffman(hex)).toBe(text));

  test.each([
    ["C.3.2", "828684be58086e6f2d6361636865"],
    ["C.4.2", "828684be5886a8eb10649cbf"],
    ["C.5.2", "4803333037c1c0bf"],
  ])("%s, which refers to the dynamic table, is refused", (_name, hex) => {
    expect(() => decode(hex)).toThrow(ConnectionError);
  });

  test("a header list is refused if it exceeds the limit by one byte", () => {
    expect(decode("100870617373776f726406736563726574", 46)).toEqual([["password", "secret"]]);
    expect(decode("100870617373776f726406736563726574", 45)).toBeUndefined();
  });
});

describe("our own blocks", () => {
  const target = parseUri("http://example.com:81/a/?q=1");
  const requestWith = (headers: Readonly<Record<string, string>>, path = "/discover") =>
    requestTo("http://example.com:81/a/?q=1", "h2 in the clear", { method: "GET", path, headers });
  const read = (block: Uint8Array): unknown => decodedFields(block, 0, block.length, 1_000_000);
  const opening = [
    [":method", "GET"],
    [":scheme", "http"],
    [":authority", "example.com:81"],
    [":path", "/a/discover?q=1"],
  ];

  test("the first block sets the dynamic table to size 0, and later blocks decode to the same headers", () => {
    const encoder = new RequestEncoder();
    const headers = { "content-type": "a/b", "x-own": "c", connection: "close" };
    const first = Buffer.from(encoder.encode(requestWith(headers), target));
    const second = Buffer.from(encoder.encode(requestWith(headers), target));
    expect(first[0]).toBe(0x20);
    expect(first.subarray(1).equals(second)).toBe(true);
    expect(read(second)).toEqual([...opening, ["content-type", "a/b"], ["x-own", "c"]]);
  });

  test("any headers decode as they were given", () => {
    const encoder = new RequestEncoder();
    const name = stringMatching(/^x-[a-z0-9_.~!-]{1,200}$/);
    const value = string({ maxLength: 5_000, unit: stringMatching(/^[\t -~\u0080-\u00ff]$/) });
    assert(
      property(record({ one: name, other: name, first: value, second: value }), ({ one, other, first, second }) => {
        const headers = { [one]: first, [other]: second };
        const fields = read(encoder.encode(requestWith(headers), target)) as [string, string][];
        expect(fields.filter(([given]) => given in headers)).toEqual(Object.entries(headers));
      }),
      { numRuns: 100 },
    );
  });

  test("more paths and names than the caches can hold are all encoded correctly", () => {
    const encoder = new RequestEncoder();
    for (let i = 0; i < 2_500; i += 1) {
      const fields = read(encoder.encode(requestWith({ [`x-${i}`]: "v" }, `/p${i}`), target)) as [string, string][];
      expect(fields.slice(-2)).toEqual([
        [":path", `/a/p${i}?q=1`],
        [`x-${i}`, "v"],
      ]);
    }
  });

  test.each([
    { "x bad": "a" },
    { "": "a" },
    { ":path": "/" },
    { "x-a": "b\r\nc: d" },
    { "x-a": "\0" },
    { "x-a": "\u0100" },
  ])("%j is refused, and the next request succeeds", (headers) => {
    const encoder = new RequestEncoder();
    expect(() => encoder.encode(requestWith(headers as Record<string, string>), target)).toThrow(TypeError);
    expect(read(encoder.encode(requestWith({ "X-Capital": "a" }), target))).toEqual([...opening, ["x-capital", "a"]]);
  });
});
