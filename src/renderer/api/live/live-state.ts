import type { AppInfo, LiveEvent, Snapshot, WalletStatus } from '../../../contract/index.ts';

/** The state the host has sent since the connection opened. Empty until the first snapshot. */
export interface LiveState extends Omit<Snapshot, 'app' | 'wallet'> {
  app: AppInfo | null;
  wallet: WalletStatus | null;
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

/** Replaces the entry with the same key in place. A new one is added at the start, or at the end if requested. */
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

/** The state after an event. Events whose data is in the query cache (projects, token jobs, submitted transactions, the writer, pairing requests) do not change it. */
export function reduceLive(state: LiveState, event: LiveEvent): LiveState {
  switch (event.type) {
    case 'snapshot':
      return { ...event.snapshot };
    case 'service':
      return { ...state, services: upsert(state.services, event.service, (service) => service.name, 'last') };
    case 'endpoints':
      return state.app === null ? state : { ...state, app: { ...state.app, endpoints: event.endpoints } };
    case 'tip':
    case 'wallet':
    case 'quota':
    case 'faults':
    case 'theme':
    case 'language': {
      const { type: _type, ...told } = event;
      return { ...state, ...told };
    }
    case 'job':
      return { ...state, jobs: upsert(state.jobs, event.job, (job) => job.id) };
    case 'token':
      return { ...state, tokens: upsert(state.tokens, event.token, (token) => token.outpoint) };
    case 'notice':
      return { ...state, notices: upsert(state.notices, event.notice, (notice) => notice.id) };
    case 'notice-dismissed':
      return { ...state, notices: state.notices.filter((notice) => notice.id !== event.id) };
    default:
      return state;
  }
}
