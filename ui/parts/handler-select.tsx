/** The field that chooses one handler among those of all services. */
import type { JSX } from "preact";
import type { ServiceBody } from "../../shared/api/contract/services.ts";
import { optionText } from "../model/visible-text.ts";

export interface HandlerSelectProps {
  readonly services: readonly ServiceBody[];
  /** The names of the chosen handler's service and of the handler. The field shows no choice if the list lacks that handler. */
  readonly service: string | undefined;
  readonly handler: string | undefined;
  readonly onChoose: (service: string, handler: string) => void;
}

/** The values of the options are positions in the list, because a name may contain any separator. */
export function HandlerSelect({ services, service, handler, onChoose }: HandlerSelectProps): JSX.Element {
  const at = services.findIndex(({ name }) => name === service);
  const handlerAt = services[at]?.handlers.findIndex(({ name }) => name === handler) ?? -1;
  const choose = (value: string): void => {
    const [nextAt, nextHandlerAt] = value.split(" ").map(Number);
    const next = services[nextAt!];
    const nextHandler = next?.handlers[nextHandlerAt!];
    if (next !== undefined && nextHandler !== undefined) onChoose(next.name, nextHandler.name);
  };
  return (
    <select
      value={handlerAt === -1 ? "" : `${at} ${handlerAt}`}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    >
      <option value="" disabled>
        choose …
      </option>
      {services.map((one, position) => (
        <optgroup key={one.name} label={optionText(one.name)}>
          {one.handlers.map(({ name }, handlerPosition) => (
            <option key={name} value={`${position} ${handlerPosition}`}>
              {optionText(one.name)}/{optionText(name)}
            </option>
          ))}
        </optgroup>
      ))}
    </select>
  );
}
