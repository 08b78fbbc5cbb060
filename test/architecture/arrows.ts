/** The allow-list of imports: which folders and packages each folder may import, and whether it may import `node:` modules. */

interface Room {
  /** A folder. A path belongs to the room with the longest folder that contains the path. */
  readonly folder: string;
  /** Rooms that this room may import. A room may always import itself. */
  readonly rooms: readonly string[];
  /** Rooms of which this room may import types, and nothing that is left at run time. */
  readonly types?: readonly string[];
  /** Packages from `package.json`. */
  readonly packages?: readonly string[];
  readonly node?: boolean;
}

const MODEL = ["shared/core/errors", "shared/core/model"];
const CORE = "shared/core/*";
const PROGRAM = ["shared/wiring", "shared/api/*", "shared/engine", "shared/engine/*", "shared/config"];
const LAMBDA = [...PROGRAM, "functions/lambda"];
const ADAPTER = [CORE, "shared/engine/ports"];
const AWS_ADAPTER = [...ADAPTER, "shared/adapters/aws-clients"];

const inside = (room: string) => (name: string) => (name === "" ? room : `${room}/${name}`);

/** The folders of the engine, lowest first: a folder may import the folders before it, and none after it. */
const ENGINE_LAYERS = [
  "ports",
  "bulkheads",
  "store",
  "admission",
  "local",
  // The engine's own files: `engine.ts` with the record of all ports, and `traces.ts`, which needs that record.
  "",
  "messaging",
  "limits",
  "lease",
  "lock",
  "accept",
  "attempt",
  "effects",
  "drive",
  "recover",
  "consume",
  "ingress",
  "operate",
  "query",
  "register",
  "schedules",
  "topics",
  "sweep",
].map(inside("shared/engine"));

const engineRooms = (): Room[] =>
  ENGINE_LAYERS.map((folder, at) => ({ folder, rooms: [CORE, ...ENGINE_LAYERS.slice(0, at)] }));

const UI_SHARES = ["shared/api/wire", "shared/core/model", "shared/core/protocol", "shared/core/query"];
/** The schemas of the admin API come with a package that checks them; its clients need only their types. */
const CONTRACT = ["shared/api/contract"];
const UI_PACKAGES = ["preact", "@preact/signals"];
const EDITOR_PACKAGES = ["@codemirror/*", "@lezer/highlight"];

const FACE = [CORE, "shared/engine", "shared/engine/*", "shared/engine/ports", "shared/api/wire", "shared/api/http"];

/** The folders of one program, lowest first: each may import those before it; the last one is the program itself. */
const floors = (folders: readonly string[], room: Omit<Room, "folder">): Room[] =>
  folders.map((folder, at) => ({ ...room, folder, rooms: [...room.rooms, ...folders.slice(0, at)] }));

/** `requests` has what every route uses; a folder beside it has the routes of one subject. */
const adminRooms = (): Room[] =>
  floors(
    ["requests", "invocations", "services", "deployments", "topics", "limits", "schedules", "sql", "server", ""].map(
      inside("shared/api/admin"),
    ),
    { rooms: [...FACE, ...CONTRACT], packages: ["hono", "zod"] },
  );

const commandRooms = (): Room[] =>
  floors(["text", "http", "commands", ""].map(inside("functions/cli")), {
    rooms: [
      "shared/api/wire",
      "shared/api/http",
      "shared/config",
      "shared/core/limits",
      "functions/signing",
      "functions/door",
    ],
    types: CONTRACT,
    packages: ["commander", "cli-table3", "picocolors", "@aws-sdk/credential-provider-node"],
    node: true,
  });

const infraRooms = (): Room[] =>
  floors(["build", "resources", "lambda", "monitoring", ""].map(inside("infra")), {
    rooms: ["shared/config"],
    packages: ["aws-cdk-lib", "constructs", "esbuild"],
    node: true,
  });

