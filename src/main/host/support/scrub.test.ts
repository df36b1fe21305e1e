import { expect, it } from 'vitest';
import { scrub } from './scrub.ts';

it.each([
  ['{"password": "a \\"quoted\\" one", "x": 1}', '{"password": "[redacted]", "x": 1}'],
  ['{"body":"{\\"passphrase\\":\\"a b\\",\\"n\\":1}"}', '{"body":"{\\"passphrase\\":\\"[redacted]\\",\\"n\\":1}"}'],
  ['{"token": "cut in the mid', '{"token": "[redacted]'],
  ['password=abc; next', 'password=[redacted]; next'],
  ['"rpcPassword": {"value": "(set)"}', '"rpcPassword": {"value": "(set)"}'],
  ['"apiKey": "(not set)"', '"apiKey": "(not set)"'],
  ['5 tokens left', '5 tokens left'],
  ['http://me:p@ss@host:1/a?key=1#t fails', 'http://me:[redacted]@host:1/a?[redacted] fails'],
  ['at /home/ann b/x', 'at /home/<user> b/x'],
  ['C:\\\\Users\\\\ann\\\\x', 'C:\\\\Users\\\\<user>\\\\x'],
  ['in /data/mine/logs', 'in <data folder>/logs'],
])('a report masks %s', (text, clean) => {
  expect(scrub(text, '/data/mine')).toBe(clean);
});

it('masks the words of a wallet, and no other sentence', () => {
  const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
  for (const separator of [' ', ', ', '\\n', '","']) {
    expect(scrub(`it was ${words.replaceAll(' ', separator)}.`, '/none')).not.toContain('sausage');
  }
  const sentence = 'The wallet is ready and the chain of blocks is longer than the one it had before';
  expect(scrub(sentence, '/none')).toBe(sentence);
});
