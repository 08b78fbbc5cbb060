/** Mistakes about credentials: none that a caller or an operator sends is stored, logged or shown. */
import { vi } from "vitest";
import type * as Members from "../../../shared/api/admin/requests/json-members.ts";
import type * as Names from "../../../shared/api/http/credential-names.ts";
import { recordCall } from "../../../shared/api/admin/server/audit.ts";
import { ingressApp } from "../../../shared/api/ingress/ingress-app.ts";
import { inspect } from "../../../shared/engine/operate/inspect.ts";
import type { InvocationId } from "../../../shared/core/model/ids.ts";
import { request } from "../../api/ingress/small-world.ts";
import { placesOf } from "../../harness/engine/inflated-store.ts";
import { stages } from "../../harness/engine/stages.ts";
import { RecordingLog } from "../../recording-log.ts";
import { ruleTests } from "./rule-tests.ts";

const planted = vi.hoisted(() => ({ now: "" }));
const HEADER = "a header with a credential that reaches the journal";
const PARAMETER = "a credential in a query that reaches the journal";
const AUDITED = "a credential in a query that reaches the log of the admin API";
const UNMASKED = "a header for deployments that reaches the log of the admin API";

vi.mock("../../../shared/api/http/credential-names.ts", async (original) => {
  const right = await original<typeof Names>();
  const { acting } = await import("../acts.ts");
  const isCredentialHeader: typeof right.isCredentialHeader = (name) =>
    planted.now === HEADER ? acting(false) : right.isCredentialHeader(name);
  const isCredentialParameter: typeof right.isCredentialParameter = (name) =>
    planted.now === PARAMETER || planted.now === AUDITED ? acting(false) : right.isCredentialParameter(name);
  return { isCredentialHeader, isCredentialParameter };
});
vi.mock("../../../shared/api/admin/requests/json-members.ts", async (original) => {
  const right = await original<typeof Members>();
  const { acting } = await import("../acts.ts");
  const maskedValues: typeof right.maskedValues = (map) =>
    planted.now === UNMASKED ? acting(map as Record<string, string>) : right.maskedValues(map);
  return { ...right, maskedValues };
});

const open = stages();
const SECRET = "a-secret-of-32-letters-and-digits";
const HEADERS = ["authorization", "cookie", "x-api-key", "x-amz-security-token", "x-forwarded-access-token"];
const QUERY = ["access_token", "sig", "X-Amz-Signature"].map((name) => `${name}=${SECRET}`).join("&");

/** @returns complaints about a call, if `of` is "call", or about the log of the admin API */
async function complaintsAbout(of: "call" | "log"): Promise<readonly string[]> {
  const stage = await open({ echo: (ctx) => `of ${ctx.input}` });
  const actor = stage.actor();
  actor.startWorker();
  const log = new RecordingLog();
  Object.assign(actor.engine, { log });
  const wrong: string[] = [];
  if (of === "call") {
    const app = ingressApp(actor.engine);
    const headers = Object.fromEntries(HEADERS.map((name) => [name, SECRET]));
    const asked = request(`POST /S/echo?${QUERY}`, { ...headers, "content-type": "text/plain" }, "plain");
    const response = await stage.pulse.within(5_000, app(asked));
    const id = response.headers["x-restate-id"] as InvocationId;
    wrong.push(...(await placesOf(actor.engine.table, SECRET)).map((place) => `${place} has the credential`));
    if (JSON.stringify(await inspect(actor.engine, id)).includes(SECRET)) wrong.push("the view shows the credential");
  } else {
    const body = JSON.stringify({ uri: "https://shop.example", additional_headers: { authorization: SECRET } });
    const asked = request(`POST /deployments?${QUERY}`, { "content-type": "application/json" }, body);
    recordCall(actor.engine, asked, { status: 201, headers: {}, body: new Uint8Array(0) });
  }
  if (JSON.stringify(log).includes(SECRET)) wrong.push("the log has the credential");
  return wrong;
}

const OF_THE_LOG: ReadonlySet<string> = new Set([AUDITED, UNMASKED]);

ruleTests(import.meta.filename, planted, [HEADER, PARAMETER, AUDITED, UNMASKED], async () => {
  if (planted.now !== "") return await complaintsAbout(OF_THE_LOG.has(planted.now) ? "log" : "call");
  return [...(await complaintsAbout("call")), ...(await complaintsAbout("log"))];
});
