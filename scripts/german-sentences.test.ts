import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ChainError, decodeAddress, type Sentence } from '../src/chain/index.ts';
import { PlanchetError, phrase, ruleOf, settingRows, settingsSchema } from '../src/contract/index.ts';
import german from '../src/contract/languages/de/catalogue.ts';
import libraries from '../src/contract/languages/de/libraries.json' with { type: 'json' };
import phrases from '../src/contract/languages/de/phrases.json' with { type: 'json' };
import { asPlanchetError } from '../src/main/tokens/build.ts';
import { inPageLanguage } from '../src/renderer/i18n/errors.ts';
import { i18n } from '../src/renderer/i18n/index.ts';
import { addLanguage } from '../src/renderer/i18n/languages.ts';
import { AmountError } from '../src/token/errors.ts';
import { root } from './paths.ts';
import { libraryTexts } from './pseudo-language.ts';

beforeAll(async () => {
  addLanguage('de', german);
  await i18n.changeLanguage('de');
  return async () => {
    await i18n.changeLanguage('en');
  };
});

/** The texts in quotes where a failure gets its reason; `${…}` is replaced by a number. */
function reasonsIn(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const text = String.raw`('(?:[^'\\\n]|\\.)*'|\`[^\`\n]*\`)`;
  const calls = String.raw`\b(?:refuse|invalid|tooLarge|malformedAnswer|wrongSentence|wrongState|onOther|NoAnswer|PhrasedError|HeaderRefused|onInvalid)\((?:[\w.]+,\s*)?${text}`;
  const fields = String.raw`\b(?:reasons?|why|what|there): (?:[^,'\`\n]*(?:\?\?|\|\|) )?${text}`;
  return [calls, fields].flatMap((pattern) =>
    [...source.matchAll(new RegExp(pattern, 'g'))]
      .map(([, literal = '']) => literal.slice(1, -1).replace(/\$\{[^}]*\}/g, '7'))
      .filter((literal) => /[a-z] [a-z]/.test(literal)),
  );
}

it('the German translations cover exactly the sentences that the libraries write', () => {
  expect(Object.keys(libraries).sort()).toEqual(libraryTexts());
});

describe('a sentence with inserted values, which no catalogue can translate', () => {
  const files = globSync(
    [
      'src/main/{chain-data,gateway/upstream,host,merchant,outbound,studio,tokens,transaction-jobs,wallet,writer/funding}/**/*.ts',
      'src/chain/{block,encoding,inscription,keys,proof,script,transaction}/**/*.ts',
      'src/token/{functions,parameters,schema,trace,transaction,values}/**/*.ts',
    ],
    {
      cwd: root, // The texts of reviews are named by their ids, and miners alone read what a callback is answered.
      exclude: ['**/*.test.ts', '**/test-support/**', '**/tokens/review.ts', '**/callbacks/callback-routes.ts'],
    },
  );

  it('is never the reason of a refusal of the host', () => {
    const ofHost = files.filter((file) => file.startsWith('src/main'));
    expect(ofHost.length).toBeGreaterThan(300);
    expect(ofHost.flatMap((file) => reasonsIn(file).map((reason) => `${file}: ${reason}`))).toEqual([]);
  });

  it('is never written by the libraries', () => {
    const libraries = files.filter((file) => !file.startsWith('src/main'));
    const filled = libraries.flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
      return [...source.matchAll(/`[^`]*`/g)]
        .map(([text]) => text)
        .filter((text) => /\$\{[^}]*\}/.test(text) && /[a-z] [a-z]/.test(text.replace(/\$\{[^}]*\}/g, 'x')))
        .map((text) => `${file}: ${text}`);
    });
    expect(libraries.length).toBeGreaterThan(50);
    // The first is shown only for a flag written by hand; the second is the name of a type.
    expect(filled.map((text) => text.split(':')[0])).toEqual(['src/token/schema/json.ts', 'src/chain/script/rules.ts']);
  });
});

describe('the German sentences', () => {
  it.each([...settingRows.keys()])('are not needed for what is allowed for %s, which has an id', (key) => {
    const [group, inner] = key.split('.') as [string, string?];
    const wrong = [{}, -1, '\u0000:', 'x'.repeat(2_000)].flatMap((value) => {
      const result = settingsSchema.safeParse(
        inner === undefined ? { [group]: value } : { [group]: { [inner]: value } },
      );
      return result.error?.issues.map(({ message }) => message) ?? [];
    });
    // A value of a type that the form cannot send is refused in the words of zod.
    const said = wrong.filter((message) => !message.startsWith('Invalid input'));
    const isSwitch = wrong.length > 0 && said.length === 0;
    expect(isSwitch || said.length > 0).toBe(true);
    expect(said.filter((message) => ruleOf(message) === undefined)).toEqual([]);
  });
});

describe('a failure on a German page', () => {
  const inGerman = (error: PlanchetError): string => inPageLanguage(error.toFailure()).message;
  const faultOf = (text: string): Sentence => {
    try {
      decodeAddress(text);
    } catch (error) {
      return (error as ChainError).sentence;
    }
    throw new Error('it can be read');
  };

  it.each([
    [
      new PlanchetError('import.table-unreadable', { table: 'a.csv', reason: phrase('import.word.quote') }),
      `Die Tabelle a.csv ist nicht lesbar: ${phrases['import.word.quote']}.`,
    ],
    [
      new PlanchetError('import.path-unreadable', {
        path: '/a',
        reason: phrase('import.word.system', { code: 'EMFILE' }),
      }),
      `/a ist nicht lesbar: ${phrases['import.word.system'].replace('{code}', 'EMFILE')}.`,
    ],
    [
      new PlanchetError('mint.address-invalid', { reason: faultOf('1AGNa15ZQXAZUgFiqJ2i7Z2DPU2J6hW62j') }),
      'Die Adresse enthält einen Tippfehler: Die Prüfsumme stimmt nicht.',
    ],
    [
      asPlanchetError(
        new AmountError(
          'sum-mismatch',
          'destinations',
          '{field} holds {given} satoshis in total; the inputs hold {wanted}.',
          { given: 5, wanted: 7_000 },
        ),
      ),
      'destinations enthält zusammen 5 Satoshi; die Eingänge enthalten 7.000.',
    ],
  ])('%s', (error, text) => {
    expect(inGerman(error)).toBe(text);
  });
});
