import type { QueryClient, QueryKey } from '@tanstack/react-query';
import type { Item, LiveEvent, MintJobSummary, Network, Project, Run, RunPlan } from '../../../contract/index.ts';
import { routes } from '../../lib/routes.ts';
import { allJobsKey } from '../all-jobs.ts';
import { api, client } from '../client.ts';
import { useConnection } from '../connection/connection.ts';
import { isUnauthorized } from '../failure.ts';
import { useReorganisation } from '../transactions/reorganisation.ts';
import { updateTransactions } from '../transactions/submitted.ts';
import { applyEvent, watchLateAnswers } from './late-answers.ts';
import { runLiveLoop, sleep } from './live-loop.ts';
import { reduceLive, upsert } from './live-state.ts';
import { useLive } from './live-store.ts';

const REFRESH_MS = 250;

type RunWithPlan = { run: Run; plan: RunPlan };

/** Bytes are named by their hash, so what was read of them never goes stale. */
function isContent(key: readonly unknown[]): boolean {
  return Array.isArray(key[0]) && key[0][0] === 'files';
}

/** Has everything below these procedures fetched again where it is shown. */
function invalidate(queries: QueryClient, ...stale: readonly { key(): QueryKey }[]): void {
  for (const one of stale) void queries.invalidateQueries({ queryKey: one.key() });
}

/** What was last told of each run. The cache may be ahead of the events: an answer after a command can hold the end before it is told. */
const toldRuns = new WeakMap<QueryClient, Map<string, string>>();

/**
 * A run tells its counts several times a second, so nothing is fetched for them. Only another plan is, and the project's items once the run
 * begins, stops or cancels some: they are not told one by one.
 */
function updateRun(queries: QueryClient, run: Run): void {
  const key = api.runs.get.queryKey({ input: { id: run.id } });
  const known = queries.getQueryData<RunWithPlan>(key);
  if (known?.run.digest === run.digest) applyEvent<RunWithPlan>(queries, key, (data) => data && { ...data, run });
  else void queries.invalidateQueries({ queryKey: key });
  for (const { queryKey } of queries.getQueryCache().findAll({ queryKey: api.runs.list.key() })) {
    applyEvent<{ runs: Run[]; next: string | null }>(
      queries,
      queryKey,
      (page) => page && { ...page, runs: upsert(page.runs, run, (one) => one.id) },
    );
  }
  const told = toldRuns.get(queries) ?? new Map<string, string>();
  toldRuns.set(queries, told);
  const now = `${run.state} ${run.cancelled}`;
  if (told.get(run.id) === now) return;
  told.set(run.id, now);
  void queries.invalidateQueries({ queryKey: api.items.list.key({ input: { projectUid: run.projectUid } }) });
  invalidate(queries, api.projects, api.tokens);
}

const refreshing = new WeakSet<QueryClient>();

/** Fetches the open lists of tokens again. A mint tells of each of its tokens, so what comes in quick succession is one request. */
function refreshTokens(queries: QueryClient): void {
  if (refreshing.has(queries)) return;
  refreshing.add(queries);
  setTimeout(() => {
    refreshing.delete(queries);
    invalidate(queries, api.tokens);
  }, REFRESH_MS);
}