/** The check refuses each file that is in none of these folders, so a new folder needs a line here. */
export const ROOMS: readonly Room[] = [
  { folder: "shared/core/errors", rooms: MODEL },
  { folder: "shared/core/model", rooms: MODEL },
  { folder: "shared/core/protocol", rooms: MODEL },
  { folder: "shared/core/invocation", rooms: [...MODEL, "shared/core/protocol"] },
  { folder: "shared/core/object", rooms: MODEL },
  { folder: "shared/core/registry", rooms: MODEL },
  { folder: "shared/core/query", rooms: MODEL },
  { folder: "shared/core/topics", rooms: MODEL },
  { folder: "shared/core/limits", rooms: MODEL },
  { folder: "shared/core/schedules", rooms: MODEL },
  ...engineRooms(),
  { folder: "shared/adapters/aws-clients", rooms: [] },
  { folder: "shared/adapters/calendar", rooms: ADAPTER, packages: ["croner"] },
  { folder: "shared/adapters/dynamodb", rooms: AWS_ADAPTER, packages: ["@aws-sdk/client-dynamodb"], node: true },
  { folder: "shared/adapters/embedded", rooms: ADAPTER, packages: ["classic-level"], node: true },
  { folder: "shared/adapters/https", rooms: ADAPTER, node: true },
  {
    folder: "shared/adapters/lambda",
    rooms: AWS_ADAPTER,
    packages: ["@aws-sdk/client-lambda", "@aws-sdk/client-sts"],
    node: true,
  },
  { folder: "shared/adapters/kafka", rooms: ADAPTER, packages: ["@platformatic/kafka"], node: true },
  { folder: "shared/adapters/scheduler", rooms: AWS_ADAPTER, packages: ["@aws-sdk/client-scheduler"], node: true },
  { folder: "shared/adapters/event-sources", rooms: ADAPTER, packages: ["@aws-sdk/client-lambda"] },
  { folder: "shared/adapters/arrow", rooms: ADAPTER, packages: ["@uwdata/flechette"] },
  { folder: "shared/adapters/sql", rooms: ADAPTER, node: true },
  { folder: "shared/adapters/statements", rooms: ADAPTER, node: true },
  { folder: "shared/adapters/sqs", rooms: AWS_ADAPTER, packages: ["@aws-sdk/client-sqs"], node: true },
  { folder: "shared/adapters/ssm", rooms: AWS_ADAPTER, packages: ["@aws-sdk/client-ssm"] },
  { folder: "shared/adapters/system", rooms: ADAPTER, packages: ["pino", "prom-client"], node: true },
  {
    folder: "shared/adapters/tracing",
    rooms: ADAPTER,
    packages: [
      "@opentelemetry/api",
      "@opentelemetry/core",
      "@opentelemetry/exporter-trace-otlp-proto",
      "@opentelemetry/otlp-transformer",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace",
    ],
    node: true,
  },
  {
    folder: "shared/api/contract",
    rooms: [...MODEL, "shared/core/invocation", "shared/core/query", "shared/core/limits"],
    packages: ["zod"],
  },
  { folder: "shared/api/wire", rooms: [...MODEL, "shared/core/query", "shared/api/http"], types: CONTRACT },
  { folder: "shared/api/http", rooms: [...MODEL, "shared/api/wire"], packages: ["hono"] },
  { folder: "shared/api/ingress", rooms: FACE, packages: ["hono"] },
  ...adminRooms(),
  { folder: "shared/config", rooms: MODEL, packages: ["smol-toml"], node: true },
  { folder: "shared/wiring", rooms: ["shared/*"], packages: ["@aws-sdk/client-lambda"], node: true },
  { folder: "functions/door", rooms: ["shared/api/http", "shared/api/wire"], types: CONTRACT, node: true },
  { folder: "functions/local", rooms: [...PROGRAM, "functions/door"], node: true },
  { folder: "functions/lambda", rooms: ["shared/wiring", "shared/api/http"], node: true },
  { folder: "functions/ingress", rooms: LAMBDA },
  { folder: "functions/admin", rooms: LAMBDA },
  { folder: "functions/worker", rooms: LAMBDA },
  { folder: "functions/sweeper", rooms: LAMBDA },
  { folder: "functions/topics", rooms: LAMBDA },
  { folder: "functions/keys", rooms: LAMBDA },
  { folder: "functions/signing", rooms: [], packages: ["@smithy/signature-v4"], node: true },
  { folder: "functions/registrar", rooms: ["functions/lambda", "functions/signing"], node: true },
  ...commandRooms(),
  // The web UI runs in browsers. Of the server's code it may import only types of the contract, and these rooms.
  { folder: "ui/model", rooms: UI_SHARES, types: CONTRACT },
  { folder: "ui/data", rooms: [...UI_SHARES, "ui/model"], types: CONTRACT, packages: UI_PACKAGES },
  {
    folder: "ui/parts",
    rooms: [...UI_SHARES, "ui/model", "ui/data"],
    types: CONTRACT,
    packages: [...UI_PACKAGES, ...EDITOR_PACKAGES],
  },
  {
    folder: "ui/pages",
    rooms: [...UI_SHARES, "ui/model", "ui/data", "ui/parts"],
    types: CONTRACT,
    packages: UI_PACKAGES,
  },
  {
    folder: "ui/app",
    rooms: [...UI_SHARES, "ui/model", "ui/data", "ui/parts", "ui/pages"],
    types: CONTRACT,
    packages: UI_PACKAGES,
  },
  ...infraRooms(),
  {
    // This folder is one command. It reads its options and prints as the command line does, and calls an emulator as
    // `localstack` does.
    folder: "infra/try",
    rooms: ["infra", "infra/*", "localstack", "examples", "functions/cli/*", "functions/signing", "shared/api/wire"],
    types: CONTRACT,
    packages: [
      "@aws-sdk/client-*",
      "@aws-sdk/credential-provider-node",
      "@restatedev/restate-sdk",
      "aws-cdk-lib",
      "commander",
      "esbuild",
    ],
    node: true,
  },
  {
    folder: "localstack",
    rooms: ["infra", "infra/*", "examples"],
    packages: ["aws-cdk-lib", "esbuild", "@restatedev/restate-sdk"],
    node: true,
  },
  { folder: "examples/cdk-app", rooms: [], packages: ["@restatedev/restate-sdk", "aws-cdk-lib", "stepwell"] },
  {
    folder: "examples",
    rooms: [],
    packages: ["@restatedev/restate-sdk", "@restatedev/restate-sdk-clients", "esbuild"],
    node: true,
  },
  // What the specification says must not come from the product that is compared with it.
  { folder: "test/specification/model", rooms: [] },
  { folder: "test", rooms: ["*"], packages: ["*"], node: true },
];

