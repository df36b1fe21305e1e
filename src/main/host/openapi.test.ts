import { describe, expect, it } from 'vitest';
import type { OpenApiDocument, Operation } from '../open-api/parts.ts';
import { openApiDocuments } from './openapi.ts';

const documents = Object.entries(openApiDocuments());

/** Every operation with its name: `POST /tx`. */
function operationsOf({ paths, webhooks = {} }: OpenApiDocument): [string, Operation][] {
  return [...Object.entries(paths), ...Object.entries(webhooks)].flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
}

describe.each(documents)('the document of %s', (_name, document) => {
  const text = JSON.stringify(document);

  it('refers only to components that it has', () => {
    const { schemas = {}, responses = {} } = document.components ?? {};
    const names = [...text.matchAll(/"\$ref":"#\/components\/(schemas|responses)\/(\w+)"/g)];
    const missing = names.filter(([, kind, name]) => !((name as string) in (kind === 'schemas' ? schemas : responses)));
    expect(missing.map(([reference]) => reference)).toEqual([]);
    expect(text).not.toContain('$defs');
  });

  it('has no component that nothing refers to', () => {
    const { schemas = {}, responses = {} } = document.components ?? {};
    const names = [
      ...Object.keys(schemas).map((one) => `schemas/${one}`),
      ...Object.keys(responses).map((one) => `responses/${one}`),
    ];
    expect(names.filter((name) => !text.includes(`"#/components/${name}"`))).toEqual([]);
  });

  it('describes each parameter of a path, each security scheme that is used, and an answer of every operation', () => {
    const schemes = Object.keys(document.components?.securitySchemes ?? {});
    for (const [name, { parameters = [], security = [], responses, summary }] of operationsOf(document)) {
      const inPath = [...name.matchAll(/\{(\w+)\}/g)].map(([, one]) => one as string).sort();
      const told = parameters.flatMap((one) => (one.in === 'path' ? [one.name] : [])).sort();
      expect(told, name).toEqual(inPath);
      expect(summary, name).not.toBe('');
      expect(
        Object.keys(responses).some((status) => status.startsWith('2')),
        name,
      ).toBe(true);
      for (const one of security) for (const scheme of Object.keys(one)) expect(schemes, name).toContain(scheme);
    }
    for (const one of document.security ?? []) for (const scheme of Object.keys(one)) expect(schemes).toContain(scheme);
  });
});

it('there is a document for every HTTP surface', () => {
  expect(documents.map(([name]) => name)).toEqual([
    'console',
    'gateway',
    'writer',
    'token',
    'quota',
    'mapi',
    'arc',
    'sandbox',
    'callbacks',
    'metrics',
  ]);
});
