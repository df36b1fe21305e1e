import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { oneHost } from '../test-support/hosts/one-host.ts';
import { addItem, mintProven, type TestClient, until, walletFilled } from '../test-support/hosts/open-host.ts';

const hosts = oneHost();

/** What waits for a person, and what can be done with it. */
interface Waiting {
  approve(): Promise<unknown>;
  cancel(): Promise<unknown>;
  /** Whether nothing of it is under way any more; how many transactions it put on the network, by its own word. */
  settled(): Promise<number | undefined>;
}

type Kind = (client: TestClient) => Promise<() => Promise<Waiting>>;

const ENDED: readonly string[] = ['submitted', 'seen', 'mined', 'proven'];
const sent = ({ state }: { state: string }): number | undefined =>
  state === 'cancelled' ? 0 : ENDED.includes(state) ? 1 : undefined;

const payment: Kind = async (client) => {
  const address = (await client.wallet.status()).address as string;
  return async () => {
    const request = { to: [{ address, satoshis: 10_000 }] };
    const { id, review } = await client.wallet.send.prepare({ request, idempotencyKey: randomUUID() });
    return {
      approve: () => client.wallet.send.approve({ id, digest: review.digest }),
      cancel: () => client.wallet.send.cancel({ id }),
      settled: async () => sent(await client.wallet.send.get({ id })),
    };
  };
};

const redeemable: Kind = async (client) => {
  let n = 0;
  return async () => {
    n += 1;
    const schema = { symbol: `CAFE${n}`, name: 'Coffee', satsPerToken: 1, totalSupply: 1_000 };
    const request = { action: 'contract' as const, schema };
    const { id, review } = await client.redeemableTokens.prepare({ request, idempotencyKey: randomUUID() });
    return {
      approve: () => client.redeemableTokens.approve({ id, digest: review.digest }),
      cancel: () => client.redeemableTokens.cancel({ id }),
      settled: async () => sent(await client.redeemableTokens.get({ id })),
    };
  };
};

const tokenSend: Kind = async (client) => {
  const address = (await client.wallet.status()).address as string;
  const { uid } = await client.projects.create({ name: 'Coins', type: 'single' });
  const outpoints: string[] = [];
  return async () => {
    const item = await addItem(client, uid, { name: 'coin.txt', bytes: Buffer.from(randomUUID()) });
    const { txid } = await mintProven(client, item, address);
    await until(async () => (await client.sandbox.status()).mempool.transactions === 0);
    outpoints.push(`${txid}_0`);
    const request = { outpoint: outpoints.at(-1) as string, address, idempotencyKey: randomUUID() };
    const { id, review } = await client.tokens.send.prepare(request);
    return {
      approve: () => client.tokens.send.approve({ id, digest: review.digest }),
      cancel: () => client.tokens.send.cancel({ id }),
      settled: async () => sent(await client.tokens.send.get({ id })),
    };
  };
};

const mint: Kind = async (client) => {
  const destination = (await client.wallet.status()).address as string;
  const { uid } = await client.projects.create({ name: 'Coins', type: 'single' });
  return async () => {
    const item = await addItem(client, uid, { name: 'coin.txt', bytes: Buffer.from(randomUUID()) });
    const { id } = await client.mint.create({ itemIds: [item], destination, idempotencyKey: randomUUID() });
    const { review } = await until(async () => {
      const job = await client.mint.get({ id });
      return job.awaitingApproval && job;
    });
    return {
      approve: () => client.mint.approve({ id, digest: review?.digest as string }),
      cancel: () => client.mint.cancel({ id }),
      settled: async () => sent(await client.mint.get({ id })),
    };
  };
};

const run: Kind = async (client) => {
  const destination = (await client.wallet.status()).address as string;
  return async () => {
    const { uid: projectUid } = await client.projects.create({ name: randomUUID(), type: 'single' });
    await addItem(client, projectUid, { name: 'coin.txt', bytes: Buffer.from(randomUUID()) });
    const { id, digest } = await client.runs.create({ projectUid, destination, idempotencyKey: randomUUID() });
    return {
      approve: () => client.runs.approve({ id, digest }),
      cancel: () => client.runs.cancel({ id }),
      settled: async () => {
        const { run: one } = await client.runs.get({ id });
        if (one.cancelled + one.minted < one.items) return undefined;
        return one.transactions.submitted;
      },
    };
  };
};

/** Turns of the event loop between the presses. */
const APART = process.env.PLANCHET_LONG ? [0, 1, 2, 3, 5] : [0];

type Press = 'approve' | 'cancel';
const presses: readonly (readonly Press[])[] = [
  ['approve', 'approve'],
  ['approve', 'cancel'],
  ['cancel', 'approve'],
  ['cancel', 'cancel'],
  ['approve', 'cancel', 'approve', 'cancel'],
];

describe.each(Object.entries({ payment, mint, run, tokenSend, redeemable }))('a waiting %s', (_, kind) => {
  it('that two pages answer at the same instant is sent once or never, and holds nothing after it was cancelled', async () => {
    const { client } = await hosts.open({ scope: 'core', overrides: { 'sandbox.mineOnArrival': '' } });
    await walletFilled(client);
    const another = await kind(client);
    const waiting = async () => (await client.sandbox.status()).mempool.transactions;
    for (const pressed of presses)
      for (const turns of APART) {
        const one = await another();
        await client.sandbox.mine({ blocks: 1 });
        await until(async () => (await waiting()) === 0 && (await client.wallet.status()).balance.unconfirmed === 0);
        const answers: Promise<PromiseSettledResult<unknown>>[] = [];
        for (const press of pressed) {
          answers.push(Promise.allSettled([one[press]()]).then(([result]) => result));
          for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
        }
        const results = await Promise.all(answers);
        const what = JSON.stringify([pressed, turns, results.map(({ status }) => status)]);
        for (const result of results)
          if (result.status === 'rejected') expect(result.reason, what).toMatchObject({ data: { code: 'conflict' } });
        const count = await until(async () => ((await one.settled()) ?? -1) + 1);
        expect(await waiting(), what).toBe(count - 1);
        const won = pressed.filter((_press, index) => results[index]?.status === 'fulfilled');
        // what was told to a person as done is done
        if (count === 1) expect(won, what).toContain('cancel');
        else expect(won, what).toContain('approve');
        if (count === 1) expect((await client.wallet.status()).balance.reserved, what).toBe(0);
      }
  });
});
