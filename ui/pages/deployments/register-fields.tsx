/** The fields of the form that registers a deployment. */
import type { JSX } from "preact";
import type { RegisterForm } from "../../model/register-form.ts";
import { PairRows } from "../../parts/pair-rows.tsx";

export interface RegisterFieldsProps {
  readonly form: RegisterForm;
  readonly onChange: (changes: Partial<RegisterForm>) => void;
}

export function RegisterFields({ form, onChange }: RegisterFieldsProps): JSX.Element {
  return (
    <div class="fields">
      <fieldset class="choices">
        <legend class="visually-hidden">Kind of deployment</legend>
        <KindChoice form={form} kind="http" words="HTTP address" onChange={onChange} />
        <KindChoice form={form} kind="lambda" words="Lambda function" onChange={onChange} />
      </fieldset>
      {form.kind === "http" ? (
        <HttpFields form={form} onChange={onChange} />
      ) : (
        <LambdaFields form={form} onChange={onChange} />
      )}
      <PairRows title="Headers" isSecret pairs={form.headers} onChange={(headers) => onChange({ headers })} />
      <details>
        <summary>Metadata, breaking changes, replacement</summary>
        <PairRows title="Metadata" pairs={form.metadata} onChange={(metadata) => onChange({ metadata })} />
        <Check
          words="Allow breaking changes"
          why="A service may change its type or lose handlers. Callers of what is lost then fail."
          isOn={form.breaking}
          onChange={(breaking) => onChange({ breaking })}
        />
        <Check
          words="Replace the deployment of this address"
          why="Invocations that are open there continue on the replaced code, and may fail with RT0016 if it differs. Implies breaking changes. For development; a new version belongs at a new address."
          isOn={form.force}
          onChange={(force) => onChange({ force })}
        />
      </details>
    </div>
  );
}

interface KindProps extends RegisterFieldsProps {
  readonly kind: RegisterForm["kind"];
  readonly words: string;
}

function KindChoice({ form, kind, words, onChange }: KindProps): JSX.Element {
  return (
    <label>
      <input type="radio" name="kind" checked={form.kind === kind} onChange={() => onChange({ kind })} /> {words}
    </label>
  );
}

function HttpFields({ form, onChange }: RegisterFieldsProps): JSX.Element {
  return (
    <>
      <label class="field">
        Address
        <input
          type="text"
          inputMode="url"
          placeholder="http://localhost:9080, or a port"
          value={form.uri}
          onInput={({ currentTarget }) => onChange({ uri: currentTarget.value })}
        />
      </label>
      <Check
        words="Use HTTP/1.1"
        why="For servers without HTTP/2, such as most functions behind a gateway and some development servers."
        isOn={form.useHttp11}
        onChange={(useHttp11) => onChange({ useHttp11 })}
      />
    </>
  );
}

function LambdaFields({ form, onChange }: RegisterFieldsProps): JSX.Element {
  return (
    <>
      <label class="field">
        ARN of a version or an alias
        <input
          type="text"
          placeholder="arn:aws:lambda:eu-central-1:123456789012:function:shop:7"
          value={form.arn}
          onInput={({ currentTarget }) => onChange({ arn: currentTarget.value })}
        />
      </label>
      <label class="field">
        Role to assume, if the function needs one
        <input
          type="text"
          placeholder="arn:aws:iam::123456789012:role/caller"
          value={form.role}
          onInput={({ currentTarget }) => onChange({ role: currentTarget.value })}
        />
      </label>
    </>
  );
}

export interface CheckProps {
  readonly words: string;
  readonly why: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

export function Check({ words, why, isOn, onChange }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => onChange(currentTarget.checked)} />
      <span>
        {words}
        <span class="dim"> {why}</span>
      </span>
    </label>
  );
}
