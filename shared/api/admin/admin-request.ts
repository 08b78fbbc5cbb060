/** What a route of the admin API is given: the engine, the request, and the names in its path. */
import type { Engine } from "../../engine/engine.ts";
import type { Sql } from "../../engine/ports/sql.ts";
import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { needlessEscape } from "../http/spelling.ts";
import { PlainRefusal } from "./plain-refusal.ts";
import type { InvocationUseCases } from "./use-cases.ts";

/** Runs statements and writes their answers: as the JSON of the query route, or as an Arrow stream. */
export interface StatementFront {
  readonly json: Sql<Uint8Array>;
  readonly arrow: Sql<Uint8Array>;
}

/** What the face knows beside the engine. */
export interface AdminDeps {
  /** Of the program. */
  readonly version: string;
  /** Where handlers are called, for clients that ask. */
  readonly ingressEndpoint?: string;
  /** The measures in the text format of Prometheus. */
  readonly metricsText: () => Promise<string>;
  readonly invocations: InvocationUseCases;
  /** What `POST /query` is answered by; absent where it is not. */
  readonly statements?: StatementFront;
}

export interface AdminRequest {
  readonly engine: Engine;
  readonly deps: AdminDeps;
  readonly request: HttpRequest;
  /** 2 where the path says so; its registrations replace by default. */
  readonly apiVersion: number;
  /** Not decoded. */
  readonly params: Readonly<Record<string, string>>;
}

export type AdminRoute = (asked: AdminRequest) => Promise<HttpResponse>;

/** A segment of the path, decoded. @throws PlainRefusal 400 if the segment is no UTF-8, or escapes a letter or digit */
export function pathParam(asked: AdminRequest, name: string): string {
  const raw = asked.params[name] ?? "";
  const escape = needlessEscape(raw);
  if (escape !== undefined) {
    throw new PlainRefusal(
      400,
      `Invalid URL: \`${name}\` has '${escape}', which is a letter or digit: write it as it is`,
    );
  }
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new PlainRefusal(400, `Invalid URL: Cannot parse \`${name}\` with value \`${raw}\``);
  }
}
