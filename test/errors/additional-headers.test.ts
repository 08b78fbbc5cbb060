/** Headers that come with a registration: discovery and every attempt carry them, and no output shows their values. */
import { expect, test } from "vitest";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { end, GREETER, output, replying, startFrameDeployment, type Script } from "./frame-deployment.ts";
import { openStage } from "./stage.ts";

const SECRET = "Bearer so-secret";

/** A deployment that answers 401 unless the request carries the secret. */
const guarded =
  (script: Script): Script =>
  (response, request) => {
    if (request.headers.authorization === SECRET) script(response, request);
    else response.writeHead(401).end("unauthorized");
  };

test("every attempt carries the headers of its deployment, which refuses attempts without them", async () => {
  const stage = await openStage();
  const deployment = await startFrameDeployment(guarded(replying(output("hello"), end())));
  const { body } = await stage.register(deployment.uri);
  const id = await stage.send("Greeter/greet");
  expect((await stage.lastFailure(id, "RT0012")).message).toMatch(/401/);
  const updated = await stage.admin("PATCH", `deployments/${String(body["id"])}`, {
    additional_headers: { Authorization: SECRET },
  });
  expect(updated.body["additional_headers"]).toEqual({ authorization: "***" });
  expect(await stage.result(id)).toBe("200 hello");
  expect(await stage.result(await stage.send("Greeter/greet"))).toBe("200 hello");
});

test("neither the log nor the record of changes contains the values of headers, even if a registration fails", async () => {
  const stage = await openStage();
  const deployment = await startFrameDeployment();
  const headers = { additional_headers: { authorization: SECRET } };
  expect((await stage.register(deployment.uri, headers)).status).toBe(201);
  deployment.manifest = manifestOf([{ ...GREETER, name: "restate" }]);
  expect((await stage.register(deployment.uri, { ...headers, force: true })).status).toBe(400);
  const lines = JSON.stringify(stage.log.lines);
  expect(lines).toContain('\\"authorization\\":\\"***\\"');
  expect(lines).not.toContain("so-secret");
});
