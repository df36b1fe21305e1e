import { join } from 'node:path';
import type { AppInfo, Failure, ServiceStatus, Snapshot } from '../../../contract/index.ts';
import { notReady, type Problem, problemsOf } from '../../console/readiness.ts';
import type { Host } from '../../host/host.ts';
import type { Client } from '../shared/run.ts';

type Endpoints = AppInfo['endpoints'];

/** The one line `serve --json` prints, always with all of these fields; see "Command line" in the README. */
export interface ReadyLine extends Endpoints {
  ready: boolean;
  /** Why it is not ready; null where it is. */
  reason: string | null;
  /** Whether Planchet ran on this data folder before, so that this process ends at once. */
  alreadyRunning: boolean;
  network: AppInfo['network'] | null;
  dataDir: string;
  rpcUsername: string | null;
  rpcCookieFile: string;
  consoleToken: string | null;
  sandboxApiKey: string | null;
  problems: Problem[];
}

/** Of a host in this process. */
export function lineOfHost(host: Host): ReadyLine {
  const info = host.info();
  return line(info, host.services(), host.notices(), {
    alreadyRunning: false,
    rpcUsername: host.settings.current().rpcUsername,
    consoleToken: host.createLoginToken(),
    sandboxApiKey: info.endpoints.sandbox === null ? null : host.sandboxApiKey(),
  });
}

/** Of a host in another process. Its API key of the sandbox cannot be asked for, so another one is made. */
export async function lineOfRunning(client: Client): Promise<ReadyLine> {
  const [{ app, services, notices }, settings, { url }] = await Promise.all([
    client.app.snapshot(),
    client.settings.list(),
    client.app.createLink(),
  ]);
  const runs = services.some(({ name, status }) => name === 'sandbox' && status.state === 'running');
  const username = settings.find(({ key }) => key === 'rpcUsername')?.value;
  return line(app, services, notices, {
    alreadyRunning: true,
    rpcUsername: username === undefined ? null : String(username),
    consoleToken: new URL(url).hash.replace('#token=', ''),
    sandboxApiKey: runs ? (await client.sandbox.createKey({ newUser: false })).apiKey : null,
  });
}

/** Where nothing could be started. */
export function lineOfFailure(dataDir: string, failure: Failure): ReadyLine {
  const { code, message, hint = '' } = failure;
  const service = code === 'settings-invalid' ? 'settings' : 'host';
  return { ...emptyLine(dataDir), reason: message, problems: [{ service, code, message, hint }] };
}

function line(
  { network, endpoints, dataDir }: AppInfo,
  services: readonly ServiceStatus[],
  notices: Snapshot['notices'],
  own: Pick<ReadyLine, 'alreadyRunning' | 'rpcUsername' | 'consoleToken' | 'sandboxApiKey'>,
): ReadyLine {
  const reason = notReady(services);
  const problems = problemsOf(services, notices);
  return { ...emptyLine(dataDir), ready: reason === null, reason, network, ...endpoints, ...own, problems };
}

/** All fields, in the order in which they are printed. */
function emptyLine(dataDir: string): ReadyLine {
  return {
    ready: false,
    reason: null,
    alreadyRunning: false,
    network: null,
    rpc: null,
    zmq: null,
    console: null,
    writer: null,
    mapi: null,
    baseUrl: null,
    sandbox: null,
    dataDir,
    rpcUsername: null,
    rpcCookieFile: join(dataDir, '.cookie'),
    consoleToken: null,
    sandboxApiKey: null,
    problems: [],
  };
}
