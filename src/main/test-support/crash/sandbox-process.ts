/**
 * A sandbox in a process of its own, whose first blocks pay the wallet that every writer process has:
 * `sandbox-process.ts <SandboxProcessOptions as JSON>`. Prints one line of JSON, a {@link SandboxReady}, and stays until SIGTERM.
 */
import { pino } from 'pino';
import { settingsSchema } from '../../../contract/index.ts';
import { systemClock } from '../../clock.ts';
import type { Endpoints } from '../../ports/settings.ts';
import { SandboxService } from '../../sandbox/sandbox.ts';
import { WalletKeys } from '../../wallet/keys/wallet-keys.ts';
import { createWorkerPool } from '../../workers/worker-pool.ts';
import { SameWallet } from './same-wallet.ts';

export interface SandboxProcessOptions {
  readonly dataDir: string;
  readonly apiKey: string;
  /** Setting `sandbox.mineOnArrival`. */
  readonly mineOnArrival: string;
}

export interface SandboxReady {
  readonly url: string;
  readonly endpoints: Endpoints;
}

const { dataDir, apiKey, mineOnArrival } = JSON.parse(process.argv[2] ?? '') as SandboxProcessOptions;
const settings = settingsSchema.parse({
  sandbox: { bind: '127.0.0.1:0', zmqAddress: 'tcp://127.0.0.1:0', mineInterval: '0', mineOnArrival },
});
const secrets = new SameWallet(apiKey);
const { key } = await WalletKeys.open({ network: 'sandbox', secrets, clock: systemClock });
const workers = createWorkerPool();
const sandbox = new SandboxService({
  settings: { current: () => settings, onChange: () => () => {} },
  clock: systemClock,
  logger: pino({ level: 'silent' }),
  secrets,
  dataDir,
  walletScript: () => key.lockingScript,
  verify: (tx, spent, rules) => workers.verify(tx, spent, rules),
  verifyBatch: (jobs) => workers.verifyBatch(jobs),
});
process.once('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)));
const { address = '' } = await sandbox.start();
const ready: SandboxReady = { url: address, endpoints: { ...sandbox.endpoints() } };
process.stdout.write(`${JSON.stringify(ready)}\n`);
