import { randomBytes, randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeAddress, p2pkhScript, parseInscription, type Tx, toHex } from '../../chain/index.ts';
import { type Failure, type MintJob, mintStates } from '../../contract/index.ts';
import { decodeContract } from '../../token/index.ts';
import { failureOf } from '../commands/shared/run.ts';
import { Keeper } from '../test-support/hosts/keeper.ts';
import {
  addItem,
  closeTestHost,
  filledDataDir,
  openTestHost,
  type TestClient,
  type TestHost,
  until,
  walletFilled,
} from '../test-support/hosts/open-host.ts';
import { walletFollows } from '../test-support/hosts/wallet-follows.ts';

/** Lives of each kind. */
const LIVES = process.env.PLANCHET_LONG ? 40 : 1;
const SEED = Number(process.env.PLANCHET_SEED ?? 27);
/** How often whoever refuses does so, at most, before it takes what comes. */
const MOST_REFUSALS = 3;
const REFUSED: Failure = { id: 'merchant.refused', code: 'rejected', message: '', hint: '' };
const APART = { 'sandbox.mineOnArrival': '', 'sandbox.mineInterval': '0' };

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What a person does in one life, and how it is counted. */
interface Attempt {
  /** Asks for it, as if for the first time, and approves it. @returns what the program said: undefined where it was sent */
  ask(): Promise<Failure | undefined>;
  /** Lets go of what was refused, where that has to be done before it is asked for again. */
  letGo?(): Promise<void>;
  /** How often these transactions do what was asked for once. */
  times(mined: readonly Tx[]): number;
}

let opened: TestHost;
let keeper: Keeper;
let client: TestClient;

async function open(dataDir: string): Promise<void> {
  opened = await openTestHost({ dataDir, overrides: APART });
  ({ client } = opened);
  const { kept, refuses } = keeper ?? { kept: new Map(), refuses: false };
  keeper = new Keeper(opened.host);
  for (const [txid, raw] of kept) keeper.keep(txid, raw);
  keeper.refuses = refuses;
}

async function restart(): Promise<void> {
  await closeTestHost(opened, { keepData: true });
  await open(opened.dataDir);
}

beforeEach(async () => {
  await open(await filledDataDir());
  await walletFilled(client);
});
afterEach(async () => {
  await closeTestHost(opened);
  rmSync(opened.dataDir, { recursive: true, force: true });
});

const failed = (call: Promise<unknown>): Promise<Failure | undefined> =>
  call.then(
    () => undefined,
    (error: unknown) => failureOf(error),
  );

/** Said where there is nothing left to ask for, so that a person stops. */
const OVER = ['wallet.refused-mined', 'wallet.replaced-mined', 'mint.minted-after-all', 'mint.already-minted'];

/** @returns how many transactions that do what was asked for once are in blocks, and what the program said last */
async function live(attempt: Attempt, random: () => number): Promise<{ times: number; said: Failure | undefined }> {
  let said: Failure | undefined;
  const mineKept = async (): Promise<void> => {
    const kept = [...keeper.kept.values()];
    const one = kept[Math.floor(random() * kept.length)];
    if (one !== undefined && (await keeper.mine([one]))) await walletFollows(client);
  };
  let refusals = 0;
  for (let asked = 0; asked < 12; asked++) {
    keeper.refuses = refusals < MOST_REFUSALS && (refusals === 0 || random() < 0.5);
    said = await attempt.ask();
    if (said === undefined && random() < 0.3) await mineKept();
    if (said === undefined || OVER.includes(said.id ?? '')) break;
    if (said.code === 'rejected') refusals += 1;
    if (random() < 0.2) await restart();
    if (random() < 0.15) await mineKept();
    if (random() < 0.15) await client.sandbox.mine({ blocks: 1 });
    // Another coin fits better now than the one that was chosen first: the smallest that is enough.
    if (random() < 0.8) {
      const address = (await client.wallet.status()).address as string;
      await client.sandbox.fund({ address, satoshis: Math.floor(1_000_000 / (asked + 1 + random())) });
      await client.sandbox.mine({ blocks: 1 });
    }
    if (random() < 0.8) await attempt.letGo?.();
    if (said.id === 'wallet.replacement-waits') await client.sandbox.mine({ blocks: 1 });
    await walletFollows(client);
  }
  keeper.refuses = false;
  if (random() < 0.5) await client.sandbox.mine({ blocks: 1 });
  for (const raw of keeper.kept.values()) await keeper.mine([raw]);
  await client.sandbox.mine({ blocks: 1 });
  for (const raw of keeper.kept.values()) await keeper.mine([raw]);
  await walletFollows(client);
  return { times: attempt.times(await keeper.mined()), said };
}

