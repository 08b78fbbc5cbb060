/** The dialog that registers a deployment: a dry run shows the changes, and the same request then makes them. */
import type { JSX } from "preact";
import { registrationPlan } from "../../../shared/api/wire/registration-plan.ts";
import type { ServiceChange } from "../../../shared/api/wire/registration-plan.ts";
import { ApiProblem } from "../../data/api.ts";
import { askServices, postDeployment } from "../../data/registry.ts";
import type { Registration } from "../../data/registry.ts";
import { EMPTY_FORM, missingIn, registerBody } from "../../model/register-form.ts";
import type { RegisterForm } from "../../model/register-form.ts";
import { useDialogForm } from "../../parts/dialog-form.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { PlanView } from "./plan-view.tsx";
import { RegisterFields } from "./register-fields.tsx";
import { RegisterProblem } from "./register-problem.tsx";
import { RegisteredView } from "./registered-view.tsx";

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
