/** The dialog that updates a deployment in place: it changes the address or the headers, not the services. */
import type { JSX } from "preact";
import { registrationPlan, type ServiceChange } from "../../../shared/api/wire/registration-plan.ts";
import { ask } from "../../data/api.ts";
import type { DeploymentBody } from "../../../shared/api/contract/deployments.ts";
import { addressIn, recordOf, type Pair } from "../../model/register-form.ts";
import { useDialogForm } from "../../parts/dialog-form.ts";
import { DialogFrame } from "../../parts/dialog-frame.tsx";
import { PairRows } from "../../parts/pair-rows.tsx";
import { PlanView } from "./plan-view.tsx";
import { Check } from "./register-fields.tsx";
import { RegisterProblem } from "./register-problem.tsx";

interface UpdateForm {
  readonly address: string;
  readonly role: string;
  readonly useHttp11: boolean;
  readonly replacesHeaders: boolean;
  readonly headers: readonly Pair[];
}

type Later = { readonly kind: "planned"; readonly plan: readonly ServiceChange[] } | { readonly kind: "done" };

export interface UpdateDialogProps {
  readonly deployment: DeploymentBody;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

export function UpdateDialog({ deployment, onDone, onClose }: UpdateDialogProps): JSX.Element {
  const { form, stage, isLocked, change, check, commit } = useDialogForm<UpdateForm, Later>(() => formOf(deployment));
  const look = (changes?: Partial<UpdateForm>): void =>
    check(
      "Discovering …",
      async (asked) => {
        const { services } = await put(deployment, asked, true);
        return { kind: "planned", plan: registrationPlan(services, deployment.services) };
      },
      changes,
    );
  const update = (): void =>
    commit("Updating …", async (asked) => {
      await put(deployment, asked, false);
      onDone();
      return { kind: "done" };
    });
  const isDone = stage.kind === "done";
  return (
    <DialogFrame
      title="Update the deployment in place"
      closeWords={isDone || isLocked ? "Close" : "Cancel"}
      onClose={onClose}
      buttons={
        !isDone && (
          <>
            <button type="button" disabled={stage.kind === "busy"} onClick={() => look()}>
              Show what will change
            </button>
            <button type="button" class="primary" disabled={stage.kind !== "planned"} onClick={update}>
              Update
            </button>
          </>
        )
      }
    >
      {isDone ? (
        <p role="status">
          <span class="tone-succeeded">✓</span> Updated.
        </p>
      ) : (
        <fieldset disabled={isLocked}>
          <Fields deployment={deployment} form={form} onChange={change} />
        </fieldset>
      )}
      {stage.kind === "busy" && <p role="status">{stage.words}</p>}
      {stage.kind === "planned" && (
        <div role="status">
          <p>Nothing is stored yet. The update will do this:</p>
          <PlanView plan={stage.plan} />
        </div>
      )}
      {stage.kind === "form" && stage.problem !== undefined && (
        <RegisterProblem
          problem={stage.problem}
          onMend={({ useHttp11 }) => look(useHttp11 === undefined ? {} : { useHttp11 })}
        />
      )}
    </DialogFrame>
  );
}

interface FieldsProps {
  readonly deployment: DeploymentBody;
  readonly form: UpdateForm;
  readonly onChange: (changes: Partial<UpdateForm>) => void;
}

function Fields({ deployment, form, onChange }: FieldsProps): JSX.Element {
  const isHttp = "uri" in deployment;
  return (
    <div class="fields">
      <p class="dim">
        For a deployment that has moved, or whose fixed code must serve the invocations that are open on it. Services,
        handlers and protocol versions have to stay.
      </p>
      <label class="field">
        {isHttp ? "Address" : "ARN of a version or an alias"}
        <input
          type="text"
          value={form.address}
          onInput={({ currentTarget }) => onChange({ address: currentTarget.value })}
        />
      </label>
      {isHttp ? (
        <Check
          words="Use HTTP/1.1"
          why="For servers without HTTP/2."
          isOn={form.useHttp11}
          onChange={(useHttp11) => onChange({ useHttp11 })}
        />
      ) : (
        <label class="field">
          Role to assume
          <input
            type="text"
            value={form.role}
            onInput={({ currentTarget }) => onChange({ role: currentTarget.value })}
          />
        </label>
      )}
      <Check
        words="Replace all headers"
        why="Otherwise the stored ones stay. A move to another host or function needs them again."
        isOn={form.replacesHeaders}
        onChange={(replacesHeaders) => onChange({ replacesHeaders })}
      />
      {form.replacesHeaders && (
        <PairRows title="Headers" isSecret pairs={form.headers} onChange={(headers) => onChange({ headers })} />
      )}
    </div>
  );
}

function formOf(deployment: DeploymentBody): UpdateForm {
  const isHttp = "uri" in deployment;
  return {
    address: isHttp ? deployment.uri : deployment.arn,
    role: isHttp ? "" : (deployment.assume_role_arn ?? ""),
    useHttp11: isHttp && deployment.http_version === "HTTP/1.1",
    replacesHeaders: false,
    headers: [],
  };
}

async function put(deployment: DeploymentBody, form: UpdateForm, isDryRun: boolean): Promise<DeploymentBody> {
  const role = form.role.trim();
  const address =
    "uri" in deployment
      ? { uri: addressIn(form.address), use_http_11: form.useHttp11 }
      : { arn: form.address.trim(), ...(role !== "" && { assume_role_arn: role }) };
  return await ask<DeploymentBody>(`deployments/${encodeURIComponent(deployment.id)}`, {
    method: "PUT",
    body: {
      ...address,
      ...(form.replacesHeaders && { additional_headers: recordOf(form.headers) }),
      dry_run: isDryRun,
    },
  });
}
