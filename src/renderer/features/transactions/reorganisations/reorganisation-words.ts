import type { TFunction } from 'i18next';
import type { Reorganisation, TransactionOrigin } from '../../../../contract/index.ts';
import { formatInteger } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';

type Affected = Reorganisation['affected'][number];
type Thing = 'token' | 'payment' | 'document' | 'transaction';

const things: Readonly<Record<TransactionOrigin, Thing>> = {
  mint: 'token',
  wallet: 'payment',
  writer: 'document',
  token: 'transaction',
  gateway: 'transaction',
  manual: 'transaction',
};

/** What waits comes first: the person may want to know that most. */
const outcomes = ['lost', 'waiting', 'mined'] as const;

interface Group {
  thing: Thing;
  outcome: Affected['outcome'];
  members: Affected[];
}

function grouped(affected: readonly Affected[]): Group[] {
  const groups = new Map<string, Group>();
  for (const one of affected) {
    const thing = things[one.origin];
    const key = `${outcomes.indexOf(one.outcome)} ${thing}`;
    const group = groups.get(key) ?? { thing, outcome: one.outcome, members: [] };
    group.members.push(one);
    groups.set(key, group);
  }
  return [...groups].sort(([a], [b]) => a.localeCompare(b)).map(([, group]) => group);
}

/** "your token “Sun 3” waits again", "2 payments were mined again in block 105". */
function groupWords(t: TFunction, { thing, outcome, members }: Group, language: string): string {
  const names = members.flatMap(({ tokens }) => tokens);
  const count = thing === 'token' ? Math.max(names.length, members.length) : members.length;
  const name = count === 1 ? names[0] : undefined;
  const heights = new Set(members.map(({ height }) => height));
  const [height] = heights;
  const isOneBlock = outcome === 'mined' && heights.size === 1 && height != null;
  const what =
    name === undefined
      ? t(`submitted.reorganisation.${thing}`, { count, n: formatInteger(count, language) })
      : t('submitted.reorganisation.named', { name });
  return isOneBlock
    ? t('submitted.reorganisation.minedIn', { count, what, height: formatInteger(height, language) })
    : t(`submitted.reorganisation.${outcome}`, { count, what });
}

/** What a reorganisation did to the person's things, in one sentence. */
export function reorganisationWords(t: TFunction, told: Reorganisation, language: string): string {
  const { blocks, affected, total } = told;
  const more = total - affected.length;
  const parts = [
    ...grouped(affected).map((group) => groupWords(t, group, language)),
    ...(more > 0 ? [t('submitted.reorganisation.more', { count: more, n: formatInteger(more, language) })] : []),
  ];
  const replaced = t('submitted.reorganisation.blocks', { count: blocks, n: formatInteger(blocks, language) });
  const done = parts.length === 0 ? t('submitted.reorganisation.nothing') : parts.join(', ');
  return t('submitted.reorganisation.sentence', { replaced, done });
}

/** Where the person sees more: the one transaction, or those that wait, or all. */
export function reorganisationLink({ affected, total }: Reorganisation): string | undefined {
  const [first] = affected;
  if (first === undefined) return undefined;
  return total === 1 ? routes.submittedTransaction(first.txid) : routes.submitted;
}
