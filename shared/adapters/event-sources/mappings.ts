/** The requests to Lambda that make, change and end the event source mappings of one function. */
import {
  CreateAliasCommand,
  CreateEventSourceMappingCommand,
  DeleteAliasCommand,
  DeleteEventSourceMappingCommand,
  ListAliasesCommand,
  ListEventSourceMappingsCommand,
  ResourceConflictException,
  ResourceNotFoundException,
  UpdateEventSourceMappingCommand,
  type EventSourceMappingConfiguration,
  type LambdaClient,
} from "@aws-sdk/client-lambda";
import type { Clock } from "../../engine/ports/clock.ts";
import type { MappingForm } from "./mapping-form.ts";

export interface Mappings {
  /** The names of all aliases of the function. */
  aliases(): Promise<readonly string[]>;
  createAlias(name: string): Promise<void>;
  deleteAlias(name: string): Promise<void>;
  of(alias: string): Promise<readonly EventSourceMappingConfiguration[]>;
  /** @throws ResourceConflictException if a mapping of this or another alias reads the same topic with the same group */
  create(alias: string, form: MappingForm): Promise<void>;
  update(uuid: string, form: MappingForm): Promise<void>;
  delete(uuid: string): Promise<void>;
}

/**
 * An account may send 15 requests a second to Lambda's control plane, and other clients of the account need some of
 * them.
 */
const BETWEEN_REQUESTS_MS = 100;
/** A batch of this many small records is accepted within seconds; Lambda cuts a batch of large records at 6 MB. */
const BATCH_RECORDS = 100;

export class LambdaMappings implements Mappings {
  readonly #client: LambdaClient;
  readonly #functionName: string;
  readonly #clock: Clock;

  constructor(client: LambdaClient, functionName: string, clock: Clock) {
    this.#client = client;
    this.#functionName = functionName;
    this.#clock = clock;
  }

  async aliases(): Promise<readonly string[]> {
    const names: string[] = [];
    let marker: string | undefined;
    do {
      await this.#wait();
      const page = await this.#client.send(
        new ListAliasesCommand({ FunctionName: this.#functionName, ...(marker !== undefined && { Marker: marker }) }),
      );
      for (const { Name: name } of page.Aliases ?? []) if (name !== undefined) names.push(name);
      marker = page.NextMarker;
    } while (marker !== undefined);
    return names;
  }

  /** Each alias points to `$LATEST`, so that a deployment of the stack changes the code behind all aliases. */
  async createAlias(name: string): Promise<void> {
    await this.#wait();
    const asked = { FunctionName: this.#functionName, Name: name, FunctionVersion: "$LATEST" };
    await this.#client.send(new CreateAliasCommand(asked)).catch(unless(ResourceConflictException));
  }

  async deleteAlias(name: string): Promise<void> {
    await this.#wait();
    const asked = { FunctionName: this.#functionName, Name: name };
    await this.#client.send(new DeleteAliasCommand(asked)).catch(unless(ResourceNotFoundException));
  }

  async of(alias: string): Promise<readonly EventSourceMappingConfiguration[]> {
    await this.#wait();
    const FunctionName = `${this.#functionName}:${alias}`;
    const page = await this.#client.send(new ListEventSourceMappingsCommand({ FunctionName }));
    return page.EventSourceMappings ?? [];
  }

  async create(alias: string, { fixed, access, isEnabled }: MappingForm): Promise<void> {
    await this.#wait();
    const asked = {
      ...fixed,
      FunctionName: `${this.#functionName}:${alias}`,
      BatchSize: BATCH_RECORDS,
      Enabled: isEnabled,
      ...(access.length > 0 && { SourceAccessConfigurations: access }),
    };
    await this.#client.send(new CreateEventSourceMappingCommand(asked));
  }

  async update(uuid: string, { access, isEnabled }: MappingForm): Promise<void> {
    await this.#wait();
    const asked = { UUID: uuid, Enabled: isEnabled, SourceAccessConfigurations: access };
    await this.#client.send(new UpdateEventSourceMappingCommand(asked)).catch(unless(ResourceNotFoundException));
  }

  async delete(uuid: string): Promise<void> {
    await this.#wait();
    await this.#client
      .send(new DeleteEventSourceMappingCommand({ UUID: uuid }))
      .catch(unless(ResourceNotFoundException));
  }

  async #wait(): Promise<void> {
    await this.#clock.sleep(BETWEEN_REQUESTS_MS);
  }
}

function unless(expected: new (...args: never[]) => Error): (error: unknown) => undefined {
  return (error) => {
    if (!(error instanceof expected)) throw error;
    return undefined;
  };
}
