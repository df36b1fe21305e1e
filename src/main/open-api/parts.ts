/** Building blocks of every OpenAPI document. Schemas are those of JSON Schema 2020-12. */

/** A JSON schema, or another object of an OpenAPI document. */
export type Part = Readonly<Record<string, unknown>>;

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers?: readonly { readonly url: string; readonly description: string }[];
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly security?: readonly Part[];
  readonly components?: {
    readonly securitySchemes?: Part;
    readonly schemas?: Readonly<Record<string, Part>>;
    readonly responses?: Readonly<Record<string, Answer>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Requests that Planchet sends. */
  readonly webhooks?: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

export interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Part[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  /** By HTTP status, or `4XX`. */
  readonly responses: Readonly<Record<string, Answer | Reference>>;
}

/** A reference to a component. */
export interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'header' | 'path' | 'query';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Part;
  /** For a path parameter whose value may contain unescaped slashes, which OpenAPI cannot express. */
  readonly 'x-slashes'?: true;
}

export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Part>>;
  readonly content?: Content;
}

/** Schemas of a body by media type. `x-itemSchema` describes one line of a body of lines. */
export type Content = Readonly<
  Record<string, { readonly schema: Part; readonly example?: unknown; readonly 'x-itemSchema'?: Part }>
>;

export const text: Part = { type: 'string' };
export const flag: Part = { type: 'boolean' };
export const count: Part = { type: 'integer', minimum: 0 };
export const time: Part = { type: 'string', format: 'date-time' };
/** 64 lower-case hex digits. */
export const hash: Part = { type: 'string', pattern: '^[0-9a-f]{64}$' };
export const hex: Part = { type: 'string', pattern: '^(?:[0-9a-fA-F]{2})*$' };

export function header(name: string, description: string, schema: Part = text): Parameter {
  return { name, in: 'header', description, schema };
}

export function query(name: string, description: string, schema: Part = text): Parameter {
  return { name, in: 'query', description, schema };
}

export function path(name: string, description: string, schema: Part = text): Parameter {
  return { name, in: 'path', required: true, description, schema };
}

export function json(schema: Part, example?: unknown): Content {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

export function answer(description: string, schema: Part): Answer {
  return { description, content: json(schema) };
}

/** Makes operations that answer with 200 or with one of these refusals. */
export function operations(refusals: Operation['responses']) {
  return (summary: string, answered: Answer, more: Partial<Operation> = {}): Operation => ({
    summary,
    ...more,
    responses: { '200': answered, ...refusals },
  });
}

/** A reference to a schema of the components. */
export function named(name: string): Part & Reference {
  return { $ref: `#/components/schemas/${name}` };
}

/** Answers as components, and references to them. @param prefix of their names */
export function shared(
  prefix: string,
  answers: Readonly<Record<string, Answer>>,
): { components: Record<string, Answer>; references: Record<string, Reference> } {
  const statuses = Object.keys(answers);
  return {
    components: Object.fromEntries(statuses.map((status) => [`${prefix}${status}`, answers[status] as Answer])),
    references: Object.fromEntries(
      statuses.map((status) => [status, { $ref: `#/components/responses/${prefix}${status}` }]),
    ),
  };
}

/** An object with these properties and no others; those of `optional` may be missing. */
export function object(properties: Readonly<Record<string, Part>>, optional: readonly string[] = []): Part {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((name) => !optional.includes(name)),
    additionalProperties: false,
  };
}

export function list(items: Part): Part {
  return { type: 'array', items };
}

export function orNull(type: 'string' | 'integer', more: Part = {}): Part {
  return { type: [type, 'null'], ...more };
}
