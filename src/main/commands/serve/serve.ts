import { PlanchetError, withHint } from '../../../contract/index.ts';
import type { Problem } from '../../console/readiness.ts';
import type { Host } from '../../host/host.ts';
import type { HostSeries } from '../../host/host-series.ts';
import { resolveDataDir } from '../../infrastructure/data-folder.ts';
import { type Client, createOutput, failureOf, type GlobalOptions, type Output } from '../shared/run.ts';
import { passphraseSource } from '../shared/terminal.ts';
import { hostOptions, runningClient } from '../shared/with-client.ts';
import { lineOfFailure, lineOfHost, lineOfRunning, type ReadyLine } from './ready-line.ts';

/** Time that open handles have to close by themselves. */
const END_MS = 1_000;

export interface ServeOptions {
  /** Ends with exit code 1 where there is any problem, instead of going on without what failed. */
  strict: boolean;
  /** Address of another installation's sandbox, which the network `private` follows from now on. */
  join?: string;
}

/**
 * Starts everything without a window and stays until SIGINT or SIGTERM. Where Planchet already runs, prints a new link to it. With `--json`
 * exactly one line is printed, also where nothing could be started.
 */
export async function serve(options: GlobalOptions, { strict, join }: ServeOptions): Promise<void> {
  let found: ReadyLine | HostSeries;
  try {
    const client = await runningClient(options);
    if (client !== undefined) await joinSandbox(client, join);
    found = client === undefined ? await hostToServe(options, join) : await lineOfRunning(client);
  } catch (error) {
    if (options.json) printLine(lineOfFailure(resolveDataDir(options.dataDir), failureOf(error)));
    throw error;
  }
  if ('ready' in found) await serveBeside(found, options, strict);
  else await serveHost(found, options, strict);
}

async function hostToServe(options: GlobalOptions, join: string | undefined): Promise<HostSeries> {
  const [{ HostSeries }, { createDirectClient }] = await Promise.all([
    import('../../host/host-series.ts'),
    import('../../console/client.ts'),
  ]);
  const passphrase = passphraseSource(options.passphraseFile);
  const series = await HostSeries.create({
    ...hostOptions(options),
    scope: 'all',
    // A wallet that is made on the page has its passphrase asked for there, not in the terminal.
    passphrase: (use) => passphrase(use === 'create' ? 'at-hand' : use),
  });
  try {
    await joinSandbox(createDirectClient(series.host.context), join);
  } catch (error) {
    await series.stop();
    throw error;
  }
  return series;
}

/** @throws PlanchetError `networks.join-elsewhere`, and what asking that sandbox throws */
async function joinSandbox(client: Client, join: string | undefined): Promise<void> {
  if (join === undefined) return;
  const { network } = await client.app.info();
  if (network !== 'private') throw new PlanchetError('networks.join-elsewhere', { network, url: join });
  await client.networks.save({ network, values: { joinUrl: join } });
}

async function serveBeside(line: ReadyLine, options: GlobalOptions, strict: boolean): Promise<void> {
  const output = createOutput(options.json);
  output.note('Planchet is already running on this data folder.');
  if (options.json) printLine(line);
  else await openLink(options, output);
  if (strict) failOn(line.problems, options.json);
}

async function serveHost(series: HostSeries, options: GlobalOptions, strict: boolean): Promise<void> {
  const stopped = stopOnSignal(series);
  const { host } = series;
  await host.start();
  const line = lineOfHost(host);
  if (options.json) printLine(line);
  if (strict && line.problems.length > 0) {
    await series.stop();
    failOn(line.problems, options.json);
    return;
  }
  if (!options.json) process.stdout.write(welcome(host));
  try {
    await Promise.race([stopped, series.lost]);
  } finally {
    // A service that did not stop in time would go on answering, and the process with it.
    setTimeout(() => process.exit(), END_MS).unref();
  }
}

function printLine(line: ReadyLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

/** What `--strict` does: with `--json` the line has named the problems already. */
function failOn(problems: readonly Problem[], json: boolean): void {
  if (problems.length === 0) return;
  process.exitCode = 1;
  if (json) return;
  for (const { service, message, hint } of problems)
    process.stderr.write(`${service}: ${message}\n${hint === '' ? '' : `→ ${hint}\n`}`);
}

/**
 * Prints a new one-time link to the running application.
 * @throws PlanchetError `not-running`
 */
export async function openLink(options: GlobalOptions, output: Output): Promise<void> {
  const client = await runningClient(options);
  if (!client) throw new PlanchetError('cli.not-running');
  const { url } = await client.app.createLink();
  output.result({ url }, url);
}

function stopOnSignal(series: HostSeries): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of signals) process.removeListener(signal, stop);
      void series.stop().then(resolve);
    };
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
    for (const signal of signals) process.on(signal, stop);
  });
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
  const failures = host.services().flatMap(({ name, status }) => {
    if (status.state !== 'failed') return [];
    const { message, hint } = status.failure;
    return [`  ${name} is not running: ${message}`, ...(hint ? [`    → ${hint}`] : [])];
  });
  if (failures.length > 0) lines.push('', ...failures);
  for (const { name, status } of host.services()) {
    if (status.state === 'running' && status.warning !== undefined)
      lines.push('', `  ${name}: ${withHint(status.warning)}`);
  }
  for (const notice of host.notices())
    lines.push('', `  ${notice.message}`, ...(notice.hint ? [`    → ${notice.hint}`] : []));
  lines.push('', 'Press Ctrl-C to stop.', '');
  return `${lines.join('\n')}\n`;
}
