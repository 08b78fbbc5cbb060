/**
 * The names of settings of the reference server, Restate. Stepwell reads such a name if Stepwell has the same setting. Otherwise
 * Stepwell logs the name with a reason, or refuses to start.
 */
import { describe, expect, it } from "vitest";
import { FOREIGN_SETTINGS, foreignReason } from "../../shared/config/foreign-settings.ts";
import { ALIAS_NAMES } from "../../shared/config/setting-names.ts";
import { readSettings } from "../../shared/config/settings.ts";
import { SETTING_PATHS, type SettingPath } from "../../shared/config/settings-table.ts";

type Environment = Readonly<Record<string, string>>;

const fromFile = (text: string, environment: Environment = {}, flags: Record<string, string> = {}) =>
  readSettings({ file: { path: "restate.toml", text }, environment, flags });
const fromEnvironment = (environment: Environment) => readSettings({ environment, flags: {} });

describe("the reference's names", () => {
  it.each<[string, Partial<Record<SettingPath, unknown>>]>([
    ['base-dir = "/data"', { "data-dir": "/data" }],
    ['bind-ip = "0.0.0.0"', { "ingress.bind": "0.0.0.0", "admin.bind": "0.0.0.0" }],
    ["use-random-ports = true", { "ingress.port": 0, "admin.port": 0 }],
    ['log-format = "json"', { "log.format": "json" }],
    ['log-format = "compact"', { "log.format": "pretty" }],
    ['log-filter = "warn,restate=debug"', { "log.level": "debug" }],
    ['log-filter = "trace"', { "log.level": "debug" }],
    ['log-filter = "off"', { "log.level": "silent" }],
    ['tracing-services-endpoint = "http://c:4318"', { "tracing-endpoint": "http://c:4318/v1/traces" }],
    ['[ingress]\nbind-ip = "::1"\nbind-port = 81', { "ingress.bind": "::1", "ingress.port": 81 }],
    ['[ingress]\nbind_address = "[::]:82"', { "ingress.bind": "::", "ingress.port": 82 }],
    ['[admin]\nbind-address = "0.0.0.0:83"', { "admin.bind": "0.0.0.0", "admin.port": 83 }],
    ['[admin]\nbind-ip = "::1"\nbind-port = 84', { "admin.bind": "::1", "admin.port": 84 }],
  ])("%s sets %j", (text, expected) => {
    const { settings, warnings } = fromFile(text);
    expect(settings).toMatchObject(expected);
    expect(warnings).toEqual([]);
  });

  it.each<[Environment, Partial<Record<SettingPath, unknown>>]>([
    [{ RESTATE_BASE_DIR: "/data" }, { "data-dir": "/data" }],
    [{ RESTATE_INGRESS__BIND_PORT: "81" }, { "ingress.port": 81 }],
    [{ RESTATE_WORKER__INVOKER__ABORT_TIMEOUT: "3s" }, { "worker.invoker.abort-timeout": 3_000 }],
    [{ STEPWELL_LOG_FORMAT: "json" }, { "log.format": "json" }],
    [{ RESTATE_LOG_FORMAT: "Compact" }, { "log.format": "pretty" }],
  ])("the variables %j set %j", (environment, expected) => {
    const { settings, warnings } = fromEnvironment(environment);
    expect(settings).toMatchObject(expected);
    expect(warnings).toEqual([]);
  });

  it("are read from flags, which win over the environment", () => {
    const { settings, warnings } = fromFile("", { RESTATE_BASE_DIR: "/a" }, { "base-dir": "/b" });
    expect([settings["data-dir"], warnings]).toEqual(["/b", []]);
  });

  it("lose to Stepwell's name in the same place, with a warning", () => {
    const file = fromFile('base-dir = "/theirs"\ndata-dir = "/ours"');
    expect(file.settings["data-dir"]).toBe("/ours");
    expect(file.warnings).toEqual([
      "restate.toml, line 1: base-dir has no effect, because restate.toml, line 2: data-dir sets data-dir",
    ]);
    const environment = fromEnvironment({ RESTATE_INGRESS__BIND_PORT: "1", STEPWELL_INGRESS__PORT: "2" });
    expect(environment.settings["ingress.port"]).toBe(2);
    expect(environment.warnings[0]).toMatch(
      /variable RESTATE_INGRESS__BIND_PORT has no effect.*STEPWELL_INGRESS__PORT/,
    );
  });

  it("for one listener win over the names for all listeners, without a warning", () => {
    const { settings, warnings } = fromFile('bind-ip = "0.0.0.0"\nuse-random-ports = true\n[ingress]\nbind-port = 81');
    expect([settings["ingress.bind"], settings["ingress.port"], settings["admin.port"]]).toEqual(["0.0.0.0", 81, 0]);
    expect(warnings).toEqual([]);
  });

  it.each([
    ['log-filter = "restate_worker=debug"', /line 1: log-filter.*no equal.*log\.level/],
    ["use-random-ports = false", /use-random-ports.*no equal.*ingress\.port, admin\.port/],
  ])("with a value that has no equivalent in Stepwell are logged: %s", (text, warning) => {
    const { settings, warnings } = fromFile(text);
    expect([settings["log.level"], settings["ingress.port"]]).toEqual(["info", 8080]);
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });

  it.each([
    ['[ingress]\nbind-address = "unix:/x"', /ingress\.bind-address: "unix:\/x" is not a port/],
    ["use-random-ports = 8080", /use-random-ports: .* is not a port/],
    ['log-format = "xml"', /log-format: "xml" is not one of pretty, json/],
  ])("refuse a value that cannot be read: %s", (text, message) => {
    expect(() => fromFile(text)).toThrow(
      expect.objectContaining({ code: "RT0002", message: expect.stringMatching(message) }),
    );
  });
});

