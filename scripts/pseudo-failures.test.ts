import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  type ErrorId,
  errorEntries,
  type Failure,
  type Filling,
  fieldProblems,
  itemMetadataSchema,
  PlanchetError,
  phraseText,
  toFailure,
  translateFailure,
} from '../src/contract/index.ts';
import { systemClock } from '../src/main/clock.ts';
import { bindPublisher } from '../src/main/gateway/zmq/publisher.ts';
import { lockDataFolder } from '../src/main/infrastructure/data-folder.ts';
import { listenLocally } from '../src/main/local-server.ts';
import { SettingsStore } from '../src/main/settings/settings-store.ts';
import { storeFailure } from '../src/main/store/store.ts';
import { checkedMetadata, checkedSubTypeData } from '../src/main/studio/projects/metadata.ts';
import { root } from './paths.ts';
import { accented, pseudoLanguage } from './pseudo-language.ts';

const { errors, phrases } = pseudoLanguage();

/** The text of a failure in the pseudo-language. */
function shown(failure: Failure): string {
  const { message, hint = '' } = translateFailure(failure, errors, (sentence) => phraseText(sentence, phrases));
  return `${message} ${hint}`;
}

/** Words without an accent in a text, other than values that are equal in every language. */
function plainWords(failure: Failure, values: readonly string[] = []): string[] {
  // A placeholder in a command is equal in every language.
  const text = values.reduce((rest, value) => rest.replaceAll(value, ''), shown(failure).replace(/<\w+>/g, ''));
  return text.match(/[a-zA-Z]{2,}/g) ?? [];
}

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'planchet-words-'));
  return () => rmSync(dataDir, { recursive: true, force: true });
});

async function failureOf(work: () => unknown): Promise<Failure> {
  try {
    await work();
  } catch (error) {
    return toFailure(error);
  }
  throw new Error('nothing failed');
}

/** Ids that only programs and the command line show. */
const ofPrograms = /^(?:cli|rest|sandbox-api|usage|write-api)\./;