function payment(): Attempt {
  const pubKeyHash = randomBytes(20);
  const script = toHex(p2pkhScript(pubKeyHash));
  const to = [{ address: encodeAddress(pubKeyHash, 'test'), satoshis: 5_000 }];
  return {
    ask: async () => {
      let id: string | undefined;
      const refusal = await failed(
        (async () => {
          const send = await client.wallet.send.prepare({ request: { to }, idempotencyKey: randomUUID() });
          id = send.id;
          if (keeper.kept.size > 0) expect(send.review.checks.map((check) => check.id)).toContain('replaces');
          await client.wallet.send.approve({ id, digest: send.review.digest });
        })(),
      );
      if (id === undefined) return refusal;
      const { state, failure } = await client.wallet.send.get({ id });
      if (state === 'reviewed') await client.wallet.send.cancel({ id });
      return refusal ?? failure ?? undefined;
    },
    times: (mined) => mined.filter((tx) => tx.outputs.some((output) => toHex(output.script) === script)).length,
  };
}

function contract(): Attempt {
  const symbol = `T${randomBytes(3).toString('hex').toUpperCase()}`;
  const schema = { symbol, name: 'Voucher', satsPerToken: 10, totalSupply: 100 };
  return {
    ask: async () => {
      let id: string | undefined;
      const refusal = await failed(
        (async () => {
          const job = await client.redeemableTokens.prepare({
            request: { action: 'contract', schema },
            idempotencyKey: randomUUID(),
          });
          id = job.id;
          await client.redeemableTokens.approve({ id, digest: job.review.digest });
        })(),
      );
      if (id === undefined) return refusal;
      const { state, failure } = await client.redeemableTokens.get({ id });
      if (state === 'reviewed') await client.redeemableTokens.cancel({ id });
      return refusal ?? failure ?? undefined;
    },
    times: (mined) =>
      mined.filter((tx) => tx.outputs.some(({ script }) => decodeContract(script)?.schema.symbol === symbol)).length,
  };
}

/** Contents that are in no other token. */
function contents(count: number): Buffer[] {
  return Array.from({ length: count }, () => Buffer.from(`token ${randomUUID()}`));
}

/** How often the content that is in the most tokens was minted. */
function timesMinted(mined: readonly Tx[], all: readonly Buffer[]): number {
  const tokens = mined.flatMap(({ outputs }) => outputs.flatMap(({ script }) => parseInscription(script) ?? []));
  const counts = all.map((content) => tokens.filter((token) => content.equals(token.content)).length);
  return Math.max(...counts);
}

const isRefused = ({ state, active, failure }: MintJob): boolean =>
  state === 'signed' && !active && failure?.code === 'rejected';

async function mint(): Promise<Attempt> {
  const all = contents(2);
  const { uid } = await client.projects.create({ name: randomUUID(), type: 'single' });
  const itemIds: string[] = [];
  for (const [n, bytes] of all.entries()) itemIds.push(await addItem(client, uid, { name: `${n}.txt`, bytes }));
  const destination = encodeAddress(randomBytes(20), 'test');
  let id: string | undefined;
  const done = async (): Promise<Failure | undefined> => {
    const job = await until(async () => {
      const now = await client.mint.get({ id: id as string });
      if (now.awaitingApproval && now.failure === null)
        await failed(client.mint.approve({ id: now.id, digest: now.review?.digest as string }));
      return (!now.active && (!now.awaitingApproval || now.failure)) || mintStates.is(now.state, 'submitted')
        ? now
        : false;
    });
    if (mintStates.is(job.state, 'submitted')) return undefined;
    return job.failure ?? undefined;
  };
  const letGo = async (): Promise<void> => {
    if (id !== undefined && (await failed(client.mint.cancel({ id }))) === undefined) id = undefined;
  };
  return {
    letGo,
    ask: async () => {
      if (id !== undefined) {
        const job = await client.mint.get({ id });
        if (job.state === 'cancelled') return job.failure ?? undefined;
        const refusal = await failed(client.mint.retry({ id }));
        return refusal ?? done();
      }
      const key = randomUUID();
      const refusal = await failed(
        client.mint.create({ itemIds, destination, idempotencyKey: key }).then((job) => {
          id = job.id;
        }),
      );
      return refusal ?? done();
    },
    times: (mined) => timesMinted(mined, all),
  };
}