describe("the reference's settings that Stepwell does not have", () => {
  it.each([
    ['bind-address = "0.0.0.0:5122"', /ingress\.bind and ingress\.port/],
    ["bind-port = 5122", /ingress\.port/],
    ['advertised-address = "http://x/"', /advertise/],
    ['proxy-address = "http://p:1"', /proxy/],
    ['[tracing-headers]\nx-team = "a"', /OTEL_EXPORTER_OTLP_HEADERS/],
    ['[worker.invoker.additional-request-headers]\nx-a = "b"', /additional_headers/],
    ['rocksdb-total-memory-size = "2GiB"', /memory-size/],
    ['[worker.invoker]\nhttp2-keep-alive-interval = "40s"', /HTTP\/2/],
  ])("are logged with the reason: %s", (text, reason) => {
    const { warnings } = fromFile(text);
    expect(warnings).toEqual([expect.stringMatching(reason)]);
    expect(warnings[0]).toMatch(
      /^There is no such setting, restate\.toml, line \d+: |^There is no such setting, restate/,
    );
  });

  it("are logged for a variable too, and a misspelt variable is logged with the name that was meant", () => {
    const { warnings } = fromEnvironment({ RESTATE_PROXY_ADDRESS: "http://p", RESTATE_INGRES__BIND_PORT: "1" });
    expect(warnings).toEqual([
      expect.stringMatching(/RESTATE_PROXY_ADDRESS: .*proxy/),
      expect.stringMatching(/RESTATE_INGRES__BIND_PORT; did you mean RESTATE_INGRESS__BIND_PORT\?/),
    ]);
  });

  it.each([
    [{ RESTATE_TRACING_HEADERS__AUTHORIZATION: "canary" }, /OTEL_EXPORTER_OTLP_HEADERS.*concerns security/],
    [{ RESTATE_ADMIN__TLS_KEY: "canary" }, /RESTATE_ADMIN__TLS_KEY.*concerns security/],
  ])("make the start fail if the name concerns security: %j", (environment, reason) => {
    expect(() => fromEnvironment(environment)).toThrow(reason);
    expect(() => fromEnvironment(environment)).not.toThrow(/canary/);
  });

  it("exclude the variables of clients and of Kubernetes, which cause no warning", () => {
    const environment = {
      RESTATE_AUTH_TOKEN: "x",
      RESTATE_ADMIN_URL: "http://a",
      RESTATE_LOGGING: "INFO",
      RESTATE_CLI_CONFIG_HOME: "/x",
      RESTATE_SERVICE_HOST: "10.0.0.1",
      RESTATE_PORT_9070_TCP_ADDR: "10.0.0.1",
      RESTATE_PORT: "tcp://10.0.0.1:9070",
      RESTATE_CONFIG: "restate.toml",
    };
    expect(fromEnvironment(environment).warnings).toEqual([]);
  });

  it("have a reason without a full stop, and Stepwell has no setting or alias with one of their names", () => {
    for (const [name, reason] of Object.entries(FOREIGN_SETTINGS))
      expect([name, reason]).toEqual([name, expect.stringMatching(/^[a-zA-Z].*[^.]$/)]);
    for (const name of [...SETTING_PATHS, ...ALIAS_NAMES])
      expect([name, foreignReason(name)]).toEqual([name, undefined]);
  });
});
