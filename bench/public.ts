import { type RunningHost, startHost } from '../e2e/support/host.ts';
import { launch } from '../scripts/launch.ts';
import { HandClock } from '../src/main/gateway/test-support/hand-clock.ts';
import { addItem, closeTestHost, newDataDir, openTestHost } from '../src/main/test-support/hosts/open-host.ts';
import { pngOf } from '../src/main/test-support/png.ts';
import { publicSourcesAt } from '../src/main/test-support/public-sources-at.ts';
import type { Report } from './report.ts';
import { CountingProxy } from './support/counting-proxy.ts';
import { FilledChain, keysOf } from './support/filled-chain.ts';
import { kilobytesOf } from './support/process-memory.ts';

const [PAID, OWNER] = ['abandon ', 'zoo '].map((word, n) => `${word.repeat(11)}${['about', 'wrong'][n]}`) as [
  string,
  string,
];
const ADDRESSES = 200;
const TOKENS = Number(process.env.BENCH_TOKENS ?? 10_000);
/** What a run of Planchet puts into one transaction. */
const TOKENS_A_TRANSACTION = 50;
const SOURCES = ['whatsonchain', 'bananablocks', 'arcade', 'onesat'] as const;
const MONEY = 1_000_000;
const LOOK_MS = 200;

/**
 * What an installation without a node asks of public services: requests, bytes, time and memory at the pace that they allow without a key, three
 * requests a second to each. A sandbox plays them. Only Linux has a second address of the machine, which counts as another one.
 */
