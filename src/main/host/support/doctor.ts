import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';
import {
  type DoctorFinding,
  type Failure,
  failureSchema,
  PlanchetError,
  type ServiceStatus,
  type Settings,
  toFailure,
  withHint,
} from '../../../contract/index.ts';
import type { ConsoleClient } from '../../console/http-client.ts';
import { isAboutSettings } from '../../console/readiness.ts';
import { type AskNode, nodeLacks } from '../../gateway/upstream/health/node-needs.ts';
import { lockOwner } from '../../infrastructure/data-folder.ts';
import { canListen } from '../../infrastructure/port-probe.ts';
import { parseBind } from '../../local-server.ts';

const LOW_DISK_BYTES = 500_000_000;

/**
 * Checks every part and names the fix of each failure.
 * @param options `client` calls this host; `isHelped` tells whether public services answer what the node cannot; `portsToTry` are the settings
 *   of a host without servers, whose ports are free to be tried
 */
export async function doctor(options: {
  dataDir: string;
  client: ConsoleClient;
  isHelped: boolean;
  portsToTry: Settings | undefined;
}): Promise<DoctorFinding[]> {
  return [
    ...checkMachine(options.dataDir),
    ...(await checkSettings(options.client)),
    ...(options.portsToTry ? await checkPorts(options.portsToTry) : []),
    ...(await checkServices(options.client)),
    ...(await checkNodeRpc(options)),
    await checkWallet(options.client),
    await checkQuota(options.client),
  ];
}

/**
 * What can be checked where no host can be made.
 * @param failure why not: a broken settings file, or a value that is not valid
 */
export function doctorWithoutHost(dataDir: string, failure: Failure): DoctorFinding[] {
  return [...checkMachine(dataDir), failed('settings', failure)];
}

function checkMachine(dataDir: string): DoctorFinding[] {
  return [passed('runtime', `Node ${process.versions.node}`), checkDataFolder(dataDir), checkDisk(dataDir)];
}

async function checkSettings(client: ConsoleClient): Promise<DoctorFinding[]> {
  const { notices } = await client.app.snapshot();
  const problems = notices.filter(isAboutSettings).flatMap(({ failure }) => failure ?? []);
  if (problems.length === 0) return [passed('settings', 'valid', { text: 'settings', values: {} })];
  return problems.map((problem) => failed('settings', problem));
}

function passed(check: string, message: string, sentence?: DoctorFinding['passed']): DoctorFinding {
  return { check, ok: true, message, fix: '', ...(sentence && { passed: sentence }) };
}

function failed(check: string, failure: Failure, mend: Pick<DoctorFinding, 'setting' | 'service'> = {}): DoctorFinding {
  const fix = failure.hint ?? 'Run: planchet settings list, and look at the log.';
  return { check, ok: false, message: failure.message, fix, failure: { ...failure, hint: fix }, ...mend };
}

/** The failure that a procedure was answered with. */
function failureOf(error: unknown): Failure {
  const sent = failureSchema.safeParse((error as { data?: unknown }).data);
  return sent.success ? sent.data : toFailure(error);
}

function checkDataFolder(dataDir: string): DoctorFinding {
  try {
    accessSync(existsSync(dataDir) ? dataDir : dirname(dataDir), constants.W_OK);
  } catch {
    return failed('data folder', new PlanchetError('host.data-folder-unwritable', { dataDir }).toFailure());
  }
  const owner = lockOwner(dataDir);
  if (!owner || owner.pid === process.pid) return passed('data folder', dataDir);
  const values = { dataDir, pid: `${owner.pid}` };
  return passed('data folder', `${dataDir}, in use by process ${owner.pid}`, { text: 'folder', values });
}

function checkDisk(dataDir: string): DoctorFinding {
  const stats = statfsSync(existsSync(dataDir) ? dataDir : dirname(dataDir));
  const free = stats.bavail * stats.bsize;
  const megabytes = Math.floor(free / 1e6);
  return free > LOW_DISK_BYTES
    ? passed('disk', `${megabytes.toLocaleString('en')} MB free`, { text: 'disk', values: { megabytes } })
    : failed('disk', new PlanchetError('doctor.disk-low', { megabytes }).toFailure());
}

const bindKeys = ['consoleAddress', 'rpcBind', 'zmqAddress', 'writerBind'] as const;

