import { getEventIteratorSchemaDetails } from '@orpc/contract';
import { z } from 'zod';
import * as schemas from '../../contract/index.ts';
import {
  type Answer,
  answer,
  json,
  named,
  type OpenApiDocument,
  type Operation,
  object,
  type Part,
  shared,
} from '../open-api/parts.ts';
import { refusalAnswers } from '../open-api/refusals.ts';
import { ZodSchemas } from '../open-api/zod-schemas.ts';

/** Path of a kind of value that JSON has no form for, and where it stands: oRPC's own notation. */
const META: Part = {
  type: 'array',
  description:
    'What JSON has no form for: [kind, …path] for each such value; 1 is a date, 3 stands for no value at all.',
  items: { type: 'array', items: { type: ['integer', 'string'] } },
};

const { contract } = schemas;

/** Why a request is refused before its procedure is called. */
const REFUSALS: readonly schemas.ErrorId[] = [
  'console.target-unreadable',
  'console.target-not-a-path',
  'console.body-unreadable',
  'console.signed-out',
  'console.host-refused',
  'console.origin-refused',
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

/** The console's API, generated from the contract that the host is checked against. */
export function consoleDocument(): OpenApiDocument {
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
        'Everything the page and the command line can do, one POST for each procedure. A program of the same user signs in with the token of planchet.lock as bearer token; a browser trades a one-time token for a cookie. Each procedure fails with 422 and a failure of the error catalogue.',
    },
    servers: [{ url: 'http://localhost:9400', description: 'Setting consoleAddress.' }],
    security: [{ token: [] }, { session: [] }],
    tags: Object.keys(contract).map((name) => ({ name })),
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token in planchet.lock of the data folder.' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'planchet_session_9400',
          description: 'Named after the port, got with POST /session.',
        },
      },
      schemas: {
        ...zod.components,
        Meta: META,
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
    Object.entries(schemas).flatMap(([name, value]) => {
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
  const envelope: Part = {
    type: 'object',
    properties: { ...(sent === undefined ? {} : { json: sent }), meta: named('Meta') },
    ...(sent === undefined || accepts(input as z.ZodType, undefined) ? {} : { required: ['json'] }),
  };
  const hasFile = input instanceof z.ZodType && holdsFile(input);
  return {
    operationId: name,
    tags: [name.split('.', 1)[0] as string],
    summary: `Procedure ${name}`,
    ...(hasFile && {
      description:
        'A multipart form: `data` is the JSON text of the envelope, in which files are null; `maps` names their places, and the fields `0`, `1`, … are the files.',
    }),
    requestBody: {
      required: sent !== undefined,
      content: hasFile
        ? {
            'multipart/form-data': {
              schema: object({
                data: { type: 'string', contentMediaType: 'application/json', contentSchema: envelope },
              }),
            },
          }
        : json(envelope),
    },
    responses: { '200': answered(output, zod), ...failures.references },
  };
}

function answered(output: unknown, zod: ZodSchemas): Answer {
  const stream = getEventIteratorSchemaDetails(output as never);
  if (stream !== undefined) {
    const event = stream.yields instanceof z.ZodType ? zod.of(stream.yields, 'output') : {};
    const item: Part = { type: 'object', properties: { json: event, meta: named('Meta') } };
    const description = 'Events as they happen, until the caller leaves; each `data` is an envelope.';
    return { description, content: { 'text/event-stream': { schema: { type: 'string' }, 'x-itemSchema': item } } };
  }
  if (!(output instanceof z.ZodType)) return answer('Done.', {});
  if (accepts(output, undefined))
    return answer('Done; there is no value.', { type: 'object', properties: { meta: named('Meta') } });
  if (holdsFile(output)) {
    return { description: 'The file.', content: { '*/*': { schema: {} } } };
  }
  const schema = zod.of(output, 'output');
  return answer('The result.', {
    type: 'object',
    properties: { json: schema, meta: named('Meta') },
    required: ['json'],
  });
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

function accepts(schema: z.ZodType, value: undefined): boolean {
  return schema.safeParse(value).success;
}

/** Whether files are part of a value. */
function holdsFile(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape).some((part) => holdsFile(part as z.ZodType));
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return holdsFile(schema.unwrap() as z.ZodType);
  return schema instanceof z.ZodCustom && schema.safeParse(new Blob([])).success && !schema.safeParse('').success;
}

function otherPaths(): OpenApiDocument['paths'] {
  const signedIn = answer('Signed in.', object({ signedIn: { const: true } }));
  const refused = refusalAnswers([...REFUSALS, 'console.token-missing'], json(named('Failure')));
  const probe = (description: string): Answer => ({
    description,
    content: { 'text/plain': { schema: { type: 'string' } } },
  });
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
      get: { summary: 'Whether the process answers', security: [], responses: { '200': probe('It does.') } },
    },
    '/readyz': {
      get: {
        summary: 'Whether every service has started and the gateway has an upstream',
        security: [],
        responses: { '200': probe('Ready.'), '503': probe('Not ready.') },
      },
    },
    '/openapi/{name}.json': {
      get: {
        summary: 'The description of a surface in OpenAPI 3.1; index.json lists them',
        security: [],
        parameters: [
          { name: 'name', in: 'path', required: true, description: 'Name of the surface.', schema: { type: 'string' } },
        ],
        responses: {
          '200': answer('The document.', { type: 'object' }),
          '404': answer('There is none of this name.', named('Failure')),
        },
      },
    },
  };
}
