import { PlanchetError, type ServiceStatus } from '../../contract/index.ts';
import type { Host } from '../host.ts';
import { createOutput, type GlobalOptions, type Output } from './run.ts';
import { hostOptions, runningClient } from './with-client.ts';

/** Starts everything without a window and stays until SIGINT or SIGTERM. Where Planchet already runs, prints a new link to it. */
export async function serve(options: GlobalOptions): Promise<void> {
  if (await runningClient(options)) {
    createOutput(options.json).note('Planchet is already running on this data folder.');
    await openLink(options, createOutput(options.json));
    return;
  }
  const { createHost } = await import('../host.ts');
  const host = await createHost({ ...hostOptions(options), scope: 'all' });
  const stopped = stopOnSignal(host);
  await host.start();
  if (options.json) process.stdout.write(`${JSON.stringify(readyLine(host))}\n`);
  else process.stdout.write(welcome(host));
  await stopped;
}

/**
 * Prints a new one-time link to the running application.
 * @throws PlanchetError `not-running`
 */
export async function openLink(options: GlobalOptions, output: Output): Promise<void> {
  const client = await runningClient(options);
  if (!client)
    throw new PlanchetError('not-running', 'Planchet is not running.', { hint: 'Start it with "npm start".' });
  const { url } = await client.app.createLink();
  output.result({ url }, url);
}

function stopOnSignal(host: Host): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of signals) process.removeListener(signal, stop);
      void host.stop().then(resolve);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, stop);
  });
}

/** The one line other programs wait for; see "Command line" in the README. */
function readyLine(host: Host): Record<string, unknown> {
  const { network, endpoints, dataDir } = host.info();
  return {
    ready: true,
    network,
    rpc: endpoints.rpc,
    zmq: endpoints.zmq,
    console: endpoints.console,
    writer: endpoints.writer,
    mapi: endpoints.mapi,
    baseUrl: endpoints.baseUrl,
    sandbox: endpoints.sandbox,
    dataDir,
    rpcUsername: host.settings.current().rpcUsername,
    rpcCookieFile: host.cookieFile,
    consoleToken: host.createLoginToken(),
    ...(network === 'sandbox' ? { sandboxApiKey: host.sandboxApiKey() } : {}),
  };
}

function welcome(host: Host): string {
  const info = host.info();
  const { endpoints } = info;
  const lines = [
    '',
    `Planchet ${info.version} on the ${info.network} network${info.network === 'sandbox' ? ' (its coins and keys are worthless)' : ''}`,
    '',
  ];
  const row = (label: string, text: string): void => {
    lines.push(`  ${label.padEnd(12)} ${text}`);
  };
  if (endpoints.console) row('Open', `${host.createLoginUrl({ lasting: true })}   (this link works once)`);
  if (endpoints.rpc) row('Node RPC', `${endpoints.rpc}   user and password in ${host.cookieFile}`);
  if (endpoints.zmq) row('Node ZMQ', endpoints.zmq);
  if (endpoints.writer) row('Data writer', endpoints.writer);
  if (endpoints.sandbox) row('Sandbox', endpoints.sandbox);
  row('Data', info.dataDir);
  const failures = host.services().filter(isFailed);
  if (failures.length > 0) lines.push('');
  for (const { name, status } of failures) {
    lines.push(`  ${name} is not running: ${status.failure.message}`);
    if (status.failure.hint) lines.push(`    → ${status.failure.hint}`);
  }
  for (const { name, status } of host.services()) {
    if (status.state === 'running' && status.warning !== undefined) lines.push('', `  ${name}: ${status.warning}`);
  }
  for (const notice of host.notices())
    lines.push('', `  ${notice.message}`, ...(notice.hint ? [`    → ${notice.hint}`] : []));
  lines.push('', 'Press Ctrl-C to stop.', '');
  return `${lines.join('\n')}\n`;
}

type FailedStatus = ServiceStatus & { status: { state: 'failed' } };

function isFailed(status: ServiceStatus): status is FailedStatus {
  return status.status.state === 'failed';
}