async function checkPorts(settings: Settings): Promise<DoctorFinding[]> {
  const binds: [string, string][] = bindKeys.map((key) => [key, settings[key]]);
  if (settings.network === 'sandbox')
    binds.push(['sandbox.bind', settings.sandbox.bind], ['sandbox.zmqAddress', settings.sandbox.zmqAddress]);
  return Promise.all(
    binds.map(async ([key, address]) => {
      const { hosts, port } = parseBind(address.replace(/^tcp:\/\//, ''));
      if (await canListen(hosts, port)) return passed(key, `${address} is free`, { text: 'port', values: { address } });
      const next = `${address.slice(0, address.lastIndexOf(':'))}:${port + 1}`;
      return failed(key, new PlanchetError('doctor.port-taken', { port, key, next }).toFailure(), { setting: key });
    }),
  );
}

async function checkServices(client: ConsoleClient): Promise<DoctorFinding[]> {
  const statuses: ServiceStatus[] = await client.services.list();
  return statuses.map(({ name, status }) => {
    if (status.state === 'failed') return failed(name, status.failure, { service: name });
    if (status.state !== 'running') return passed(name, status.state);
    const { address, warning, degraded } = status;
    if (degraded) return failed(name, degraded, { service: name });
    const message = `running${address ? ` at ${address}` : ''}${warning ? `. Warning: ${withHint(warning)}` : ''}`;
    // a passed finding has no translated text for a warning
    return passed(name, message, warning ? undefined : { text: 'running', values: { address: address ?? '' } });
  });
}

const chainInfoSchema = z.object({ chain: z.string(), blocks: z.number() });

type NodeChecks = Pick<Parameters<typeof doctor>[0], 'client' | 'isHelped'>;

async function checkNodeRpc({ client, isHelped }: NodeChecks): Promise<DoctorFinding[]> {
  const mend = { setting: 'bitcoinRpcUrl' };
  let answer: Awaited<ReturnType<typeof client.node.call>>;
  try {
    answer = await client.node.call({ method: 'getblockchaininfo', params: [] });
  } catch (error) {
    return [failed('node', failureOf(error), mend)];
  }
  const known = chainInfoSchema.safeParse(answer.result);
  if (answer.error || !known.success) {
    const silent = new PlanchetError('doctor.node-silent').toFailure();
    // the message of a node is not translated
    const failure = answer.error ? { code: silent.code, message: answer.error.message, hint: silent.hint } : silent;
    return [failed('node', failure, mend)];
  }
  const { chain, blocks } = known.data;
  const message = `chain ${chain}, block ${blocks.toLocaleString('en')}`;
  return [
    passed('node', message, { text: 'node', values: { chain, blocks } }),
    ...(await checkNodeData({ client, isHelped })),
  ];
}

async function checkNodeData({ client, isHelped }: NodeChecks): Promise<DoctorFinding[]> {
  const check = 'node data';
  try {
    const ask = (method: string, params: readonly unknown[]) => client.node.call({ method, params: [...params] });
    const lacks = await nodeLacks(ask as AskNode, isHelped);
    if (lacks.length > 0) return lacks.map((lack) => failed(check, lack.toFailure(), { setting: 'bitcoinRpcUrl' }));
  } catch (error) {
    return [failed(check, failureOf(error), { setting: 'bitcoinRpcUrl' })];
  }
  if (isHelped) return [passed(check, 'every command that Planchet needs', { text: 'servesHelped', values: {} })];
  const message = 'all blocks, an index of transactions, every command that Planchet needs';
  return [passed(check, message, { text: 'serves', values: {} })];
}

async function checkWallet(client: ConsoleClient): Promise<DoctorFinding> {
  const refused = (await client.wallet.external.get())?.refused;
  if (refused) return failed('wallet keys', refused);
  const status = await client.wallet.status();
  if (status.state === 'ready') {
    const { address, balance } = status;
    const values = { address: address ?? '', satoshis: balance.spendable };
    return passed('wallet keys', `${address}, ${balance.spendable} satoshis to spend`, { text: 'wallet', values });
  }
  const id = status.state === 'locked' ? 'doctor.vault-locked' : 'doctor.wallet-missing';
  return failed('wallet keys', new PlanchetError(id).toFailure());
}

async function checkQuota(client: ConsoleClient): Promise<DoctorFinding> {
  try {
    const quota = await client.quota.get();
    if (quota === null) {
      const message = 'none set: projects are kept on this computer and minted directly';
      return passed('token API', message, { text: 'tokenServiceNone', values: {} });
    }
    const values = { left: Math.max(0, quota.available), limit: quota.monthlyMintLimit };
    return passed('token API', `${values.left} of ${values.limit} tokens left this month`, { text: 'quota', values });
  } catch (error) {
    const failure = failureOf(error);
    if (failure.code !== 'unauthorized' && failure.code !== 'api-key-missing')
      return failed('token API', failure, { setting: 'consoleBaseUrl' });
    return failed('token API', new PlanchetError('doctor.token-key-refused').toFailure(), { setting: 'apiKey' });
  }
}
