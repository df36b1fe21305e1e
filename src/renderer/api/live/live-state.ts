import type {
  AppInfo,
  LiveEvent,
  MintJobSummary,
  Notice,
  Quota,
  SandboxFault,
  ServiceStatus,
  Snapshot,
  Tip,
  Token,
  WalletStatus,
} from '../../../contract/index.ts';

/** The state the host has sent since the connection opened. Empty until the first snapshot. */
export interface LiveState {
  app: AppInfo | null;
  services: ServiceStatus[];
  tip: Tip | null;
  wallet: WalletStatus | null;
  quota: Quota | null;
  jobs: MintJobSummary[];
  tokens: Token[];
  notices: Notice[];
  faults: SandboxFault[];
  theme: Snapshot['theme'];
  language: Snapshot['language'];
}

export const emptyLiveState: LiveState = {
  app: null,
  services: [],
  tip: null,
  wallet: null,
  quota: null,
  jobs: [],
  tokens: [],
  notices: [],
  faults: [],
  theme: 'system',
  language: 'system',
};

/** Replaces the entry with the same key where it stands, or puts a new one in front, or at the end where asked. */
export function upsert<T>(
  list: readonly T[],
  entry: T,
  keyOf: (entry: T) => string,
  place: 'first' | 'last' = 'first',
): T[] {
  const key = keyOf(entry);
  const index = list.findIndex((other) => keyOf(other) === key);
  if (index >= 0) return list.with(index, entry);
  return place === 'first' ? [entry, ...list] : [...list, entry];
}

/** The state after an event. Events whose data lives in the query cache (projects, token jobs, submitted transactions, the writer, pairing requests) do not change it. */
export function reduceLive(state: LiveState, event: LiveEvent): LiveState {
  switch (event.type) {
    case 'snapshot':
      return { ...event.snapshot };
    case 'service': {
      const known = state.services.some((service) => service.name === event.service.name);
      const services = known
        ? state.services.map((service) => (service.name === event.service.name ? event.service : service))
        : [...state.services, event.service];
      return { ...state, services };
    }
    case 'endpoints':
      return state.app === null ? state : { ...state, app: { ...state.app, endpoints: event.endpoints } };
    case 'tip':
      return { ...state, tip: event.tip };
    case 'wallet':
      return { ...state, wallet: event.wallet };
    case 'quota':
      return { ...state, quota: event.quota };
    case 'job':
      return { ...state, jobs: upsert(state.jobs, event.job, (job) => job.id) };
    case 'token':
      return { ...state, tokens: upsert(state.tokens, event.token, (token) => token.outpoint) };
    case 'faults':
      return { ...state, faults: event.faults };
    case 'notice':
      return { ...state, notices: upsert(state.notices, event.notice, (notice) => notice.id) };
    case 'notice-dismissed':
      return { ...state, notices: state.notices.filter((notice) => notice.id !== event.id) };
    case 'theme':
      return { ...state, theme: event.theme };
    case 'language':
      return { ...state, language: event.language };
    case 'project':
    case 'item':
    case 'item-removed':
    case 'run':
    case 'rehearsal':
    case 'reorganisation':
    case 'token-job':
    case 'transaction':
    case 'writer':
    case 'pairing':
    case 'approvals':
    case 'settings':
      return state;
  }
}
