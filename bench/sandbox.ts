import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PrivateKey } from '@bsv/sdk';
import { pino } from 'pino';
import { toHex } from '../src/chain/index.ts';
import { settingsSchema } from '../src/contract/index.ts';
import { systemClock } from '../src/main/clock.ts';
import { keepMemorySmall } from '../src/main/infrastructure/memory.ts';
import type { SecretName, SecretStore } from '../src/main/ports/secrets.ts';
import { SandboxService } from '../src/main/sandbox/sandbox.ts';
import { createWorkerPool } from '../src/main/workers/worker-pool.ts';
import type { Report } from './report.ts';
import { ClientProcess } from './support/client-process.ts';
import { MemoryWatch } from './support/memory-watch.ts';
import { keyScript } from './support/payments.ts';

const TRANSACTIONS = 100_000;
const BLOCK = 10_000;
const MINED_BLOCKS = 5;
const MILLISECOND = 1_000_000;

/** How a number of transactions went. */
interface Sent {
  readonly accepted: number;
  readonly ms: number;
}

const key = PrivateKey.fromHex('11'.repeat(32));

/** The sandbox under load: this process is the host, the client that sends is another, as it would be. */
export async function run(report: Report): Promise<void> {
  // as the host does for itself
  keepMemorySmall();
  const folder = mkdtempSync(join(tmpdir(), 'planchet-bench-'));
  const workers = createWorkerPool();
  const service = new SandboxService({
    settings: { current: () => settings, onChange: () => () => undefined },
    clock: systemClock,
    logger: pino({ level: 'silent' }),
    secrets: new MemorySecrets(),
    dataDir: folder,
    walletScript: () => keyScript(key),
    verify: workers.verify,
    verifyBatch: workers.verifyBatch,
  });
  await service.start();
  const coins = await service.node.spendable(keyScript(key));
  const client = await ClientProcess.start('./load/sandbox-load.ts', {
    mapi: service.endpoints().mapiUrl,
    apiKey: service.apiKey(),
    key: key.toHex().padStart(64, '0'),
    coins: coins.map((coin) => ({ ...coin, lockingScript: toHex(coin.lockingScript) })),
    transactions: TRANSACTIONS,
  });
  const send = async (transactions: number): Promise<Sent> => (await client.ask(transactions)) as Sent;
  const loop = monitorEventLoopDelay({ resolution: 5 });
  const memory = new MemoryWatch();
  try {
    // what the compiler and the caches take is not what is measured
    await send(2_000);
    await service.mine({ blocks: 1 });
    const connected: number[] = [];
    const pace: number[] = [];
    const delays: number[] = [];
    for (let sent = 2_000; sent < TRANSACTIONS; sent += BLOCK) {
      loop.reset();
      loop.enable();
      const { accepted, ms } = await send(BLOCK);
      loop.disable();
      if (accepted !== Math.min(BLOCK, TRANSACTIONS - sent))
        throw new Error(`only ${accepted} transactions were accepted`);
      delays.push(loop.percentile(99) / MILLISECOND);
      pace.push((accepted / ms) * 1_000);
      if (connected.length >= MINED_BLOCKS) continue;
      const started = performance.now();
      await service.mine({ blocks: 1 });
      connected.push(performance.now() - started);
    }
    report('POST /mapi/txs, batches of 1,000 P2PKH', median(pace), 'tx/s', 'at least 4,000 tx/s');
    report('event loop of the host meanwhile, p99', median(delays), 'ms', 'at most 50 ms');
    report('a block of 10,000 transactions mined and connected', median(connected) / 1_000, 's', 'at most 3 s');
    report('memory of the host meanwhile, highest', memory.highest, 'MB', 'at most 400 MB');
    const waiting = service.node.mempool.size;
    await service.stop();
    const started = performance.now();
    await service.start();
    const seconds = (performance.now() - started) / 1_000;
    report(`restart with ${TRANSACTIONS} transactions, ${waiting} of them waiting`, seconds, 's', 'at most 3 s');
  } finally {
    memory.end();
    client.end();
    await service.stop();
    await workers.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const settings = settingsSchema.parse({
  sandbox: { bind: '127.0.0.1:0', zmqAddress: 'tcp://127.0.0.1:0', mineInterval: '0', mineOnArrival: '' },
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number;
}

class MemorySecrets implements SecretStore {
  readonly locked = false;
  readonly #values = new Map<SecretName, Uint8Array>();

  get(name: SecretName): Uint8Array | undefined {
    return this.#values.get(name);
  }

  async set(name: SecretName, value: Uint8Array): Promise<void> {
    this.#values.set(name, value);
  }

  async delete(name: SecretName): Promise<void> {
    this.#values.delete(name);
  }
}
