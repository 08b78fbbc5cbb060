/** The refusal to remove a deployment that invocations need, with the operator's options. */
import type { Needs } from "../../../engine/register/needed-by.ts";

export function inUseText(id: string, { pinned, unserved, services, isAtLeast }: Needs): string {
  if (pinned + unserved === 0)
    return (
      `Too many invocations are open to tell whether an invocation needs the deployment '${id}'; so far none was found. ` +
      "Try again when fewer are open, or remove the deployment with force=true: invocations that need it then fail with RT0011"
    );
  const names = services.join(", ");
  const facts = [
    ...(pinned > 0 ? [`has ${counted(pinned, isAtLeast)} pinned to it`] : []),
    ...(unserved > 0 ? [`alone serves ${counted(unserved, isAtLeast)} of ${names}`] : []),
  ];
  const register = unserved > 0 ? `Register another deployment of ${names}, wait` : "Wait";
  const until = [
    ...(pinned > 0 ? ["they are resumed on another deployment"] : []),
    ...(unserved > 0 ? [`a deployment of ${names} is registered`] : []),
  ];
  return (
    `The deployment '${id}' ${facts.join(", and ")}. ${register} until they have ended, cancel or kill them, ` +
    `or remove the deployment with force=true: they then fail with RT0011 until ${until.join(" or ")}`
  );
}

function counted(count: number, isAtLeast: boolean): string {
  return `${isAtLeast ? "at least " : ""}${count} open invocation${count === 1 ? "" : "s"}`;
}
