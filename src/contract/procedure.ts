import { type AnySchema, type AsyncIteratorClass, type InferSchemaOutput, oc } from '@orpc/contract';
import { failureSchema } from './errors/index.ts';

/** Every procedure may fail with this one typed error. Its data is the failure to show. */
export const procedure = oc.errors({ FAILED: { status: 422, message: 'The request failed.', data: failureSchema } });

/**
 * The implementation of a part of the contract: a method for each procedure, in objects nested and named as in the contract. A method gets the
 * validated input and a signal that aborts when the client is gone. One without an input gets the signal only. Its result is validated
 * against the output.
 */
export type Serves<Part> = Part extends { '~orpc': { inputSchema?: infer Input; outputSchema?: infer Output } }
  ? Method<Extract<Input, AnySchema>, Extract<Output, AnySchema>>
  : { [Name in keyof Part]: Serves<Part[Name]> };

type Method<Input extends AnySchema, Output extends AnySchema> =
  unknown extends InferSchemaOutput<Input>
    ? (signal?: AbortSignal) => Given<Output>
    : (input: InferSchemaOutput<Input>, signal?: AbortSignal) => Given<Output>;

type Given<Output extends AnySchema> =
  InferSchemaOutput<Output> extends AsyncIteratorClass<infer Item, unknown, void>
    ? AsyncIteratorObject<Item, unknown, void>
    : InferSchemaOutput<Output> | Promise<InferSchemaOutput<Output>>;
