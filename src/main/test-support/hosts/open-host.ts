import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createDirectClient } from '../../console/client.ts';
import { createHost, type Host, type HostOptions } from '../../host/host.ts';
import { until } from './until.ts';
import { walletFollows } from './wallet-follows.ts';

export { until };

/** Every port is chosen by the system, so hosts can run side by side, and nobody outside is asked. */
export const freePorts: Readonly<Record<string, string>> = {
  consoleAddress: '127.0.0.1:0',
  rpcBind: '127.0.0.1:0',
  zmqAddress: 'tcp://127.0.0.1:0',
  writerBind: '127.0.0.1:0',
  'sandbox.bind': '127.0.0.1:0',
  'sandbox.zmqAddress': 'tcp://127.0.0.1:0',
  'sandbox.mineOnArrival': '100ms',
  // no test asks the public services
  chainData: 'node',
};

export type TestClient = ReturnType<typeof createDirectClient>;

export interface TestHost {
  readonly host: Host;
  readonly client: TestClient;
  readonly dataDir: string;
}

export function newDataDir(): string {
  return mkdtempSync(join(tmpdir(), 'planchet-host-'));
}

let template: Promise<string> | undefined;

/**
 * A data folder whose sandbox has its first blocks and whose wallet has found its money there, as after a first start. It is a copy: a first
 * start takes half a second of a processor, one on a copy half of that.
 * @param dataDir a folder of its own where none is given
 */
export async function filledDataDir(dataDir = newDataDir()): Promise<string> {
  template ??= makeTemplate();
  cpSync(await template, dataDir, { recursive: true });
  return dataDir;
}

async function makeTemplate(): Promise<string> {
  const dataDir = mkdtempSync(join(process.env.PLANCHET_TEST_TEMPLATES ?? tmpdir(), 'planchet-host-'));
  const opened = await openTestHost({ dataDir });
  await walletFilled(opened.client);
  await closeTestHost(opened, { keepData: true });
  rmSync(join(dataDir, 'logs'), { recursive: true, force: true });
  return dataDir;
}

/** Starts the real application in this process. Where it has a sandbox, its wallet has read the chain. */
export async function openTestHost(options: Partial<HostOptions> & { dataDir: string }): Promise<TestHost> {
  const { overrides, ...rest } = options;
  const host = await createHost({
    version: 'test',
    shell: 'terminal',
    scope: 'all',
    rendererDir: fileURLToPath(new URL('../../../../out/renderer', import.meta.url)),
    overrides: { ...freePorts, ...overrides },
    ...rest,
  });
  await host.start();
  const client = createDirectClient(host.context);
  if (hasSandboxWallet(host)) await walletFollows(client);
  return { host, client, dataDir: options.dataDir };
}

function hasSandboxWallet(host: Host): boolean {
  const states = new Map(host.services().map(({ name, status }) => [name, status.state]));
  return states.get('sandbox') === 'running' && states.get('wallet') === 'running';
}

export async function closeTestHost(opened: TestHost, options: { keepData?: boolean } = {}): Promise<void> {
  await opened.host.stop();
  if (!options.keepData) rmSync(opened.dataDir, { recursive: true, force: true });
}

/** Uploads bytes as a file and makes an item of it. */
export async function addItem(
  client: TestClient,
  projectUid: string,
  file: { name: string; bytes: Uint8Array },
): Promise<string> {
  const { uploadId } = await client.files.begin({ name: file.name, bytes: file.bytes.length, contentType: '' });
  await client.files.append({ uploadId, offset: 0, piece: new Blob([file.bytes.slice()]) });
  const { sha256 } = await client.files.finish({ uploadId });
  const item = await client.items.create({
    projectUid,
    sha256,
    fileName: file.name,
    metadata: { name: file.name, description: 'A test token', traits: [{ name: 'metal', value: 'copper' }] },
  });
  return item.id;
}

/** Mints one item under an approval, and waits for its proof. @returns the id and the transaction of the mint */
export async function mintProven(
  client: TestClient,
  itemId: string,
  destination: string,
): Promise<{ id: string; txid: string }> {
  const { id } = await client.mint.create({ itemIds: [itemId], destination, idempotencyKey: randomUUID() });
  const { txid } = await until(async () => {
    const job = await client.mint.get({ id });
    if (job.awaitingApproval) await client.mint.approve({ id, digest: job.review?.digest as string });
    return job.state === 'proven' && job;
  });
  return { id, txid: txid as string };
}

/** What the wallet of a new sandbox has: ten coinbases. */
export const FIRST_MONEY = 10 * 5_000_000_000;

/** Waits until the wallet has found all its money, which on a slow machine takes longer than the start does. */
export async function walletFilled(client: TestClient): Promise<void> {
  await until(async () => (await client.wallet.status()).balance.spendable === FIRST_MONEY);
}

/** Waits until the wallet has any of its money, and may spend it: it finds its coins before the blocks that ripen them. */
export async function walletPaid(client: TestClient): Promise<void> {
  await until(async () => (await client.wallet.status()).balance.spendable > 0);
}