export async function run(report: Report): Promise<void> {
  const network = await startHost({
    set: { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' },
    ...launch,
  });
  const proxy = await CountingProxy.start(network.ready.sandbox as string, '127.0.0.2');
  try {
    const chain = new FilledChain(network);
    await chain.pay(await keysOf(PAID, ADDRESSES));
    const addresses = await restoreAddresses(report, proxy, network, chain);
    const owned = await keysOf(OWNER, ADDRESSES);
    await chain.pay(owned);
    await chain.inscribe(owned[0] as (typeof owned)[number], TOKENS, TOKENS_A_TRANSACTION);
    await restoreTokens(report, proxy, addresses);
  } finally {
    await proxy.close();
    await idleHour(report, network);
    await network.stop();
  }
}

/** A process of its own, whose requests keep the pace. */
function startInstallation(proxy: CountingProxy, dataDir = newDataDir()): Promise<RunningHost> {
  const publicSources = publicSourcesAt(proxy.url, SOURCES);
  return startHost({
    dataDir,
    ...launch,
    set: { network: 'test', chainData: 'public', publicSources },
    env: { ...launch.env, PLANCHET_PASSPHRASE: 'one long passphrase' },
  });
}

/** Words whose addresses were paid once each; then a mint. */
async function restoreAddresses(
  report: Report,
  proxy: CountingProxy,
  network: RunningHost,
  chain: FilledChain,
): Promise<number> {
  const host = await startInstallation(proxy);
  try {
    const { wallet } = host.client();
    proxy.clear();
    const started = performance.now();
    await wallet.restore({ words: PAID });
    const isPaid = async () => (await wallet.coins.list()).filter(({ confirmations }) => confirmations > 0).length;
    await until(async () => (await isPaid()) === ADDRESSES);
    await quiet(proxy);
    const { requests, bytes } = proxy.traffic;
    const hundreds = ADDRESSES / 100;
    report('restored, per 100 used addresses: requests', requests / hundreds, '', 'at most 250');
    report('the same, bytes', bytes / 1_000 / hundreds, 'kB');
    report('the same, time', (performance.now() - started) / 1_000 / hundreds, 's');
    report('memory of the process, highest', kilobytesOf(host.process.pid, 'VmHWM') / 1_000, 'MB', 'at most 400');
    await mintOne(report, proxy, host, network, chain);
    return requests;
  } finally {
    await host.stop();
  }
}

async function mintOne(
  report: Report,
  proxy: CountingProxy,
  host: RunningHost,
  network: RunningHost,
  chain: FilledChain,
): Promise<void> {
  const client = host.client();
  await client.miners.add({ name: 'Sandbox', kind: 'arc', url: `${proxy.url}/open-arc/v1` });
  const address = (await client.wallet.status()).address as string;
  await network.client().sandbox.fund({ address, satoshis: MONEY });
  await chain.mine();
  await until(async () => (await client.wallet.balance()).spendable >= MONEY);
  const project = await client.projects.create({ name: 'One', type: 'single' });
  const itemId = await addItem(client as never, project.uid, { name: 'one.png', bytes: pngOf('one') });
  await quiet(proxy);
  proxy.clear();
  const started = performance.now();
  const { id } = await client.mint.create({ itemIds: [itemId], destination: address, idempotencyKey: 'one mint' });
  const submitted = async () => {
    const job = await client.mint.get({ id });
    if (job.awaitingApproval) await client.mint.approve({ id, digest: job.review?.digest as string });
    return job.state === 'seen' || job.state === 'proven';
  };
  await until(submitted);
  await chain.mine();
  await until(async () => (await client.mint.get({ id })).state === 'proven');
  await quiet(proxy);
  const { requests, bytes } = proxy.traffic;
  report('a mint until it is proven: requests', requests, '', 'at most 60');
  report('the same, bytes', bytes / 1_000, 'kB');
  report('the same, time', (performance.now() - started) / 1_000, 's');
}

/** Words with as many used addresses and many tokens, killed in the middle. @param addresses requests for the addresses alone */
async function restoreTokens(report: Report, proxy: CountingProxy, addresses: number): Promise<void> {
  const dataDir = newDataDir();
  let host = await startInstallation(proxy, dataDir);
  proxy.clear();
  const started = performance.now();
  await host.client().wallet.restore({ words: OWNER });
  const tokens = async () => (await host.client().wallet.balance()).tokens;
  await until(async () => (await tokens()) > TOKENS / 2);
  host.process.kill('SIGKILL');
  await until(async () => host.process.signalCode !== null);
  host = await startInstallation(proxy, dataDir);
  try {
    const isMoney = ({ kind }: { kind: string }): boolean => kind === 'funding';
    const paid = async () => (await host.client().wallet.coins.list()).filter(isMoney).length;
    await until(async () => (await tokens()) === TOKENS && (await paid()) === ADDRESSES);
    await quiet(proxy);
    const { requests, bytes } = proxy.traffic;
    const thousands = TOKENS / 1_000;
    report(
      `restored, ${TOKENS} tokens and ${ADDRESSES} addresses, killed once: requests`,
      requests,
      '',
      'at most 1,500',
    );
    report('the same, bytes', bytes / 1e6, 'MB');
    report('the same, time', (performance.now() - started) / 1_000, 's', 'at most 600');
    report(
      `per 1,000 tokens (${TOKENS_A_TRANSACTION} a transaction): requests`,
      (requests - addresses) / thousands,
      '',
    );
    report('memory of the process, highest', kilobytesOf(host.process.pid, 'VmHWM') / 1_000, 'MB', 'at most 400');
  } finally {
    await host.stop();
  }
}

/** Nothing is awaited, and a block comes each ten minutes. The clock is moved by hand. */
async function idleHour(report: Report, network: RunningHost): Promise<void> {
  const proxy = await CountingProxy.start(network.ready.sandbox as string, '127.0.0.1');
  const clock = new HandClock();
  clock.time = Date.now();
  // a stream of news would be lost whenever the clock goes on without it
  const publicSources = publicSourcesAt(proxy.url, ['whatsonchain', 'bananablocks', 'onesat']);
  const opened = await openTestHost({
    dataDir: newDataDir(),
    clock,
    overrides: { network: 'test', chainData: 'public', publicSources },
    passphrase: async () => 'one long passphrase',
  });
  const pass = async (seconds: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 10) {
      await clock.pass(10_000);
      await quiet(proxy, 3);
    }
  };
  try {
    await opened.client.wallet.create({ words: 12 });
    await pass(1_200);
    proxy.clear();
    for (let block = 0; block < 6; block++) {
      await network.client().sandbox.mine({ blocks: 1 });
      await pass(600);
    }
    const { requests, bytes } = proxy.traffic;
    report('an idle hour, 100 addresses: requests', requests, '', 'at most 120');
    report('the same, bytes', bytes / 1_000, 'kB');
  } finally {
    await closeTestHost(opened);
    await proxy.close();
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}

/** Until nothing was asked for so many looks. */
async function quiet(proxy: CountingProxy, looks = 50): Promise<void> {
  const wait = looks > 10 ? LOOK_MS / 4 : 1;
  let before = proxy.traffic.requests;
  for (let calm = 0; calm < looks; calm++) {
    await new Promise((resolve) => setTimeout(resolve, wait));
    const { requests } = proxy.traffic;
    if (proxy.isBusy && looks <= 10) calm = -1;
    if (requests !== before) calm = -1;
    before = requests;
  }
}
