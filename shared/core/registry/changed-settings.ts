/** Gives newly discovered services the settings that an operator has changed. */
import type { ServiceRevision } from "../model/deployment.ts";
import type { HandlerSettings, Service } from "../model/service.ts";

/** A service whose type has changed counts as a new service, so it gets none of the changes. */
export function withChangedSettings(
  registered: readonly ServiceRevision[],
  discovered: readonly Service[],
): readonly Service[] {
  return discovered.map((service) => {
    const former = registered.find(({ name, type }) => name === service.name && type === service.type);
    if (former?.announcedSettings === undefined) return service;
    const settings = { ...service.settings, ...changesOf(former.settings, former.announcedSettings) };
    return { ...service, settings, announcedSettings: service.settings };
  });
}

function changesOf(settings: HandlerSettings, announced: HandlerSettings): HandlerSettings {
  const before = new Map(Object.entries(announced));
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => before.get(name) !== value));
}
