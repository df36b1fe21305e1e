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

/** Bytes are addressed by their hash, so they never become stale. */
function isContent(key: readonly unknown[]): boolean {
  return Array.isArray(key[0]) && key[0][0] === 'files';
}

/** Refetches every active query below these procedures. */
function invalidate(queries: QueryClient, ...stale: readonly { key(): QueryKey }[]): void {
  for (const one of stale) void queries.invalidateQueries({ queryKey: one.key() });
}

/** The last reported state of each run. The cache may be ahead of the events: the reply to a command can contain the end of a run before its event arrives. */
const toldRuns = new WeakMap<QueryClient, Map<string, string>>();

/**
 * A run reports its counts several times a second, so they cause no fetch. A changed plan is fetched, and so are the project's items when the
 * run starts, stops or cancels some: these have no events of their own.
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

/** Refetches the open token lists. A mint reports each of its tokens, so events in quick succession cause one request. */
function refreshTokens(queries: QueryClient): void {
  if (refreshing.has(queries)) return;
  refreshing.add(queries);
  setTimeout(() => {
    refreshing.delete(queries);
    invalidate(queries, api.tokens);
  }, REFRESH_MS);
}

/** Updates lists in the query cache by the events that also feed the live state. */
function updateCaches(queries: QueryClient, event: LiveEvent): void {
  switch (event.type) {
    case 'snapshot':
      // Anything may have changed during the break.
      void queries.invalidateQueries({ predicate: (query) => !isContent(query.queryKey) });
      break;
    case 'service': {
      const { status } = event.service;
      // Requests that failed while the service was not working are repeated.
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
      // The event has no review, so an open page of the job fetches the complete job.
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
      // The wallet's new transactions are in the mempool.
      invalidate(queries, api.sandbox.chain, api.wallet, api.redeemableTokens.overview);
      break;
    case 'tip':
      refreshTokens(queries);
      invalidate(queries, api.sandbox.chain, api.sandbox.status, api.wallet);
      // Confirmations are counted from the tip.
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

/** The host's network, if it differs from the one that this page was loaded for. */
function otherNetwork(event: LiveEvent): Network | undefined {
  const known = useLive.getState().app?.network;
  if (event.type !== 'snapshot' || known === undefined) return undefined;
  const { network } = event.snapshot.app;
  return network === known ? undefined : network;
}

/**
 * Reloads the page, since all of its data belongs to the earlier network. It opens the dashboard, or stays on the page of the networks,
 * which shows the next steps.
 */
function startOver(network: Network): void {
  const isOnNetworks = location.hash.startsWith(`#${routes.network('')}`);
  location.hash = `#${isOnNetworks ? routes.network(network) : routes.dashboard}`;
  location.reload();
}

/** Opens the event stream and reconnects after breaks. @returns stops it */
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
      // The wait ends early when the window regains the focus or the machine is online again.
      wait: (ms, signal) => sleep(ms, signal, ['online', 'focus']),
    },
    stop.signal,
  );
  return () => {
    stopWatching();
    stop.abort();
  };
}
