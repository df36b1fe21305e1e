import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHost } from '../../../e2e/support/host.ts';
import { concatBytes } from '../../chain/index.ts';
import { PlanchetError, type SubmittedTransaction } from '../../contract/index.ts';
import { callCommand } from '../test-support/hosts/call-command.ts';
import type { Ended } from '../test-support/hosts/command-line.ts';
import { filledDataDir } from '../test-support/hosts/open-host.ts';
import { OwnCoins } from '../test-support/hosts/own-coins.ts';
import { startHere } from '../test-support/hosts/start-here.ts';
import { walletFollows } from '../test-support/hosts/wallet-follows.ts';
import { replacing } from '../test-support/replacing.ts';
import type { Client } from './shared/run.ts';
import { addTransactionCommands, submit, submitInParts } from './transactions.ts';

const own = new OwnCoins();
let folder: string;
let dataDir: string;
let host: Awaited<ReturnType<typeof startHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'planchet-tx-cli-'));
  dataDir = join(folder, 'data');
  host = await startHere({ dataDir });
});
afterAll(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

const tx = (args: string[], input: string | Buffer = ''): Promise<Ended> =>
  callCommand(['tx', ...args, '--data-dir', dataDir, '--json'], input);

/** Watches two changes of a transaction. */
function watchOne(txid: string): { started: Promise<void>; printed: Promise<unknown[]> } {
  const lines: unknown[] = [];
  let printed: Promise<unknown[]> | undefined;
  const started = new Promise<void>((resolve) => {
    const program = new Command();
    addTransactionCommands(program, {
      globals: () => ({ dataDir, set: {}, json: true, safeMode: false }),
      output: () => ({ note: () => resolve(), result: (line) => void lines.push(line) }),
    });
    printed = program.parseAsync(['tx', 'watch', txid, '--count', '2'], { from: 'user' }).then(() => lines);
  });
  return { started, printed: printed as unknown as Promise<unknown[]> };
}

describe('planchet tx', () => {
  it('submits hex, waits for the block, and lists it', async () => {
    const coin = await own.funded(host.client(), 10_000);
    const { hex, txid } = own.spend([coin], [9_900]);
    const watch = watchOne(txid);
    await watch.started;
    const submitted = await tx(['submit', hex, '--wait', 'mined', '--endpoint', 'Default', '--label', 'by hand']);
    expect(submitted).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(submitted.out)).toMatchObject([
      { txid, state: expect.stringMatching(/mined|proven/), endpoints: [{ minerId: 'default', accepted: true }] },
    ]);
    expect(JSON.parse(submitted.out)[0]).not.toHaveProperty('reason');
    const status = await tx(['status', txid]);
    expect(JSON.parse(status.out)).toMatchObject({ txid, origin: 'manual', label: 'by hand' });
    const list = await tx(['list', '--origin', 'manual', '--search', 'by hand']);
    expect(JSON.parse(list.out)).toMatchObject([{ txid }]);
    expect(await watch.printed).toMatchObject([{ txid }, { txid }]);
  });

  it('reads a file and what is piped in, and leaves with 1 if one failed', async () => {
    const coin = await own.funded(host.client(), 10_000);
    const first = own.spend([coin], [9_800]);
    const second = own.spend([first.coin], [9_600]);
    const file = join(folder, 'transactions.bin');
    writeFileSync(file, concatBytes(second.raw, first.raw));
    const sent = await tx(['submit', file]);
    expect(sent.code).toBe(0);
    expect(JSON.parse(sent.out).map((one: { txid: string }) => one.txid)).toEqual([first.txid, second.txid]);
    const rival = own.spend([coin], [9_700]);
    const refused = await tx(['submit', '-'], `${rival.hex}\n`);
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject([
      {
        txid: rival.txid,
        state: expect.stringMatching(/kept-back|failed|double-spent/),
        reason: expect.any(String),
        advice: expect.any(String),
      },
    ]);
  });

  it('lists what the checks kept back, and sends it with retry', async () => {
    const parent = own.spend([await own.funded(host.client(), 10_000)], [9_900]);
    const early = own.spend([parent.coin], [9_800]);
    expect(await tx(['submit', early.hex])).toMatchObject({ code: 1, err: '' });
    const list = await tx(['list', '--state', 'kept-back']);
    expect(JSON.parse(list.out)[0]).toMatchObject({ txid: early.txid, reason: { code: 'input-missing' } });
    await tx(['submit', parent.hex]);
    const sent = await tx(['retry', early.txid]);
    expect(sent.code).toBe(0);
    expect(JSON.parse(sent.out)).toMatchObject([{ txid: early.txid, endpoints: [{ accepted: true }] }]);
  });

  it('submits more than a hundred part after part, and prints them all', async () => {
    const coin = await own.funded(host.client(), 200_000);
    const division = own.spend([coin], Array<number>(150).fill(1_000));
    const payments = Array.from({ length: 150 }, (_, vout) => own.spend([{ ...division.coin, vout }], [900]));
    const file = join(folder, 'many.bin');
    writeFileSync(file, concatBytes(...payments.map(({ raw }) => raw), division.raw));
    const sent = await tx(['submit', file]);
    expect(sent.code).toBe(0);
    const txids = JSON.parse(sent.out).map((one: { txid: string }) => one.txid);
    expect(txids).toEqual([division, ...payments].map(({ txid }) => txid));
  });

  it('says how far it came where the host does not take a part', async () => {
    const told: string[] = [];
    const sent = (offset = 0): SubmittedTransaction[] =>
      Array.from({ length: 100 }, (_, n) => ({ txid: `${offset + n}` }) as SubmittedTransaction);
    const client = {
      tx: {
        submit: async ({ offset }: { offset?: number }) => {
          if (offset === 200) throw new PlanchetError('host.stopping');
          return sent(offset);
        },
        decode: async () => ({ total: 251, bytes: 0, transactions: [], unreadable: [] }),
      },
    };
    const results: SubmittedTransaction[] = [];
    const submission = submitInParts(client, { source: { text: '' } }, (text) => told.push(text), results);
    await expect(submission).rejects.toMatchObject({ code: 'cancelled' });
    expect(results).toHaveLength(200);
    expect(told).toEqual(['100 of 251 sent', '200 of 251 sent', expect.stringContaining('Stopped after 200 of 251')]);
  });

  it('says what is wrong with what it was given', async () => {
    const missing = await tx(['submit', join(folder, 'nothing.hex')]);
    expect(missing.code).not.toBe(0);
    expect(JSON.parse(missing.err)).toMatchObject({ error: { message: expect.stringContaining('nothing.hex') } });
    const malformed = await tx(['submit', '00'.repeat(20)]);
    expect(JSON.parse(malformed.err)).toMatchObject({ error: { code: 'invalid-input' } });
    const unknown = await tx(['submit', '00'.repeat(20), '--endpoint', 'nobody']);
    expect(JSON.parse(unknown.err)).toMatchObject({ error: { code: 'not-found' } });
    expect((await tx(['list', '--state', 'lost'])).code).toBe(2);
  });
});

