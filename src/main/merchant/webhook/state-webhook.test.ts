import { createHmac } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { txidOf } from '../../../chain/index.ts';
import { type Failure, type Settings, settingsSchema } from '../../../contract/index.ts';
import { Receiver } from '../../sandbox/test-support/receiver.ts';
import { openStore, type SqliteStore } from '../../store/store.ts';
import { StillClock } from '../../test-support/still-clock.ts';
import { anyTx, TestSecrets } from '../callbacks/test-support/receiver-harness.ts';
import { type TrackingTables, trackingMigrations } from '../tracking/storage/tables.ts';
import { TransactionStore } from '../tracking/storage/transaction-store.ts';
import { Tracker } from '../tracking/tracker.ts';
import { StateWebhook, type StateWebhookOptions } from './state-webhook.ts';
import { type WebhookTables, webhookMigrations } from './tables.ts';

const SECRET = 'a secret of the person';
const logger = pino({ level: 'silent' });
const clock = new StillClock(1_700_000_000_000);

let receiver: Receiver;
let store: SqliteStore<TrackingTables & WebhookTables>;
let tracker: Tracker;
let settings: Settings;
let settingsChanged: () => void;
let notices: Failure[];
let webhooks: StateWebhook[];

beforeEach(async () => {
  receiver = await Receiver.open();
  store = await openStore({ file: ':memory:', migrations: [...trackingMigrations, ...webhookMigrations] });
  const transactions = new TransactionStore({ store, clock, tipHeight: () => null });
  tracker = new Tracker({ transactions, clock, logger });
  settings = settingsSchema.parse({ stateWebhook: receiver.url, stateWebhookPrivate: true });
  [notices, webhooks] = [[], []];
});
afterEach(async () => {
  for (const webhook of webhooks) await webhook.close();
  await receiver.close();
  await store.close();
});

/** A webhook that is not started. */
function create(options: Partial<StateWebhookOptions> = {}): StateWebhook {
  const webhook = new StateWebhook({
    network: 'sandbox',
    store,
    settings: {
      current: () => settings,
      onChange: (listener) => {
        settingsChanged = () => listener(settings, ['stateWebhook']);
        return () => undefined;
      },
    },
    secrets: new TestSecrets([['webhookSecret:sandbox', Buffer.from(SECRET)]]),
    notices: { add: ({ failure }) => void notices.push(failure), dismiss: () => void notices.pop() },
    onChange: (listener) => tracker.onChange(listener),
    clock,
    logger,
    ...options,
  });
  webhooks.push(webhook);
  return webhook;
}

async function started(secrets?: TestSecrets): Promise<StateWebhook> {
  const webhook = create(secrets && { secrets });
  webhook.start();
  // a new address is told from here on
  await webhook.status();
  return webhook;
}

/** A listener for changes that only the test calls. */
function wakeable() {
  const told: { wake: () => void } = { wake: () => undefined };
  const onChange: StateWebhookOptions['onChange'] = (listener) => {
    told.wake = listener;
    return () => undefined;
  };
  return { told, onChange };
}

const track = (n: number): Promise<void> => tracker.track([{ rawTx: anyTx(n), origin: 'manual', label: `no. ${n}` }]);
const statesOf = (body: Buffer): { txid: string; state: string; label: string }[] => JSON.parse(body.toString()).states;

