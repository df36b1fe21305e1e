/** Writes docs/openapi/*.md from the OpenAPI documents: `npm run docs:api`. With `--check` it only compares. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocuments } from '../../src/main/host/openapi.ts';
import type { Answer, Content, OpenApiDocument, Operation, Parameter, Part } from '../../src/main/open-api/parts.ts';
import { root } from '../paths.ts';
import { typeOf } from './schema-text.ts';

export const apiPagesFolder = join(root, 'docs', 'openapi');

/** Every page by its file name. */
export function apiPages(): ReadonlyMap<string, string> {
  return new Map(Object.entries(openApiDocuments()).map(([name, document]) => [`${name}.md`, pageOf(name, document)]));
}

function pageOf(name: string, document: OpenApiDocument): string {
  const { info, servers = [], paths, webhooks = {}, components = {} } = document;
  const { securitySchemes = {}, schemas = {}, responses = {} } = components;
  const sections = [
    `# ${info.title}`,
    `<!-- Written by \`npm run docs:api\` from the OpenAPI document. Do not edit by hand. -->`,
    words(info.description),
    `A running Planchet serves this as OpenAPI 3.1 at \`/openapi/${name}.json\` of the console.`,
    ...servers.map(({ url, description }) => `Address: \`${url}\`. ${words(description)}`),
    schemesOf(securitySchemes),
    ...Object.entries(paths).flatMap(([path, methods]) => operationsAt(path, methods)),
    ...Object.entries(webhooks).flatMap(([path, methods]) => operationsAt(`webhook ${path}`, methods)),
    ...(Object.keys(responses).length > 0 ? ['## Refusals', refusalsOf(responses)] : []),
    ...(Object.keys(schemas).length > 0 ? ['## Types'] : []),
    ...Object.entries(schemas).map(
      ([type, schema]) => `### ${type}\n\n${described(schema)}${block(typeOf(schema))}${listsOf(schema)}`,
    ),
  ];
  return `${sections.filter(Boolean).join('\n\n')}\n`;
}

function schemesOf(schemes: Part): string {
  const rows = Object.values(schemes as Record<string, Record<string, string>>).map(
    ({ type, scheme, in: place, name, description = '' }) => {
      const how =
        type === 'http' ? `\`Authorization: ${scheme === 'basic' ? 'Basic' : 'Bearer'} …\`` : `${place} \`${name}\``;
      return `- ${how}${description === '' ? '' : `: ${words(description)}`}`;
    },
  );
  return rows.length === 0 ? '' : `Credentials, one of:\n\n${rows.join('\n')}`;
}

function operationsAt(path: string, methods: Readonly<Record<string, Operation>>): string[] {
  return Object.entries(methods).flatMap(([method, operation]) => [
    headingOf(method, path),
    `${words(operation.summary)}.${operation.security?.length === 0 ? ' No credential is needed.' : ''}`.replace(
      '..',
      '.',
    ),
    words(operation.description ?? ''),
    parametersOf(operation.parameters ?? []),
    bodyOf('Request', operation.requestBody?.content),
    ...Object.entries(operation.responses).flatMap(([status, answer]) => answerOf(status, answer)),
  ]);
}

function parametersOf(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(
    ({ name, in: place, description, schema }) =>
      `| \`${name}\` | ${place} | \`${cell(typeOf(schema))}\` | ${words(cell(description))} |`,
  );
  return ['| parameter | in | type | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

export function headingOf(method: string, path: string): string {
  return `## ${method.toUpperCase()} \`${path}\``;
}

/** Replies defined among the components are listed once, at the end of the page. */
function answerOf(status: string, answer: Operation['responses'][string]): string[] {
  if ('$ref' in answer) return [];
  return [
    `Answer ${status}: ${words(answer.description).replaceAll('\n', ' ')}`,
    bodyOf('', (answer as Answer).content),
  ];
}

function bodyOf(what: string, content: Content | undefined): string {
  const forms = Object.entries(content ?? {});
  return forms
    .map(([type, { schema, example, 'x-itemSchema': item }]) => {
      const text = typeOf(item ?? schema);
      const sample = example === undefined ? '' : `for example \`${JSON.stringify(example)}\``;
      const title = [what, `\`${type}\``, item === undefined ? '' : 'each line or event', sample]
        .filter(Boolean)
        .join(', ');
      return text === 'any' || text === 'string' ? title : `${title}\n\n${block(text)}`;
    })
    .join('\n\n');
}

function refusalsOf(responses: Readonly<Record<string, Answer>>): string {
  const rows = Object.entries(responses).map(([name, { description, content = {} }]) => {
    const schema = Object.values(content)[0]?.schema;
    const status = /(\d\w\w)$/.exec(name)?.[1] ?? name;
    const texts = words(cell(description)).replaceAll('\n', '<br>');
    return `| ${status} | ${texts} | ${schema === undefined ? '' : `\`${cell(typeOf(schema))}\``} |`;
  });
  return ['Words in braces stand for a value.', '', '| status | why | answer |', '|---|---|---|', ...rows].join('\n');
}

/** Descriptions of properties that are lists. */
function listsOf({ properties = {} }: Part): string {
  const long = Object.entries(properties as Record<string, Part>).flatMap(([name, { description }]) =>
    String(description ?? '').includes('\n') ? [`\n\n\`${name}\`:\n\n${words(String(description))}`] : [],
  );
  return long.join('');
}

function described({ description }: Part): string {
  return description === undefined ? '' : `${words(String(description))}\n\n`;
}

function block(text: string): string {
  return `\`\`\`txt\n${text}\n\`\`\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** Text as Markdown: only text between backquotes is code. */
function words(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{', '&#123;')))
    .join('');
}

if (process.argv[1] === import.meta.filename) {
  mkdirSync(apiPagesFolder, { recursive: true });
  for (const [file, page] of apiPages()) {
    const path = join(apiPagesFolder, file);
    if (!process.argv.includes('--check')) writeFileSync(path, page);
    else if (!existsSync(path) || readFileSync(path, 'utf8') !== page) {
      console.error(`docs/openapi/${file} is not current: npm run docs:api`);
      process.exitCode = 1;
    }
  }
}
