/**
 * A client of the sandbox's merchant API in a process of its own. It reads one line, what to spend; makes payments; then for each
 * further line, a number, posts that many transactions in batches and answers with how it went.
 */
import { createInterface } from 'node:readline';
import { PrivateKey } from '@bsv/sdk';
import { Agent, request } from 'undici';
import { fromHex, satoshis, toHex } from '../../../src/chain/index.ts';
import { payment, split } from '../payments.ts';

interface Task {
  readonly mapi: string;
  readonly apiKey: string;
  readonly key: string;
  readonly coins: readonly { txid: string; vout: number; satoshis: number; lockingScript: string }[];
  readonly transactions: number;
}

const BATCH = 1_000;
const OUTPUTS = 10_000;
const IN_FLIGHT = 2;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const task = JSON.parse((await lines.next()).value as string) as Task;
const key = PrivateKey.fromHex(task.key);
const agent = new Agent({ connections: IN_FLIGHT, headersTimeout: 120_000, bodyTimeout: 120_000 });

/** @param last true closes the connection: the server would give it up while payments are made. */
async function post(raws: readonly string[], last = false): Promise<number> {
  const { body } = await request(`${task.mapi}/txs`, {
    method: 'POST',
    dispatcher: agent,
    reset: last,
    headers: { authorization: `Bearer ${task.apiKey}`, 'content-type': 'application/json' },
    body: `[${raws.map((rawTx) => `{"rawTx":"${rawTx}"}`).join(',')}]`,
  });
  const { payload } = (await body.json()) as { payload: string };
  return raws.length - (JSON.parse(payload) as { failureCount: number }).failureCount;
}

const raws: string[] = [];
for (let from = 0; from < task.transactions; from += OUTPUTS) {
  const coin = task.coins[from / OUTPUTS];
  if (coin === undefined) throw new Error('there are not enough coins');
  const parts = split(
    { ...coin, satoshis: satoshis(coin.satoshis), lockingScript: fromHex(coin.lockingScript) },
    OUTPUTS,
    400_000,
    key,
  );
  if ((await post([toHex(parts.raw)], true)) !== 1) throw new Error('a coin could not be split');
  for (const part of parts.coins) raws.push(toHex(payment(part, key)));
}
process.stdout.write('"ready"\n');

let next = 0;
for await (const line of { [Symbol.asyncIterator]: () => lines }) {
  const end = Math.min(raws.length, next + Number(line));
  let accepted = 0;
  const started = performance.now();
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (next < end) {
        const batch = raws.slice(next, Math.min(end, next + BATCH));
        next += batch.length;
        const taken = await post(batch);
        // the other one in flight has counted meanwhile
        accepted += taken;
      }
    }),
  );
  process.stdout.write(`${JSON.stringify({ accepted, ms: performance.now() - started })}\n`);
}
await agent.close();
