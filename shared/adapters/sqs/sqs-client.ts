/** Creates the SQS client that the queues of one process share. */
import { SQSClient } from "@aws-sdk/client-sqs";
import { clientConfig, type ServiceAddress } from "../aws-clients/client-config.ts";

/** More sockets than polls, because a long poll occupies its socket, and sets its own limit of time. */
export function sqsClient(address: ServiceAddress = {}): SQSClient {
  return new SQSClient(clientConfig(address, { attemptsMax: 4, socketsMax: 256 }));
}
