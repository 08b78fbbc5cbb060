/** The dialog that registers a deployment: a dry run shows the changes, and the same request then makes them. */
import type { JSX } from "preact";
import { registrationPlan, type ServiceChange } from "../../../shared/api/wire/registration-plan.ts";
import { ApiProblem, server } from "../../data/api.ts";
import { askServices, postDeployment, type Registration } from "../../data/registry.ts";
import { EMPTY_FORM, missingIn, registerBody, type RegisterForm } from "../../model/register-form.ts";
import { useDialogForm } from "../../parts/dialog-form.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { PlanView } from "./plan-view.tsx";
import { RegisterFields } from "./register-fields.tsx";
import { RegisterProblem } from "./register-problem.tsx";
import type { ServiceBody } from "../../../shared/api/contract/services.ts";
import { curlParts, proposedCall } from "../../../shared/api/wire/proposed-call.ts";
import { UNKNOWN_INGRESS } from "../../model/call-lines.ts";
import { hrefTo } from "../../model/route.ts";
import { visibleText } from "../../model/visible-text.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { DeploymentLink } from "../../parts/short-id.tsx";

type Later =
  | { readonly kind: "planned"; readonly plan: readonly ServiceChange[]; readonly replaces?: string }
  | { readonly kind: "done"; readonly registration: Registration };

export interface RegisterDialogProps {
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function RegisterDialog({ onDone, onClose }: RegisterDialogProps): JSX.Element {
  const { form, stage, isLocked, change, check, commit } = useDialogForm<RegisterForm, Later>(EMPTY_FORM);
  const look = (changes?: Partial<RegisterForm>): void => check("Discovering …", planned, changes);
  const register = (): void =>
    commit("Registering …", async (asked) => {
      const registration = await postDeployment(registerBody(asked, false));
      onDone();
      return { kind: "done", registration };
    });
  const missing = missingIn(form);
  const isDone = stage.kind === "done";
  return (
    <DialogFrame
      title="Register a deployment"
      closeWords={isDone || isLocked ? "Close" : "Cancel"}
      onClose={onClose}
      buttons={
        !isDone && (
          <>
            {missing !== undefined && <span class="dim">{missing}</span>}
            <button
              type="button"
              class={stage.kind === "planned" ? "" : "primary"}
              disabled={missing !== undefined || stage.kind === "busy"}
              onClick={() => look()}
            >
              Show what will change
            </button>
            <button type="button" class="primary" disabled={stage.kind !== "planned"} onClick={register}>
              Register
            </button>
          </>
        )
      }
    >
      {isDone ? (
        <RegisteredView registration={stage.registration} />
      ) : (
        <fieldset disabled={isLocked}>
          <RegisterFields form={form} onChange={change} />
        </fieldset>
      )}
      {stage.kind === "busy" && <p role="status">{stage.words}</p>}
      {stage.kind === "planned" && <Planned plan={stage.plan} replaces={stage.replaces} />}
      {stage.kind === "form" && stage.problem !== undefined && (
        <RegisterProblem problem={stage.problem} onMend={look} />
      )}
    </DialogFrame>
  );
}

/** @throws ApiProblem META0004 if the registration would need `force` */
async function planned(form: RegisterForm): Promise<Later> {
  const { body, isKnown } = await postDeployment(registerBody(form, true));
  if (isKnown && !form.force) {
    throw new ApiProblem(409, `The address belongs to ${body.id}.`, "META0004");
  }
  const plan = registrationPlan(body.services, await askServices());
  return { kind: "planned", plan, ...(isKnown && { replaces: body.id }) };
}

interface PlannedProps {
  readonly plan: readonly ServiceChange[];
  readonly replaces: string | undefined;
}

function Planned({ plan, replaces }: PlannedProps): JSX.Element {
  return (
    <div role="status">
      <p>
        {replaces === undefined
          ? "Nothing is stored yet. The registration will do this:"
          : `Nothing is stored yet. The registration will replace ${replaces}:`}
      </p>
      <PlanView plan={plan} />
    </div>
  );
}

/** The result of a registration, with the next step. */
function RegisteredView({ registration: { body, isKnown } }: { readonly registration: Registration }): JSX.Element {
  return (
    <div role="status">
      <p>
        <span class="tone-succeeded">✓</span> {isKnown ? "Replaced" : "Registered"}{" "}
        <DeploymentLink id={body.id} whole />
      </p>
      <ul class="lines">
        {body.services.map(({ name, revision }) => (
          <li key={name}>
            <a href={hrefTo("services", [name])}>
              <ForeignText text={name} maxChars={60} />
            </a>{" "}
            <span class="dim number">revision {revision}</span> · <a href={hrefTo("call", [name])}>try it</a>
          </li>
        ))}
      </ul>
      <ProposedCall services={body.services} />
    </div>
  );
}

/** The line that `stepwell deployments register` and `stepwell dev` print. */
function ProposedCall({ services }: { readonly services: readonly ServiceBody[] }): JSX.Element | null {
  const call = proposedCall(services);
  if (call === undefined) return null;
  const line = curlParts(call, server.value?.ingress_endpoint ?? UNKNOWN_INGRESS).join(" ");
  return (
    <p class="cli-line">
      Call it: <code class="mono break">{visibleText(line)}</code>
      <CopyButton text={line} what="curl line" />
    </p>
  );
}
