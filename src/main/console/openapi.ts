import { getEventIteratorSchemaDetails } from '@orpc/contract';
import { z } from 'zod';
import * as schemas from '../../contract/index.ts';
import {
  type Answer,
  answer,
  type Content,
  json,
  named,
  type OpenApiDocument,
  type Operation,
  object,
  type Part,
  shared,
  text,
} from '../open-api/parts.ts';
import { refusalAnswers } from '../open-api/refusals.ts';
import { ZodSchemas } from '../open-api/zod-schemas.ts';

/** Kind and place of each value that JSON cannot express, in oRPC's notation. */
const META: Part = {
  type: 'array',
  description:
    'What JSON has no form for: [kind, …path] for each such value; 1 is a date, 3 stands for no value at all.',
  items: { type: 'array', items: { type: ['integer', 'string'] } },
};

/** Places of files: oRPC's own notation. */
const MAPS: Part = {
  type: 'array',
  description:
    'Where each file belongs in `json`: the path of field `0` first. The empty path means that the file is the whole value.',
  items: { type: 'array', items: { type: ['integer', 'string'] } },
};

/** A field of a form that is a file. */
const FILE: Part = { type: 'string', contentMediaType: 'application/octet-stream' };

const { contract } = schemas;

/** Why any request is refused. */
const PAGE_REFUSALS: readonly schemas.ErrorId[] = [
  'console.target-unreadable',
  'console.target-not-a-path',
  'console.host-refused',
  'console.origin-refused',
];

/** Why a request is refused before its procedure is called. */
const REFUSALS: readonly schemas.ErrorId[] = [
  ...PAGE_REFUSALS,
  'console.body-unreadable',
  'console.signed-out',
  'console.nothing-here',
  'console.method-not-allowed',
  'console.body-too-large',
  'console.content-type-refused',
  'console.too-many-attempts',
];

interface Procedure {
  /** `mint.create` */
  readonly name: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * The console's API, generated from the contract that the host is checked against.
 * @param address where the console listens
 */
export function consoleDocument(address = 'http://localhost:9400'): OpenApiDocument {
  const zod = new ZodSchemas(namedSchemas());
  const paths = Object.fromEntries(
    proceduresIn(contract).map((procedure) => [
      `/api/${procedure.name.replaceAll('.', '/')}`,
      { post: operationOf(procedure, zod) },
    ]),
  );
  zod.of(schemas.failureSchema, 'output');
  const { Failure } = zod.components;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Planchet console',
      version: '1',
      description:
        'Everything the page and the command line can do, one POST for each procedure, with a JSON body: `{}` where there is nothing to say. A program of the same user signs in with the token of planchet.lock as bearer token; a browser trades a one-time token for a cookie. Each procedure fails with 422 and a failure of the error catalogue.',
    },
    servers: [{ url: address, description: 'Setting consoleAddress.' }],
    security: [{ token: [] }, { session: [] }],
    tags: Object.keys(contract).map((name) => ({ name })),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token in planchet.lock of the data folder.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: `planchet_session_${address.split(':').pop()}`,
          description: 'Named after the port, got with POST /session.',
        },
      },
      schemas: {
        ...zod.components,
        Meta: META,
        Maps: MAPS,
        FailedCall: object({ json: failedSchema() }, []),
        RefusedRequest: {
          type: 'object',
          description: 'A request that was refused before any procedure was called.',
          properties: { ...(Failure?.properties as Part), json: failedSchema() },
          required: ['code', 'message'],
        },
      },
      responses: failures.components,
    },
    paths: { ...paths, ...otherPaths() },
  };
}

/** Names of schemas, as their exports have them: `mintJobSchema` is `MintJob`. */
function namedSchemas(): Record<string, z.ZodType> {
  return Object.fromEntries(
    Object.entries<unknown>(schemas).flatMap(([name, value]) => {
      const id = /^(\w+)Schema$/.exec(name)?.[1];
      return id !== undefined && value instanceof z.ZodType && isLarge(value)
        ? [[`${id.charAt(0).toUpperCase()}${id.slice(1)}`, value]]
        : [];
    }),
  );
}

/** Whether a schema is worth a name; texts and numbers are described in their place. */
function isLarge(schema: z.ZodType): boolean {
  return schema instanceof z.ZodObject || schema instanceof z.ZodUnion || schema instanceof z.ZodDiscriminatedUnion;
}

function proceduresIn(table: object, path: readonly string[] = []): Procedure[] {
  return Object.entries(table).flatMap(([name, value]: [string, object]) => {
    const here = [...path, name];
    if (!('~orpc' in value)) return proceduresIn(value, here);
    const { inputSchema, outputSchema } = value['~orpc'] as { inputSchema?: unknown; outputSchema?: unknown };
    return [{ name: here.join('.'), input: inputSchema, output: outputSchema }];
  });
}

function operationOf({ name, input, output }: Procedure, zod: ZodSchemas): Operation {
  const sent = input instanceof z.ZodType ? zod.of(input, 'input') : undefined;
  const files = input instanceof z.ZodType ? filesIn(input) : [];
  const isOptional = sent === undefined || accepts(input as z.ZodType, undefined);
  return {
    operationId: name,
    tags: [name.split('.', 1)[0] as string],
    summary: `Procedure ${name}`,
    ...(files.length > 0 && { description: `${formText(files)} In the JSON, null stands in the place of the file.` }),
    requestBody: {
      // A request without a body has no content type, and the console refuses it: it could be of a page of another origin.
      required: true,
      content: files.length > 0 ? form(sent as Part) : json(envelope(sent, isOptional), isOptional ? {} : undefined),
    },
    responses: { '200': answered(output, zod), ...failures.references },
  };
}

