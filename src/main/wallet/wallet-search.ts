import { fuzzyFind, type SearchHit, type SearchKind } from '../../contract/index.ts';

/** The kind of a hit by the first word of a label's subject. */
const kinds: ReadonlyMap<string, SearchKind> = new Map(
  Object.entries<SearchKind>({ address: 'address', tx: 'transaction', coin: 'output' }),
);

/** Characters of an address that are enough to look for it. */
const MIN_ADDRESS = 4;

/**
 * Finds what a label names, and own addresses that begin with the text.
 * @param labels by subject: `address:…`, `tx:…`, `coin:…`
 * @param addresses that were given out
 */
export function findInWallet(
  { labels, addresses }: { labels: ReadonlyMap<string, string>; addresses: readonly string[] },
  text: string,
  limit: number,
): SearchHit[] {
  const labelled = [...labels];
  const found = fuzzyFind(
    labelled.map(([, label]) => label),
    text,
  ).flatMap((at) => {
    const [subject, name] = labelled[at] ?? ['', ''];
    const [, start = '', id = ''] = /^(\w+):(.*)$/.exec(subject) ?? [];
    const kind = kinds.get(start);
    return kind === undefined ? [] : [{ kind, id, name }];
  });
  const own = addresses
    .filter((address) => text.length >= MIN_ADDRESS && address.startsWith(text))
    .map((address) => ({ kind: 'address' as const, id: address, name: labels.get(`address:${address}`) ?? '' }));
  return [...found, ...own].slice(0, limit).map((one) => ({ ...one, place: 'wallet', projectUid: null, file: null }));
}