/** The command line is one program; it loads the local process only for `stepwell dev`. */
const EXCEPTIONS: ReadonlySet<string> = new Set(["functions/cli/stepwell.ts -> functions/local"]);

export function roomOf(path: string): Room | undefined {
  const fitting = ROOMS.filter(({ folder }) => path.startsWith(`${folder}/`));
  return fitting.reduce<Room | undefined>(
    (best, r) => (r.folder.length > (best?.folder.length ?? 0) ? r : best),
    undefined,
  );
}

const fits = (pattern: string, name: string): boolean =>
  pattern === name || (pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1)));

/**
 * @param to the path of a file of the repository
 * @param isTypeOnly whether nothing of the import is left at run time
 * @returns the reason of the refusal; undefined for an allowed import
 */
export function refusedFile(path: string, to: string, isTypeOnly: boolean): string | undefined {
  const from = roomOf(path);
  const target = roomOf(to);
  if (from === undefined) return `${path} is in no room of the table`;
  if (from === target) return undefined;
  if (target === undefined) return `${path} imports ${to}, which is in no room of the table`;
  if (EXCEPTIONS.has(`${path} -> ${target.folder}`)) return undefined;
  if (from.rooms.some((pattern) => fits(pattern, target.folder))) return undefined;
  const mayHaveTypes = from.types?.some((pattern) => fits(pattern, target.folder)) === true;
  if (mayHaveTypes && isTypeOnly) return undefined;
  const may = mayHaveTypes ? "may import only types of" : "may not import";
  return `${path} imports ${to}, but ${from.folder} ${may} ${target.folder}`;
}

/** @param name the name of a package, or of a built-in module with the prefix `node:` */
export function refusedPackage(path: string, name: string): string | undefined {
  const from = roomOf(path);
  if (from === undefined) return undefined;
  const allowed = name.startsWith("node:") ? from.node === true : from.packages?.some((pattern) => fits(pattern, name));
  return allowed === true ? undefined : `${path} imports ${name}, but ${from.folder} may not`;
}
