/** The flags of `stepwell dev` and the settings that they become. */
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { devCommand } from "../../../functions/cli/dev-command.ts";
import { REFERENCE_FLAGS } from "../../../functions/cli/reference-flags.ts";
import { foreignReason } from "../../../shared/config/foreign-settings.ts";
import { settingsNamed } from "../../../shared/config/setting-aliases.ts";
import type { DevInvocation } from "../../../functions/cli/dev-command.ts";

async function parse(...flags: string[]): Promise<{ given: DevInvocation; code: number }> {
  let given: DevInvocation | undefined;
  let code: number | undefined;
  const command = devCommand(
    async (options) => {
      given = options;
      return 3;
    },
    (exit) => (code = exit),
  );
  command.exitOverride().configureOutput({ writeErr: () => {} });
  await command.parseAsync(flags, { from: "user" });
  return { given: given!, code: code! };
}

describe("stepwell dev", () => {
  it("sets nothing without flags, and exits with the code of the process", async () => {
    expect(await parse()).toEqual({ given: { flags: {}, register: [], useHttp11: false, watch: true }, code: 3 });
  });

  it("passes its flags on as settings", async () => {
    const flags = ["--ingress-port", "1", "--admin-port", "2", "--data-dir", "d", "--config-file", "c.toml", "--json"];
    const more = [
      "--register",
      "http://a",
      "--register",
      "http://b",
      "--use-http1.1",
      "--no-watch",
      "--host",
      "10.0.0.1",
    ];
    expect((await parse(...flags, ...more)).given).toEqual({
      configFile: "c.toml",
      flags: {
        "ingress.port": "1",
        "admin.port": "2",
        "ingress.bind": "10.0.0.1",
        "admin.bind": "10.0.0.1",
        "data-dir": "d",
        "log.format": "json",
      },
      register: ["http://a", "http://b"],
      useHttp11: true,
      watch: false,
    });
  });

  it("passes flags of restate-server on under their names, and hides them from its help", async () => {
    const given = ["--base-dir", "/d", "--bind-ip=0.0.0.0", "--log-format", "json", "--use-random-ports", "true"];
    expect((await parse(...given)).given.flags).toEqual({
      "base-dir": "/d",
      "bind-ip": "0.0.0.0",
      "log-format": "json",
      "use-random-ports": "true",
    });
    const help = devCommand(
      async () => 0,
      () => {},
    ).helpInformation();
    expect(help).not.toContain("--base-dir");
  });

  it("has the flags of restate-server as settings, or with a reason why Stepwell has none", () => {
    const known = REFERENCE_FLAGS.map((name) => [
      name,
      settingsNamed(name).length > 0 || foreignReason(name) !== undefined,
    ]);
    expect(known).toEqual(REFERENCE_FLAGS.map((name) => [name, true]));
  });

  it("asks for the configuration in place of a start", async () => {
    expect((await parse("--dump-config")).given.dumpConfig).toBe(true);
  });

  it("binds every address where --host has no value", async () => {
    expect((await parse("--host")).given.flags).toEqual({ "ingress.bind": "0.0.0.0", "admin.bind": "0.0.0.0" });
  });

  it.each([["--nope"], ["--ingress-port"], ["extra"]])("refuses %s", async (flag) => {
    await expect(parse(flag)).rejects.toBeInstanceOf(CommanderError);
  });
});