describe('in a pseudo-language', () => {
  it('every message of the catalogue contains no English word', () => {
    const ids = (Object.keys(errorEntries) as ErrorId[]).filter((id) => !ofPrograms.test(id));
    const english = ids.filter((id) => {
      const { message, hint = '' } = errorEntries[id];
      const names = [...`${message}${hint}`.matchAll(/\{(\w+)\}/g)].map(([, name = '']): [string, Filling] => [
        name,
        7,
      ]);
      const make = PlanchetError as new (id: ErrorId, values: Record<string, Filling>) => PlanchetError;
      return plainWords(new make(id, Object.fromEntries(names)).toFailure()).length > 0;
    });
    expect(ids.length).toBeGreaterThan(400);
    expect(english).toEqual([]);
  });

  it('a text without an id is detected', () => {
    const failure = new PlanchetError('store.failed', { file: '7', reason: 'in the data folder' }).toFailure();
    expect(plainWords(failure)).toEqual(['in', 'the', 'data', 'folder']);
    expect(accented('x')).not.toBe('x');
  });

  it('a failure of the database contains no English word', () => {
    for (const code of ['SQLITE_FULL', 'SQLITE_IOERR'])
      expect(plainWords(storeFailure(Object.assign(new Error('7'), { code })).toFailure())).toEqual([]);
  });

  it.each([
    ['sandbox', 'fix.sandbox-local'],
    ['console', 'fix.console-local'],
    ['writer', 'fix.other-network'],
    ['gateway', 'fix.own-credentials'],
  ] as const)('the refusal to bind the %s to a public address is translated', async (_, key) => {
    const remoteFix = { key, values: {} };
    const listen = () => listenLocally({ bind: '0.0.0.0:0', key: 'k', remoteFix, create: () => createServer() });
    expect(plainWords(await failureOf(listen))).toEqual([]);
  });

  it('the refusal to bind ZMQ to a public address is translated', async () => {
    const failure = await failureOf(() => bindPublisher('tcp://0.0.0.0:0', false));
    expect(plainWords(failure, ['zmqAddress'])).toEqual([]);
  });

  it('the failure of a data folder in use names the process and is translated', async () => {
    const lock = lockDataFolder(dataDir);
    onTestFinished(() => lock.release());
    const failure = await failureOf(() => lockDataFolder(dataDir));
    expect(failure.message).toContain(`${process.pid}`);
    expect(plainWords(failure, [dataDir])).toEqual([]);
  });

  it.each(['no JSON at all', '{"network": "main" oops', '{"network": "elsewhere"}'])(
    'the failure of a broken settings file %s is translated',
    async (text) => {
      writeFileSync(join(dataDir, 'settings.json'), text);
      const failure = await failureOf(() => new SettingsStore({ dataDir, clock: systemClock }));
      expect(failure.id).toBe('settings.file-broken');
      expect(plainWords(failure, [join(dataDir, 'settings.json'), '"elsewhere"', 'main'])).toEqual([]);
    },
  );

  it.each([
    [{ name: '' }, ['name']],
    [{ name: 'x'.repeat(121) }, ['name']],
    [{}, ['name']],
    [{ name: 'a', mintNumber: -1 }, ['mintNumber']],
    [{ name: 'a', mintNumber: 0.5 }, ['mintNumber']],
    [{ name: 'a', traits: [1, 2].map(() => ({ name: 'b', value: 'c' })) }, ['traits']],
    [{ name: 'a', traits: [{ name: 'app', value: '' }] }, ['traits', 'value', 'name']],
    [{ name: 'a', keys: Array.from({ length: 40 }, (_, at) => ({ name: `k${at}`, value: 'c' })) }, ['keys']],
    [{ name: 'a', royalties: [{ destination: 'b', percentage: 'c' }] }, ['royalties', 'percentage']],
    [{ name: 'a\0' }, ['\0']],
    [7, ['input']],
  ])('the refusal of metadata %# is translated', async (metadata, fields) => {
    expect(plainWords(await failureOf(() => checkedMetadata(metadata)), fields)).toEqual([]);
  });

  it('the refusal of further metadata that is not an object is translated', async () => {
    expect(plainWords(await failureOf(() => checkedSubTypeData('[]')), ['JSON'])).toEqual([]);
  });
});

describe('the refusal of a request', () => {
  const problems = (schema: z.ZodType, value: unknown): string =>
    phraseText(fieldProblems(schema.safeParse(value).error?.issues ?? []));

  it('names the invalid fields and what is expected, three at most', () => {
    const schema = z.strictObject({
      text: z.string().min(3),
      list: z.array(z.string()).min(1),
      number: z.number().max(5),
      kind: z.enum(['one', 'two']),
    });
    expect(problems(schema, { text: 'a', list: [], number: 9, kind: 'three' })).toBe(
      'text: must have at least 3 characters; list: must have at least 1 entries; number: must be at most 5; and 1 more',
    );
    expect(problems(schema, { text: 'abc', list: ['a'], number: 1, kind: 'three', extra: 1 })).toBe(
      'kind: must be one of one, two; input: must not have extra',
    );
    expect(problems(itemMetadataSchema, {})).toBe('name: is missing or has another form than asked for');
  });

  it('uses only texts of the contract that have an id', () => {
    const files = globSync('src/contract/**/*.ts', { cwd: root, exclude: ['**/*.test.ts', '**/test-support/**'] });
    const literal = /\.(?:min|max|int|regex|refine|length)\((?:[^()]|\([^()]*\))*,\s*['`][^'`\n]* [^'`\n]*['`],?\s*\)/;
    expect(files.length).toBeGreaterThan(80);
    expect(files.filter((file) => literal.test(readFileSync(join(root, file), 'utf8')))).toEqual([]);
  });
});
