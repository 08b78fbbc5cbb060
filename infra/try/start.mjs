/** `npm run try`: checks the prerequisites, then runs the command. */
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`error: This is Node ${process.versions.node}\n  fix    Use Node 20.19 or later.`);
  process.exit(2);
}
// The SDK's notice about future Node versions is irrelevant for a trial.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
const { run } = await import("./run.mjs").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.error("error: The packages are not installed\n  fix    Run `npm ci` in this checkout.");
  process.exit(2);
});
process.exitCode = await run(process.argv);
