import { createHmac } from 'node:crypto';
import type { Logger } from 'pino';
import { Agent, request } from 'undici';
import {
  type Network,
  PlanchetError,
  phrase,
  type Reason,
  reasonText,
  type WebhookStatus,
} from '../../../contract/index.ts';
import { backOffMs } from '../../async/back-off.ts';
import { Rerun } from '../../async/rerun.ts';
import { namesPrivateHost, publicLookup } from '../../http/public-hosts.ts';
import { PhrasedError, reasonOf } from '../../phrased-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Notices } from '../../ports/infrastructure/notices.ts';
import type { SecretStore } from '../../ports/secrets.ts';
import type { SettingsView } from '../../ports/settings.ts';
import type { Store } from '../../ports/store.ts';
import type { TrackingTables } from '../tracking/storage/tables.ts';
import type { WebhookTables } from './tables.ts';

/** States in one message. */
const BATCH = 100;
const TIMEOUT_MS = 10_000;
/** How long the rest of an answer is waited for. */
const REST_MS = 1_000;
const RETRY = { firstMs: 1_000, longestMs: 600_000 };
/** Failed attempts after which a person is told. */
const TOLD_AFTER = 5;
const NOTICE = 'state-webhook';

export interface StateWebhookOptions {
  network: Network;
  store: Store<TrackingTables & WebhookTables>;
  settings: SettingsView;
  secrets: SecretStore;
  notices: Pick<Notices, 'add' | 'dismiss'>;
  /** Calls back when a transaction entered another state. @returns removes the listener */
  onChange: (listener: () => void) => () => void;
  clock: Clock;
  logger: Logger;
}

type Line = Awaited<ReturnType<typeof linesAfter>>[number];

/**
 * Tells an address of the person's own of every state that a transaction enters, in order, signed, until it answers 2xx. What is told is
 * read from the history, so a restart loses nothing; a message may come twice.
 */
export class StateWebhook {
  readonly #options: StateWebhookOptions;
  readonly #agents = { any: new Agent(), public: new Agent({ connect: { lookup: publicLookup } }) };
  #stops: (() => void)[] = [];
  #stop = new AbortController();
  #work = this.#rerun();
  #cancelRetry: () => void = () => undefined;
  #attempts = 0;
  #failure: WebhookStatus['failure'] = null;
  /** A person changed something since the last attempt began. */
  #isChanged = false;
  #lacksSecret = false;

  constructor(options: StateWebhookOptions) {
    this.#options = options;
  }

