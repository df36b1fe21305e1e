import { PlanchetError } from '../../../../contract/index.ts';

/** An answer of a node as JSON-RPC has it; undefined where what came is none, as from a proxy that refuses the command. */
export type NodeAnswer =
  | { readonly result?: unknown; readonly error?: { code?: number; message?: string } | null }
  | undefined;
export type AskNode = (method: string, params: readonly unknown[]) => Promise<NodeAnswer>;

const METHOD_NOT_FOUND = -32_601;
const NOWHERE = '0'.repeat(64);

/**
 * The commands that the wallet, the tracker of transactions, the studio and the data writer call, with parameters that cost a node nothing: where a
 * command is there, it may answer anything, also that it knows no such transaction.
 */
const neededCommands: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['getbestblockhash', []],
  ['getblock', [NOWHERE]],
  ['getblockcount', []],
  ['getblockhash', [0]],
  ['getblockheader', [NOWHERE]],
  ['getmempoolentry', [NOWHERE]],
  ['getmempoolinfo', []],
  // Refused for its parameter: the whole list may be large.
  ['getrawmempool', ['names alone']],
  ['getrawtransaction', [NOWHERE]],
  ['gettxout', [NOWHERE, 0]],
];

/** Early blocks, which are small on every network; some of their transactions are spent. */
const EARLY_HEIGHTS = [170, 9, 500, 1];

/**
 * What a node lacks of all that Planchet needs of one: the one list, for the connection test and the doctor.
 * @param isHelped whether public services are asked what it lacks of old blocks
 * @returns nothing where it serves all parts of Planchet
 * @throws what `ask` throws
 */
export async function nodeLacks(ask: AskNode, isHelped = false): Promise<PlanchetError[]> {
  const missing: string[] = [];
  for (const [method, params] of neededCommands) {
    const answer = await ask(method, params);
    if (answer === undefined || answer.error?.code === METHOD_NOT_FOUND) missing.push(method);
  }
  if (missing.length > 0) return [new PlanchetError('upstream.node-commands', { commands: missing.join(', ') })];
  if (isHelped) return [];
  const info = (await ask('getblockchaininfo', []))?.result as
    | { pruned?: unknown; blocks?: unknown }
    | null
    | undefined;
  const lacks: PlanchetError[] = [];
  const isPruned = info?.pruned === true || (await lacksBlock(ask, 1));
  if (isPruned) lacks.push(new PlanchetError('upstream.node-pruned'));
  // Old blocks name the transaction that it is asked for.
  else if (await lacksIndex(ask, Number(info?.blocks ?? 0))) lacks.push(new PlanchetError('upstream.node-no-txindex'));
  return lacks;
}

async function lacksBlock(ask: AskNode, height: number): Promise<boolean> {
  const hash = (await ask('getblockhash', [height]))?.result;
  if (typeof hash !== 'string') return false;
  return /pruned/i.test((await ask('getblock', [hash, 0]))?.error?.message ?? '');
}

/** Asks for a transaction whose first output is spent: those with unspent outputs a node finds without an index. */
async function lacksIndex(ask: AskNode, tip: number): Promise<boolean> {
  let known: string | undefined;
  for (const height of EARLY_HEIGHTS.filter((one) => one <= tip)) {
    const hash = (await ask('getblockhash', [height]))?.result;
    const block = (await ask('getblock', [hash, 1]))?.result as { tx?: unknown } | null | undefined;
    const txids = Array.isArray(block?.tx) ? block.tx.filter((txid) => typeof txid === 'string') : [];
    for (const txid of txids.slice(0, 5)) {
      known ??= txid;
      const coin = await ask('gettxout', [txid, 0]);
      if (coin?.error || coin?.result !== null) continue;
      return (await ask('getrawtransaction', [txid]))?.error != null;
    }
  }
  return known !== undefined && (await ask('getrawtransaction', [known]))?.error != null;
}
