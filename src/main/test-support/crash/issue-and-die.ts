/**
 * Makes a contract and issues its tokens in a process of its own, and kills that process at a named point of the issue:
 * `issue-and-die.ts <dataDir> <crashPoint>`. The parent starts it again without a point and expects the issue to end as if nothing had
 * happened.
 */

import { openTestHost, until, walletFilled } from '../hosts/open-host.ts';
import { issueRequest, TOKEN_DESIGN } from './issue.ts';

const [dataDir, point] = process.argv.slice(2) as [string, string];

let isIssue = false;
const { client } = await openTestHost({
  dataDir,
  scope: 'core',
  crashPoint: (where) => {
    if (isIssue && where === point) process.kill(process.pid, 'SIGKILL');
  },
});
await walletFilled(client);
const isMined = async (id: string): Promise<boolean> => (await client.redeemableTokens.get({ id })).state === 'mined';

const contract = await client.redeemableTokens.prepare({
  request: { action: 'contract', schema: TOKEN_DESIGN },
  idempotencyKey: 'the-contract',
});
await client.redeemableTokens.approve({ id: contract.id, digest: contract.review.digest });
await until(() => isMined(contract.id));
const request = await until(() => issueRequest(client));
isIssue = true;
const issue = await client.redeemableTokens.prepare({ request, idempotencyKey: `issue-${point}` });
await client.redeemableTokens.approve({ id: issue.id, digest: issue.review.digest });
await until(() => isMined(issue.id));
// Reached only where the point is never passed, which the parent takes for a failure.
process.exit(7);
