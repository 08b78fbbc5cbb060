/** CloudFormation custom resources: handles an event and puts its outcome to the URL that the event names. */

export interface ResourceEvent {
  readonly RequestType: "Create" | "Update" | "Delete";
  /** Presigned, and valid for one answer. */
  readonly ResponseURL: string;
  readonly StackId: string;
  readonly RequestId: string;
  readonly LogicalResourceId: string;
  /** Present for updates and deletions: the id that the creation returned, which is `NEVER_MADE` if the creation failed. */
  readonly PhysicalResourceId?: string;
  /** CloudFormation converts every value to text. */
  readonly ResourceProperties: Readonly<Record<string, unknown>>;
  readonly OldResourceProperties?: Readonly<Record<string, unknown>>;
}

export interface ResourceOutcome {
  /** If the id has changed, CloudFormation treats the resource as replaced and deletes the old one. */
  readonly physicalId: string;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** The id for a resource whose creation failed, so that its deletion can be recognized. */
export const NEVER_MADE = "never-made";
/** CloudFormation accepts an answer of 4 KB and displays less of the reason. */
const REASON_MAX_CHARACTERS = 1_000;

/**
 * @param act the function that handles the event; if it throws, the message of the error becomes the reason of the failure
 * @returns a handler that rejects only if the outcome could not be delivered, so that Lambda retries the event
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
    await send(event.ResponseURL, { StackId, RequestId, LogicalResourceId, ...outcome });
  };
}

async function send(address: string, answer: object): Promise<void> {
  // The URL was presigned for a request without a content type.
  const { status } = await fetch(address, {
    method: "PUT",
    body: JSON.stringify(answer),
    headers: { "content-type": "" },
  });
  if (status >= 300) throw new Error(`CloudFormation answered ${status} to the outcome`);
}
