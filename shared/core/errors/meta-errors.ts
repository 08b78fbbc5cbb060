/** The META codes: registration, discovery, and the store of the registry. */
import { REFUSE_START, reject } from "./error-entry.ts";
import type { ErrorEntry } from "./error-entry.ts";

export const META_ERRORS = {
  META0003: {
    title: "The deployment cannot be reached for discovery",
    arises:
      "Discovery gets no answer with a status below 300 within ten seconds: the address is refused or unknown, on AWS also where it is a public one without TLS, a certificate is not trusted, or the deployment answers 401, 404 or 500.",
    outcome: reject(500),
    remedy:
      "Check the address, that the deployment runs and that this server can reach it. Where it asks for authentication, pass the headers as additional_headers. On AWS, use https://, or name the address in aws.allowed-addresses.",
  },
  META0004: {
    title: "A deployment with this address is registered already",
    arises:
      "The address, without its scheme and without a slash at its end, or the ARN is that of a registered deployment, whatever the manifest says by now. A dry run is answered with 200 and with what is registered.",
    outcome: reject(409),
    remedy:
      "Register the changed deployment under a new address. With force it replaces the registered one, which may leave invocations in flight unable to go on.",
  },
  META0005: {
    title: "The metadata of a deployment or service cannot be taken over",
    arises:
      "The manifest names a service that begins with `restate`, in whatever case, or is called `openapi`; or the registry changed so often meanwhile that the change could not be written. At start: the meta store holds a deployment that cannot be read.",
    outcome: { ...reject(400), refusesStart: true },
    remedy:
      "Choose a name that does not begin with 'restate' and is not 'openapi'; where the registry was changing, ask again. At start it means a damaged meta store: empty meta.storage-path and register the deployments again in their original order.",
  },
  META0006: {
    title: "The new revision conflicts with the registered one",
    arises: "The manifest changes the type of a registered service, or lacks handlers of its latest revision.",
    outcome: reject(409),
    remedy:
      "Keep the type of the service and every handler of the earlier revision, give the service a new name, or register with breaking.",
  },
  META0009: {
    title: "The subscription is not valid",
    arises:
      "A subscription is registered whose source is not kafka://<cluster>/<topic> or names a cluster that is not configured, or whose sink is not service://<service>/<handler> or names a handler that is not registered.",
    outcome: reject(400),
    remedy:
      "Configure the cluster (POST /kafka-clusters) and register the handler first, and write source and sink in these forms.",
  },
  META0010: {
    title: "The meta store was written by an incompatible version of the server",
    arises:
      "The local process starts on a meta directory whose VERSION file names an older or newer format, another kind of store, or is damaged; or the directory cannot be read. On AWS, a function starts on a table whose schema item names another format.",
    outcome: REFUSE_START,
    remedy: "Start the version that wrote it, migrate it, empty it, or choose another meta.storage-path or table.",
  },
  META0011: {
    title: "The meta store holds data but no version file",
    arises:
      "The local process starts on a meta directory that is not empty and has no VERSION file. On AWS, a function starts on a table that has lost its schema item.",
    outcome: REFUSE_START,
    remedy: "It is damaged, or older than 0.8. Empty it or choose another meta.storage-path or table.",
  },
  META0012: {
    title: "The deployment and this server share no protocol version",
    arises:
      "The manifest's range of protocol versions ends below the lowest version of this server, or begins above its highest.",
    outcome: reject(500),
    remedy: "Use versions of the SDK and of the server that fit each other.",
  },
  META0013: {
    title: "The deployment answered the discovery with something that cannot be used",
    arises:
      "The answer to the discovery has no manifest's content type, cannot be decoded, lacks the protocol mode or the versions, names versions that cannot be, or is too large.",
    outcome: reject(500),
    remedy:
      "Check that the address is that of an SDK endpoint, and that the versions of the SDK and of the server fit each other.",
  },
  META0014: {
    title: "The deployment seems to speak HTTP/1.1 only",
    arises: "Discovery spoke HTTP/2 with prior knowledge, and what came back looks like HTTP/1.1.",
    outcome: reject(500),
    remedy: "Register it with use_http_11 (--use-http1.1). Deployments meant for production speak HTTP/2.",
  },
  META0015: {
    title: "The deployment announces the bidirectional mode over a transport that has none",
    arises: "A deployment on Lambda announces the bidirectional mode.",
    outcome: reject(500),
    remedy: "Let the endpoint announce the request-response mode.",
  },
  META0016: {
    title: "The discovered deployment differs too much from the one it would update",
    arises:
      "An update in place (PUT) finds that a service is gone, lost a handler or changed its type, or that the protocol versions are not exactly the same. PATCH looks at the protocol versions alone.",
    outcome: reject(400),
    remedy:
      "Keep every service with its type and handlers, and exactly the same protocol versions: in general the same minor version of the SDK.",
  },
  META0017: {
    title: "Two or more deployments share this address",
    arises: "Registration with force meets two or more deployments under the address.",
    outcome: reject(409),
    remedy: "Delete one of them (DELETE /deployments/{deployment_id}), so that it is clear which one is replaced.",
  },
} as const satisfies Record<string, ErrorEntry>;
