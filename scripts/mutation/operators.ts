import { parseSync } from 'vite';

/** One change of a file, which a test should notice. */
export interface Mutant {
  /** Offsets in the text (UTF-16). */
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [name: string]: unknown;
}

const others = new Map<unknown, string>([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['+', '-'],
  ['-', '+'],
  ['*', '/'],
  ['/', '*'],
  ['&&', '||'],
  ['||', '&&'],
]);

/** All possible changes of a text, in its order: conditions, comparisons, sums, limits, and omitted statements. */
export function mutantsOf(path: string, text: string): Mutant[] {
  const { program } = parseSync(path, text);
  const found: Mutant[] = [];
  const add = ({ start, end }: { start: number; end: number }, after: string): void => {
    const line = text.slice(0, start).split('\n').length;
    found.push({ start, end, line, before: text.slice(start, end), after });
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    // Also a list of nodes, which has no type.
    const node = value as Node;
    // Types have no effect at run time.
    if (/^TS(?!As|NonNull|Satisfies)/.test(node.type ?? '') || node.type === 'ImportDeclaration') return;
    changesOf(node, text, add);
    for (const part of Object.values(value)) visit(part);
  };
  visit(program);
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

type Add = (place: { start: number; end: number }, after: string) => void;

function changesOf(node: Node, text: string, add: Add): void {
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      add(node.test as Node, 'true');
      add(node.test as Node, 'false');
      break;
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const other = others.get(node.operator);
      const [{ end: start }, { start: end }] = [node.left as Node, node.right as Node];
      const between = text.slice(start, end);
      if (other !== undefined) add({ start, end }, between.replace(String(node.operator), other));
      break;
    }
    case 'UnaryExpression':
      if (node.operator === '!') add(node, text.slice((node.argument as Node).start, node.end));
      break;
    case 'Literal':
      if (typeof node.value === 'boolean') add(node, String(!node.value));
      if (typeof node.value === 'number') add(node, String(node.value + 1));
      break;
    case 'ExpressionStatement':
      if (/^(?:Await|Call)Expression$/.test((node.expression as Node).type)) add(node, ';');
      break;
    case 'ThrowStatement':
      add(node, ';');
      break;
  }
}

/** The text with one change. */
export function mutated(text: string, { start, end, after }: Mutant): string {
  return text.slice(0, start) + after + text.slice(end);
}
