/** The flags of `stepwell dev` and the settings that they become. */
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { CommandFailure } from "../../../functions/cli/text/command-failure.ts";
import { USUAL_PORTS } from "../../../functions/local/find-deployments.ts";
import { devCommand, REFERENCE_FLAGS, type DevInvocation } from "../../../functions/cli/commands/dev-command.ts";
import { foreignReason } from "../../../shared/config/foreign-settings.ts";
import { settingsNamed } from "../../../shared/config/setting-names.ts";

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
    expect(await parse()).toEqual({
      given: { flags: {}, register: [], find: true, useHttp11: false, watch: true },
      code: 3,
    });
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
      register: ["http://a/", "http://b/"],
      find: false,
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
    const shown = REFERENCE_FLAGS.filter((name) => new RegExp(`--${name}[ =]`).test(help));
    expect([shown, help]).toEqual([[], expect.stringContaining("--data-dir")]);
  });

  it("has a setting for each flag of restate-server, or a reason why Stepwell has none", () => {
    const known = REFERENCE_FLAGS.map((name) => [
      name,
      settingsNamed(name).length > 0 || foreignReason(name) !== undefined,
    ]);
    expect(known).toEqual(REFERENCE_FLAGS.map((name) => [name, true]));
  });

  it("names a flag that it does not have", async () => {
    await expect(parse("--rocksdb-total-memory-size", "2GiB")).rejects.toThrow(
      "unknown option '--rocksdb-total-memory-size'",
    );
  });

  it("asks for the configuration instead of a start, if --dump-config is given", async () => {
    expect((await parse("--dump-config")).given.dumpConfig).toBe(true);
  });

  it("binds every address where --host has no value", async () => {
    expect((await parse("--host")).given.flags).toEqual({ "ingress.bind": "0.0.0.0", "admin.bind": "0.0.0.0" });
  });

  it.each([
    ["9080", "http://localhost:9080/"],
    ["localhost:9080", "http://localhost:9080/"],
    ["127.0.0.1:9080/path", "http://127.0.0.1:9080/path"],
    ["https://a.example", "https://a.example/"],
  ])("registers %s as %s", async (written, uri) => {
    expect((await parse("--register", written)).given.register).toEqual([uri]);
  });

  it.each([
    ["99999", "'99999' is not an address of a deployment"],
    ["ftp://a", "'ftp://a' is not an address of a deployment"],
    ["arn:aws:lambda:eu-west-1:123456789012:function:greeter:1", "is a function, and --register watches addresses"],
    ["http://user:secret@a", "An address of --register has a user, a password or a fragment"],
    ["http://a/#secret", "An address of --register has a user, a password or a fragment"],
  ])("refuses to register %s, as a fault of the command line", async (written, message) => {
    const refused: unknown = await parse("--register", written).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CommandFailure);
    const { text } = refused as CommandFailure;
    expect([(refused as Error).message, text.exitCode]).toEqual([expect.stringContaining(message), 2]);
    expect(JSON.stringify([(refused as Error).message, text])).not.toContain("secret");
  });

  it("looks for deployments unless it gets one, or is to register none", async () => {
    const options = async (...flags: string[]) => {
      const { register, find } = (await parse(...flags)).given;
      return { register, find };
    };
    expect(await options("--no-register")).toEqual({ register: [], find: false });
    expect(await options("--no-register", "--register", "1")).toEqual({
      register: ["http://localhost:1/"],
      find: false,
    });
    expect(await options("--register", "1", "--no-register")).toEqual({ register: [], find: false });
  });

  it("names in its help the ports at which it looks", () => {
    const help = devCommand(
      async () => 0,
      () => {},
    ).helpInformation();
    for (const port of USUAL_PORTS) expect(help).toContain(String(port));
  });

  it.each([["--nope"], ["--ingress-port"], ["extra"]])("refuses %s", async (flag) => {
    await expect(parse(flag)).rejects.toBeInstanceOf(CommanderError);
  });
});
