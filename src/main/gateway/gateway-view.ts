import { randomBytes } from 'node:crypto';
import {
  type ConnectionTest,
  type ConnectionTestInput,
  type Contract,
  type Failure,
  type GatewayConnection,
  type GatewaySource,
  type Network,
  PlanchetError,
  type Replay,
  type Serves,
  toFailure,
  unmaskPasswords,
} from '../../contract/index.ts';
import type { Endpoints, SettingsView } from '../ports/settings.ts';
import { chainNames } from './blocks/network-chains.ts';
import type { GatewayService } from './gateway.ts';
import { listMethods } from './methods/method-registry.ts';
import type { ApiKeyStore } from './server/api-key-store.ts';
import type { PairingRequests } from './server/pairing.ts';
import { replay } from './server/replay.ts';
import { nothingSet } from './upstream/errors.ts';
import { type TestSubject, testConnection, testNothing } from './upstream/health/connection-test.ts';
import { upstreamSubject } from './upstream/health/upstream-subject.ts';
import { basic } from './upstream/request-headers.ts';

export interface GatewayViewOptions {
  gateway: GatewayService;
  keyStore: ApiKeyStore;
  pairing: PairingRequests;
  settings: SettingsView;
  endpoints: () => Endpoints;
  network: Network;
  apiKey: () => string | undefined;
  credentialsAreDefault: () => boolean;
  cookieFile: string;
  /** Bound addresses; null while a service is not running. */
  addressOf: (name: 'gateway' | 'zmq') => string | null;
  /** Why the gateway is not running; null if nothing has failed. */
  failure: () => Failure | null;
  /** What answers the calls of programs. */
  source: () => GatewaySource;
  /** Saves a password and restarts the gateway with it. */
  setPassword: (password: string) => Promise<void>;
}

/** The gateway for its views: figures, keys, origins, tests and the credential. */
export class GatewayView implements Serves<Contract['gateway']> {
  readonly keys: ApiKeyStore;
  readonly origins = {
    list: () => this.#options.keyStore.origins(),
    pair: ({ origin }) => this.#options.keyStore.pair(origin),
    unpair: ({ origin }) => this.#options.keyStore.unpair(origin),
    restore: ({ origin }) => this.#options.keyStore.restorePairing(origin),
    requests: () => this.#options.pairing.waiting(),
    decide: (decision) => this.#options.pairing.decide(decision),
  } satisfies Serves<Contract['gateway']['origins']>;
  readonly status = () => this.#options.gateway.status();
  readonly traffic = (signal?: AbortSignal) => this.#options.gateway.traffic.watch(signal);
  readonly params = ({ number }: { number: number }) => ({ params: this.#options.gateway.traffic.params(number) });
  readonly bodies = ({ number }: { number: number }) => this.#options.gateway.traffic.bodies(number);
  readonly history = () => this.#options.gateway.traffic.history();
  readonly histograms = () => this.#options.gateway.traffic.histograms();
  readonly commands = listMethods;
  readonly revealPassword = () => ({ password: this.#options.settings.current().rpcPassword });
  readonly #options: GatewayViewOptions;

  constructor(options: GatewayViewOptions) {
    this.#options = options;
    this.keys = options.keyStore;
  }

  /**
   * Sends a call again, the way another program would.
   * @throws PlanchetError `not-found` if its parameters are no longer in memory; `rejected` if they hold a secret that is masked
   */
  replay({ number }: { number: number }, signal: AbortSignal | undefined): Promise<Replay> {
    const { gateway, settings, addressOf } = this.#options;
    const { method, params, masked } = gateway.traffic.sent(number);
    if (masked) throw new PlanchetError('gateway.replay-masked');
    const address = addressOf('gateway');
    if (address === null) throw new PlanchetError('gateway.not-running');
    const { rpcUsername, rpcPassword } = settings.current();
    return replay({ address, authorization: basic(`${rpcUsername}:${rpcPassword}`), method, params }, signal);
  }

  /**
   * Tests each upstream, and the gateway itself if no other addresses were entered.
   * @throws PlanchetError `invalid-input` for an invalid address
   */
  test(input: ConnectionTestInput): Promise<ConnectionTest[]> {
    const { endpoints } = this.#options;
    const saved = endpoints().bitcoinRpcUrl;
    const bitcoinRpcUrl = input.bitcoinRpcUrl && unmaskPasswords(input.bitcoinRpcUrl, saved);
    if (input.bitcoinRpcUrl && bitcoinRpcUrl === undefined) {
      throw new PlanchetError('settings.password-required', {}, { detail: { field: 'bitcoinRpcUrl' } });
    }
    const list = (bitcoinRpcUrl ?? saved).split(',').map((part) => part.trim());
    const subjects = list.filter((part) => part !== '').map((part) => this.#upstream(part, input));
    const tests = subjects.map(testConnection);
    if (bitcoinRpcUrl !== undefined) return Promise.all(tests);
    if (tests.length === 0 && this.#options.source() !== 'public')
      tests.push(Promise.resolve(testNothing('upstream', '', toFailure(nothingSet()))));
    return Promise.all([...tests, this.#testGateway()]);
  }

  connection(): GatewayConnection {
    const { settings, cookieFile, addressOf, credentialsAreDefault } = this.#options;
    const { rpcUsername, rpcPassword } = settings.current();
    return {
      rpc: addressOf('gateway'),
      zmq: addressOf('zmq'),
      username: rpcUsername,
      passwordSet: rpcPassword !== '',
      passwordGenerated: credentialsAreDefault(),
      cookieFile,
    };
  }

  /** A password that replaces a chosen one also counts as chosen, so that other machines keep their access. */
  async rotatePassword(): Promise<{ password: string }> {
    const prefix = this.#options.credentialsAreDefault() ? 'generated-' : '';
    const password = `${prefix}${randomBytes(24).toString('base64url')}`;
    await this.#options.setPassword(password);
    return { password };
  }

  async #testGateway(): Promise<ConnectionTest> {
    const { settings, network, addressOf, failure } = this.#options;
    const { rpcBind, rpcUsername, rpcPassword } = settings.current();
    const own = addressOf('gateway');
    if (own === null) return testNothing('gateway', rpcBind, failure() ?? notRunning);
    return testConnection({
      subject: 'gateway',
      address: `${own}/`,
      headers: { authorization: basic(`${rpcUsername}:${rpcPassword}`) },
      ignoreCertificate: false,
      chains: chainNames[network],
      isWithoutNode: this.#options.source() === 'public',
      isHelped: this.#isHelped,
    });
  }

  #upstream(address: string, typed: ConnectionTestInput): TestSubject {
    const { settings, network, apiKey } = this.#options;
    const { ignoreCertificate, apiKeyHeader } = { ...settings.current(), ...defined(typed) };
    const options = { network, apiKey: typed.apiKey ?? apiKey(), apiKeyHeader, ignoreCertificate };
    return { ...upstreamSubject(address, options), isHelped: this.#isHelped };
  }

  /** Whether public services answer what the node cannot. */
  get #isHelped(): boolean {
    return this.#options.source() === 'both';
  }
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;
}

const notRunning = new PlanchetError('gateway.not-running').toFailure();