describe('the webhook of states', () => {
  it('tells each state once, in order, with a signature over time and body', async () => {
    await track(0);
    const webhook = await started();
    await track(1);
    await tracker.change([txidOf(anyTx(1))], () => ({
      change: { state: 'submitted' },
      events: [{ kind: 'state', text: '', state: 'submitted' }],
    }));
    await expect.poll(async () => (await webhook.status()).waiting).toBe(0);
    const told = receiver.got.flatMap(({ body }) => statesOf(body));
    expect(told).toMatchObject([
      { txid: txidOf(anyTx(1)), state: 'queued', label: 'no. 1' },
      { txid: txidOf(anyTx(1)), state: 'submitted' },
    ]);
    const [first] = receiver.got;
    const [, time, signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(first?.headers['x-planchet-signature'])) ?? [];
    expect(time).toBe('1700000000');
    expect(signature).toBe(createHmac('sha256', SECRET).update(`${time}.${first?.body}`).digest('hex'));
  });

  it('tries again with growing pauses, tells a person after five times, and loses nothing over a restart', async () => {
    receiver.status = 500;
    const webhook = await started();
    await track(1);
    for (let attempt = 1; attempt <= 5; attempt++) {
      await expect.poll(async () => (await webhook.status()).attempts).toBe(attempt);
      expect(clock.next).toBe(1_000 * 2 ** (attempt - 1));
      if (attempt < 5) clock.advance(clock.next as number);
    }
    expect(await webhook.status()).toMatchObject({ waiting: 1, failure: { text: 'HTTP 500' } });
    const reason = { key: 'reason.http-status', values: { status: 500 } };
    expect(notices).toMatchObject([{ message: expect.stringContaining('HTTP 500'), values: { reason } }]);
    await webhook.stop();
    await track(2);
    receiver.status = 204;
    receiver.got.length = 0;
    const again = await started();
    await expect.poll(async () => (await again.status()).waiting).toBe(0);
    const told = receiver.got.flatMap(({ body }) => statesOf(body)).map(({ txid }) => txid);
    expect(told).toEqual([txidOf(anyTx(1)), txidOf(anyTx(2))]);
  });

  it('leaves a state that came during an attempt that failed to its retry', async () => {
    const still = new StillClock(0);
    const { told, onChange } = wakeable();
    const webhook = create({ secrets: new TestSecrets(), onChange, clock: still });
    await webhook.status();
    await track(1);
    webhook.start();
    told.wake();
    await expect.poll(async () => (await webhook.status()).attempts).toBe(1);
    // another attempt would have read the history by now
    for (let n = 0; n < 5; n++) expect((await webhook.status()).attempts).toBe(1);
    expect(still.next).toBe(1_000);
  });

  it('tries at once what was changed during an attempt that failed, and has nothing left to try again', async () => {
    let secret: Buffer | undefined;
    const still = new StillClock(0);
    const secrets = {
      ...new TestSecrets(),
      get: () => {
        const before = secret;
        secret = Buffer.from(SECRET);
        return before;
      },
    } as never;
    const webhook = create({ secrets, onChange: () => () => undefined, clock: still });
    await webhook.status();
    await track(1);
    secret = undefined;
    webhook.start();
    settingsChanged();
    await expect.poll(async () => (await webhook.status()).waiting).toBe(0);
    expect(await webhook.status()).toMatchObject({ attempts: 0, failure: null });
    expect(still.next).toBeUndefined();
  });

  it('tells what waited for its secret as soon as the vault is open', async () => {
    const secrets = new TestSecrets([['webhookSecret:sandbox', Buffer.from(SECRET)]]);
    const webhook = await started(secrets);
    secrets.locked = true;
    await track(1);
    await expect.poll(async () => (await webhook.status()).attempts).toBe(1);
    webhook.secretsChanged();
    expect(await webhook.status()).toMatchObject({ hasSecret: false, attempts: 1, failure: {} });
    secrets.locked = false;
    webhook.secretsChanged();
    await expect.poll(async () => (await webhook.status()).waiting).toBe(0);
    expect(await webhook.status()).toMatchObject({ attempts: 0, failure: null });
  });

  it('tells a new address of what happens while a message to the one before is under way', async () => {
    receiver.silent = true;
    const webhook = await started();
    await track(1);
    await receiver.next();
    const other = await Receiver.open();
    settings = { ...settings, stateWebhook: other.url };
    settingsChanged();
    const noted = store.db.selectFrom('state_webhook').select('url');
    await expect.poll(() => noted.execute()).toEqual([{ url: other.url }]);
    await track(2);
    await receiver.close();
    await expect.poll(async () => (await webhook.status()).waiting).toBe(0);
    expect(other.got.flatMap(({ body }) => statesOf(body))).toMatchObject([{ txid: txidOf(anyTx(2)) }]);
    await other.close();
  });

  it('takes back what it told a person where another secret or address is to be tried', async () => {
    receiver.status = 500;
    const webhook = await started();
    await track(1);
    for (let attempt = 1; attempt < 5; attempt++) {
      await expect.poll(async () => (await webhook.status()).attempts).toBe(attempt);
      clock.advance(clock.next as number);
    }
    await expect.poll(() => notices.length).toBe(1);
    receiver.status = 204;
    await webhook.setSecret({ secret: SECRET });
    await expect.poll(async () => (await webhook.status()).waiting).toBe(0);
    expect(notices).toEqual([]);
  });

  it('goes on after a stop while a retry was due', async () => {
    receiver.status = 500;
    const webhook = await started();
    await track(1);
    await expect.poll(async () => (await webhook.status()).failure?.text).toBe('HTTP 500');
    await webhook.stop();
    receiver.status = 204;
    webhook.start();
    await expect.poll(async () => (await webhook.status()).waiting).toBe(0);
    expect(await webhook.status()).toMatchObject({ attempts: 0, failure: null });
  });

  it('sends nothing to a private address unless that is allowed, and nothing without a secret', async () => {
    settings = { ...settings, stateWebhookPrivate: false };
    const literal = await started();
    await track(1);
    await expect.poll(async () => (await literal.status()).failure?.text).toContain('is private');
    await literal.stop();
    settings = { ...settings, stateWebhook: receiver.url, stateWebhookPrivate: true };
    const silent = await started(new TestSecrets());
    await track(3);
    await expect.poll(async () => (await silent.status()).failure?.text).toContain('secret');
    expect(receiver.got).toEqual([]);
    expect(await silent.setSecret({ secret: SECRET })).toMatchObject({ hasSecret: true });
    await receiver.next();
  });
});

