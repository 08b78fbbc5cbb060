/** The input of an admin route: the engine, the request, and the parameters of its path. */
import type * as z from "zod";
import type { EndsView } from "../../../engine/local/recent-ends.ts";
import type { Engine } from "../../../engine/engine.ts";
import type { ReadinessCheck } from "../../../engine/ports/readiness.ts";
import type { Sql, WrittenAnswer } from "../../../engine/ports/sql.ts";
import type { HttpRequest, HttpResponse } from "../../http/message.ts";
import type { RouteEntry } from "../../http/router.ts";
import { needlessEscape } from "../../http/spelling.ts";
import type { Packing } from "./packed-answer.ts";
import type { InvocationUseCases } from "./use-cases.ts";

/** Evaluates statements and encodes their answers, as the JSON of the query route or as an Arrow stream. */
export interface StatementEvaluation {
  readonly json: Sql<WrittenAnswer>;
  /** JSON that names the columns of the statement before the rows. */
  readonly columnedJson: Sql<WrittenAnswer>;
  readonly arrow: Sql<WrittenAnswer>;
}

/** A file of the web UI. */
export interface UiFile {
  /** The content type. */
  readonly type: string;
  readonly gzip: Uint8Array;
}

/** The dependencies of the admin API beside the engine. */
export interface AdminDeps {
  /** The version of the program. */
  readonly version: string;
  /** The address of the ingress, for clients that need it. */
  readonly ingressEndpoint?: string;
  /** Where the server runs: in one process on one machine, or as functions, where each read of the table has a price. */
  readonly runsOn: "one-process" | "functions";
  /** The files of the web UI by name; absent if the UI is not served. */
  readonly uiFiles?: ReadonlyMap<string, UiFile>;
  /** Answers requests of the ingress, for calls that operators make; absent if they are unsupported. */
  readonly ingress?: (request: HttpRequest) => Promise<HttpResponse>;
  /** How invocations ended in the last hour; absent if several processes end invocations. */
  readonly recentEnds?: () => EndsView;
  /** Compresses answers; without it they are sent as they are. */
  readonly packing?: Packing;
  /** The metrics in the text format of Prometheus. */
  readonly metricsText: () => Promise<string>;
  /** Whether this process takes new work; absent if it does not own its store. */
  readonly readiness?: () => Promise<readonly ReadinessCheck[]>;
  readonly invocations: InvocationUseCases;
  /** Answers `POST /query`; absent if the route is unsupported. */
  readonly statements?: StatementEvaluation;
}

export interface AdminRequest {
  readonly engine: Engine;
  /** Without a look of the process's own, the readiness is that of the store. */
  readonly deps: AdminDeps & Required<Pick<AdminDeps, "readiness">>;
  readonly request: HttpRequest;
  /** The version in the path's prefix. In version 2, a registration replaces an existing deployment by default. */
  readonly apiVersion: number;
  /** Undecoded. */
  readonly params: Readonly<Record<string, string>>;
}

export type AdminRoute = (asked: AdminRequest) => Promise<HttpResponse>;

/** How the OpenAPI document describes a route. */
export interface RouteDescription {
  readonly summary: string;
  /** The alternative schemas of the request body. */
  readonly body?: readonly z.ZodType[];
  readonly query?: z.ZodObject;
  /** The schemas of the answers by status; null means that the document describes no content. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>;
  /** The codes of `docs/errors.md` with which the route refuses requests. */
  readonly codes?: readonly string[];
}

/** A row of a table of routes. The document shows a route without a description by its path and method only. */
export interface AdminRouteRow extends RouteEntry<AdminRoute> {
  readonly operation?: RouteDescription;
}

export function route(
  method: string,
  pattern: string,
  target: AdminRoute,
  operation?: RouteDescription,
): AdminRouteRow {
  return { method, pattern, target, ...(operation && { operation }) };
}

/** A refusal in plain text, usually because the request is malformed; other refusals are JSON. */
export class PlainRefusal extends Error {
  override name = "PlainRefusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A decoded segment of the path. @throws PlainRefusal 400 if the segment is not UTF-8, or escapes a letter or digit */
export function pathParam(asked: AdminRequest, name: string): string {
  const raw = asked.params[name] ?? "";
  const escape = needlessEscape(raw);
  if (escape !== undefined) {
    throw new PlainRefusal(
      400,
      `Invalid URL: \`${name}\` has '${escape}', which is an escaped letter or digit: write the character itself`,
    );
  }
  try {
    return decodeURIComponent(raw);
  } catch {
    throw new PlainRefusal(400, `Invalid URL: Cannot parse \`${name}\` with value \`${raw}\``);
  }
}
