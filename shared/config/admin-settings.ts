/** The settings of the admin API, rows of the table of settings. */
import { hostNames } from "./name-list.ts";
import { hostOf, portOf, randomPort } from "./reference-values.ts";
import { also, choice, flag, interval, optionalSize, port, secretText, size, sizeFrom, text } from "./setting-kinds.ts";

export const ADMIN_SETTINGS = {
  "admin.bind": also(
    text("127.0.0.1", "The address of the admin API."),
    hostOf("admin.bind-address"),
    "admin.bind-ip",
    "bind-ip",
  ),
  "admin.port": also(
    port("9070", "The port of the admin API; 0 takes a free one."),
    portOf("admin.bind-address"),
    "admin.bind-port",
    randomPort("admin.use-random-ports"),
    randomPort("use-random-ports"),
  ),
  "admin.auth": choice(
    ["token", "off"],
    "Whether the local admin API wants a token of its clients: the content of the file admin-token in data-dir, sent as a bearer token. With off, every user of the machine is an operator. On AWS, IAM decides.",
  ),
  "admin.token": secretText(
    "The token of the local admin API, of 32 to 512 letters, digits and -._~+/=; it replaces the one in the file admin-token of data-dir, which is random.",
    /^[\w.~+/=-]{32,512}$/,
    "32 to 512 letters, digits or characters of -._~+/=",
  ),
  "admin.allowed-hosts": hostNames(
    "Host names that the local admin API accepts beside addresses and localhost; where admin.bind is no loopback address, it also accepts names without a dot and names that end with .local, .internal, .svc or .test; * accepts all. It refuses other names, since a web page could use them.",
  ),
  "admin.disable-web-ui": also(flag("false", "Whether the admin API serves no web UI at /ui/."), "disable-web-ui"),
  "admin.request-size-limit": size("4MiB", "The largest request body that the admin API accepts."),
  "admin.query-engine.memory-size": sizeFrom(
    "16MiB",
    "256MiB",
    "The memory that one SQL statement may take in its process, on AWS at most half of the function's memory; two run at a time.",
  ),
  "admin.query-engine.time-limit": interval(
    "30s",
    "How long one SQL statement may take, without the time in which it waits for a client that reads its rows slowly; on AWS at most the function's time.",
  ),
  "admin.bodies-size-limit": optionalSize(
    "As ingress.bodies-size-limit, for the admin API; by default a thirty-second of memory-size.",
  ),
  "admin.answers-size-limit": optionalSize(
    "As ingress.answers-size-limit, for the admin API; by default an eighth of memory-size.",
  ),
} as const;
