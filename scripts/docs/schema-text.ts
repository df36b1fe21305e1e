import type { Part } from '../../src/main/open-api/parts.ts';

/** A JSON schema in the notation of TypeScript, for people. */
export function typeOf(schema: Part, indent = ''): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').pop() as string;
  if (schema.contentSchema !== undefined) return `string (JSON of ${typeOf(schema.contentSchema as Part, indent)})`;
  if (schema.contentMediaType === 'application/octet-stream') return 'file';
  if (schema.not !== undefined) return 'never';
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  const alternatives = (schema.anyOf ?? schema.oneOf) as Part[] | undefined;
  if (alternatives !== undefined) return alternatives.map((one) => typeOf(one, indent)).join(' | ');
  if (Array.isArray(schema.allOf)) return (schema.allOf as Part[]).map((one) => typeOf(one, indent)).join(' & ');
  const types = [schema.type ?? (schema.properties === undefined ? 'any' : 'object')].flat() as string[];
  return types.map((type) => plainType(type, schema, indent)).join(' | ');
}

function plainType(type: string, schema: Part, indent: string): string {
  if (type === 'array') {
    if (Array.isArray(schema.prefixItems))
      return `[${(schema.prefixItems as Part[]).map((one) => typeOf(one, indent)).join(', ')}]`;
    const items = typeOf((schema.items ?? {}) as Part, indent);
    return /[ |]/.test(items) && !items.startsWith('{') ? `(${items})[]` : `${items}[]`;
  }
  if (type !== 'object') return limited(type, schema);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, Part>);
  const others = schema.additionalProperties;
  if (properties.length === 0) {
    return typeof others === 'object' && others !== null
      ? `{ [name]: ${typeOf(others as Part, indent)} }`
      : others === false
        ? '{}'
        : 'object';
  }
  const required = new Set((schema.required ?? []) as string[]);
  const inner = `${indent}  `;
  const lines = properties.map(([name, one]) => {
    const note =
      typeof one.description === 'string' && one.$ref === undefined && !one.description.includes('\n')
        ? `  // ${one.description}`
        : '';
    const fallback = one.default === undefined ? '' : ` = ${JSON.stringify(one.default)}`;
    return `${inner}${name}${required.has(name) ? '' : '?'}: ${typeOf(one, inner)}${fallback}${note}`;
  });
  if (typeof others === 'object' && others !== null) lines.push(`${inner}[name]: ${typeOf(others as Part, inner)}`);
  return `{\n${lines.join('\n')}\n${indent}}`;
}

/** A text or number with its relevant limits. */
function limited(type: string, { pattern, format, minimum, maximum, maxLength }: Part): string {
  if (pattern === '^[0-9a-f]{64}$') return 'hash';
  if (typeof pattern === 'string') return `${type} /${pattern}/`;
  if (format !== undefined) return `${type} (${format})`;
  const isLimited = typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER;
  if (isLimited) return `${type} (${minimum ?? ''}–${maximum})`;
  if (typeof maxLength === 'number') return `${type} (at most ${maxLength} characters)`;
  return type;
}