describe('planchet tx submit --wait, where the host ends', () => {
  const set = { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' };

  /** Submits a transaction that no block will hold, and ends the host once the command waits for one. */
  async function waitFor(client: Client, end: () => Promise<void>) {
    const coin = await own.funded(client, 10_000);
    const { hex, txid } = own.spend([coin], [9_900]);
    let ended: Promise<void> | undefined;
    const get: Client['tx']['get'] = async (...input) => {
      const detail = await client.tx.get(...input);
      ended = end();
      return detail;
    };
    const tx = replacing(client.tx, { get });
    const printed: unknown[] = [];
    const output = { note: () => undefined, result: (value: unknown) => void printed.push(value) };
    const options = { endpoint: [], wait: 'mined' as const, label: '', force: false };
    const submission = submit(replacing(client, { tx }), hex, options, output);
    await expect(submission).rejects.toMatchObject({ code: 'not-running' });
    await ended;
    expect(printed).toMatchObject([[{ txid, endpoints: [{ accepted: true }] }]]);
  }

  it('prints what was submitted, and says that the host ended', async () => {
    const other = await startHere({ dataDir: join(folder, 'ending'), set });
    await waitFor(other.client(), () => other.stop());
  });

  it('does the same where the host was killed', { tags: 'long' }, async () => {
    const dataDir = await filledDataDir(join(folder, 'killed'));
    const other = await startHost({ dataDir, set });
    await walletFollows(other.client());
    await waitFor(other.client(), () => {
      other.process.kill('SIGKILL');
      return other.stop();
    });
  });
});
