import { spawnSync } from 'node:child_process';
import { PrivateKey } from '@bsv/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import {
  hash160,
  p2pkhScript,
  satoshis,
  serializeTx,
  signatureOf,
  signEnvelope,
  signP2pkhInputs,
  type Tx,
  type UncheckedSignature,
  type Utxo,
} from '../../chain/index.ts';
import { PlanchetError } from '../../contract/index.ts';
import { endThreads } from '../test-support/end-threads.ts';
import { createWorkerPool, type WorkerPool } from './worker-pool.ts';

const key = new PrivateKey(7);
const script = p2pkhScript(hash160(Uint8Array.from(key.toPublicKey().toDER() as number[])));

/** A form that the compiled verifier leaves to the interpreter, which is slow. */
const slowScript = Uint8Array.of(...script, 0x51);

function signed(inputs: number, lockingScript = script): { tx: Tx; spent: Utxo[] } {
  const spent = Array.from({ length: inputs }, (_, vout) => ({
    txid: 'ab'.repeat(32),
    vout,
    satoshis: satoshis(1_000 + vout),
    lockingScript,
  }));
  const unsigned: Tx = {
    version: 1,
    inputs: spent.map(({ txid, vout }) => ({ txid, vout, script: new Uint8Array(), sequence: 0xffffffff })),
    outputs: [{ satoshis: satoshis(900), script }],
    lockTime: 0,
  };
  return { tx: signP2pkhInputs(unsigned, spent, key), spent };
}

function signatureOver(payload: string): UncheckedSignature {
  return signatureOf(signEnvelope(payload, key)) as UncheckedSignature;
}

let pool: WorkerPool;
afterEach(() => pool.close());

