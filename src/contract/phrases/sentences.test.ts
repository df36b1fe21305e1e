import { describe, expect, it } from 'vitest';
import { sentenceReader } from './sentences.ts';

describe('the reader of sentences', () => {
  const say = sentenceReader(
    {
      'it is gone': 'sie ist weg',
      'no more than {most} bytes': 'höchstens {most} Byte',
      '{file} cannot be read: {why}.': '{file} ist nicht lesbar: {why}.',
      'The table is empty.': 'Die Tabelle ist leer.',
    },
    (value) => `<${value}>`,
  );

  it('says a sentence, what stands in it, and the sentences it consists of', () => {
    expect(say('The table is empty.')).toBe('Die Tabelle ist leer.');
    expect(say('a.csv cannot be read: it is gone.')).toBe('a.csv ist nicht lesbar: sie ist weg.');
    expect(say('The table is empty. A node said so.')).toBe('Die Tabelle ist leer. A node said so.');
  });

  it('writes whole numbers as the language does, and leaves what it does not know', () => {
    expect(say('no more than 1,000,000 bytes')).toBe('höchstens <1000000> Byte');
    expect(say('no more than 4000 bytes')).toBe('höchstens <4000> Byte');
    expect(say('txn-mempool-conflict')).toBe('txn-mempool-conflict');
  });
});
