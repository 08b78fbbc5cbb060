/** Creates the Scheduler client that the timers of one process share. */
import { SchedulerClient } from "@aws-sdk/client-scheduler";
import { clientConfig, type ServiceAddress } from "../aws-clients/client-config.ts";

/** Smaller Regions allow only some hundreds of creations a second, so a throttled creation gets more tries than usual. */
export function schedulerClient(address: ServiceAddress = {}): SchedulerClient {
  return new SchedulerClient(clientConfig(address, { attemptsMax: 6, socketsMax: 128 }));
}
