/** Aliases: setting names of the reference server, each with a function that converts its value to the value of our setting. */
import type { Alias } from "./setting-kinds.ts";

/** `host:port`, in which a host with colons is in brackets. */
const ADDRESS = /^(?:\[([^\]]+)\]|([^[\]/]*)):(\d+)$/;
const LEVELS: Readonly<Record<string, string>> = { trace: "debug", off: "silent" };
/** In a filter such as `warn,restate=info`, the program's own level follows this text. */
const OWN_LEVEL = "restate=";

/** The host of an address such as `0.0.0.0:8080`. */
export function hostOf(name: string): Alias {
  return { name, translate: (raw) => (typeof raw === "string" ? (hostIn(raw) ?? raw) : raw) };
}

function hostIn(address: string): string | undefined {
  const [, bracketed, plain] = ADDRESS.exec(address) ?? [];
  return bracketed ?? plain;
}

/** The port of an address such as `0.0.0.0:8080`. */
export function portOf(name: string): Alias {
  return { name, translate: (raw) => (typeof raw === "string" ? (ADDRESS.exec(raw)?.[3] ?? raw) : raw) };
}

/** `true` asks for a free port. */
export function randomPort(name: string): Alias {
  return {
    name,
    translate(raw) {
      const written = String(raw).toLowerCase();
      if (written === "true") return "0";
      // Any other value is put into a list, so that the setting refuses it even if it is a number.
      return written === "false" ? undefined : [raw];
    },
  };
}

/** The level of a filter such as `warn,restate=info`; a filter that names other parts of a program has no equal here. */
export function levelOf(name: string): Alias {
  return {
    name,
    translate(raw) {
      if (typeof raw !== "string") return raw;
      const directives = raw.split(",").map((directive) => directive.trim().toLowerCase());
      const own = directives.find((directive) => directive.startsWith(OWN_LEVEL))?.slice(OWN_LEVEL.length);
      if (directives.some((directive) => directive.includes("=") && !directive.startsWith(OWN_LEVEL))) return undefined;
      const level = own ?? directives.at(-1)!;
      return LEVELS[level] ?? level;
    },
  };
}

/** The reference's `compact` writes each event as one line of plain text, as `pretty` does here. */
export function formatOf(name: string): Alias {
  return { name, translate: (raw) => (String(raw).toLowerCase() === "compact" ? "pretty" : raw) };
}
