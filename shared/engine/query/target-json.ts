/** The target of a call as the JSON of the table `sys_journal` contains it, with the type of its service and of its handler. */
import type { ServiceType, Target } from "../../core/model/target.ts";

export interface TargetTypes {
  /** By service name. */
  readonly serviceTypes: ReadonlyMap<string, ServiceType>;
  /** `<service>/<handler>` of the shared handlers. */
  readonly sharedHandlers: ReadonlySet<string>;
}

/** A service that is no longer registered counts as an object if the target has a key. */
export function targetJson({ service: name, handler, key }: Target, types: TargetTypes): unknown {
  if (key === undefined) return { Service: { name, handler, scope: null } };
  const isShared = types.sharedHandlers.has(`${name}/${handler}`);
  const isWorkflow = types.serviceTypes.get(name) === "workflow";
  const own = isWorkflow ? "Workflow" : "Exclusive";
  const told = { name, key, handler, handler_ty: isShared ? "Shared" : own, scope: null };
  return isWorkflow ? { Workflow: told } : { VirtualObject: told };
}
