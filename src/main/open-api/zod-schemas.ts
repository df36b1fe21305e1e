import { z } from 'zod';
import type { Part } from './parts.ts';

/**
 * Turns zod schemas into those of a document. Schemas with a name become components, described once and referred to.
 * What JSON cannot hold (a file, for example) is described as anything.
 */
export class ZodSchemas {
  /** The components that were referred to so far. */
  readonly components: Record<string, Part> = {};
  readonly #names = z.registry<{ id: string }>();

  /** @param namedSchemas names of components and their schemas */
  constructor(namedSchemas: Readonly<Record<string, z.ZodType>> = {}) {
    for (const [id, schema] of Object.entries(namedSchemas))
      if (!this.#names.has(schema)) this.#names.add(schema, { id });
  }

  /** @param io what a client sends (defaults may be left out), or what is answered */
  of(schema: z.ZodType, io: 'input' | 'output'): Part {
    const { $schema, $defs, ...whole } = z.toJSONSchema(schema, { io, unrepresentable: 'any', metadata: this.#names });
    // Sent and answered forms differ where a schema has defaults, so each is a component of its own.
    const nameOf = (name: string): string => (io === 'input' ? `${name}Input` : name);
    for (const [name, part] of Object.entries($defs ?? {})) this.components[nameOf(name)] ??= renamed(part, nameOf);
    return renamed(whole, nameOf);
  }
}

const LOCAL = '#/$defs/';

/** A schema whose references lead to the components. */
function renamed(part: unknown, nameOf: (name: string) => string): Part {
  const walk = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, inner]) => {
        if (key === 'id') return typeof inner === 'string' ? [] : [[key, walk(inner)]];
        if (key !== '$ref' || typeof inner !== 'string') return [[key, walk(inner)]];
        return [[key, `#/components/schemas/${nameOf(inner.slice(LOCAL.length))}`]];
      }),
    );
  };
  return walk(part) as Part;
}
