/** Stands for `shared/adapters/kafka/client.ts` in the simulation: each process gets a client over the broker in memory. */
import { AsyncLocalStorage } from "node:async_hooks";
import { tellAborted } from "../../../shared/adapters/kafka/aborted-transactions.ts";
import { simulatedClient, type Site } from "./simulated-client.ts";

/** The site of the process whose work runs now. */
export const sites = new AsyncLocalStorage<Site>();

export async function loadClient(): Promise<unknown> {
  const site = sites.getStore();
  if (site === undefined) throw new Error("the work of no process asks for a client");
  const client = simulatedClient(site);
  tellAborted(client as never);
  return client;
}
