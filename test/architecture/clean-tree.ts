/** A small repository without a violation, into which each test plants one. */

export const MANIFEST = { dependencies: { hono: "4", zod: "4" }, devDependencies: { "@restatedev/restate-sdk": "1" } };
export const NOUN = "/** A noun that others import. */\nexport interface Noun { readonly name: string }\n";
export const README = "# A room\n\nWhat it is.\n";

export const CLEAN: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify(MANIFEST),
  "build.mjs": 'import { rm } from "node:fs/promises";\nawait rm("dist");\n',
  "shared/core/README.md": README,
  "shared/core/model/noun.ts": NOUN,
  "shared/core/errors/code.ts": "/** The codes of errors. */\nexport const code = 1;\n",
  "shared/core/protocol/frame.ts":
    '/** Reads a frame. */\nimport type { Noun } from "../model/noun.ts";\nexport const frame = (noun: Noun) => noun;\n',
  "shared/engine/README.md": README,
  "shared/engine/accept.ts":
    '/** Accepts a request. */\nimport { frame } from "../core/protocol/frame.ts";\nexport const accept = frame;\n',
  "shared/engine/ports/clock.ts": "/** The port of time. */\nexport interface Clock { readonly nowMs: () => number }\n",
  "shared/adapters/README.md": README,
  "shared/adapters/system/clock.ts":
    '/** The clock of the machine. */\nimport type { Clock } from "../../engine/ports/clock.ts";\nexport const clock: Clock = { nowMs: () => 1 };\n',
  "shared/adapters/embedded/table.ts":
    '/** A table in one file. */\nimport { open } from "node:fs/promises";\nexport const table = open;\n',
  "shared/api/README.md": README,
  "shared/api/http/router.ts":
    '/** Finds the route of a request. */\nimport { Hono } from "hono";\nexport const router = new Hono();\n',
  "shared/api/contract/services.ts":
    '/** The services. */\nimport { z } from "zod";\nexport const Service = z;\nexport type ServiceBody = typeof Service;\n',
  "functions/README.md": README,
  "functions/cli/stepwell.ts":
    '#!/usr/bin/env node\n/** The stepwell command. */\nconst { serve } = await import("../local/serve.ts");\nserve();\n',
  "functions/local/serve.ts": "/** The local process. */\nexport const serve = () => undefined;\n",
  "examples/README.md": README,
  "ui/README.md": README,
  "ui/model/route.ts":
    '/** The address of a page. */\nimport type { ServiceBody } from "../../shared/api/contract/services.ts";\nexport const route = (one: ServiceBody) => one;\n',
  "examples/greeter/greeter.ts":
    '/** A greeter. */\nimport * as restate from "@restatedev/restate-sdk";\nvoid restate;\n',
  "test/README.md": README,
  "test/engine/accept.test.ts":
    '/** Accepting. */\nimport { accept } from "../../shared/engine/accept.ts";\nvoid accept;\n',
};
