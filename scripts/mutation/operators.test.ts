import { expect, it } from 'vitest';
import { mutantsOf, mutated } from './operators.ts';

const all = (text: string): string[] => mutantsOf('a.ts', text).map((mutant) => mutated(text, mutant));

it('the mutation of a file changes conditions, comparisons, sums, limits and statements, one at a time', () => {
  expect(all('if (a < 2) throw e;')).toEqual([
    'if (true) throw e;',
    'if (false) throw e;',
    'if (a <= 2) throw e;',
    'if (a < 3) throw e;',
    'if (a < 2) ;',
  ]);
  expect(all('await f(!a && b + 1, true);')).toEqual([
    ';',
    'await f(a && b + 1, true);',
    'await f(!a || b + 1, true);',
    'await f(!a && b - 1, true);',
    'await f(!a && b + 2, true);',
    'await f(!a && b + 1, false);',
  ]);
  expect(all('const a = b ? c : d;')).toEqual(['const a = true ? c : d;', 'const a = false ? c : d;']);
});

it('the mutation of a file leaves types and imports alone', () => {
  expect(all("import { a } from 'b';\ntype T = 1 | true;\nlet x: Array<2> = [] as 3[];")).toEqual([]);
});