describe('worker pool', () => {
  it('agrees with a signature and finds the input whose value is not the one signed', async () => {
    pool = createWorkerPool({ size: 2 });
    const { tx, spent } = signed(3);
    expect(await pool.verify(tx, spent)).toEqual({ ok: true });
    expect(await pool.verify(serializeTx(tx), spent)).toEqual({ ok: true });
    const lied = spent.map((utxo, i) => (i === 1 ? { ...utxo, satoshis: satoshis(5) } : utxo));
    expect(await pool.verify(tx, lied)).toMatchObject({ ok: false, input: 1 });
  });

  it('checks the inputs whose outputs are given, and no others', async () => {
    pool = createWorkerPool({ size: 1 });
    for (const lockingScript of [script, slowScript]) {
      const { tx, spent } = signed(3, lockingScript);
      const raw = serializeTx(tx);
      const lied = spent.map((utxo, i) => (i === 1 ? { ...utxo, satoshis: satoshis(5) } : utxo));
      expect(await pool.verifyInputs(raw, lied)).toMatchObject({ ok: false, input: 1 });
      expect(await pool.verifyInputs(raw, [lied[0], undefined, lied[2]])).toEqual({ ok: true });
      expect(await pool.verifyInputs(raw, [undefined, lied[1]])).toMatchObject({ ok: false, input: 1 });
      const swapped = [spent[1], undefined, undefined];
      expect(await pool.verifyInputs(raw, swapped)).toMatchObject({ ok: false, input: 0 });
    }
    await expect(pool.verifyInputs(Uint8Array.of(1), [])).rejects.toMatchObject({ code: 'invalid-input' });
  });

  it('answers a batch in its order, each as if it were alone', async () => {
    pool = createWorkerPool({ size: 2 });
    const items = Array.from({ length: 250 }, (_, n) => {
      const { tx, spent } = signed(1 + (n % 2));
      const lied = n % 7 === 3 ? spent.map((utxo) => ({ ...utxo, satoshis: satoshis(5) })) : spent;
      return n % 2 === 0 ? { tx, spent: lied } : { tx, raw: serializeTx(tx), spent: lied };
    });
    const verdicts = await pool.verifyBatch(items);
    expect(verdicts.map(({ ok }) => ok)).toEqual(items.map((_, n) => n % 7 !== 3));
    expect(verdicts[3]).toEqual(await pool.verify((items[3] as (typeof items)[number]).tx, items[3]?.spent ?? []));
    expect(await pool.verifyBatch([])).toEqual([]);
  });

  it('gives up a script that runs for too long, without failing the others of its batch', {
    tags: 'long',
  }, async () => {
    pool = createWorkerPool({ size: 1, limitMs: 1_500 });
    // four megabytes, hashed five hundred times
    const doubled = Array.from({ length: 22 }, () => [0x76, 0x7e]).flat();
    const hashed = Array.from({ length: 500 }, () => [0x76, 0xaa, 0x75]).flat();
    const endless = Uint8Array.of(0x51, ...doubled, ...hashed);
    const { tx, spent } = signed(1);
    const slow = { tx, spent: spent.map((utxo) => ({ ...utxo, lockingScript: endless })) };
    const verdicts = await pool.verifyBatch([{ tx, spent }, slow, { tx, spent }]);
    expect(verdicts).toEqual([{ ok: true }, { ok: false, input: 0, reason: 'too-long-validation-time' }, { ok: true }]);
    expect(await pool.verify(tx, spent)).toEqual({ ok: true });
  });

  it('checks signatures in their order', async () => {
    pool = createWorkerPool({ size: 2 });
    const right = Array.from({ length: 150 }, (_, n) => signatureOver(`{"n":${n}}`));
    const given = right.map((one, n) => (n % 7 === 3 ? { ...one, digest: new Uint8Array(32).fill(n) } : one));
    expect(await pool.verifySignatures(given)).toEqual(given.map((_, n) => n % 7 !== 3));
    expect(await pool.verifySignatures([])).toEqual([]);
  });

  it('leaves the event loop free while it works', async () => {
    pool = createWorkerPool({ size: 1 });
    const { tx, spent } = signed(120, slowScript);
    await pool.verify(signed(1).tx, signed(1).spent);
    let turns = 0;
    const timer = setInterval(() => turns++, 5);
    const verdict = await pool.verify(tx, spent);
    clearInterval(timer);
    expect(verdict).toEqual({ ok: true });
    expect(turns).toBeGreaterThan(5);
  });

  it('says so when the bytes are no transaction, and goes on working', async () => {
    pool = createWorkerPool({ size: 1 });
    await expect(pool.verify(new Uint8Array([1, 2, 3]), [])).rejects.toMatchObject({ code: 'invalid-input' });
    const { tx, spent } = signed(1);
    expect(await pool.verify(tx, spent)).toEqual({ ok: true });
  });

  it.each(['verify', 'verifyBatch', 'signBatch', 'verifySignatures'] as const)(
    'does work again whose thread ended: %s',
    async (name) => {
      pool = createWorkerPool({ size: 1 });
      const { tx, spent } = signed(3);
      const work = {
        verify: () => pool.verify(tx, spent),
        verifyBatch: () => pool.verifyBatch([{ tx, spent }]),
        signBatch: () => pool.signBatch([{ message: new Uint8Array(32), privateKey: new Uint8Array(32).fill(7) }]),
        verifySignatures: () => pool.verifySignatures([signatureOver('{}')]),
      }[name];
      const ended = endThreads(1, 'ready');
      const outcome = await work();
      expect(await ended).toBe(1);
      expect(outcome).toEqual(await work());
    },
  );

  it('starts another thread where one ended before it took its work', async () => {
    pool = createWorkerPool({ size: 1 });
    const { tx, spent } = signed(1);
    const ended = endThreads(1, 'started');
    expect(await pool.verify(tx, spent)).toEqual({ ok: true });
    expect(await ended).toBe(1);
  });

  it('gives up work that ends its thread again, and goes on with other work', async () => {
    pool = createWorkerPool({ size: 1 });
    // long enough that it is not done before its thread ends
    const { tx, spent } = signed(40, slowScript);
    const ended = endThreads(2, 'ready');
    await expect(pool.verify(tx, spent)).rejects.toThrow('worker exited with code: 1');
    expect(await ended).toBe(2);
    expect(await pool.verify(tx, spent)).toEqual({ ok: true });
  });

  it('rejects the work under way when it is closed', async () => {
    pool = createWorkerPool({ size: 1 });
    const { tx, spent } = signed(200, slowScript);
    await pool.verify(signed(1).tx, signed(1).spent);
    const running = [pool.verify(tx, spent), pool.verify(tx, spent)].map((work) =>
      work.catch((error: unknown) => error),
    );
    await pool.close();
    for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject({ code: 'cancelled' });
    await expect(pool.verify(tx, spent)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('leaves no failure of a large batch without a reader, so that it ends no process', async () => {
    const unread: unknown[] = [];
    const note = (reason: unknown): void => void unread.push(reason);
    process.on('unhandledRejection', note);
    const run = () => Promise.reject(new PlanchetError('host.stopping'));
    pool = createWorkerPool({ threads: { run, close: async () => {} } });
    const items = Array<ReturnType<typeof signed>>(1_000).fill(signed(1));
    await expect(pool.verifyBatch(items)).rejects.toMatchObject({ code: 'cancelled' });
    process.off('unhandledRejection', note);
    expect(unread).toEqual([]);
  });

  it('does not keep the process alive by idle threads', () => {
    pool = createWorkerPool({ size: 1 });
    const program = `
      import { createWorkerPool } from ${JSON.stringify(new URL('./worker-pool.ts', import.meta.url).href)};
      const pool = createWorkerPool({ size: 1 });
      await pool.verify(new Uint8Array(3), []).catch((error) => process.stdout.write(error.code));`;
    const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      timeout: 120_000,
      encoding: 'utf8',
    });
    expect([run.stdout, run.status]).toEqual(['invalid-input', 0]);
  });
});
