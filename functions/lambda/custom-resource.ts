/** Custom resources of CloudFormation: an event comes in, and what became of it is put to the address that it names. */

export interface ResourceEvent {
  readonly RequestType: "Create" | "Update" | "Delete";
  /** Signed, and good for one answer. */
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  /** Of an update or a deletion: what the creation gave out, or was given out for it where it failed. */
  readonly PhysicalResourceId?: string;
  /** Every value is text, whatever it was in the template. */
  readonly ResourceProperties: Readonly<Record<string, unknown>>;
  readonly OldResourceProperties?: Readonly<Record<string, unknown>>;
}

export interface ResourceOutcome {
  /** Another one than before says that the resource was replaced, and CloudFormation deletes the old one. */
  readonly physicalId: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Given out for a resource whose creation failed, so that its deletion is known for what it is. */
export const NEVER_MADE = "never-made";
/** CloudFormation takes an answer of 4 KB, and shows less of its reason. */
const REASON_MAX_CHARACTERS = 1_000;

/**
 * @param act what it throws is told as the reason of the failure, in the words of its message
 * @returns a handler that rejects only where the outcome could not be told, so that the event comes again
 */
export function customResource(
  act: (event: ResourceEvent) => Promise<ResourceOutcome>,
): (event: ResourceEvent) => Promise<void> {
  return async (event) => {
    const { StackId, RequestId, LogicalResourceId } = event;
    const outcome = await act(event).then(
      ({ physicalId, attributes = {} }) => ({ Status: "SUCCESS", PhysicalResourceId: physicalId, Data: attributes }),
      (error: unknown) => ({
        Status: "FAILED",
        PhysicalResourceId: event.PhysicalResourceId ?? NEVER_MADE,
        Reason: (error instanceof Error ? error.message : String(error)).slice(0, REASON_MAX_CHARACTERS),
      }),
    );
    await tell(event.ResponseURL, { StackId, RequestId, LogicalResourceId, ...outcome });
  };
}

async function tell(address: string, answer: object): Promise<void> {
  // The address was signed for a request that names no content type.
  const { status } = await fetch(address, {
    method: "PUT",
    body: JSON.stringify(answer),
    headers: { "content-type": "" },
  });
  if (status >= 300) throw new Error(`CloudFormation answered ${status} to the outcome`);
}
