/** Calls that leave invocations in every status; none changes for an hour, so that pages can be compared. */
import type { Stage } from "./stage.ts";

export interface History {
  readonly deployment: string;
  /** Ids by the name of the call: `greeted`, `stumble` and so on. */
  readonly ids: Readonly<Record<string, string>>;
  /** The id of a subscription whose broker cannot be reached, and whose position was never written. */
  readonly subscription: string;
}

export async function makeHistory(stage: Stage): Promise<History> {
  const deployment = await stage.register();
  const operate = async (id: string, operation: string, status: string): Promise<string> => {
    await stage.ask("PATCH", `/invocations/${id}/${operation}`);
    await stage.untilStatus(id, status);
    return id;
  };
  await stage.call("/Greeter/greet", "Ann");
  await stage.call("/Counter/a/add", 3);
  await stage.call("/Counter/a/add", 4);
  await stage.call("/Counter/a/put", { name: "Ann", "a list": [1, 2, 3], note: "x".repeat(3_000) });
  const signup = await stage.send("/Signup/ann/run/send", "ann@example.com", "suspended");
  await stage.call("/Signup/ann/verify", "1234");
  await stage.untilStatus(signup, "completed");
  const nap = (): Promise<string> => stage.send("/Greeter/nap/send", null, "suspended");
  const stumble = (): Promise<string> => stage.send("/Greeter/stumble/send", null, "backing-off");
  const ids = {
    signup,
    greeted: await stage.send("/Greeter/greet/send", "Bob", "completed"),
    call: await stage.send("/Greeter/call/send", null, "completed"),
    refused: await stage.send("/Greeter/refuse/send", null, "completed"),
    nap: await nap(),
    stumble: await stumble(),
    paused: await operate(await stumble(), "pause", "paused"),
    killed: await operate(await nap(), "kill", "completed"),
    cancelled: await operate(await nap(), "cancel", "completed"),
    scheduled: await stage.send("/Greeter/greet/send?delay=1h", "Later", "scheduled"),
    hold: await stage.send("/Counter/b/hold/send", null, "suspended"),
    waits: await stage.send("/Counter/b/add/send", 1, "pending"),
    open: await stage.send("/Signup/bob/run/send", "bob@example.com", "suspended"),
    awaits: await stage.send("/Greeter/await/send", null, "suspended"),
    runs: await stage.send("/Greeter/run/send", null, "running"),
    fan: await stage.send("/Greeter/fan/send", 40, "completed"),
  };
  return { deployment, ids, subscription: await subscribe(stage) };
}

/** Nothing listens at the port of the broker. A second subscription is paused. */
async function subscribe(stage: Stage): Promise<string> {
  const properties = { "bootstrap.servers": "127.0.0.1:1", "client.id": "x".repeat(200) };
  await stage.ask("POST", "/kafka-clusters", { name: "main", properties });
  const make = async (topic: string, handler: string): Promise<string> =>
    (await stage.ask("POST", "/subscriptions", { source: `kafka://main/${topic}`, sink: `service://${handler}` })).id;
  const paused = await make("a.topic-with_a.long.name.".repeat(9), "Counter/add");
  await stage.ask("PATCH", `/subscriptions/${paused}`, { paused: true });
  return await make("orders", "Greeter/greet");
}