describe('a receiver of states that misbehaves', () => {
  /** Answers with these bytes, again and again where they are to have no end. */
  async function hostile(head: string, { endless = '', ends = false } = {}) {
    const sockets = new Set<Socket>();
    let asked = 0;
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => {
        asked += 1;
        socket.write(head);
        const pour = (): void => {
          if (!socket.destroyed && endless !== '') socket.write(endless, pour);
        };
        pour();
        if (ends) socket.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    settings = { ...settings, stateWebhook: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
    const webhook = await started();
    await track(1);
    const close = async (): Promise<void> => {
      await webhook.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    };
    return { webhook, asked: () => asked, close };
  }

  it.each([
    ['says nothing more after its status', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', {}],
    ['closes in the middle of its answer', 'HTTP/1.1 204 OK\r\ncontent-length: 9\r\n\r\nhal', { ends: true }],
    ['answers without an end', 'HTTP/1.1 200 OK\r\n\r\n', { endless: 'x'.repeat(65_536) }],
    ['announces gigabytes', 'HTTP/1.1 200 OK\r\ncontent-length: 9000000000\r\n\r\n', { endless: 'x'.repeat(65_536) }],
  ])('gets no message twice once it answered 2xx, where it %s', async (_, head, form) => {
    const { webhook, asked, close } = await hostile(head, form);
    await expect.poll(async () => (await webhook.status()).waiting).toBe(0);
    expect(await webhook.status()).toMatchObject({ attempts: 0, failure: null });
    expect(asked()).toBe(1);
    await close();
  });

  it.each([
    ['leads elsewhere', () => `HTTP/1.1 307 Over there\r\nlocation: ${receiver.url}/\r\ncontent-length: 0\r\n\r\n`, {}],
    ['leads to itself', () => 'HTTP/1.1 302 Here\r\nlocation: /\r\ncontent-length: 0\r\n\r\n', {}],
    [
      'says Continue without an end',
      () => 'HTTP/1.1 100 Continue\r\n\r\n',
      { endless: 'HTTP/1.1 100 Continue\r\n\r\n' },
    ],
    ['changes the protocol', () => 'HTTP/1.1 101 Other\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', {}],
    ['has headers without an end', () => 'HTTP/1.1 200 OK\r\n', { endless: `x: ${'y'.repeat(65_536)}\r\n` }],
    ['speaks no HTTP', () => 'what do you want?\r\n\r\n', { ends: true }],
    ['closes in the middle of its headers', () => 'HTTP/1.1 200 OK\r\ncontent-le', { ends: true }],
  ])('gets the message again later, where it %s', async (_, head, form) => {
    const { webhook, asked, close } = await hostile(head(), form);
    await expect.poll(async () => (await webhook.status()).attempts).toBe(1);
    expect(await webhook.status()).toMatchObject({ waiting: 1, failure: { text: expect.any(String) } });
    expect(asked()).toBe(1);
    expect(receiver.got).toEqual([]);
    await close();
  });

  it.each([
    ['never answers', '', {}],
    ['stays in the middle of its headers', 'HTTP/1.1 200 OK\r\nx: y', {}],
    ['gives hints without an end', '', { endless: 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n' }],
  ])('is left after ten seconds, and at once with a stop, where it %s', async (_, head, form) => {
    const limits: { ms: number; end: AbortController }[] = [];
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const end = new AbortController();
      limits.push({ ms, end });
      return end.signal;
    });
    onTestFinished(() => timeout.mockRestore());
    const { webhook, asked, close } = await hostile(head, form);
    await expect.poll(asked).toBe(1);
    expect(limits.map(({ ms }) => ms)).toEqual([10_000]);
    limits[0]?.end.abort(new DOMException('late', 'TimeoutError'));
    await expect.poll(async () => (await webhook.status()).attempts).toBe(1);
    clock.advance(clock.next as number);
    await expect.poll(asked).toBe(2);
    await webhook.stop();
    expect(await webhook.status()).toMatchObject({ waiting: 1, attempts: 1 });
    await close();
  });

  it('gets all states in order after it answered 500 for hours, and no message meanwhile but the oldest', async () => {
    receiver.status = 500;
    const webhook = await started();
    const begun = clock.now();
    await track(1);
    for (let n = 1; n <= 20; n++) {
      await expect.poll(async () => (await webhook.status()).attempts).toBe(n);
      expect(statesOf(receiver.got.at(-1)?.body as Buffer)[0]?.txid).toBe(txidOf(anyTx(1)));
      if (n === 20) break;
      await track(n + 1);
      clock.advance(clock.next as number);
    }
    expect(clock.now() - begun).toBeGreaterThan(3_600_000);
    expect(receiver.got).toHaveLength(20);
    receiver.status = 204;
    receiver.got.length = 0;
    clock.advance(clock.next as number);
    await expect.poll(async () => (await webhook.status()).waiting).toBe(0);
    const told = receiver.got.flatMap(({ body }) => statesOf(body)).map(({ txid }) => txid);
    expect(told).toEqual(Array.from({ length: 20 }, (_, n) => txidOf(anyTx(n + 1))));
    expect(notices).toEqual([]);
  });
});

it('the webhook looks at the history again after a wake-up at any microtask around the end of a run', async () => {
  let reads = 0;
  const { told, onChange } = wakeable();
  const counted = new Proxy(store, {
    get: (target, name) => {
      if (name === 'db') reads += 1;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const webhook = create({ store: counted, onChange });
  webhook.start();
  await webhook.status();
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const lost: number[] = [];
  for (let offset = 0; offset < 100; offset += 1) {
    for (let turn = 0; turn < 5; turn += 1) await settled();
    told.wake();
    for (let step = 0; step < offset; step += 1) await undefined;
    const before = reads;
    told.wake();
    for (let turn = 0; turn < 5; turn += 1) await settled();
    if (reads === before) lost.push(offset);
  }
  expect(lost).toEqual([]);
});
