/** Creates the SSM client by which a function reads its keys while it starts. */
import { SSMClient } from "@aws-sdk/client-ssm";
import { clientConfig, type ServiceAddress } from "../aws-clients/client-config.ts";

/** Many tries: a function without keys does not start, and SSM throttles the reads of many functions that start together. */
export function ssmClient(address: ServiceAddress = {}): SSMClient {
  return new SSMClient(clientConfig(address, { attemptsMax: 6, socketsMax: 50 }));
}
