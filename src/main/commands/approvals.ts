import type { Command } from 'commander';
import { type Approval, PlanchetError } from '../../contract/index.ts';
import { readCount } from './shared/numbers.ts';
import type { Shell } from './shared/run.ts';
import { requireRunning } from './shared/with-client.ts';

interface ApproveOptions {
  digest?: string;
  each?: number;
  perDay?: number;
  days?: number;
}

const DAY_MS = 86_400_000;

/** Adds `planchet approvals …`: what other programs ask the running application for. */
export function addApprovalsCommands(program: Command, { globals, output }: Shell): void {
  const approvals = program.command('approvals').description('decide about what other programs ask for');
  approvals
    .command('list')
    .description('what waits, what is remembered, and the last decisions')
    .action(async () => {
      const list = await (await requireRunning(globals())).approvals.list();
      const permissions = list.permissions.map(
        ({ id, program: name, method, mostEach, mostPerDay, usedToday, expiresAt }) =>
          `allowed  ${id}  ${name}  ${method}  up to ${mostEach} satoshis, ${usedToday} of ${mostPerDay} used today, until ${new Date(expiresAt).toISOString()}`,
      );
      const records = list.records.map(
        ({ decidedAt, program: name, method, amount, outcome, reason }) =>
          `${outcome}  ${new Date(decidedAt).toISOString()}  ${name}  ${method}  ${amount} satoshis (${reason})`,
      );
      output().result(list, [...list.waiting.map(waitingText), ...permissions, ...records].join('\n'));
    });
  approvals
    .command('approve')
    .argument('<id>')
    .option('--digest <hex>', 'approve only what has this digest (see list)')
    .option('--each <satoshis>', 'remember: what one further request may move', readCount)
    .option('--per-day <satoshis>', 'remember: what all requests of a day may move', readCount)
    .option('--days <count>', 'remember: for so many days (default: 30)', readCount)
    .description('let what waits happen')
    .action(async (id: string, options: ApproveOptions) => {
      const client = await requireRunning(globals());
      const { waiting } = await client.approvals.list();
      const approval = waiting.find((one) => one.id === id);
      if (approval === undefined) throw new PlanchetError('approvals.gone');
      await client.approvals.approve({ id, digest: options.digest ?? approval.digest, ...remembered(options) });
      output().result({ id, outcome: 'approved' }, `Approved: ${waitingText(approval)}`);
    });
  approvals
    .command('deny')
    .argument('<id>')
    .description('refuse what waits')
    .action(async (id: string) => {
      await (await requireRunning(globals())).approvals.deny({ id });
      output().result({ id, outcome: 'denied' }, 'Denied.');
    });
  approvals
    .command('revoke')
    .argument('<id>', 'of a remembered permission')
    .description('end a remembered permission')
    .action(async (id: string) => {
      await (await requireRunning(globals())).approvals.revoke({ id });
      output().result({ id, outcome: 'revoked' }, 'Revoked.');
    });
}

/** A permission is remembered only where a limit is named; the other limit follows from it. */
function remembered({ each, perDay, days = 30 }: ApproveOptions): object {
  const mostEach = each ?? perDay;
  const mostPerDay = perDay ?? each;
  if (mostEach === undefined || mostPerDay === undefined) return {};
  return { remember: { mostEach, mostPerDay, expiresAt: Date.now() + days * DAY_MS } };
}

function waitingText({ id, program, method, amount, transactions, expiresAt, digest }: Approval): string {
  const lines = [
    `waits  ${id}  ${program}  ${method}  ${amount} satoshis, until ${new Date(expiresAt).toISOString()}  ${digest}`,
  ];
  for (const { txid, outputs, fee } of transactions) {
    lines.push(`  ${txid}  fee ${fee ?? 'unknown'}`);
    for (const { index, satoshis, address } of outputs) lines.push(`    ${index}  ${satoshis}  ${address ?? 'script'}`);
  }
  return lines.join('\n');
}
