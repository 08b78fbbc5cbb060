/** Each signer, checked against a signature that is computed with hash functions only. */
import { createServer, request } from "node:http";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { requestSigner } from "../../functions/signing/request-signer.ts";
import { signedClient } from "../../functions/signing/signed-client.ts";
import { expectedSignature, signatureOf, type SignedArrival } from "../harness/cli/expected-signature.ts";
import { send } from "../../localstack/signed-request.mjs";
import { listen } from "../harness/local/local-stage.ts";

const REGION = "us-east-1";
const SECRET = "an example of a secret";
const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: SECRET };

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Starts an API that keeps each request as it arrives. */
async function startApi() {
  const arrived: SignedArrival[] = [];
  const api = await listen(
    createServer((incoming, outgoing) => {
      let body = "";
      incoming.setEncoding("utf8").on("data", (piece: string) => (body += piece));
      incoming.once("end", () => {
        arrived.push({ method: incoming.method!, url: incoming.url!, headers: incoming.headers, body });
        outgoing.end("{}");
      });
    }),
  );
  onTestFinished(api.close);
  return { arrived, uri: api.uri, port: Number(new URL(api.uri).port) };
}

const SENDERS: readonly [sender: string, send: (port: number, asked: Asked) => Promise<void>][] = [
  [
    "the signer of the command's proxy",
    async (port, { method, path, body }) => {
      const sign = requestSigner({ credentials, region: REGION });
      const url = new URL(path, `http://127.0.0.1:${port}`);
      const headers = await sign({ method, url, headers: { "content-type": "application/json" }, body });
      const outgoing = request(url, { method, headers });
      outgoing.end(body);
      await once(outgoing, "response");
    },
  ],
  [
    "the client of the registrar and of `npm run try`",
    async (port, { method, path, body }) => {
      const ask = signedClient({ origin: `http://127.0.0.1:${port}` }, { credentials, region: REGION });
      await ask({ method, path, body, headers: { "content-type": "application/json" } });
    },
  ],
  [
    "the client of an emulated API",
    async (port, { method, path, body }) => {
      const api = { host: `id.execute-api.localhost:${port}`, port };
      await send(api, { method, path, body, headers: { "content-type": "application/json" }, credentials });
    },
  ],
];

test.each(SENDERS)("%s signs path, query, headers and body as they are sent", async (_sender, ask) => {
  const { arrived, port } = await startApi();
  const all: readonly Asked[] = [
    { method: "GET", path: "/", body: "" },
    { method: "PATCH", path: "/services/a%2Fb?b=2&a=1%20x&a=0", body: '{"x":"ü"}' },
    { method: "DELETE", path: "/deployments/dp_1?force=true", body: "" },
  ];
  for (const asked of all) await ask(port, asked);
  expect(arrived.map(({ method, url, body }) => ({ method, path: url, body }))).toEqual(all);
  for (const one of arrived) {
    expect(signatureOf(one)).toMatchObject({ keyId: "AKIDEXAMPLE", names: expect.arrayContaining(["host"]) });
    expect(signatureOf(one).signature).toBe(expectedSignature(one, { region: REGION, secret: SECRET }));
  }
});
