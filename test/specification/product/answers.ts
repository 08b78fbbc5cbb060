/** The answer to an operation in the words of the specification: ids become names. */
import type { HttpResponse } from "../../../shared/api/http/message.ts";
import { revisionsText } from "../model/deploying.ts";
import type { Answer, Operation } from "../model/words.ts";
import type { Ledger } from "./ledger.ts";

/** Statuses whose bodies are texts for people: the specification says only the status. */
export function wordsOf(operation: Operation, { status, body, headers }: HttpResponse, ledger: Ledger): Answer {
  const text = new TextDecoder().decode(body);
  switch (operation.do) {
    case "call":
    case "attach":
    case "output":
    case "ask": {
      if (status === 200) return { status, says: JSON.parse(text) as unknown };
      if (headers["x-restate-error-source"] !== "invocation") return { status };
      return { status, says: (JSON.parse(text) as { message: string }).message };
    }
    case "send": {
      if (status !== 202) return { status };
      const sent = JSON.parse(text) as { invocationId: string; status: string };
      if (sent.status === "Accepted") ledger.rebind(operation.name, sent.invocationId);
      return { status, says: `${sent.status} ${ledger.nameOf(sent.invocationId) ?? "a stranger"}` };
    }
    case "restart": {
      if (status !== 200) return { status };
      ledger.rebind(operation.name, (JSON.parse(text) as { new_invocation_id: string }).new_invocation_id);
      return { status, says: operation.name };
    }
    case "subscribe": {
      if (status >= 400) return refusalOf(status, text);
      ledger.noteSubscription(operation.name, (JSON.parse(text) as { id: string }).id);
      return { status, says: operation.name };
    }
    case "register":
    case "update": {
      if (status >= 400) return refusalOf(status, text);
      if (operation.do === "update") return { status };
      const { id, services } = JSON.parse(text) as { id: string; services: { name: string; revision: number }[] };
      const name = ledger.deploymentName(id, operation.name);
      return {
        status,
        says: `${name} ${revisionsText(Object.fromEntries(services.map((one) => [one.name, one.revision])))}`,
      };
    }
    default:
      return { status };
  }
}

function refusalOf(status: number, text: string): Answer {
  const { restate_code: says } = JSON.parse(text) as { restate_code: string | null };
  return { status, ...(says !== null && { says }) };
}
