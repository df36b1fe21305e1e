import { type Contract, PlanchetError, type Serves } from '../../contract/index.ts';
import { isOver } from '../async/left-until.ts';
import type { SourceClient } from '../chain-data/sources/http/source-client.ts';
import { PublicSources } from '../chain-data/sources/public-sources.ts';
import { readExchangeRate } from '../chain-data/sources/whatsonchain/exchange-rate.ts';
import type { Clock } from '../ports/clock.ts';
import type { SettingsView } from '../ports/settings.ts';
import type { NodeSystems } from './create-gateway.ts';
import type { Infrastructure } from './infrastructure.ts';

/** Time between two requests, also after a failure. */
const ASK_AGAIN_MS = 600_000;

type Told = Awaited<ReturnType<Serves<Contract['currency']>['rate']>>;

export interface CurrencyRatesOptions {
  readonly settings: SettingsView;
  readonly clock: Clock;
  /** WhatsOnChain; undefined where it is not among the public services. */
  readonly source: () => SourceClient | undefined;
}

/** The rate that amounts are shown by: the person's own, or one that is read, where that was chosen. */
export class CurrencyRates implements Serves<Contract['currency']> {
  readonly #options: CurrencyRatesOptions;
  #told: Promise<Told> = Promise.resolve({ rate: null, failure: null });
  #askedAt = Number.NEGATIVE_INFINITY;
  #asked: SourceClient | undefined;

  constructor(options: CurrencyRatesOptions) {
    this.#options = options;
  }

  async rate(): Promise<Told> {
    const { source, code, rate } = this.#options.settings.current().currency;
    if (source === 'whatsonchain') return this.#read();
    if (code === '' || rate <= 0) return { rate: null, failure: null };
    return { rate: { code, rate, source, service: null, at: null }, failure: null };
  }

  #read(): Promise<Told> {
    const { clock, source } = this.#options;
    const client = source();
    if (client !== this.#asked) {
      // A rate of another service must not be shown as this one's.
      this.#asked = client;
      this.#askedAt = Number.NEGATIVE_INFINITY;
      this.#told = Promise.resolve({ rate: null, failure: null });
    }
    if (client === undefined)
      return Promise.resolve({ rate: null, failure: new PlanchetError('currency.no-source').toFailure() });
    if (isOver(ASK_AGAIN_MS, this.#askedAt, clock.now())) {
      this.#askedAt = clock.now();
      const before = this.#told;
      this.#told = this.#ask(client, before);
    }
    return this.#told;
  }

  async #ask(client: SourceClient, before: Promise<Told>): Promise<Told> {
    const answer = await readExchangeRate(client);
    if (answer.state !== 'present') {
      const { reason } = answer;
      return { rate: (await before).rate, failure: new PlanchetError('currency.no-rate', { reason }).toFailure() };
    }
    const at = this.#options.clock.now();
    return { rate: { ...answer.value, source: 'whatsonchain', service: client.host, at }, failure: null };
  }
}

/** @param sandboxAddress where the sandbox plays the public services; null on other networks, and before it runs */
export function createCurrencyRates(
  { settings, clock }: Infrastructure,
  { sources }: NodeSystems,
  sandboxAddress: () => string | null,
): CurrencyRates {
  // The sandbox plays that service for this installation as for those that join it.
  const played = new PublicSources({
    network: 'private',
    clock,
    text: () => 'whatsonchain',
    joinUrl: () => sandboxAddress() ?? '',
  });
  const clientIn = (of: PublicSources): SourceClient | undefined => of.clients().get('whatsonchain');
  return new CurrencyRates({ settings, clock, source: () => clientIn(sources) ?? clientIn(played) });
}
