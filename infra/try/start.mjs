/** `npm run try`: looks whether it can run here at all, and then does. */
const [major, minor] = process.versions.node.split(".").map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`error: This is Node ${process.versions.node}\n  fix    Use Node 20.19 or later.`);
  process.exit(2);
}
// What the AWS SDK will want one day is no news to who tries this today.
process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
const { run } = await import("./run.mjs").catch((error) => {
  if (error.code !== "ERR_MODULE_NOT_FOUND") throw error;
  console.error("error: The packages are not installed\n  fix    Run `npm ci` in this checkout.");
  process.exit(2);
});
process.exitCode = await run(process.argv);
