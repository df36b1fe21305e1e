import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningHost, startHost } from '../../e2e/support/host.ts';
import { walletFollows } from '../../src/main/test-support/hosts/wallet-follows.ts';
import { buildTokenLibrary } from '../build/build-token.ts';
import { ExampleRunner, examples, lacking } from './examples.ts';

const all = examples();
const isPrepared = (mark = ''): boolean => mark === 'run: prepare' || mark === 'run: transaction';

describe('the examples for programs', () => {
  it('state whether they are run, and if not, why', () => {
    const unmarked = all.filter(({ mark }) => mark === undefined || !/^(?:run|run while mining|not run): ./.test(mark));
    expect(unmarked.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });

  it('exist in each language', () => {
    for (const page of ['rpc', 'rest', 'writer', 'mapi', 'arc', 'console']) {
      const own = all.filter((one) => one.page === `docs/integrate/${page}.md` && !isPrepared(one.mark));
      expect(
        own.map(({ language }) => language),
        page,
      ).toEqual(['sh', 'js', 'python', 'csharp']);
    }
  });

  // Needs bash and the paths of a POSIX system; on Windows the blocks are for WSL.
  describe.skipIf(process.platform === 'win32')('against a running Planchet on its sandbox', () => {
    let host: RunningHost;
    let runner: ExampleRunner;
    const makeTransaction = async (): Promise<string> => {
      const block = all.find(({ mark }) => mark === 'run: transaction');
      return (await runner.run(block as (typeof all)[number])).trim();
    };

    beforeAll(async () => {
      host = await startHost();
      await walletFollows(host.client());
      const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
      runner = new ExampleRunner({ ...process.env, PATH, PLANCHET_DATA_DIR: host.ready.dataDir });
      const prepare = all.filter(({ mark }) => mark === 'run: prepare');
      expect(prepare).toHaveLength(1);
      await runner.prepare(prepare[0]?.code ?? '');
      await buildTokenLibrary(join(runner.folder, 'node_modules', 'planchet-token'));
    });
    afterAll(async () => {
      runner?.close();
      await host?.stop();
    });

    it('make a transaction to send', async () => {
      expect(await makeTransaction()).toMatch(/^0100000001[0-9a-f]+$/);
    });

    // Every fifth in `npm test`, so that every language is covered.
    const running = all
      .filter(({ mark = '' }) => mark.startsWith('run') && !isPrepared(mark))
      .filter((_, at) => process.env.PLANCHET_LONG !== undefined || at % 5 === 0);
    it.for(running.map((one) => [`${one.page}:${one.line} ${one.language}`, one] as const))(
      '%s',
      async ([, one], context) => {
        const missing = lacking(one);
        if (missing !== undefined) return context.skip(missing);
        const expected = (one.mark as string).slice((one.mark as string).indexOf(': ') + 2);
        const more = one.code.includes('RAW_TX') ? { RAW_TX: await makeTransaction() } : {};
        const output = runner.run(one, more);
        if (one.mark?.startsWith('run while mining')) await mineUntil(host, output);
        expect(await output).toMatch(new RegExp(expected));
      },
    );
  });
});

/** Mines one block after the other, so that late subscribers receive one too. */
async function mineUntil(host: RunningHost, done: Promise<unknown>): Promise<void> {
  let isDone = false;
  const end = done.then(
    () => {
      isDone = true;
    },
    () => {
      isDone = true;
    },
  );
  while (!isDone) await Promise.race([end, host.client().sandbox.mine({ blocks: 1 })]);
  await end;
}
