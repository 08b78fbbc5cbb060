/** A refusal of the ingress: thrown while a request is handled, converted to an answer in one place. */

export class IngressRefusal extends Error {
  override name = "IngressRefusal";
  /** The HTTP status, which is also the body's code. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.headers = headers;
  }
}

export function notFound(): IngressRefusal {
  return new IngressRefusal(404, "not found");
}

/** @param allowed the allowed methods in addition to OPTIONS, which every route answers */
export function methodNotAllowed(...allowed: readonly ("GET" | "POST")[]): IngressRefusal {
  return new IngressRefusal(405, "method not allowed", { allow: [...allowed, "OPTIONS"].join(",") });
}

export function notPublic(): IngressRefusal {
  return new IngressRefusal(400, "the invoked service is not public");
}

export function unknownService(service: string): IngressRefusal {
  return new IngressRefusal(
    404,
    `service '${service}' not found, make sure to register a deployment that offers it before calling it`,
  );
}

export function unknownHandler(service: string, handler: string): IngressRefusal {
  return new IngressRefusal(
    404,
    `the service '${service}' exists, but the handler '${handler}' was not found, ` +
      "check its spelling and that the newest deployment of the service is registered",
  );
}