/** Of single tokens it is one transaction, of a collection two, for which the money is divided first. */
async function run(random: () => number): Promise<Attempt> {
  const all = contents(3);
  const type = random() < 0.5 ? 'single' : 'collection';
  const { uid: projectUid } = await client.projects.create({ name: randomUUID(), type });
  for (const [n, bytes] of all.entries()) await addItem(client, projectUid, { name: `${n}.txt`, bytes });
  const destination = encodeAddress(randomBytes(20), 'test');
  let id: string | undefined;
  const jobs = async (): Promise<MintJob[]> => {
    const { items } = await client.runs.items({ id: id as string, limit: 10 });
    return Promise.all([...new Set(items.map(({ jobId }) => jobId))].map((job) => client.mint.get({ id: job })));
  };
  return {
    letGo: async () => {
      if (id === undefined) return;
      for (const job of await jobs()) if (isRefused(job)) await failed(client.mint.cancel({ id: job.id }));
      await failed(client.runs.cancel({ id }));
      if ((await jobs()).every(({ state }) => state === 'cancelled')) id = undefined;
    },
    ask: async () => {
      if (id === undefined) {
        const refusal = await failed(
          client.runs.create({ projectUid, destination, direct: true, idempotencyKey: randomUUID() }).then((made) => {
            id = made.id;
          }),
        );
        if (refusal !== undefined) return refusal;
        if (type === 'collection' && random() < 0.5) keeper.lets = 1;
      } else {
        await failed(client.runs.retry({ id }));
        await failed(client.runs.resume({ id }));
      }
      const { run: waiting } = await client.runs.get({ id: id as string });
      if (waiting.canApprove) await failed(client.runs.approve({ id: waiting.id, digest: waiting.digest }));
      let last: unknown;
      return until(async () => {
        const { run: now } = await client.runs.get({ id: id as string });
        const all = await jobs();
        const refused = all.find((job) => !job.active && job.failure !== null);
        const sent = all.every(({ state }) => mintStates.is(state, 'submitted'));
        if (sent) return { failure: undefined };
        const failure = now.failure ?? (all.some(({ active }) => active) ? null : refused?.failure) ?? null;
        last = { run: now, jobs: all.map(({ state, active, failure }) => ({ state, active, failure })) };
        return failure !== null && !now.waits && { failure };
      }, 90_000)
        .catch((error: unknown) => {
          throw new Error(JSON.stringify(last, null, 1), { cause: error });
        })
        .then(({ failure }) => failure);
    },
    times: (mined) => timesMinted(mined, all),
  };
}

function document(): Attempt {
  const body = `{"document":"${randomUUID()}"}`;
  const hex = toHex(Buffer.from(body));
  let id: string | undefined;
  return {
    ask: async () => {
      if (id === undefined) ({ id } = await client.writer.write({ body, wait: 'accepted' }));
      const before = await client.writer.documents.get({ id });
      if (before.state === 'dead') {
        const { failure } = await client.writer.dead.retry({ ids: [id] });
        if (failure !== null) return failure;
      }
      return until(async () => {
        const { state } = await client.writer.documents.get({ id: id as string });
        if (state === 'dead') return { said: REFUSED };
        if (state !== 'accepted' && state !== 'funded' && state !== 'signed') return { said: undefined };
        // A refused split is made again after a while, by itself.
        keeper.refuses = keeper.refuses && keeper.kept.size === 0;
        return false;
      }).then(({ said }) => said);
    },
    times: (mined) => mined.filter((tx) => tx.outputs.some(({ script }) => toHex(script).includes(hex))).length,
  };
}

const inAll = [
  ['a payment', payment],
  ['a run', run],
  ['a token contract', contract],
  ['a mint', mint],
  ['a document', document],
] as const;
/** In `npm test` the one of a transaction and the one of several. */
const kinds = inAll.slice(0, process.env.PLANCHET_LONG ? inAll.length : 2);

describe('asked for again after a miner refused it and kept it all the same,', () => {
  it.each(kinds)(
    `%s is mined once at most (${LIVES} lives)`,
    async (_, make) => {
      const random = numbers(SEED);
      const doubled: unknown[] = [];
      let once = 0;
      for (let life = 0; life < LIVES; life++) {
        keeper.clear();
        const { times, said } = await live(await make(random), random);
        if (times > 1) doubled.push({ life, times, said });
        if (times === 1) once += 1;
      }
      expect(doubled).toEqual([]);
      expect(once).toBe(LIVES);
    },
    3_600_000,
  );
});