function answered(output: unknown, zod: ZodSchemas): Answer {
  const stream = getEventIteratorSchemaDetails(output as never);
  if (stream !== undefined) {
    const event = stream.yields instanceof z.ZodType ? zod.of(stream.yields, 'output') : {};
    const description = 'Events as they happen, until the caller leaves; each `data` is an envelope.';
    const item = envelope(event, true);
    return { description, content: { 'text/event-stream': { schema: { type: 'string' }, 'x-itemSchema': item } } };
  }
  if (!(output instanceof z.ZodType)) return answer('Done.', {});
  if (accepts(output, undefined)) return answer('Done; there is no value.', envelope(undefined, true));
  const schema = zod.of(output, 'output');
  const files = filesIn(output);
  if (files.length === 0) return answer('The result.', envelope(schema));
  if (!accepts(output, null)) return { description: formText(files), content: form(schema) };
  return {
    description: `${formText(files)} Where there is no file, the answer is JSON.`,
    content: { ...form(schema), ...json(envelope({ type: 'null' })) },
  };
}

/** A value as it is sent. @param isOptional whether there may be no value */
function envelope(value: Part | undefined, isOptional = false): Part {
  return {
    type: 'object',
    properties: { ...(value && { json: value }), meta: named('Meta') },
    ...(!isOptional && { required: ['json'] }),
  };
}

/** A value with files as it is sent. */
function form(value: Part): Content {
  const contentSchema = {
    type: 'object',
    properties: { json: value, meta: named('Meta'), maps: named('Maps') },
    required: ['json', 'maps'],
  };
  const data: Part = { type: 'string', contentMediaType: 'application/json', contentSchema };
  return { 'multipart/form-data': { schema: { ...object({ data, '0': FILE }), additionalProperties: FILE } } };
}

function formText(files: readonly (readonly string[])[]): string {
  return `A multipart form: \`data\` is the JSON text of the envelope, field \`0\` the file. \`maps\` in the envelope is \`${JSON.stringify(files)}\`.`;
}

/** What every procedure may answer besides its result. */
const failures = shared('Procedure', {
  '422': answer('The procedure failed: `json.data` is the failure.', named('FailedCall')),
  ...refusalAnswers(REFUSALS, json(named('RefusedRequest'))),
  '500': answer('Planchet failed to answer; its log has the reason.', named('RefusedRequest')),
});

function failedSchema(): Part {
  return object({
    defined: { type: 'boolean' },
    code: { const: 'FAILED' },
    status: { type: 'integer' },
    message: { type: 'string' },
    data: named('Failure'),
  });
}

function accepts(schema: z.ZodType, value: null | undefined): boolean {
  return schema.safeParse(value).success;
}

/** The places of files in a value. @param path of the value itself */
function filesIn(schema: z.ZodType, path: readonly string[] = []): (readonly string[])[] {
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, part]) => filesIn(part as z.ZodType, [...path, name]));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return filesIn(schema.unwrap() as z.ZodType, path);
  const isFile =
    schema instanceof z.ZodCustom && schema.safeParse(new Blob([])).success && !schema.safeParse('').success;
  return isFile ? [path] : [];
}

function otherPaths(): OpenApiDocument['paths'] {
  const signedIn = answer('Signed in.', object({ signedIn: { const: true } }));
  const refused = refusalAnswers([...REFUSALS, 'console.token-missing'], json(named('Failure')));
  const pageRefused = (...more: schemas.ErrorId[]): Record<string, Answer> =>
    refusalAnswers([...PAGE_REFUSALS, ...more], json(named('Failure')));
  const probe = (description: string): Answer => ({ description, content: { 'text/plain': { schema: text } } });
  return {
    '/session': {
      get: { summary: 'Whether the caller is signed in', responses: { '200': signedIn, ...refused } },
      post: {
        summary: 'Trade a one-time token for the cookie of a session',
        security: [],
        requestBody: { required: true, content: json(object({ token: { type: 'string', maxLength: 512 } })) },
        responses: { '200': { ...signedIn, headers: { 'Set-Cookie': { schema: { type: 'string' } } } }, ...refused },
      },
    },
    '/healthz': {
      get: {
        summary: 'Whether the process answers',
        security: [],
        responses: { '200': probe('It does.'), ...pageRefused() },
      },
    },
    '/readyz': {
      get: {
        summary: 'Whether every service has started and the gateway has an upstream',
        security: [],
        responses: { '200': probe('Ready.'), ...pageRefused(), '503': probe('Not ready.') },
      },
    },
    '/openapi/{name}.json': {
      get: {
        summary: 'The description of a surface in OpenAPI 3.1; index.json lists them',
        security: [],
        parameters: [
          { name: 'name', in: 'path', required: true, description: 'Name of the surface.', schema: { type: 'string' } },
        ],
        responses: { '200': answer('The document.', { type: 'object' }), ...pageRefused('console.nothing-here') },
      },
    },
  };
}
