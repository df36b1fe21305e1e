import { expect } from 'vitest';
import { z } from 'zod';
import type { Answer, Content, OpenApiDocument, Operation, Part } from '../parts.ts';

/** A request and its response, as sent. */
export interface Exchange {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The JSON or the form that was sent; undefined for anything else. */
  readonly sent?: unknown;
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly text: string;
  /** The answer where it is a multipart form. */
  readonly form?: FormData;
}

const METHODS = ['get', 'post', 'put', 'delete'];

/** Checks requests and responses against an OpenAPI document. */
export class Described {
  /** What was checked so far: `POST /tx 200`. */
  readonly seen = new Set<string>();
  readonly #document: OpenApiDocument;
  readonly #routes: { pattern: RegExp; path: string; operations: Readonly<Record<string, Operation>> }[];
  readonly #schemas = new Map<unknown, z.ZodType>();

  /** @param base path that stands in front of those of the document */
  constructor(document: OpenApiDocument, base = '') {
    this.#document = document;
    this.#routes = Object.entries(document.paths)
      .map(([path, operations]) => ({ pattern: patternOf(base + path, operations), path, operations }))
      // a more specific path comes before a general one that also matches
      .sort((one, other) => parametersOf(one) - parametersOf(other) || other.path.length - one.path.length);
  }

  /** `POST /tx` for each operation. */
  get operations(): string[] {
    return this.#routes.flatMap(({ path, operations }) =>
      Object.keys(operations)
        .filter((method) => METHODS.includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
  }

  /** Operations without a successful exchange. */
  unseen(): string[] {
    return this.operations.filter((operation) => ![...this.seen].some((seen) => seen.startsWith(`${operation} 2`)));
  }

  /** Fails unless the document describes this exchange. @returns false for a path that it does not have */
  hold(exchange: Exchange): boolean {
    const path = exchange.path.split('?', 1)[0] as string;
    const route = this.#routes.find(
      ({ pattern, operations }) => pattern.test(path) && exchange.method.toLowerCase() in operations,
    );
    if (route === undefined) return false;
    const operation = route.operations[exchange.method.toLowerCase()] as Operation;
    const name = `${exchange.method} ${route.path} ${exchange.status}`;
    const answer = this.#answerOf(operation, exchange.status);
    expect(answer, `${name} is described`).toBeDefined();
    this.#holdAnswer(name, exchange, answer as Answer);
    if (exchange.status < 300 && exchange.sent !== undefined) this.#holdRequest(name, exchange.sent, operation);
    this.seen.add(name);
    return true;
  }

  /** Fails unless a webhook of this name describes the body. */
  holdWebhook(name: string, body: unknown): void {
    const content = this.#document.webhooks?.[name]?.post?.requestBody?.content['application/json'];
    expect(content, `webhook ${name}`).toBeDefined();
    this.#holdValue(`webhook ${name}`, content?.schema as Part, body);
    this.seen.add(`webhook ${name}`);
  }

  #answerOf({ responses }: Operation, status: number): Answer | undefined {
    const found = responses[String(status)] ?? responses[`${Math.floor(status / 100)}XX`];
    if (found === undefined || !('$ref' in found)) return found;
    return this.#document.components?.responses?.[found.$ref.replace('#/components/responses/', '')];
  }

  #holdAnswer(
    name: string,
    { contentType, text, form, headers = {} }: Exchange,
    { content, headers: told = {} }: Answer,
  ): void {
    for (const header of Object.keys(told)) expect(headers, name).toHaveProperty(header.toLowerCase());
    if (content === undefined || (text === '' && contentType === '')) {
      expect(text, `${name} has no body`).toBe('');
      return;
    }
    const type = contentType.split(';', 1)[0]?.trim() ?? '';
    const media: Content[string] | undefined = content[type] ?? content['*/*'];
    expect(media, `${name} as ${type}`).toBeDefined();
    const { schema, 'x-itemSchema': item } = media as Content[string];
    if (item !== undefined) {
      for (const line of text.split('\n').filter(Boolean)) this.#holdValue(name, item, JSON.parse(line));
    } else if (form !== undefined) this.#holdValue(name, schema, fieldsOf(form));
    else if (/json/.test(type)) this.#holdValue(name, schema, JSON.parse(text));
  }

  #holdRequest(name: string, sent: unknown, { requestBody }: Operation): void {
    const isForm = sent instanceof FormData;
    const media = requestBody?.content[isForm ? 'multipart/form-data' : 'application/json'];
    expect(media, `${name} takes ${isForm ? 'a form' : 'JSON'}`).toBeDefined();
    this.#holdValue(`${name}, request`, (media as Content[string]).schema, isForm ? fieldsOf(sent) : sent);
  }

  #holdValue(name: string, schema: Part, value: unknown): void {
    let compiled = this.#schemas.get(schema);
    if (compiled === undefined) {
      const whole = { ...(local(schema) as object), $defs: local(this.#document.components?.schemas ?? {}) };
      compiled = z.fromJSONSchema(whole as Parameters<typeof z.fromJSONSchema>[0]);
      this.#schemas.set(schema, compiled);
    }
    const { error } = compiled.safeParse(value);
    expect(error?.issues ?? [], `${name}: ${JSON.stringify(value)?.slice(0, 2_000)}`).toEqual([]);
    this.#holdTexts(name, schema, value);
  }

  /** Checks texts of an object that are JSON themselves. */
  #holdTexts(name: string, { properties = {} }: Part, value: unknown): void {
    for (const [key, { contentSchema }] of Object.entries(properties as Record<string, Part>)) {
      const inner = (value as Record<string, unknown>)[key];
      if (contentSchema !== undefined && typeof inner === 'string')
        this.#holdValue(`${name}, ${key}`, contentSchema as Part, JSON.parse(inner));
    }
  }
}

/** A schema whose references lead to its own definitions. */
function local(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(local);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [
      key,
      key === '$ref' ? String(value).replace('#/components/schemas/', '#/$defs/') : local(value),
    ]),
  );
}

/** Fields by name; a file is any text, as documents describe it. */
function fieldsOf(form: FormData): Record<string, string> {
  return Object.fromEntries([...form].map(([name, value]) => [name, typeof value === 'string' ? value : 'file']));
}

function parametersOf({ path }: { path: string }): number {
  return path.split('{').length;
}

function patternOf(path: string, operations: Readonly<Record<string, Operation>>): RegExp {
  const parameters = Object.values(operations).flatMap((operation) => operation.parameters ?? []);
  const withSlashes = new Set(parameters.flatMap((one) => (one['x-slashes'] === true ? [one.name] : [])));
  const parts = path.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return withSlashes.has(part) ? '.+' : '[^/]+';
  });
  return new RegExp(`^${parts.join('')}/?$`);
}
