/** Keys in SSM parameters: each a SecureString, made once and read by name. */
import type { SSMClient } from "@aws-sdk/client-ssm";
import {
  DeleteParametersCommand,
  GetParametersCommand,
  ParameterAlreadyExists,
  PutParameterCommand,
} from "@aws-sdk/client-ssm";

/** So many the service takes with one request. */
const NAMES_MAX = 10;

export interface ParameterToMake {
  readonly name: string;
  readonly value: string;
  readonly description: string;
  /** The KMS key that encrypts it; the account's own key for parameters unless told. */
  readonly kmsKeyId?: string;
}

export class SsmParameters {
  readonly #client: SSMClient;

  constructor(client: SSMClient) {
    this.#client = client;
  }

  /**
   * @param names ten at most
   * @returns the values that stand, by their names; what does not exist is not among them
   */
  async read(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const command = new GetParametersCommand({ Names: [...names], WithDecryption: true });
    const { Parameters = [] } = await this.#client.send(command);
    return new Map(Parameters.flatMap(({ Name, Value }) => (Name && Value ? [[Name, Value]] : [])));
  }

  /** @returns whether it was made; what stands under the name is never replaced */
  async make({ name, value, description, kmsKeyId }: ParameterToMake): Promise<boolean> {
    const command = new PutParameterCommand({
      Name: name,
      Value: value,
      Description: description,
      Type: "SecureString",
      Overwrite: false,
      ...(kmsKeyId !== undefined && { KeyId: kmsKeyId }),
    });
    try {
      await this.#client.send(command);
      return true;
    } catch (error) {
      if (error instanceof ParameterAlreadyExists) return false;
      throw error;
    }
  }

  /** What does not exist is no error. */
  async remove(names: readonly string[]): Promise<void> {
    for (let at = 0; at < names.length; at += NAMES_MAX) {
      await this.#client.send(new DeleteParametersCommand({ Names: names.slice(at, at + NAMES_MAX) }));
    }
  }
}
