import { describe, expect, it } from 'vitest';
import catalogue from '../languages/de/catalogue.ts';
import { allOf, phrase, phraseText } from './phrase.ts';
import { phraseSchema } from './phrase-schema.ts';

describe('a phrase', () => {
  it('is rendered in English and in another language, with nested phrases', () => {
    const long = phrase('import.too-long', {
      what: phrase('import.word.trait', { name: 'Sky' }),
      length: 300,
      limit: 256,
    });
    expect(phraseText(long)).toBe('The trait Sky has 300 characters; at most 256 are allowed.');
    expect(phraseText(long, catalogue.phrases)).toBe('Das Merkmal Sky hat 300 Zeichen; erlaubt sind höchstens 256.');
    expect(phraseText(long, { 'import.word.trait': 'Merkmal {name}' })).toMatch(/^Merkmal Sky has 300/);
  });

  it('of a library has its English text as its id, and stays English if a language lacks it', () => {
    const why = { key: 'An address has 26 to 35 characters.', values: {} };
    const sentence = { key: '{field} is not an address: {why}', values: { field: 'destination', why } };
    expect(phraseText(sentence)).toBe('destination is not an address: An address has 26 to 35 characters.');
    expect(phraseText(sentence, catalogue.phrases)).toBe(
      'destination ist keine Adresse: Eine Adresse hat 26 bis 35 Zeichen.',
    );
    expect(phraseText({ key: 'Nobody has said {what} yet.', values: { what: 1 } }, catalogue.phrases)).toBe(
      'Nobody has said 1 yet.',
    );
  });

  it('can consist of several, which are rendered one after the other', () => {
    const all = allOf([phrase('check.parent-kept-back'), phrase('test.miner'), phrase('test.zmq-none')]);
    expect(phraseText(all)).toBe(
      'It spends a transaction that was not sent. It answers with its fees. No address is set: blocks are looked for over RPC.',
    );
  });

  it('is parsed by its schema at any depth', () => {
    const deep = phrase('event.kept-back', { why: allOf([phrase('test.miner'), phrase('test.zmq-none')]) });
    expect(phraseSchema.parse(deep)).toEqual(deep);
    expect(phraseSchema.safeParse({ key: 'a', values: { b: { key: 1, values: {} } } }).success).toBe(false);
  });
});
