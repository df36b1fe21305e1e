import {
  type Contact,
  fuzzyFind,
  type GatewayKey,
  MAX_JOBS_A_PAGE,
  MAX_RUNS_A_PAGE,
  type Miner,
  readSought,
  type SearchHit,
  type SearchKind,
  type Sought,
} from '../../../contract/index.ts';
import type { TransactionStore } from '../../merchant/tracking/storage/transaction-store.ts';
import type { ChainData } from '../../ports/chain-data.ts';
import type { SearchQuery, SearchSource } from '../../ports/search.ts';
import type { Studio } from '../../studio/studio.ts';
import type { RedeemableTokens } from '../../tokens/redeemable-tokens.ts';
import type { WalletView } from '../../wallet/wallet-view.ts';

/** Least digits of a txid that are searched for. */
const MIN_TXID_DIGITS = 4;

/** A hit that has nothing but its id and, perhaps, a name and a place. */
function hitOf(kind: SearchKind, id: string, name = '', place = ''): SearchHit {
  return { kind, id, name, place, projectUid: null, file: null };
}

/** A source of one kind, by the form of the text. @param find returns undefined for a text that cannot mean this kind */
function soughtSource(
  kind: SearchKind,
  find: (sought: Sought, query: SearchQuery) => Promise<SearchHit[]> | undefined,
): SearchSource {
  return { kinds: [kind], find: (query) => find(readSought(query.text), query) };
}

/** Blocks, transactions and outputs, by their full ids. */
export function chainSources(chainData: ChainData): SearchSource[] {
  const blockAt = async (height: number, { signal }: SearchQuery): Promise<SearchHit[]> => {
    const { value: hash } = await chainData.until(signal).hashAt(height);
    return hash === undefined ? [] : [hitOf('block', hash, String(height), hash)];
  };
  const block = async (hash: string, { signal }: SearchQuery): Promise<SearchHit[]> => {
    const { value: head } = await chainData.until(signal).header(hash);
    return head === undefined ? [] : [hitOf('block', hash, String(head.height), hash)];
  };
  const ofTransaction = async (hit: SearchHit, txid: string, { signal }: SearchQuery): Promise<SearchHit[]> =>
    (await chainData.until(signal).transaction(txid)).basis === 'unknown' ? [] : [hit];
  return [
    soughtSource('block', (sought, query) => {
      if (sought.kind === 'height') return blockAt(sought.height, query);
      return sought.kind === 'hash' ? block(sought.hash, query) : undefined;
    }),
    soughtSource('transaction', (sought, query) => {
      if (sought.kind !== 'hash') return undefined;
      return ofTransaction(hitOf('transaction', sought.hash), sought.hash, query);
    }),
    soughtSource('output', (sought, query) => {
      if (sought.kind !== 'outpoint') return undefined;
      const { txid, index } = sought;
      return ofTransaction(hitOf('output', `${txid}_${index}`), txid, query);
    }),
  ];
}

/** Addresses of this network, whoever's they are. */
export function addressSource(wallet: Pick<WalletView, 'validateAddress'>): SearchSource {
  return soughtSource('address', (sought) => {
    if (sought.kind !== 'address') return undefined;
    return wallet.validateAddress(sought).then(({ valid }) => (valid ? [hitOf('address', sought.address)] : []));
  });
}

/** Transactions that Planchet submitted, by the beginning of their txid or by their label. */
export function submittedSource(transactions: Pick<TransactionStore, 'list'>): SearchSource {
  return {
    kinds: ['submitted'],
    find: async ({ text, limit }) => {
      const sought = readSought(text);
      const search = sought.kind === 'outpoint' ? sought.txid : text.toLowerCase();
      if (/^[0-9a-f]*$/.test(search) && search.length < MIN_TXID_DIGITS) return [];
      const page = await transactions.list({ limit, search: search.slice(0, 128) });
      return page.transactions.map(({ txid, label, origin }) => hitOf('submitted', txid, label, origin));
    },
  };
}

/** Miners in use, by name or address. */
export function minerSource(miners: { list(): Promise<Miner[]> }): SearchSource {
  return namedSource('miner', async () => (await miners.list()).map(({ id, name, url }) => ({ id, name, place: url })));
}

/** Contacts, by name or address. */
export function contactSource(contacts: { list(): Promise<Contact[]> }): SearchSource {
  return namedSource('contact', async () => (await contacts.list()).map(({ address: id, name }) => ({ id, name })));
}

/** API keys of the gateway that still work, by name. */
export function gatewayKeySource(keys: { list(): GatewayKey[] }): SearchSource {
  return namedSource('key', async () => keys.list().filter(({ revokedAt }) => revokedAt === null));
}

/** Redeemable tokens of the wallet and the contracts they are issued from, by symbol, name or outpoint. */
export function redeemableSource(tokens: Pick<RedeemableTokens, 'overview'>): SearchSource {
  return namedSource('redeemable', async () => {
    const { contracts, holdings } = await tokens.overview();
    return [
      ...contracts.map(({ outpoint, schema }) => ({
        id: outpoint,
        name: [schema?.symbol, schema?.name].filter(Boolean).join(' · ') || outpoint,
      })),
      ...holdings.flatMap(({ symbol: name, tokens }) => tokens.map(({ outpoint: id }) => ({ id, name }))),
    ];
  });
}

/** The newest mints and runs, by their project, id or transaction. */
export function mintSources(studio: Pick<Studio, 'projects' | 'mint' | 'runs'>): SearchSource[] {
  return [
    namedSource('mint', async () => {
      const [{ jobs }, projects] = await Promise.all([
        studio.mint.list({ limit: MAX_JOBS_A_PAGE }),
        studio.projects.list(),
      ]);
      const names = new Map(projects.map(({ uid, name }) => [uid, name]));
      return jobs.map(({ id, projectUid, txid }) => {
        return { id, name: names.get(projectUid) ?? '', place: txid ?? '', projectUid };
      });
    }),
    namedSource('run', async () => {
      const { runs } = await studio.runs.list({ limit: MAX_RUNS_A_PAGE });
      return runs.map(({ id, projectName }) => ({ id, name: projectName }));
    }),
  ];
}

/** A short list of named things. */
export function namedSource(
  kind: SearchKind,
  list: () => Promise<readonly { id: string; name: string; place?: string; projectUid?: string }[]>,
): SearchSource {
  return {
    kinds: [kind],
    find: async ({ text, limit }) => {
      const all = await list();
      const texts = all.map(({ name, place = '', id }) => `${name} ${place} ${id}`);
      return fuzzyFind(texts, text)
        .slice(0, limit)
        .flatMap((at) => all[at] ?? [])
        .map(({ id, name, place, projectUid = null }) => ({ ...hitOf(kind, id, name, place), projectUid }));
    },
  };
}
