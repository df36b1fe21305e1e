/**
 * JSON that costs a reader far more than its bytes if it makes values of it before it looks, and texts that are none. What a surface takes is
 * put around them.
 */
const patterns = {
  'arrays that never end': ['', '[', ''],
  'objects that never end': ['', '{"a":', ''],
  'empty arrays': ['[', '[],', '0]'],
  'empty objects': ['[', '{},', '0]'],
  numbers: ['[', '1,', '0]'],
  'one name again and again': ['{', '"a":1,', '"b":0}'],
  'one long text': ['"', 'a', '"'],
  'one long number': ['', '7', ''],
  escapes: ['"', '\\u00e9', '"'],
  space: ['[', ' ', '0]'],
  'nothing that is JSON': ['', '\0', ''],
  'half a character': ['"', '\xff', '"'],
} as const satisfies Readonly<Record<string, readonly [head: string, again: string, tail: string]>>;

export type Shape = keyof typeof patterns | 'closed arrays' | 'many names';
export const shapes: readonly Shape[] = [
  ...(Object.keys(patterns) as (keyof typeof patterns)[]),
  'closed arrays',
  'many names',
];
/** Those that cost most: levels, and values with names. */
export const fewShapes: readonly Shape[] = ['arrays that never end', 'many names'];

/** The newest one: making it anew for each surface takes longer than most surfaces do. */
let newest: { of: string; made: Buffer } | undefined;

/** @param bytes about how long it is @returns bytes that are shared: they are not changed */
export function hostile(shape: Shape, bytes: number): Buffer {
  const of = `${shape} ${bytes}`;
  if (newest?.of !== of) newest = { of, made: makeHostile(shape, bytes) };
  return newest.made;
}

function makeHostile(shape: Shape, bytes: number): Buffer {
  if (shape === 'closed arrays') return Buffer.concat([Buffer.alloc(bytes / 2, '['), Buffer.alloc(bytes / 2, ']')]);
  if (shape === 'many names') {
    const names = Array.from({ length: Math.floor(bytes / 14) }, (_, n) => `"${n.toString(36).padStart(8, 'k')}":0`);
    return Buffer.from(`{${names.join()}}`);
  }
  const [head, again, tail] = patterns[shape];
  const room = bytes - head.length - tail.length;
  const middle = Buffer.alloc(room - (room % again.length), again, 'latin1');
  return Buffer.concat([Buffer.from(head), middle, Buffer.from(tail)]);
}

/** What a surface takes: the shape between two texts, or as a text of JSON. */
export interface Around {
  readonly before?: string;
  readonly after?: string;
  /** The shape is the content of a text: its quotes and the like are escaped. */
  readonly quoted?: boolean;
}

export function within(shape: Buffer, { before = '', after = '', quoted = false }: Around): Buffer {
  const middle = quoted ? Buffer.from(JSON.stringify(shape.toString('latin1')).slice(1, -1)) : shape;
  return Buffer.concat([Buffer.from(before), middle, Buffer.from(after)]);
}
