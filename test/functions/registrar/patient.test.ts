/** The registrar and a new admin API: the gateway and IAM refuse until their configuration has spread. */
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { adminClient } from "../../../functions/registrar/admin-client.ts";
import { patient } from "../../../functions/registrar/patient.ts";
import { listen } from "../../harness/local/local-stage.ts";

const LONG = { forMs: 20_000, everyMs: 10 };
const FORBIDDEN = [403, { message: "Forbidden" }] as const;

/** Answers in turn, and repeats the last answer. */
async function adminApi(...answers: readonly (readonly [status: number, body: object])[]) {
  let asked = 0;
  const server = createServer((incoming, outgoing) => {
    const [status, body] = answers[Math.min(asked++, answers.length - 1)]!;
    incoming.resume().once("end", () => outgoing.writeHead(status).end(JSON.stringify(body)));
  });
  const { uri, close } = await listen(server);
  onTestFinished(close);
  return { ask: adminClient(uri, { AWS_REGION: "eu-west-1" }), asked: () => asked };
}

test("the registrar repeats the request until it is accepted", async () => {
  const { ask, asked } = await adminApi(FORBIDDEN, [404, { message: "Not Found" }], [503, {}], [201, { id: "dp_1" }]);
  expect(await patient(ask, LONG)("POST", "/deployments", {})).toEqual({ status: 201, body: { id: "dp_1" } });
  expect(asked()).toBe(4);
});

test.each([
  [500, { message: "[META0003] it does not answer", restate_code: "META0003" }],
  [404, { message: "there is no such deployment", restate_code: null }],
  [422, { message: "not as it has to be" }],
])("the registrar does not repeat a request that the admin API itself refuses with %i", async (status, body) => {
  const { ask, asked } = await adminApi([status, body]);
  expect(await patient(ask, LONG)("POST", "/deployments", {})).toEqual({ status, body });
  expect(asked()).toBe(1);
});

test("the registrar gives up after its time, and returns the last answer", async () => {
  const { ask, asked } = await adminApi(FORBIDDEN);
  expect(await patient(ask, { forMs: 2_000, everyMs: 10 })("POST", "/deployments", {})).toMatchObject({ status: 403 });
  expect(asked()).toBeGreaterThan(1);
});

test("the registrar waits for an API that does not answer, and the error names the API", async () => {
  const gone = await listen(createServer());
  await gone.close();
  const ask = patient(adminClient(gone.uri, {}), { forMs: 100, everyMs: 10 });
  await expect(ask("POST", "/deployments", {})).rejects.toThrow(`the admin API at ${gone.uri} does not answer`);
});
