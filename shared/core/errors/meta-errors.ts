/** The META codes: registration, discovery, subscriptions, and the store of the registry. */
import { REFUSE_START, reject } from "./error-entry.ts";
import type { ErrorEntry } from "./error-entry.ts";

export const META_ERRORS = {
  META0003: {
    title: "The deployment cannot be reached for discovery",
    arises:
      "Discovery gets no answer with a status below 300 within ten seconds: the address is refused or unknown, a certificate is not trusted, or the deployment answers 401, 404 or 500. On AWS, a public address without TLS is refused too.",
    outcome: reject(500),
    remedy:
      "Check the address, that the deployment runs, and that this server can reach it. If the deployment asks for authentication, pass the headers as additional_headers. On AWS, use https://, or list the address in aws.allowed-addresses. If AWS refuses the call of a Lambda function, the message names the policy that decided, if AWS names one, and the command that grants the call. If the permission is there, look at its qualifier (a version or an alias needs one of its own), at the policy of the calling role (handlerArns, the tag stepwell, or the role in assume_role_arn), at permissions boundaries and service control policies, and across accounts at both sides; a KMS key and a VPC concern the function's own role.",
  },
  META0004: {
    title: "A deployment with this address is registered already",
    arises:
      "The address (compared without the scheme and without a slash at the end) or the ARN belongs to a registered deployment, even if the manifest has changed since. A dry run gets 200 and the registered deployment.",
    outcome: reject(409),
    remedy:
      "Register the changed deployment under a new address. Or replace the registered one with force; its open invocations may then be unable to continue.",
  },
  META0005: {
    title: "The metadata of a deployment or service cannot be used",
    arises:
      "The name of a service in the manifest begins with `restate`, in upper or lower case, or is `openapi`. Or the change could not be written, because other changes of the registry came first at every try. At start: the meta store holds a deployment that cannot be read.",
    outcome: { ...reject(400), refusesStart: true },
    remedy:
      "Choose a name that does not begin with 'restate' and is not 'openapi'. If the registry was changing, send the request again. At start, the meta store is damaged: empty meta.storage-path, and register the deployments again in their original order.",
  },
  META0006: {
    title: "The new revision conflicts with the registered one",
    arises:
      "The manifest changes the type of a registered service, or lacks handlers of the latest revision of that service.",
    outcome: reject(409),
    remedy:
      "Keep the type of the service and every handler of the earlier revision. Or give the service a new name, or register with breaking.",
  },
  META0009: {
    title: "The subscription is not valid",
    arises:
      "The source of a subscription is not kafka://<cluster>/<topic> or names a cluster that is not configured; or its sink is not service://<service>/<handler> or names a handler that is not registered.",
    outcome: reject(400),
    remedy:
      "Write source and sink in these forms. Configure the cluster (POST /kafka-clusters) and register the handler before the subscription.",
  },
  META0010: {
    title: "The meta store was written by an incompatible version of the server",
    arises:
      "The local process starts on a meta directory whose database is damaged, or whose VERSION file is damaged or names an older format, a newer format or another kind of store. On AWS, a function starts on a table whose schema item names another format.",
    outcome: REFUSE_START,
    remedy:
      "Start the version of the server that wrote the store. Or migrate the store, empty it, or choose another meta.storage-path or table.",
  },
  META0011: {
    title: "The meta store holds data but no version file",
    arises:
      "The local process starts on a meta directory that is not empty and has no VERSION file. On AWS, a function starts on a table that has lost its schema item.",
    outcome: REFUSE_START,
    remedy: "The store is damaged, or older than 0.8. Empty it, or choose another meta.storage-path or table.",
  },
  META0012: {
    title: "The deployment and this server share no protocol version",
    arises:
      "The manifest's range of protocol versions ends below the lowest version of this server, or begins above its highest.",
    outcome: reject(500),
    remedy: "Use a version of the SDK and a version of the server that share a protocol version.",
  },
  META0013: {
    title: "The deployment's answer to the discovery cannot be used",
    arises:
      "The answer to the discovery does not have the content type of a manifest, cannot be decoded, lacks the protocol mode or the protocol versions, names protocol versions that do not exist, or is too large.",
    outcome: reject(500),
    remedy:
      "Check that an endpoint of an SDK serves this address, and that the SDK and the server share a protocol version.",
  },
  META0014: {
    title: "The deployment seems to speak HTTP/1.1 only",
    arises: "Discovery speaks HTTP/2 with prior knowledge, and the answer looks like HTTP/1.1.",
    outcome: reject(500),
    remedy:
      "Register the deployment with use_http_11 (--use-http1.1). In production, serve the deployment over HTTP/2.",
  },
  META0015: {
    title: "The deployment announces the bidirectional mode over a transport without that mode",
    arises: "A deployment on Lambda announces the bidirectional mode, which a call of a function does not have.",
    outcome: reject(500),
    remedy: "Configure the endpoint for the request-response mode.",
  },
  META0016: {
    title: "The discovered deployment differs too much from the one it would update",
    arises:
      "At an update in place (PUT), a service of the deployment is gone, has lost a handler or has changed its type, or the protocol versions differ. PATCH compares the protocol versions alone.",
    outcome: reject(400),
    remedy:
      "Keep every service with its type and handlers, and exactly the same protocol versions. Deployments with the same minor version of the SDK mostly have the same.",
  },
  META0017: {
    title: "Two or more deployments share this address",
    arises: "A registration with force finds two or more deployments under the address.",
    outcome: reject(409),
    remedy:
      "Delete all of them but one (DELETE /deployments/{deployment_id}); the registration then replaces that one.",
  },
  META0018: {
    title: "The request brings no token, or not the right one",
    arises:
      "The local admin API and `stepwell proxy` answer only requests with their token, or of a page of the web UI that `stepwell ui` has opened. The reference's command line sends a token in the same way.",
    outcome: reject(401),
    remedy:
      "The commands of stepwell find the token of a local server in its data directory: run them where `stepwell dev` runs, or with the same --data-dir. Elsewhere, and for `stepwell proxy`, set STEPWELL_AUTH_TOKEN. Other programs send the header `authorization: Bearer <token>`; the reference's command line does so with RESTATE_AUTH_TOKEN.",
  },
} as const satisfies Record<string, ErrorEntry>;
