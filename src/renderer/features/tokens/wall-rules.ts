import type { Item, Project, WalletCoin } from '../../../contract/index.ts';

/** A minted token with the project it comes from. */
export interface MintedToken {
  readonly kind: 'minted';
  readonly outpoint: string;
  readonly item: Item;
  readonly project: Project;
}

/** A token in the wallet that no project of this installation has minted. */
export interface ReceivedToken {
  readonly kind: 'received';
  readonly outpoint: string;
  readonly address: string;
  readonly label: string;
  /** Null until a block holds it. */
  readonly height: number | null;
}

export type WallToken = MintedToken | ReceivedToken;

export const origins = ['all', 'minted', 'received'] as const;

export interface WallFilter {
  readonly origin: (typeof origins)[number];
  readonly text: string;
  readonly projectUid: string | null;
  /** Keys of trait values, from `traitKey`. Values of one trait are alternatives; different traits must all fit. */
  readonly traits: readonly string[];
}

export interface TraitOption {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  /** Tokens that have it. */
  readonly count: number;
}

/** One value of one trait, as one string. */
export function traitKey({ name, value }: { name: string; value: string }): string {
  return JSON.stringify([name, value]);
}

function traitNameOf(key: string): string {
  return (JSON.parse(key) as [string, string])[0];
}

/** The items that have become tokens, the newest first. */
export function tokensOf(projects: readonly Project[], lists: readonly (readonly Item[])[]): MintedToken[] {
  return projects
    .flatMap((project, index) =>
      (lists[index] ?? []).flatMap((item) =>
        item.outpoint === null ? [] : [{ kind: 'minted' as const, outpoint: item.outpoint, item, project }],
      ),
    )
    .sort((a, b) => b.item.createdAt - a.item.createdAt);
}

/** The tokens in the wallet that are not among the minted ones, the newest first. */
export function receivedOf(coins: readonly WalletCoin[], minted: readonly MintedToken[]): ReceivedToken[] {
  const own = new Set(minted.map(({ outpoint }) => outpoint));
  return coins
    .filter(({ kind, outpoint }) => kind === 'token' && !own.has(outpoint))
    .map(({ outpoint, address, label, height }) => ({ kind: 'received' as const, outpoint, address, label, height }))
    .sort((a, b) => (b.height ?? Number.MAX_SAFE_INTEGER) - (a.height ?? Number.MAX_SAFE_INTEGER));
}

function searchText(token: WallToken): string {
  if (token.kind === 'received') return `${token.outpoint}\n${token.address}\n${token.label}`.toLowerCase();
  const { item, project, outpoint } = token;
  const { name, description, traits } = item.metadata;
  return [name, description, project.name, outpoint, ...traits.map((trait) => `${trait.name} ${trait.value}`)]
    .join('\n')
    .toLowerCase();
}

/** The tokens that fit a filter, in their order. Every word of the text must occur. */
export function filterTokens(
  tokens: readonly WallToken[],
  { origin, text, projectUid, traits }: WallFilter,
): WallToken[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = Map.groupBy(traits, traitNameOf);
  return tokens.filter((token) => {
    if (origin !== 'all' && token.kind !== origin) return false;
    if (token.kind === 'received' && (projectUid !== null || wanted.size > 0)) return false;
    if (token.kind === 'minted' && projectUid !== null && token.project.uid !== projectUid) return false;
    if (token.kind === 'minted' && wanted.size > 0) {
      const has = new Set(token.item.metadata.traits.map(traitKey));
      for (const values of wanted.values()) if (!values.some((key) => has.has(key))) return false;
    }
    if (words.length === 0) return true;
    const all = searchText(token);
    return words.every((word) => all.includes(word));
  });
}

/** Every trait value of these tokens with its count, by trait and then the most frequent first. */
export function traitOptions(tokens: readonly MintedToken[]): TraitOption[] {
  const found = new Map<string, { name: string; value: string; count: number }>();
  for (const { item } of tokens) {
    for (const { name, value } of item.metadata.traits) {
      const key = traitKey({ name, value });
      const known = found.get(key);
      if (known === undefined) found.set(key, { name, value, count: 1 });
      else known.count += 1;
    }
  }
  return [...found]
    .map(([key, trait]) => ({ key, ...trait }))
    .sort((a, b) => a.name.localeCompare(b.name) || b.count - a.count || a.value.localeCompare(b.value));
}

/** How many items of a collection, minted or not, share each trait value; undefined where there is no collection to compare with. */
export function rarityIn(
  { project }: MintedToken,
  items: readonly Item[],
): { total: number; countOf(trait: { name: string; value: string }): number } | undefined {
  if (project.type !== 'collection') return undefined;
  const members = items.filter(({ subType }) => subType === 'collectionItem');
  const counts = new Map<string, number>();
  for (const { metadata } of members) {
    for (const trait of metadata.traits) {
      const key = traitKey(trait);
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return { total: members.length, countOf: (trait) => counts.get(traitKey(trait)) ?? 0 };
}
