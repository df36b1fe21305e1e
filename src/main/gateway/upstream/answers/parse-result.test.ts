import { expect, it } from 'vitest';
import { resultOf } from './parse-result.ts';

const ORIGIN = 'http://node.example';

it.each([
  ['in a word', 'The proxy restarts.'],
  ['in an object without a code of a node', { code: 'busy', message: 'The proxy restarts.' }],
])('the reason of a refusal that is not a node’s is told, %s', (_, error) => {
  expect(() => resultOf({ error }, 1, 503, ORIGIN)).toThrow(
    'The node at http://node.example is not available at the moment (HTTP 503): The proxy restarts.',
  );
  expect(() => resultOf({ error }, 1, 400, ORIGIN)).toThrow('says (HTTP 400): The proxy restarts.');
});
