import { randomUUID } from 'node:crypto';
import {
  isPassing,
  isRehearsalOver,
  mintStates,
  PlanchetError,
  type Project,
  type Run,
  type RunPlan,
  type RunResult,
} from '../../../contract/index.ts';
import { ownWallet } from '../shared/own-wallet.ts';
import { projectNamed } from '../shared/project-named.ts';
import type { Client, Output } from '../shared/run.ts';
import { confirmSpending } from '../shared/terminal.ts';
import { Deadline } from '../shared/waiting.ts';
import type { Surroundings } from '../shared/with-client.ts';
import type { MintOptions } from './mint.ts';

const POLL_MS = 200;
/** Runs looked through for one of the project that is not finished. */
const RECENT_RUNS = 100;

export interface MintProjectOptions extends Pick<MintOptions, 'to' | 'wait' | 'yes' | 'timeout'> {
  project: string;
  /** Mint on a network of its own, with play money, that is removed afterwards. */
  rehearse?: boolean;
  /** Without the token service. */
  direct?: boolean;
}

/**
 * Mints all drafts of a project in one run, or goes on with the run that has not finished.
 * @throws PlanchetError what prevents the run or made it pause; `conflict` where the unfinished run has another address
 */
export async function mintProject(
  client: Client,
  options: MintProjectOptions,
  output: Output,
  surroundings: Surroundings,
): Promise<RunResult> {
  const started = Date.now();
  const project = await projectNamed(client, options.project);
  if (options.rehearse) return rehearse(client, project, options, output, surroundings);
  const earlier = (await client.runs.list({ limit: RECENT_RUNS })).runs.find(
    ({ projectUid, state }) => projectUid === project.uid && state !== 'done' && state !== 'cancelled',
  );
  if (earlier !== undefined) requireSame(earlier, options);
  const run = earlier ?? (await createRun(client, project.uid, options));
  if (earlier !== undefined) output.note(`Going on with the mint run of ${project.name}`);
  await letGo(client, run, options, output);
  sayWhenInterrupted(output, surroundings, {
    elsewhere:
      'The run goes on in the running Planchet. The same command shows it again; its page can pause or cancel it.',
    own: 'The run stops here. It goes on with the same command, or as soon as Planchet is started.',
  });
  const ended = await follow(client, run.id, options, output);
  return {
    jobId: ended.id,
    items: ended.items,
    minted: reached(ended, options.wait),
    failed: ended.failed,
    transactions: ended.transactions.total,
    fee: ended.fee,
    seconds: (Date.now() - started) / 1_000,
  };
}

/** Says at a signal what becomes of the work. @param texts if the host goes on without the command, and if the host is the command's own */
function sayWhenInterrupted(
  output: Output,
  { isOwnHost, interrupted }: Surroundings,
  texts: { elsewhere: string; own: string },
): void {
  interrupted.addEventListener('abort', () => output.note(isOwnHost ? texts.own : texts.elsewhere));
}

/** A run keeps its address and its way to the end. @throws PlanchetError `conflict` where something else is asked for */
function requireSame({ id, projectName: project, destination, direct }: Run, options: MintProjectOptions): void {
  if (options.to !== undefined && options.to !== destination)
    throw new PlanchetError('cli.run-other-address', { id, project, address: destination });
  if (options.direct && !direct) throw new PlanchetError('cli.run-not-direct', { id, project });
}

