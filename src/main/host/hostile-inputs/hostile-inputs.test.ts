import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { heldBy } from '../../test-support/held.ts';
import { readers, type Surface } from '../../test-support/hostile/readers.ts';
import { answers } from './test-support/answers.ts';
import { ATTACKS, type Attacker, BOUND, LONG } from './test-support/attack.ts';
import { servers } from './test-support/servers.ts';
import { closeTarget, openTarget } from './test-support/target.ts';
import { texts } from './test-support/texts.ts';

/** What each surface is sent. A surface of `readers.ts` that is missing here does not compile. */
const attacks: Readonly<Record<Surface, readonly Attacker[]>> = { ...servers, ...answers, ...texts };

beforeAll(openTarget);
afterAll(closeTarget);

describe('a hostile input', () => {
  const cases = Object.entries(attacks)
    .flatMap(([surface, all]) => all.map((attack, n) => ({ surface, n, attack })))
    .map((one, place) => ({ ...one, place }));
  it.each(cases)(
    'of any shape to the surface "$surface" ($n) holds the thread for 250 ms and takes 64 MB at most',
    { timeout: 3_600_000 },
    async ({ attack, place }) => {
      // In `npm test` one of them each, in turn.
      const sent = LONG ? ATTACKS : ATTACKS.filter((_, at) => at === place % ATTACKS.length);
      const broken: unknown[] = [];
      for (const one of sent) {
        const held = await heldBy(await attack(one), BOUND);
        if (held.milliseconds > BOUND.milliseconds || held.bytes > BOUND.bytes) broken.push({ one, held });
      }
      expect(broken).toEqual([]);
    },
  );
});

describe('the table of surfaces', () => {
  const root = fileURLToPath(new URL('../../..', import.meta.url));
  /** What listens, or makes values of text or bytes that may be somebody else’s. */
  const reads =
    /\b(?:listenLocally|createServer|Fastify)\(|from 'undici'|\bfetch\(|\.(?:json|text|arrayBuffer|formData)\(\)|JSON\.parse|\b(?:readForeign\w*|parseForeign|parseScanned)\(|new JsonScan\(|from '(?:csv-parse|yauzl|yaml)/;

  it('names every file that listens or reads, as a part of a surface or as a reader of what is our own', () => {
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => /^(?:main|chain|token)\/.*\.ts$/.test(path) && !/\.test\.ts$|test-support\//.test(path))
      .filter((path) => reads.test(readFileSync(join(root, path), 'utf8')));
    expect(Object.values(readers).flat().sort()).toEqual(found.sort());
  });

  it.each([
    "const server = createServer((request, response) => response.end('hello'));",
    'const app = Fastify();',
    'await listenLocally(server, address);',
    "const answer = await fetch('https://service.example/quote');",
    "import { request } from 'undici';",
    'const asked = (await request.json()) as Asked;',
    'const value = JSON.parse(text) as Message;',
    'const reply = await readForeign(body, bounds);',
    "import { parse } from 'csv-parse/sync';",
  ])('notices a file that has %s', (line) => {
    expect(line).toMatch(reads);
  });
});
