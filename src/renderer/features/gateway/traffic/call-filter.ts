import { type GatewayCall, OWN_CALLER, type Tone } from '../../../../contract/index.ts';

/** Which calls are shown. A call has to match one chosen value of each group; a group without chosen values matches all. */
export interface CallFilter {
  /** Whether calls of Planchet's own page are shown too. */
  own: boolean;
  errors: boolean;
  caller: readonly string[];
  method: readonly string[];
  source: readonly string[];
}

export const filterGroups = ['source', 'caller', 'method'] as const;
export type FilterGroup = (typeof filterGroups)[number];

export const noFilter: CallFilter = { own: false, errors: false, caller: [], method: [], source: [] };

/** The value of a chip, and the number of calls that it would show. */
export interface Chip {
  value: string;
  count: number;
}

/** Whether a call failed or was refused. In a batch that succeeded, one of its calls may have failed. */
export function isError({ status, source }: Pick<GatewayCall, 'status' | 'source'>): boolean {
  return status >= 400 || source === 'refused';
}

function fits(call: GatewayCall, filter: CallFilter, except?: FilterGroup | 'errors'): boolean {
  if (!filter.own && call.caller === OWN_CALLER) return false;
  if (filter.errors && except !== 'errors' && !isError(call)) return false;
  return filterGroups.every(
    (group) => group === except || filter[group].length === 0 || filter[group].includes(call[group]),
  );
}

export function filterCalls(calls: readonly GatewayCall[], filter: CallFilter): readonly GatewayCall[] {
  return calls.filter((call) => fits(call, filter));
}

/** The chips of each group, those with most calls first. The counts include only calls that match the other groups. */
export function chipsOf(
  calls: readonly GatewayCall[],
  filter: CallFilter,
): Record<FilterGroup, Chip[]> & { errors: number; own: number } {
  const counts = { source: new Map<string, number>(), caller: new Map(), method: new Map() } as Record<
    FilterGroup,
    Map<string, number>
  >;
  const fitting = { source: 0, caller: 0, method: 0 };
  let errors = 0;
  let own = 0;
  for (const call of calls) {
    if (call.caller === OWN_CALLER) own += 1;
    if (isError(call) && fits(call, filter, 'errors')) errors += 1;
    for (const group of filterGroups) {
      if (!fits(call, filter, group)) continue;
      fitting[group] += 1;
      if (call[group] === '') continue;
      counts[group].set(call[group], (counts[group].get(call[group]) ?? 0) + 1);
    }
  }
  const chips = (group: FilterGroup): Chip[] => {
    // A chosen value stays in the list even if no call has it any more.
    for (const value of filter[group]) if (!counts[group].has(value)) counts[group].set(value, 0);
    const sorted = [...counts[group]].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
    const [first] = sorted;
    // A value that all calls have narrows nothing.
    if (first?.[1] === fitting[group] && filter[group].length === 0) return [];
    return sorted.map(([value, count]) => ({ value, count }));
  };
  return { source: chips('source'), caller: chips('caller'), method: chips('method'), errors, own };
}

export function toggleChip(filter: CallFilter, group: FilterGroup, value: string): CallFilter {
  const chosen = filter[group];
  return {
    ...filter,
    [group]: chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value],
  };
}

/** A failed call has the failure colour, whatever answered it. */
export function toneOf(call: Pick<GatewayCall, 'source' | 'status'>): Tone {
  return isError(call) ? 'fail' : sourceTones[call.source];
}

/** An answer that may be stale does not have the colour of a good one. */
const sourceTones = {
  upstream: 'neutral',
  shared: 'done',
  cache: 'done',
  local: 'done',
  proven: 'done',
  agreed: 'done',
  told: 'wait',
  stale: 'wait',
  refused: 'fail',
} as const satisfies Record<GatewayCall['source'], Tone>;

/** Notes on how a call was answered, if that was unusual. */
export function toldOf({ source, status }: Pick<GatewayCall, 'source' | 'status'>) {
  if (source === 'refused') return 'gateway.told.refused';
  if (source === 'stale') return 'gateway.told.stale';
  return status >= 500 ? 'gateway.told.failed' : undefined;
}