/** Mints the drafts on a network of their own. Nothing of it reaches the active network. */
async function rehearse(
  client: Client,
  { uid: projectUid, name }: Project,
  { direct = false, timeout }: MintProjectOptions,
  output: Output,
  surroundings: Surroundings,
): Promise<RunResult> {
  output.note(`Rehearsing ${name} on a network of its own, with play money`);
  sayWhenInterrupted(output, surroundings, {
    elsewhere: 'The rehearsal goes on in the running Planchet. Its page can cancel it.',
    own: 'The rehearsal ends here, and its network is removed. Nothing was minted.',
  });
  const deadline = new Deadline({ timeout });
  let rehearsal = await client.rehearsals.start({ projectUid, direct });
  let told = '';
  while (!isRehearsalOver(rehearsal)) {
    const { state, copied, items, run } = rehearsal;
    const progress =
      state === 'preparing' ? `  ${copied} of ${items} drafts copied` : `  ${run?.minted ?? 0} of ${items} minted`;
    if (progress !== told) output.note(progress);
    told = progress;
    deadline.check('The rehearsal', null);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    rehearsal = await client.rehearsals.get({ id: rehearsal.id });
  }
  const { id, state, failure, run, fee, milliseconds } = rehearsal;
  if (state !== 'done' || run === null)
    throw failure === null ? new PlanchetError('rehearsal.stopped') : new PlanchetError(failure);
  return {
    jobId: id,
    items: run.items,
    minted: run.minted,
    failed: run.failed,
    transactions: run.transactions.total,
    fee: fee ?? run.fee,
    seconds: (milliseconds ?? 0) / 1_000,
  };
}

async function createRun(client: Client, projectUid: string, options: MintProjectOptions): Promise<Run> {
  const destination = options.to ?? (await ownWallet(client)).address;
  const { direct = false } = options;
  const plan = await client.runs.plan({ projectUid, destination, direct });
  const problem = plan.problems.find((one) => !isPassing(one));
  if (problem !== undefined) throw new PlanchetError(problem);
  return client.runs.create({ projectUid, destination, direct, idempotencyKey: randomUUID() });
}

/** Approves what waits for approval; real money is spent only after a person's yes. A paused run goes on. */
async function letGo(client: Client, run: Run, options: MintProjectOptions, output: Output): Promise<void> {
  if (run.canApprove) {
    const { plan } = await client.runs.get({ id: run.id });
    try {
      await approveByPerson(plan, options, output);
    } catch (error) {
      output.note('The run waits for your approval. The same command asks for it again; its page can cancel it.');
      throw error;
    }
    await client.runs.approve({ id: run.id, digest: plan.digest });
  } else if (run.canResume) {
    await client.runs.resume({ id: run.id });
  }
}

async function approveByPerson(plan: RunPlan, options: MintProjectOptions, output: Output): Promise<void> {
  output.note(
    `  You mint ${plan.tokens} tokens to ${plan.destination} in ${plan.transactionCount} transactions and pay about ${plan.fee} satoshis in fees, ` +
      `${plan.maxTotal} satoshis at most with the tokens' own.`,
  );
  await confirmSpending(plan.network, options.yes, 'it all');
}

/** Waits until every token is in the state that was asked for, cancelled, or has failed. */
async function follow(client: Client, id: string, options: MintProjectOptions, output: Output): Promise<Run> {
  const deadline = new Deadline(options);
  let told = '';
  for (;;) {
    const { run } = await client.runs.get({ id });
    const ends = (['failed', 'cancelled'] as const).filter((end) => run[end] > 0).map((end) => `, ${run[end]} ${end}`);
    const progress = `  ${run.minted} of ${run.items} minted${ends.join('')}`;
    const waits = run.failure === null ? '' : `  ${run.failure.message}`;
    if (progress + waits !== told) output.note(progress + waits);
    told = progress + waits;
    if (run.state === 'paused' && !run.waits) throw pausedError(run);
    const isOver = run.state === 'done' || run.state === 'cancelled';
    if (isOver || reached(run, options.wait) + run.failed + run.cancelled >= run.items) return run;
    deadline.check('The mint run', run.failure?.message ?? `${run.minted} of ${run.items} tokens are minted.`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

function pausedError(run: Run): PlanchetError {
  return run.failure === null ? new PlanchetError('cli.run-paused') : new PlanchetError(run.failure);
}

/** Tokens whose transaction is in a state or beyond it. */
function reached(run: Run, state: MintProjectOptions['wait']): number {
  const least = mintStates.indexOf(state);
  const counts = mintStates.names
    .filter((name) => name !== 'cancelled' && mintStates.indexOf(name) >= least)
    .map((name) => run.byState[name] ?? 0);
  return counts.reduce((sum, count) => sum + count, 0);
}
