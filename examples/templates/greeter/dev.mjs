/** `npm run dev`: builds the server again after each edit of its sources, and restarts it. */
import { spawn } from "node:child_process";
import { context } from "esbuild";

const SERVER = "dist/serve.cjs";
/** Stack traces name the lines of the sources. */
const OPTIONS = ["--enable-source-maps", "--watch", "--watch-preserve-output"];

let server;
/** Starts the server after the first build without errors. From then on, Node watches the built file. */
const startWhenBuilt = {
  name: "start-when-built",
  setup: ({ onEnd }) =>
    onEnd(({ errors }) => {
      if (errors.length > 0 || server !== undefined) return;
      server = spawn(process.execPath, [...OPTIONS, SERVER], { stdio: "inherit" });
      server.once("exit", (code) => process.exit(code ?? 0));
    }),
};

const sources = await context({
  entryPoints: ["src/serve.ts"],
  outfile: SERVER,
  bundle: true,
  platform: "node",
  format: "cjs",
  sourcemap: true,
  logLevel: "warning",
  plugins: [startWhenBuilt],
});
await sources.watch();

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => (server === undefined ? process.exit(0) : server.kill(signal)));
}