  start(): void {
    const { settings, onChange } = this.#options;
    this.#stop = new AbortController();
    this.#work = this.#rerun();
    // A retry that was due was cancelled by the stop.
    this.#failure = null;
    this.#stops = [
      onChange(() => this.#wake()),
      settings.onChange((_, changed) => {
        if (changed.some((key) => key.startsWith('stateWebhook'))) this.#changed();
      }),
    ];
    this.#wake();
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0)) stop();
    this.#stop.abort();
    this.#cancelRetry();
    await this.#work.stop();
  }

  /** Closes connections; nothing can be sent afterwards. */
  async close(): Promise<void> {
    await this.stop();
    await Promise.all([this.#agents.any.destroy(), this.#agents.public.destroy()]);
  }

  async status(): Promise<WebhookStatus> {
    const { stateWebhook: url } = this.#options.settings.current();
    const { db } = this.#options.store;
    const after = url === '' ? undefined : await this.#position(url);
    const { waiting } = await db
      .selectFrom('transaction_events')
      .select(({ fn }) => fn.countAll<number>().as('waiting'))
      .where('state', 'is not', null)
      .where('id', '>', after ?? Number.MAX_SAFE_INTEGER)
      .executeTakeFirstOrThrow();
    const hasSecret = this.#secret() !== undefined;
    return { url, hasSecret, waiting: Number(waiting), attempts: this.#attempts, failure: this.#failure };
  }

  /** @throws PlanchetError `vault-locked` */
  async setSecret({ secret }: { secret: string }): Promise<WebhookStatus> {
    const { secrets, network } = this.#options;
    await secrets.set(`webhookSecret:${network}`, Buffer.from(secret, 'utf8'));
    this.#retryNow();
    return this.status();
  }

  /** Tries at once what waits for a secret that can be read by now, such as after the vault was opened. */
  secretsChanged(): void {
    if (this.#lacksSecret && this.#secret() !== undefined) this.#retryNow();
  }

  #changed(): void {
    const { settings, logger } = this.#options;
    const { stateWebhook: url } = settings.current();
    // Noted now: a message to the address before may be under way, and what happens until it ends is told to the new one.
    if (url !== '')
      this.#position(url).catch((error: unknown) => logger.error({ err: error }, 'a webhook address was not noted'));
    this.#retryNow();
  }

  #retryNow(): void {
    this.#forgetFailures();
    this.#isChanged = true;
    this.#wake();
  }

  #forgetFailures(): void {
    this.#cancelRetry();
    if (this.#attempts >= TOLD_AFTER) this.#options.notices.dismiss(NOTICE);
    this.#attempts = 0;
    this.#failure = null;
  }

  #wake(): void {
    // The pending retry sends what is new as well.
    if (this.#stop.signal.aborted || this.#failure !== null || this.#options.settings.current().stateWebhook === '')
      return;
    void this.#work.wake();
  }

  #rerun(): Rerun {
    return new Rerun({
      work: async () => {
        // A state that came during an attempt that failed waits for the retry.
        if (this.#failure !== null && !this.#isChanged) return;
        this.#isChanged = false;
        while (!this.#stop.signal.aborted && (await this.#deliver())) {}
      },
      onError: (error) => this.#failed(reasonOf(error)),
    });
  }

  /** @returns false where there is nothing more to tell */
  async #deliver(): Promise<boolean> {
    const { stateWebhook: url } = this.#options.settings.current();
    if (url === '') return false;
    const { store } = this.#options;
    const lines = await linesAfter(store, await this.#position(url));
    const last = lines.at(-1);
    if (last === undefined) return false;
    await this.#send(url, lines);
    await store.db.updateTable('state_webhook').set({ last_event: last.id }).where('url', '=', url).execute();
    // A run that followed a failure at once has a retry before it.
    this.#forgetFailures();
    return true;
  }

  /** What the receiver has. A new address is told from now on. */
  async #position(url: string): Promise<number> {
    const { db } = this.#options.store;
    const known = await db.selectFrom('state_webhook').selectAll().executeTakeFirst();
    if (known?.url === url) return known.last_event;
    const newest = db
      .selectFrom('transaction_events')
      .select(({ fn, val }) => fn.coalesce(fn.max('id'), val(0)).as('id'));
    const position = { url, last_event: newest };
    // In one statement, and not for an address that was noted meanwhile.
    await db
      .insertInto('state_webhook')
      .values({ id: 1, ...position })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(position).where('state_webhook.url', '!=', url))
      .execute();
    return (await db.selectFrom('state_webhook').select('last_event').executeTakeFirstOrThrow()).last_event;
  }

  async #send(address: string, lines: readonly Line[]): Promise<void> {
    const { settings, clock, network } = this.#options;
    const secret = this.#secret();
    this.#lacksSecret = secret === undefined;
    if (secret === undefined) throw new PhrasedError(phrase('reason.no-secret'));
    const isPrivateAllowed = settings.current().stateWebhookPrivate;
    if (!isPrivateAllowed && namesPrivateHost(new URL(address)))
      throw new PhrasedError(phrase('reason.webhook-private'));
    const body = JSON.stringify({ network, states: lines.map(stateOf) });
    const time = Math.floor(clock.now() / 1_000);
    const signature = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    const answer = await request(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-planchet-signature': `t=${time},v1=${signature}` },
      body,
      dispatcher: isPrivateAllowed ? this.#agents.any : this.#agents.public,
      signal: AbortSignal.any([this.#stop.signal, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    // The status is the answer: what follows it is read so that the connection serves again, and changes nothing.
    await answer.body.dump({ limit: 16_384, signal: AbortSignal.timeout(REST_MS) }).catch(() => undefined);
    if (answer.statusCode < 200 || answer.statusCode >= 300)
      throw new PhrasedError(phrase('reason.http-status', { status: answer.statusCode }));
  }

  #secret(): Uint8Array | undefined {
    try {
      return this.#options.secrets.get(`webhookSecret:${this.#options.network}`);
    } catch {
      return undefined;
    }
  }

  #failed(reason: Reason): void {
    if (this.#stop.signal.aborted) return;
    const { clock, logger, notices } = this.#options;
    this.#attempts += 1;
    const pause = backOffMs(RETRY, this.#attempts);
    const text = reasonText(reason);
    this.#failure = { text, nextAt: clock.now() + pause };
    logger.warn({ attempts: this.#attempts, reason: text }, 'the webhook of states could not be told');
    // A run that followed at once may have failed as well.
    this.#cancelRetry();
    this.#cancelRetry = clock.after(pause, () => {
      this.#failure = null;
      this.#wake();
    });
    if (this.#attempts !== TOLD_AFTER) return;
    notices.add({
      id: NOTICE,
      level: 'warning',
      failure: new PlanchetError('notices.webhook-silent', { reason }).toFailure(),
    });
  }
}

/** Lines of the history that say a state, after one with this id. */
function linesAfter({ db }: StateWebhookOptions['store'], id: number) {
  return db
    .selectFrom('transaction_events')
    .innerJoin('transactions', 'transactions.id', 'transaction_events.transaction_id')
    .select(['transaction_events.id', 'txid', 'transaction_events.state', 'at', 'text', 'origin', 'label'])
    .select(['block_hash', 'block_height', 'double_spent_by'])
    .where('transaction_events.id', '>', id)
    .where('transaction_events.state', 'is not', null)
    .orderBy('transaction_events.id')
    .limit(BATCH)
    .execute();
}

function stateOf({ id, txid, state, at, text, origin, label, block_hash, block_height, double_spent_by }: Line) {
  return {
    id,
    txid,
    state,
    at: new Date(Number(at)).toISOString(),
    text,
    origin,
    label,
    /** As they are known now, which may be later than the state. */
    block: block_hash === null || block_height === null ? null : { hash: block_hash, height: block_height },
    doubleSpentBy: double_spent_by,
  };
}
