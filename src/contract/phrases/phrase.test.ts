import { describe, expect, it } from 'vitest';
import catalogue from '../languages/de/catalogue.ts';
import { eventPhrases, phraseTexts } from './en.ts';
import { phrase, phraseText, readPhrase } from './phrase.ts';

describe('a phrase', () => {
  it('is said in English and in another language, with phrases inside it', () => {
    const long = phrase('import.too-long', {
      what: phrase('import.word.trait', { name: 'Sky' }),
      length: 300,
      limit: 256,
    });
    expect(phraseText(long)).toBe('The trait Sky has 300 characters; at most 256 are allowed.');
    expect(phraseText(long, catalogue.phrases)).toBe('Das Merkmal Sky hat 300 Zeichen; erlaubt sind höchstens 256.');
    expect(phraseText(long, { 'import.word.trait': 'Merkmal {name}' })).toMatch(/^Merkmal Sky has 300/);
  });

  it.each(eventPhrases)('%s is found again in the sentence that it made', (key) => {
    const names = [...phraseTexts[key].matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);
    const values = Object.fromEntries(names.map((name, index) => [name, `${index}7. a`]));
    expect(readPhrase(phraseText({ key, values }), eventPhrases)).toEqual({ key, values });
    expect(readPhrase('A node said so.', eventPhrases)).toBeNull();
  });
});
