import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  type HeadersStatus,
  headersFault,
  type Miner,
  type NetworkProfile,
  type Project,
  type RunPlan,
} from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { useLive } from '../../../api/live/live-store.ts';
import { useItems } from '../../../api/use-items.ts';
import { useMissingQuotes } from '../../../api/use-missing-quotes.ts';
import { isDraft } from '../../../lib/items/item-rules.ts';
import { fits, isReady, limitsOf } from './fit.ts';
import { type RowName, type RowState, rowNames } from './row.tsx';

const POLL_MS = 5_000;

/** The data of the steps of going live, from procedures that other pages use as well. */
export function useGoingLive(profile: NetworkProfile, chosen: string | null) {
  const { active } = profile;
  const wallet = useLive((state) => state.wallet);
  const headers = useQuery({ ...api.headers.status.queryOptions(), enabled: active, refetchInterval: POLL_MS });
  const miners = useQuery({ ...api.miners.list.queryOptions(), enabled: active, refetchInterval: POLL_MS });
  useMissingQuotes(active ? miners.data : undefined);
  const projects = useQuery({ ...api.projects.list.queryOptions(), enabled: active });
  const project = projectOf(projects.data, chosen);
  const all = useItems(active ? project?.uid : undefined);
  const items = all.data?.filter(isDraft) ?? [];
  const largest = Math.max(0, ...items.map(({ file }) => file.bytes));
  const artBytes = items.reduce((sum, { file }) => sum + file.bytes, 0);
  const destination = active && wallet?.state === 'ready' ? wallet.address : null;
  const spendable = wallet?.balance.spendable ?? 0;
  const planOptions = api.runs.plan.queryOptions({
    input: { projectUid: project?.uid ?? '', destination: destination ?? '', direct: project?.direct ?? true },
  });
  const plan = useQuery({
    ...planOptions,
    // The plan depends on the balance and on what is to be minted.
    queryKey: [...planOptions.queryKey, spendable, items.length, artBytes] as unknown as typeof planOptions.queryKey,
    enabled: project !== undefined && destination !== null && items.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
    retry: false,
  });
  const fault = headers.data && faultOf(headers.data);
  const done: Record<RowName, boolean> = {
    wallet: !profile.missing.includes('wallet') && !(active && wallet?.state === 'locked'),
    backup: !profile.missing.includes('backup'),
    sources: active && headers.data?.isAgreed === true && headers.data.tip !== null && fault === undefined,
    miners: active && (miners.data ?? []).some((miner) => takes(miner, largest)),
    money: active && isPaid(plan.data, items.length, spendable),
    mint: active && project !== undefined && project.mintedCount > 0 && items.length === 0,
  };
  const tried = miners.data?.filter(({ enabled, url }) => enabled && url !== '') ?? [];
  const failed: Partial<Record<RowName, boolean>> = {
    sources: active && fault !== undefined,
    miners: active && tried.length > 0 && tried.every((miner) => miner.failure !== null || isRefused(miner, largest)),
    money: active && plan.isError,
  };
  const next = rowNames.find((name) => !done[name]);
  const stateOf = (name: RowName): RowState =>
    done[name] ? 'done' : failed[name] === true ? 'failed' : name === next ? 'next' : 'waiting';
  return {
    states: Object.fromEntries(rowNames.map((name) => [name, stateOf(name)])) as Record<RowName, RowState>,
    next,
    /** False until the data that determines the next step is loaded. */
    isKnown:
      !active ||
      ![headers, miners, projects, ...(project === undefined ? [] : [all])].some(({ isPending }) => isPending),
    wallet,
    headers,
    miners,
    projects,
    project,
    drafts: items.length,
    largest,
    artBytes,
    plan,
    spendable,
  };
}

export type GoingLive = ReturnType<typeof useGoingLive>;

/** Why the chain data may be stale. While some sources are still being asked, disagreement is not a fault. */
export function faultOf(headers: HeadersStatus): ReturnType<typeof headersFault> {
  const fault = headersFault(headers);
  return fault === 'not-agreed' && headers.isReading ? undefined : fault;
}

/** The chosen project, or else the first with something left to mint. */
function projectOf(projects: readonly Project[] = [], chosen: string | null): Project | undefined {
  return (
    projects.find(({ uid }) => uid === chosen) ??
    projects.find(({ itemCount, mintedCount }) => itemCount > mintedCount) ??
    projects[0]
  );
}

/** A miner that states no limits is assumed to accept any size. */
function takes(miner: Miner, largest: number): boolean {
  return isReady(miner, Date.now()) && !isRefused(miner, largest);
}

function isRefused(miner: Miner, largest: number): boolean {
  return fits(limitsOf(miner), largest) === false;
}

function isPaid(plan: RunPlan | undefined, drafts: number, spendable: number): boolean {
  return drafts === 0 ? spendable > 0 : plan !== undefined && spendable >= plan.needed;
}
