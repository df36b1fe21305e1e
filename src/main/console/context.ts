import type { Logger } from 'pino';
import type {
  Contract,
  callbacksContract,
  doubleSpendsContract,
  LiveEvent,
  minerHistoryContract,
  minerListContract,
  minerTestContract,
  Network,
  Serves,
  Snapshot,
  submissionContract,
  trackedContract,
} from '../../contract/index.ts';
import type { Sessions } from './sessions.ts';

type Awaitable<T> = T | Promise<T>;

interface Histogram {
  readonly name: string;
  /** Calls in each bucket alone, and above the last bound. */
  readonly counts: readonly number[];
  /** Seconds. */
  readonly sum: number;
}

export interface CallHistograms {
  /** Upper bounds of the buckets, in seconds. */
  readonly bounds: readonly number[];
  readonly byCommand: readonly Histogram[];
  readonly byKey: readonly Histogram[];
}

interface EventSource {
  subscribe(snapshot: () => Awaitable<Snapshot>, signal?: AbortSignal): AsyncIteratorObject<LiveEvent, undefined, void>;
}

/** Groups that not every process serves. */
export type NotEverywhere = 'rehearsals' | 'gateway' | 'zmq' | 'sandbox';

/** Groups whose handlers the router makes in another way than from one object of the group's name. */
type Apart = 'events' | 'sessions' | 'writer' | 'miners' | 'tx';

/** Groups that one object serves whole. */
export type Served = Exclude<keyof Contract, NotEverywhere | Apart>;

/** Everything the handlers of the contract depend on; the composition root fills it with the real services. */
export interface ConsoleContext
  extends Pick<Serves<Contract>, Served>,
    Partial<Pick<Serves<Contract>, NotEverywhere>>,
    Record<never, never> {
  logger: Logger;
  network: Network;
  sessions: Pick<Sessions, 'list' | 'end' | 'endOthers'>;
  /** Id of the session that asks; undefined for the window and the command line. */
  session?: string | undefined;
  /** Whether a page asks, in the window or in a browser: it names no files of the machine to be read. */
  isPage?: boolean;
  /** Milliseconds without use after which a page locks itself; 0 never. */
  lockAfter(): number;
  events: EventSource;
  miners: Serves<typeof minerListContract>;
  minerTester: Serves<typeof minerTestContract>;
  minerHistory: Serves<typeof minerHistoryContract>;
  tracked: Serves<typeof trackedContract>;
  callbacks: Serves<typeof callbacksContract>;
  submission: Serves<typeof submissionContract>;
  doubleSpends: Serves<typeof doubleSpendsContract>;
  /** How long calls took, for the metrics. */
  histograms(): CallHistograms;
  /** Starts the writer without a port where only a command needs it. */
  writer(): Promise<Serves<Contract['writer']>>;
}
