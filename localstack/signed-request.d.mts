/** The types of `signed-request.mjs`, for TypeScript callers. */
import type { IncomingHttpHeaders } from "node:http";

export interface LocalApi {
  readonly host: string;
  readonly port: number;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface ApiRequest {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials?: Credentials;
  /** Aborts the request: the promise rejects. */
  readonly signal?: AbortSignal;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export function localApi(url: string, endpoint: string): LocalApi;
export function localAddress(url: string, endpoint: string): string;
export function send(api: LocalApi, request: ApiRequest): Promise<ApiResponse>;
