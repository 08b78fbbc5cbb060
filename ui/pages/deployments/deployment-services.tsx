/** The services of a deployment with their handlers. */
import type { JSX } from "preact";
import type { ServiceBody } from "../../../shared/api/wire/admin.ts";
import { serviceTypeText } from "../../model/deployment-text.ts";
import { hrefTo } from "../../model/route.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";

const SHOWN_HANDLERS = 30;

export function DeploymentServices({ services }: { readonly services: readonly ServiceBody[] }): JSX.Element {
  return (
    <section class="block">
      <h2>
        Services <span class="dim number">{services.length}</span>
      </h2>
      <table class="plain of-deployment">
        <thead>
          <tr>
            <th scope="col">Service</th>
            <th scope="col">Kind</th>
            <th scope="col" class="right">
              Revision
            </th>
            <th scope="col">Handlers</th>
          </tr>
        </thead>
        <tbody>
          {services.map((service) => (
            <tr key={service.name}>
              <td>
                <a href={hrefTo("services", [service.name])}>
                  <ForeignText text={service.name} maxChars={60} />
                </a>
              </td>
              <td class="nowrap">{serviceTypeText(service.ty)}</td>
              <td class="right number">{service.revision}</td>
              <td>
                {service.handlers.slice(0, SHOWN_HANDLERS).map(({ name }) => (
                  <span key={name} class="service-name mono">
                    <ForeignText text={name} maxChars={40} />
                  </span>
                ))}
                {service.handlers.length > SHOWN_HANDLERS && (
                  <span class="dim">and {service.handlers.length - SHOWN_HANDLERS} more</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
