import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import {
  type DoctorFinding,
  type Failure,
  failureSchema,
  type ServiceStatus,
  type Settings,
  toFailure,
} from '../../../contract/index.ts';
import type { ConsoleClient } from '../../console/http-client.ts';
import { problemsOf } from '../../console/readiness.ts';
import { lockOwner } from '../../infrastructure/data-folder.ts';
import { canListen } from '../../infrastructure/port-probe.ts';
import { parseBind } from '../../local-server.ts';

const LOW_DISK_BYTES = 500_000_000;
const MIN_NODE_MAJOR = 22;

/**
 * Checks every part and names the fix of each failure.
 * @param options `client` calls this host; `portsToTry` are the settings of a host without servers, whose ports are free to be tried
 */
export async function doctor(options: {
  dataDir: string;
  client: ConsoleClient;
  portsToTry: Settings | undefined;
}): Promise<DoctorFinding[]> {
  return [
    ...checkMachine(options.dataDir),
    ...(await checkSettings(options.client)),
    ...(options.portsToTry ? await checkPorts(options.portsToTry) : []),
    ...(await checkServices(options.client)),
    ...(await checkNodeRpc(options.client)),
    await checkWallet(options.client),
    await checkQuota(options.client),
  ];
}

/**
 * What can be checked where no host can be made.
 * @param failure why not: a broken settings file, or a value that is not valid
 */
export function doctorWithoutHost(dataDir: string, failure: Failure): DoctorFinding[] {
  return [...checkMachine(dataDir), finding('settings', failure.message, failure.hint || 'Correct the settings file.')];
}

function checkMachine(dataDir: string): DoctorFinding[] {
  return [checkNode(), checkDataFolder(dataDir), checkDisk(dataDir)];
}

async function checkSettings(client: ConsoleClient): Promise<DoctorFinding[]> {
  const { notices } = await client.app.snapshot();
  const problems = problemsOf([], notices);
  if (problems.length === 0) return [finding('settings', 'valid')];
  return problems.map(({ message, hint }) => finding('settings', message, hint));
}

function finding(
  check: string,
  message: string,
  fix = '',
  mend: Pick<DoctorFinding, 'setting' | 'service'> = {},
): DoctorFinding {
  return { check, ok: fix === '', message, fix, ...mend };
}

/** The failure that a procedure was answered with. */
function failureOf(error: unknown): Failure {
  const sent = failureSchema.safeParse((error as { data?: unknown }).data);
  return sent.success ? sent.data : toFailure(error);
}

function checkNode(): DoctorFinding {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= MIN_NODE_MAJOR
    ? finding('runtime', `Node ${process.versions.node}`)
    : finding(
        'runtime',
        `Node ${process.versions.node} is too old.`,
        'Run Planchet with "npm start", which brings its own Node.',
      );
}

function checkDataFolder(dataDir: string): DoctorFinding {
  try {
    accessSync(existsSync(dataDir) ? dataDir : dirname(dataDir), constants.W_OK);
  } catch {
    return finding(
      'data folder',
      `${dataDir} cannot be written.`,
      'Make it yours, or name another folder with --data-dir.',
    );
  }
  const owner = lockOwner(dataDir);
  return finding(
    'data folder',
    owner && owner.pid !== process.pid ? `${dataDir}, in use by process ${owner.pid}` : dataDir,
  );
}

function checkDisk(dataDir: string): DoctorFinding {
  const stats = statfsSync(existsSync(dataDir) ? dataDir : dirname(dataDir));
  const free = stats.bavail * stats.bsize;
  const text = `${Math.floor(free / 1e6).toLocaleString('en')} MB free`;
  return free > LOW_DISK_BYTES
    ? finding('disk', text)
    : finding('disk', `Only ${text}.`, 'Free some room before minting.');
}

const bindKeys = ['consoleAddress', 'rpcBind', 'zmqAddress', 'writerBind'] as const;

async function checkPorts(settings: Settings): Promise<DoctorFinding[]> {
  const binds: [string, string][] = bindKeys.map((key) => [key, settings[key]]);
  if (settings.network === 'sandbox') {
    binds.push(['sandbox.bind', settings.sandbox.bind], ['sandbox.zmqAddress', settings.sandbox.zmqAddress]);
  }
  return Promise.all(
    binds.map(async ([key, address]) => {
      const { hosts, port } = parseBind(address.replace(/^tcp:\/\//, ''));
      if (await canListen(hosts, port)) return finding(key, `${address} is free`);
      const next = `${address.slice(0, address.lastIndexOf(':'))}:${port + 1}`;
      return finding(
        key,
        `Port ${port} is taken by another program.`,
        `Stop it, or run: planchet settings set ${key} ${next}`,
        { setting: key },
      );
    }),
  );
}

async function checkServices(client: ConsoleClient): Promise<DoctorFinding[]> {
  const statuses: ServiceStatus[] = await client.services.list();
  return statuses.map(({ name, status }) => {
    if (status.state === 'failed') {
      return finding(
        name,
        status.failure.message,
        status.failure.hint ?? `Run: planchet settings list, and look at the log.`,
        { service: name },
      );
    }
    if (status.state !== 'running') return finding(name, status.state);
    const { address, warning } = status;
    return finding(name, `running${address ? ` at ${address}` : ''}${warning ? `. Warning: ${warning}` : ''}`);
  });
}

async function checkNodeRpc(client: ConsoleClient): Promise<DoctorFinding[]> {
  const answer = await client.node.call({ method: 'getblockchaininfo', params: [] }).catch(() => undefined);
  if (answer === undefined || answer.error) {
    return [
      finding(
        'node',
        answer?.error?.message ?? 'The node does not answer.',
        'Check bitcoinRpcUrl and the network connection.',
        { setting: 'bitcoinRpcUrl' },
      ),
    ];
  }
  const { chain, blocks } = answer.result as { chain: string; blocks: number };
  return [finding('node', `chain ${chain}, block ${blocks.toLocaleString('en')}`)];
}

async function checkWallet(client: ConsoleClient): Promise<DoctorFinding> {
  const status = await client.wallet.status();
  if (status.state === 'ready')
    return finding('wallet keys', `${status.address}, ${status.balance.spendable} satoshis to spend`);
  return status.state === 'locked'
    ? finding('wallet keys', 'The vault is locked.', 'Start with PLANCHET_PASSPHRASE or --passphrase-file.')
    : finding('wallet keys', 'There is no wallet yet.', 'Run: planchet wallet create');
}

async function checkQuota(client: ConsoleClient): Promise<DoctorFinding> {
  try {
    const quota = await client.quota.get();
    return finding('token API', `${Math.max(0, quota.available)} of ${quota.monthlyMintLimit} tokens left this month`);
  } catch (error) {
    const { code, message } = failureOf(error);
    const isKey = code === 'unauthorized' || code === 'api-key-missing';
    return finding(
      'token API',
      isKey ? 'The token API does not answer this key.' : message,
      isKey
        ? 'Check the API key: planchet settings set apiKey -'
        : 'Check its address: planchet settings set consoleBaseUrl …',
      { setting: isKey ? 'apiKey' : 'consoleBaseUrl' },
    );
  }
}
