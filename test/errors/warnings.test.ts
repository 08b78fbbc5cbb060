/** The warnings that the admin API shows with a service and its handlers. */
import { expect, test } from "vitest";
import { manifestOf } from "../api/admin/sample-endpoint.ts";
import { GREETER, startFrameDeployment } from "./frame-deployment.ts";
import { openStage } from "./stage.ts";
import { fetch } from "../harness/local/admin-access.ts";

interface Noticed {
  readonly journal_retention?: string;
  readonly info?: readonly { readonly code: string; readonly message: string }[];
  readonly handlers?: readonly Noticed[];
}

async function shown(settings: Parameters<typeof openStage>[0], service: object, more: object = {}): Promise<Noticed> {
  const stage = await openStage(settings);
  const deployment = await startFrameDeployment();
  deployment.manifest = manifestOf([{ ...GREETER, ...service }], more);
  expect((await stage.register(deployment.uri)).status).toBe(201);
  return (await (await fetch(`${stage.local.adminUrl}services/Greeter`)).json()) as Noticed;
}

const REQUEST_RESPONSE = { protocolMode: "REQUEST_RESPONSE" };
const codesOf = ({ info = [] }: Noticed): readonly string[] => info.map(({ code }) => code);

test("an inactivity timeout in request-response mode is RT0021, on the service and on the handler", async () => {
  const handlers = [{ name: "greet", inactivityTimeout: 7000 }];
  const service = await shown({}, { inactivityTimeout: 5000, handlers }, REQUEST_RESPONSE);
  expect(service.info).toEqual([{ code: "RT0021", message: expect.stringContaining("5000 ms") }]);
  expect(codesOf(service.handlers![0]!)).toEqual(["RT0021"]);
  expect(codesOf(await shown({}, { inactivityTimeout: 5000 }))).toEqual([]);
});

test("a journal retention above the server's maximum is RT0022, and is cut to the maximum", async () => {
  const service = await shown({ "max-journal-retention": "1h" }, { journalRetention: 7_200_000 });
  expect(service.info).toEqual([{ code: "RT0022", message: expect.stringContaining("7200000 ms") }]);
  expect(service.journal_retention).toBe("1h");
});

test("a default journal retention above the server's maximum is cut to the maximum, also with RT0022", async () => {
  const service = await shown({ "max-journal-retention": "1h", "default-journal-retention": "2h" }, {});
  expect([codesOf(service), service.journal_retention]).toEqual([["RT0022"], "1h"]);
  expect(codesOf(await shown({ "max-journal-retention": "1d" }, {}))).toEqual([]);
});
