/** Characters of a search, at most. */
export const MAX_SEARCH_TEXT = 200;

/** Possible meanings of a search text, by its form alone. */
export type Sought =
  | { kind: 'height'; height: number }
  | { kind: 'hash'; hash: string }
  | { kind: 'outpoint'; txid: string; index: number }
  | { kind: 'address'; address: string }
  | { kind: 'unclear' };

/** Classifies a search text: a height, a 64-digit id, an outpoint (`txid_n`, `txid:n` or `txid.n`) or an address. */
export function readSought(text: string): Sought {
  const query = text.trim();
  if (/^\d[\d,]{0,9}$/.test(query)) return { kind: 'height', height: Number(query.replaceAll(',', '')) };
  if (/^[0-9a-f]{64}$/i.test(query)) return { kind: 'hash', hash: query.toLowerCase() };
  const outpoint = /^([0-9a-f]{64})[_:.](\d{1,10})$/i.exec(query);
  if (outpoint !== null) {
    return { kind: 'outpoint', txid: (outpoint[1] as string).toLowerCase(), index: Number(outpoint[2]) };
  }
  if (/^[1-9A-HJ-NP-Za-km-z]{25,35}$/.test(query)) return { kind: 'address', address: query };
  return { kind: 'unclear' };
}
