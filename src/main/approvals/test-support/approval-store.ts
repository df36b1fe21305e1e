import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApprovalRequest } from '../../ports/approvals.ts';
import { openStore, type SqliteStore } from '../../store/store.ts';
import { type ApprovalTables, approvalMigrations } from '../tables.ts';

export async function openApprovalStore(): Promise<{
  store: SqliteStore<ApprovalTables>;
  remove: () => Promise<void>;
}> {
  const folder = mkdtempSync(join(tmpdir(), 'planchet-approvals-'));
  const store = await openStore<ApprovalTables>({ file: join(folder, 'app.db'), migrations: approvalMigrations });
  const remove = async (): Promise<void> => {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { store, remove };
}

/** A program's request to send one transaction. */
export const broadcastRequest = (more: Partial<ApprovalRequest> = {}): ApprovalRequest => ({
  kind: 'broadcast',
  program: { id: 'key-1', name: 'shop' },
  method: 'sendrawtransaction',
  amount: 1_000,
  transactions: [],
  transactionCount: 1,
  ...more,
});
