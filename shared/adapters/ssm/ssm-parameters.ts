/** Keys in SSM parameters: each a SecureString that is created once and read by name. */
import {
  DeleteParameterCommand,
  GetParameterCommand,
  ParameterAlreadyExists,
  ParameterNotFound,
  PutParameterCommand,
  type SSMClient,
} from "@aws-sdk/client-ssm";

export interface ParameterToMake {
  readonly name: string;
  readonly value: string;
  readonly description: string;
  /** The KMS key that encrypts the parameter; default the account's own key for parameters. */
  readonly kmsKeyId?: string;
}

export class SsmParameters {
  readonly #client: SSMClient;

  constructor(client: SSMClient) {
    this.#client = client;
  }

  /** @returns undefined if the parameter does not exist */
  async read(name: string): Promise<string | undefined> {
    const command = new GetParameterCommand({ Name: name, WithDecryption: true });
    return (await this.#unlessAbsent(() => this.#client.send(command)))?.Parameter?.Value;
  }

  /** @returns true if the parameter was created; an existing one is never replaced */
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

  /** Succeeds even if the parameter does not exist. */
  async remove(name: string): Promise<void> {
    await this.#unlessAbsent(() => this.#client.send(new DeleteParameterCommand({ Name: name })));
  }

  async #unlessAbsent<Answer>(send: () => Promise<Answer>): Promise<Answer | undefined> {
    try {
      return await send();
    } catch (error) {
      if (error instanceof ParameterNotFound) return undefined;
      throw error;
    }
  }
}
