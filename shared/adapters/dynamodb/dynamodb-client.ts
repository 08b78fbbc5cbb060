/** Creates the DynamoDB client that the tables of one process share. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { clientConfig, type ServiceAddress } from "../aws-clients/client-config.ts";

/** An emulator is one process on a machine that may be busy, so a retry would only make it slower. */
const EMULATOR_TIMEOUTS = { connectTimeoutMs: 20_000, requestTimeoutMs: 20_000 };

/** With the client's default of 50 sockets, a worker that drives a batch would wait for a free one. */
export function dynamoClient(address: ServiceAddress = {}): DynamoDBClient {
  const timeouts = address.endpoint === undefined ? {} : EMULATOR_TIMEOUTS;
  return new DynamoDBClient(clientConfig(address, { attemptsMax: 4, socketsMax: 256, ...timeouts }));
}
