import type {
  AppInfo,
  LiveEvent,
  MintJobSummary,
  Run,
  ServiceStatus,
  Snapshot,
  TokenJob,
} from '../../../contract/index.ts';

/** What the tray, the taskbar and the notifications know of the host. Made of live events alone. */
export interface HostState {
  readonly known: boolean;
  readonly endpoints: AppInfo['endpoints'] | null;
  readonly services: ReadonlyMap<string, ServiceStatus['status']>;
  readonly locked: boolean;
  readonly language: Snapshot['language'];
  /** Jobs at work, with the share that is done; null where it is unknown. */
  readonly working: ReadonlyMap<string, number | null>;
  /** Jobs and pages that wait for the person. */
  readonly waiting: ReadonlySet<string>;
}

export const unknownHost: HostState = {
  known: false,
  endpoints: null,
  services: new Map(),
  locked: false,
  language: 'system',
  working: new Map(),
  waiting: new Set(),
};

/** Something a person wants to know while the window is closed, with the view that shows it. */
export type Happening =
  | {
      readonly kind: 'mint-done' | 'mint-failed' | 'run-done' | 'run-stopped';
      readonly tokens: number;
      readonly view: string;
    }
  | { readonly kind: 'mint-approval' | 'token-approval' | 'program-approval'; readonly view: string }
  | { readonly kind: 'page-approval'; readonly origin: string; readonly view: string }
  | { readonly kind: 'lost' | 'back'; readonly view: string };

export interface Step {
  readonly state: HostState;
  readonly happened: readonly Happening[];
}

/** Number of services that do not work, or work badly for a reason the person did not choose. */
export function problemsOf(state: HostState): number {
  return [...state.services.values()].filter((status) => status.state === 'failed' || isLost(status)).length;
}

/** Whether a service works badly for a reason the person did not choose. */
function isLost(status: ServiceStatus['status'] | undefined): boolean {
  return status?.state === 'running' && status.degraded !== undefined && !status.byFault;
}

/** The share of all work that is done; null without work, and `unknown` where no job can tell. */
export function progressOf({ working }: HostState): number | 'unknown' | null {
  if (working.size === 0) return null;
  const known = [...working.values()].filter((share) => share !== null);
  return known.length === 0 ? 'unknown' : known.reduce((sum, share) => sum + share, 0) / known.length;
}

/** The state after one event, and what to notify of. A snapshot notifies of nothing: it is what was so before. */
export function afterEvent(state: HostState, event: LiveEvent): Step {
  switch (event.type) {
    case 'snapshot':
      return quiet(fromSnapshot(event.snapshot, state));
    case 'endpoints':
      return quiet({ ...state, endpoints: event.endpoints });
    case 'language':
      return quiet({ ...state, language: event.language });
    case 'wallet':
      return quiet({ ...state, locked: event.wallet.state === 'locked' });
    case 'service':
      return afterService(state, event.service);
    case 'job':
      return afterMint(state, event.job);
    case 'run':
      return afterRun(state, event.run);
    case 'token-job':
      return afterToken(state, event.job);
    case 'approvals': {
      // The event has only the number of requests, so each gets a number as its key.
      const others = [...state.waiting].filter((key) => !key.startsWith('program '));
      const programs = Array.from({ length: event.waiting }, (_, number) => `program ${number}`);
      const isMore = programs.some((key) => !state.waiting.has(key));
      return {
        state: { ...state, waiting: new Set([...others, ...programs]) },
        happened: isMore ? [{ kind: 'program-approval', view: '/approvals' }] : [],
      };
    }
    case 'pairing': {
      const others = [...state.waiting].filter((key) => !key.startsWith('page '));
      const pages = event.requests.map(({ id }) => `page ${id}`);
      const fresh = event.requests.filter(({ id }) => !state.waiting.has(`page ${id}`));
      return {
        state: { ...state, waiting: new Set([...others, ...pages]) },
        happened: fresh.map(({ origin }) => ({ kind: 'page-approval', origin, view: '/gateway' })),
      };
    }
    default:
      return quiet(state);
  }
}

const quiet = (state: HostState): Step => ({ state, happened: [] });

/** A snapshot names no runs and no pages, so what is known of them stays. */
function fromSnapshot(snapshot: Snapshot, before: HostState): HostState {
  const isOther = (key: string): boolean => !key.startsWith('job ');
  const working = new Map([...before.working].filter(([key]) => isOther(key)));
  const waiting = new Set([...before.waiting].filter(isOther));
  for (const { id, active, awaitingApproval } of snapshot.jobs) {
    if (active) working.set(`job ${id}`, null);
    if (awaitingApproval) waiting.add(`job ${id}`);
  }
  return {
    known: true,
    endpoints: snapshot.app.endpoints,
    services: new Map(snapshot.services.map(({ name, status }) => [name, status])),
    locked: snapshot.wallet.state === 'locked',
    language: snapshot.language,
    working,
    waiting,
  };
}

function afterService(state: HostState, { name, status }: ServiceStatus): Step {
  const before = state.services.get(name);
  const next = { ...state, services: new Map(state.services).set(name, status) };
  if (name !== 'gateway' || isLost(before) === isLost(status)) return quiet(next);
  if (isLost(status)) return { state: next, happened: [{ kind: 'lost', view: '/gateway' }] };
  return { state: next, happened: status.state === 'running' ? [{ kind: 'back', view: '/gateway' }] : [] };
}

function afterMint(state: HostState, job: MintJobSummary): Step {
  const key = `job ${job.id}`;
  const view = `/jobs/${job.id}`;
  const happened: Happening[] = [];
  if (state.working.has(key) && !job.active && !job.awaitingApproval) {
    if (job.failure !== null) happened.push({ kind: 'mint-failed', tokens: job.tokenCount, view });
    else if (job.state === 'proven') happened.push({ kind: 'mint-done', tokens: job.tokenCount, view });
  }
  if (job.awaitingApproval && !state.waiting.has(key)) happened.push({ kind: 'mint-approval', view });
  return { state: marked(state, key, job.active ? null : undefined, job.awaitingApproval), happened };
}

function afterRun(state: HostState, run: Run): Step {
  const key = `run ${run.id}`;
  const view = `/runs/${run.id}`;
  const active = run.state === 'minting' || run.waits;
  const happened: Happening[] = [];
  if (state.working.has(key) && !active) {
    if (run.state === 'done') happened.push({ kind: 'run-done', tokens: run.minted, view });
    // Paused without a failure is what the person asked for.
    else if (run.failure !== null) happened.push({ kind: 'run-stopped', tokens: run.minted, view });
  }
  const share = run.items === 0 ? null : Math.min(1, run.minted / run.items);
  return { state: marked(state, key, active ? share : undefined, false), happened };
}

function afterToken(state: HostState, job: TokenJob): Step {
  const key = `token ${job.id}`;
  const happened: Happening[] =
    job.awaitingApproval && !state.waiting.has(key)
      ? [{ kind: 'token-approval', view: `/redeemable-tokens/jobs/${job.id}` }]
      : [];
  return { state: marked(state, key, job.active ? null : undefined, job.awaitingApproval), happened };
}

function marked(state: HostState, key: string, share: number | null | undefined, waits: boolean): HostState {
  const working = new Map(state.working);
  const waiting = new Set(state.waiting);
  if (share === undefined) working.delete(key);
  else working.set(key, share);
  if (waits) waiting.add(key);
  else waiting.delete(key);
  return { ...state, working, waiting };
}