/** Lists that pages fetched stay current by the same events that feed the live state. */
function updateCaches(queries: QueryClient, event: LiveEvent): void {
  switch (event.type) {
    case 'snapshot':
      // Anything may have happened while the line was down.
      void queries.invalidateQueries({ predicate: (query) => !isContent(query.queryKey) });
      break;
    case 'service': {
      const { status } = event.service;
      // What failed while the service could not do its work is asked for again.
      if (status.state === 'running' && status.degraded === undefined)
        void queries.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
      break;
    }
    case 'project':
      applyEvent<Project[]>(
        queries,
        api.projects.list.queryKey(),
        (list) => list && upsert(list, event.project, (one) => one.uid),
      );
      applyEvent(queries, api.projects.get.queryKey({ input: { uid: event.project.uid } }), () => event.project);
      break;
    case 'item':
      applyEvent<Item[]>(
        queries,
        api.items.list.queryKey({ input: { projectUid: event.item.projectUid } }),
        (list) => list && upsert(list, event.item, (one) => one.id, 'last'),
      );
      break;
    case 'item-removed':
      applyEvent<Item[]>(queries, api.items.list.queryKey({ input: { projectUid: event.projectUid } }), (list) =>
        list?.filter((item) => item.id !== event.id),
      );
      break;
    case 'job':
      applyEvent<MintJobSummary[]>(queries, allJobsKey, (list) => list && upsert(list, event.job, (one) => one.id));
      // the event has no review, so an open page of the job fetches the complete job
      void queries.invalidateQueries({ queryKey: api.mint.get.key({ input: { id: event.job.id } }) });
      break;
    case 'run':
      updateRun(queries, event.run);
      break;
    case 'rehearsal':
      applyEvent(queries, api.rehearsals.get.queryKey({ input: { id: event.rehearsal.id } }), () => event.rehearsal);
      invalidate(queries, api.rehearsals.list);
      break;
    case 'token':
      refreshTokens(queries);
      break;
    case 'token-job':
      applyEvent(queries, api.redeemableTokens.get.queryKey({ input: { id: event.job.id } }), () => event.job);
      invalidate(queries, api.redeemableTokens.overview);
      break;
    case 'transaction':
      updateTransactions(queries, event);
      break;
    case 'wallet':
      refreshTokens(queries);
      // What moved in the wallet waits in the mempool.
      invalidate(queries, api.sandbox.chain, api.wallet, api.redeemableTokens.overview);
      break;
    case 'tip':
      refreshTokens(queries);
      invalidate(queries, api.sandbox.chain, api.sandbox.status, api.wallet);
      // Confirmations count from the tip.
      invalidate(queries, api.transactions.get, api.tx.get, api.tx.list, api.redeemableTokens.history);
      break;
    case 'faults':
      invalidate(queries, api.sandbox.status);
      break;
    case 'reorganisation':
      useReorganisation.setState({ last: event.reorganisation });
      break;
    case 'writer':
      applyEvent(queries, api.writer.status.queryKey(), () => event.writer);
      invalidate(queries, api.writer.documents, api.writer.dead);
      break;
    case 'approvals':
      invalidate(queries, api.approvals);
      break;
    case 'settings':
      invalidate(queries, api.settings);
      break;
    case 'pairing':
      applyEvent(queries, api.gateway.origins.requests.queryKey(), () => event.requests);
      invalidate(queries, api.gateway.origins.list);
      break;
    default:
  }
}

/** The network that the host runs on now, where it is another one than this page was filled from. */
function otherNetwork(event: LiveEvent): Network | undefined {
  const known = useLive.getState().app?.network;
  if (event.type !== 'snapshot' || known === undefined) return undefined;
  const { network } = event.snapshot.app;
  return network === known ? undefined : network;
}

/**
 * Nothing on the page belongs to the new network, so it is loaded again: at its beginning, or where the change was made, which has the steps
 * that follow.
 */
function startOver(network: Network): void {
  const isOnNetworks = location.hash.startsWith(`#${routes.network('')}`);
  location.hash = `#${isOnNetworks ? routes.network(network) : routes.dashboard}`;
  location.reload();
}

/** Opens the event stream and keeps it open. @returns what stops it. */
export function startLive(queries: QueryClient): () => void {
  const stop = new AbortController();
  const stopWatching = watchLateAnswers(queries);
  useConnection.setState({ phase: 'connecting', attempt: 0 });
  void runLiveLoop(
    {
      subscribe: (signal) => client.events.subscribe(undefined, { signal }),
      onEvent: (event) => {
        const network = otherNetwork(event);
        if (network !== undefined) return startOver(network);
        useLive.setState((state) => reduceLive(state, event));
        updateCaches(queries, event);
      },
      onPhase: (phase, attempt) => useConnection.setState({ phase, attempt }),
      isRefused: isUnauthorized,
      // Less where the person comes back to the window, or the machine to a network.
      wait: (ms, signal) => sleep(ms, signal, ['online', 'focus']),
    },
    stop.signal,
  );
  return () => {
    stopWatching();
    stop.abort();
  };
}
