/** Headers in a file: what the file may hold, that no header is shown, and that the deployment and the handler get them. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createEndpointHandler, service, type Context } from "@restatedev/restate-sdk";
import { afterAll, beforeAll, expect, it } from "vitest";
import { headersOf } from "../../../functions/cli/commands/pair-options.ts";
import { buildCommand, type BuiltCommand } from "../../harness/cli/built-command.ts";
import { listen, openLocalStage, type Listening, type LocalStage } from "../../harness/local/local-stage.ts";

const SECRET = "Bearer canary-4711=:x";

const teller = service({
  name: "Teller",
  handlers: { tenant: async (ctx: Context): Promise<string> => ctx.request().headers.get("x-tenant") ?? "none" },
});

let command: BuiltCommand;
let stage: LocalStage;
let guarded: Listening;
let folder: string;
let env: Readonly<Record<string, string>>;
/** The values of `authorization` in the requests of the deployment. */
const seen = new Set<unknown>();

beforeAll(async () => {
  const handler = createEndpointHandler({ services: [teller], logger: () => {} });
  const server = createServer((request, response) => {
    seen.add(request.headers.authorization);
    handler(request, response);
  });
  [command, stage, guarded, folder] = await Promise.all([
    buildCommand(),
    openLocalStage({}),
    listen(server),
    mkdtemp(join(tmpdir(), "stepwell-headers-")),
  ]);
  env = { STEPWELL_ADMIN_URL: stage.adminUri, STEPWELL_INGRESS_URL: stage.ingressUri };
});

afterAll(async () => {
  await Promise.all([command.remove(), guarded.close(), rm(folder, { recursive: true, force: true })]);
  await stage.close();
});

it("the headers of a file reach the deployment and the handler, and the option for one header wins", async () => {
  const path = join(folder, "headers");
  await writeFile(path, `# of the gateway\nAuthorization: ${SECRET}\n\nx-tenant=file\r\n`);
  const added = await command.run(["dp", "add", guarded.uri, "--header-file", path, "--yes"], { env });
  expect([added.code, added.stderr]).toEqual([0, ""]);
  expect(added.stdout).not.toContain("canary");
  expect([...seen]).toEqual([SECRET]);
  const call = (...more: readonly string[]) =>
    command.run(["call", "Teller/tenant", "--header-file", path, ...more], { env });
  expect((await call()).stdout).toBe('"file"\n');
  expect((await call("--header", "X-Tenant=line")).stdout).toBe('"line"\n');
});

it("a file with another line, or none at all, is refused without its content", async () => {
  const path = join(folder, "wrong");
  await writeFile(path, "x-a: 1\nBearer-canary-4711\n");
  const wrong = await command.run(["dp", "add", guarded.uri, "--header-file", path, "--yes"], { env });
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining(`Line 2 of ${path} is not name:value`)]);
  expect(wrong.stderr).not.toContain("canary");
  const absent = await command.run(["call", "Teller/tenant", "--header-file", join(folder, "absent")], { env });
  expect([absent.code, absent.stderr]).toEqual([2, expect.stringContaining("cannot be read: ENOENT")]);
});

it("without either option there are no headers, which an update distinguishes from an empty file", async () => {
  const path = join(folder, "empty");
  await writeFile(path, "\n# nothing\n");
  expect(headersOf({})).toBeUndefined();
  expect(headersOf({ headerFile: path })).toEqual({});
  expect(headersOf({ headerFile: path, header: { a: "1" } })).toEqual({ a: "1" });
});
