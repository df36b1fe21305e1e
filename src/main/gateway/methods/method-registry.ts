import type { NodeCommand } from '../../../contract/index.ts';

/**
 * The commands of spec section 4.5 with their parameters in order, each with the names it is known by (`a|b`). The names are the node's
 * own tables, with their two oddities: `getblockbyheight` calls its height `blockhash`, and `getmerkleproof2` lists its first two
 * names the other way round than it reads them.
 */
const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  getbestblockhash: [],
  getblock: ['blockhash', 'verbosity|verbose'],
  getblockbyheight: ['blockhash', 'verbosity|verbose'],
  getblockchaininfo: [],
  getblockcount: [],
  getblockhash: ['height'],
  getblockheader: ['blockhash', 'verbosity|verbose'],
  getblockstats: ['blockhash', 'stats'],
  getblockstatsbyheight: ['height', 'stats'],
  getchaintips: [],
  getchaintxstats: ['nblocks', 'blockhash'],
  getdifficulty: [],
  getmempoolancestors: ['txid', 'verbose'],
  getmempooldescendants: ['txid', 'verbose'],
  getmempoolentry: ['txid'],
  getmempoolinfo: [],
  getmerkleproof: ['txid', 'blockhash'],
  getmerkleproof2: ['txid', 'blockhash', 'includeFullTx', 'targetType', 'format'],
  getrawmempool: ['verbose'],
  getrawnonfinalmempool: [],
  gettxout: ['txid', 'n', 'include_mempool'],
  gettxoutproof: ['txids', 'blockhash'],
  gettxouts: ['txids_vouts', 'return_fields', 'include_mempool'],
  gettxoutsetinfo: [],
  verifymerkleproof: ['proof'],
  verifytxoutproof: ['proof'],
  decoderawtransaction: ['hexstring'],
  decodescript: ['hexstring'],
  getrawtransaction: ['txid', 'verbose'],
  getnetworkinfo: [],
  getinfo: [],
  help: ['command'],
};

export const commandNames: readonly string[] = Object.keys(COMMANDS);

/** Commands of a node that put something on the chain. Here that is the merchant API's work, and a caller is told so. */
const SENDING = new Set([
  'sendrawtransaction',
  'sendrawtransactions',
  'sendtoaddress',
  'sendfrom',
  'sendmany',
  'submitblock',
  'submitminingsolution',
  'generate',
  'generatetoaddress',
]);

const RAW = new Set(['decoderawtransaction', 'decodescript', 'verifymerkleproof', 'verifytxoutproof']);

/** Whether a command takes a whole transaction, script or proof, which may be of any size. */
export function takesRawData(method: string): boolean {
  return RAW.has(method);
}

/** Names of the parameters of a command; undefined for a command the gateway does not have. */
export function parametersOf(method: string): readonly string[] | undefined {
  return Object.hasOwn(COMMANDS, method) ? COMMANDS[method] : undefined;
}

/** Every command with the names of its parameters, for forms. */
export function listCommands(): NodeCommand[] {
  return Object.entries(COMMANDS).map(([name, parameters]) => ({
    name,
    parameters: parameters.map((names) => ({ name: names.split('|')[0] as string, names: names.split('|') })),
  }));
}

/** What a caller of an unknown command is told (with code -32601). */
export function unknownCommand(method: string, mapiUrl: string): string {
  if (!SENDING.has(method)) return 'Method not found';
  const address = mapiUrl === '' ? '(set its address with mapiUrl)' : `at ${mapiUrl}/tx`;
  return `Method not found: this gateway does not send. Transactions go through the merchant API ${address}`;
}
