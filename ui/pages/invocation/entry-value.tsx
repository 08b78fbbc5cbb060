/** The value of one journal entry, read when it is shown. For some serializers, the deployment's SDK can decode the bytes. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { InvocationBody, ValueBody } from "../../../shared/api/contract/invocations.ts";
import { type ApiProblem, ask, exchange, problemIn, problemOf } from "../../data/api.ts";
import { useService } from "../../data/invocation.ts";
import { bytesOfBase64 } from "../../model/payload-text.ts";
import { Payload } from "../../parts/payload.tsx";
import { ProblemBox, Skeleton } from "../../parts/states.tsx";

/** A serializer of a service: `greet/input` of `Greeter`. */
export interface SerdeName {
  readonly service: string;
  readonly name: string;
}

export interface EntryValueProps {
  readonly invocationId: string;
  readonly index: number;
  /** The serializer by which the value was made, if that is known. */
  readonly serde?: SerdeName | undefined;
  /** The deployment that has the serializer. */
  readonly deployment?: string | undefined;
}

type Read =
  | { readonly kind: "loading" }
  | { readonly kind: "read"; readonly value: ValueBody | undefined }
  | { readonly kind: "failed"; readonly problem: ApiProblem };

export function EntryValue({ invocationId, index, serde, deployment }: EntryValueProps): JSX.Element {
  const [read, setRead] = useState<Read>({ kind: "loading" });
  const [tries, setTries] = useState(0);
  useEffect(() => {
    const over = new AbortController();
    const path = `invocations/${encodeURIComponent(invocationId)}?values=true&from=${index}&limit=1`;
    setRead({ kind: "loading" });
    ask<InvocationBody>(path, { signal: over.signal }).then(
      ({ entries }) => setRead({ kind: "read", value: entries[0]?.value }),
      (error: unknown) => {
        if (!over.signal.aborted) setRead({ kind: "failed", problem: problemOf(error) });
      },
    );
    return () => over.abort();
  }, [invocationId, index, tries]);
  if (read.kind === "loading") return <Skeleton />;
  if (read.kind === "failed") return <ProblemBox problem={read.problem} onRetry={() => setTries(tries + 1)} />;
  const { value } = read;
  if (value === undefined) return <p class="dim">The entry has no value.</p>;
  const content = value.text ?? bytesOfBase64(value.base64 ?? "");
  return (
    <>
      <Payload content={content} size={value.size} isCut={value.cut === true} fileName={`${invocationId}-${index}`} />
      {serde !== undefined && value.cut === undefined && value.size > 0 && (
        <Translated content={content} serde={serde} deployment={deployment} />
      )}
    </>
  );
}

interface TranslatedProps {
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly serde: SerdeName;
  readonly deployment: string | undefined;
}

/** The metadata of a service has a key with this prefix for each serializer whose values an SDK can show. */
const PREVIEW = "dev.restate.serde.preview.";

function Translated({ content, serde: { service, name }, deployment }: TranslatedProps): JSX.Element | null {
  const description = useService(service);
  const [json, setJson] = useState<string>();
  const [problem, setProblem] = useState<ApiProblem>();
  if (description?.metadata?.[PREVIEW + name] !== "true") return null;
  const translate = async (): Promise<void> => {
    setProblem(undefined);
    const query = deployment === undefined ? "" : `?deployment=${encodeURIComponent(deployment)}`;
    const path = `internal/services/${encodeURIComponent(service)}/serdes/decode/${encodeURIComponent(name)}${query}`;
    try {
      const headers = { "x-requested-with": "ui", "content-type": "application/octet-stream" };
      const response = await exchange(path, { method: "POST", raw: content, headers });
      const text = await response.text();
      if (response.ok) setJson(text);
      else setProblem(problemIn(response.status, text));
    } catch (error) {
      setProblem(problemOf(error));
    }
  };
  return (
    <div class="translated">
      {json === undefined ? (
        <button type="button" onClick={() => void translate()}>
          Decode by the service
        </button>
      ) : (
        <>
          <h3>Decoded by the service</h3>
          <Payload content={json} fileName={`${name.replace("/", "-")}.json`} />
        </>
      )}
      {problem !== undefined && <ProblemBox problem={problem} />}
    </div>
  );
}
