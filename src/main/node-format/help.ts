/** What a node's `help` says of a command. */
interface CommandHelp {
  readonly category: 'Blockchain' | 'Control' | 'Generating' | 'Network' | 'Rawtransactions';
  /** How the parameters are written, e.g. `"blockhash" ( verbosity )`. */
  readonly usage: string;
  readonly summary: string;
}

/** Every command of a node that is served here, by the gateway or by the sandbox, in the order of their names. */
const commands: Readonly<Record<string, CommandHelp>> = {
  decoderawtransaction: {
    category: 'Rawtransactions',
    usage: '"hexstring"',
    summary: 'A raw transaction as an object.',
  },
  decodescript: { category: 'Rawtransactions', usage: '"hexstring"', summary: 'A locking script as an object.' },
  generate: {
    category: 'Generating',
    usage: 'nblocks ( maxtries )',
    summary: 'Mines blocks at once; their coinbases pay the faucet.',
  },
  generatetoaddress: {
    category: 'Generating',
    usage: 'nblocks "address" ( maxtries )',
    summary: 'Mines blocks at once; their coinbases pay a test network address.',
  },
  getbestblockhash: { category: 'Blockchain', usage: '', summary: 'Hash of the newest block of the main chain.' },
  getblock: {
    category: 'Blockchain',
    usage: '"blockhash" ( verbosity )',
    summary:
      'A block: 0 or RAW_BLOCK as hex, 1 or DECODE_HEADER with txids, 2 or DECODE_TRANSACTIONS with all transactions, 3 or DECODE_HEADER_AND_COINBASE with the coinbase.',
  },
  getblockbyheight: {
    category: 'Blockchain',
    usage: 'height ( verbosity )',
    summary: 'A block by its height on the main chain, in the forms of getblock.',
  },
  getblockchaininfo: { category: 'Blockchain', usage: '', summary: 'State of the chain.' },
  getblockcount: { category: 'Blockchain', usage: '', summary: 'Height of the newest block of the main chain.' },
  getblockhash: {
    category: 'Blockchain',
    usage: 'height',
    summary: 'Hash of the block at a height of the main chain.',
  },
  getblockheader: {
    category: 'Blockchain',
    usage: '"blockhash" ( verbosity )',
    summary:
      'Header of a block: 0 or RAW_HEADER as hex, 1 or DECODE_HEADER as an object, 2 or DECODE_HEADER_EXTENDED with the coinbase and its proof.',
  },
  getblockstats: {
    category: 'Blockchain',
    usage: '"blockhash" ( ["stat",...] )',
    summary: 'Statistics of a block: fees, sizes, counts.',
  },
  getblockstatsbyheight: {
    category: 'Blockchain',
    usage: 'height ( ["stat",...] )',
    summary: 'Statistics of a block by its height on the main chain.',
  },
  getchaintips: { category: 'Blockchain', usage: '', summary: 'Ends of all known branches, highest first.' },
  getchaintxstats: {
    category: 'Blockchain',
    usage: '( nblocks "blockhash" )',
    summary: 'Number and rate of transactions in the chain.',
  },
  getdifficulty: {
    category: 'Blockchain',
    usage: '',
    summary: 'Proof-of-work difficulty as a multiple of the least of the main network.',
  },
  getinfo: { category: 'Control', usage: '', summary: 'State of the node.' },
  getmempoolancestors: {
    category: 'Blockchain',
    usage: '"txid" ( verbose )',
    summary: 'Transactions of the mempool that this one builds on.',
  },
  getmempooldescendants: {
    category: 'Blockchain',
    usage: '"txid" ( verbose )',
    summary: 'Transactions of the mempool that build on this one.',
  },
  getmempoolentry: { category: 'Blockchain', usage: '"txid"', summary: 'What the mempool knows of a transaction.' },
  getmempoolinfo: { category: 'Blockchain', usage: '', summary: 'Size and limits of the mempool.' },
  getmerkleproof: {
    category: 'Blockchain',
    usage: '"txid" ( "blockhash" )',
    summary: 'Merkle proof of a mined transaction against its header. Deprecated: use getmerkleproof2.',
  },
  getmerkleproof2: {
    category: 'Blockchain',
    usage: '"blockhash" "txid" ( includeFullTx "targetType" "format" )',
    summary:
      'Merkle proof of a mined transaction in the TSC form. An empty blockhash finds the block. targetType is hash, header or merkleroot; format is json.',
  },
  getnetworkinfo: {
    category: 'Network',
    usage: '',
    summary: 'State of the connections to other nodes. The sandbox has none.',
  },
  getrawmempool: {
    category: 'Blockchain',
    usage: '( verbose )',
    summary: 'Txids of the mempool, or an object that describes each.',
  },
  getrawnonfinalmempool: { category: 'Blockchain', usage: '', summary: 'Txids that wait for their lock time.' },
  getrawtransaction: {
    category: 'Rawtransactions',
    usage: '"txid" ( verbose )',
    summary: 'A transaction of the mempool or the chain, as hex or as an object.',
  },
  gettxout: { category: 'Blockchain', usage: '"txid" n ( include_mempool )', summary: 'An unspent output, or null.' },
  gettxoutproof: {
    category: 'Blockchain',
    usage: '["txid",...] ( "blockhash" )',
    summary: 'Proof, as a serialised merkle block in hex, that transactions are in a block.',
  },
  gettxouts: {
    category: 'Blockchain',
    usage: '[{"txid":"id","n":n},...] ["field",...] ( include_mempool )',
    summary:
      'Many outputs at once; fields are scriptPubKey, scriptPubKeyLen, value, isStandard, confirmations, or "*" for all.',
  },
  gettxoutsetinfo: {
    category: 'Blockchain',
    usage: '',
    summary: 'Figures of all unspent outputs. Reads them all, so it is slow on a long chain.',
  },
  help: { category: 'Control', usage: '( "command" )', summary: 'All commands, or how one is used.' },
  invalidateblock: {
    category: 'Blockchain',
    usage: '"blockhash"',
    summary: 'Declares a block and what follows it invalid, as if it broke a rule of the chain.',
  },
  reconsiderblock: {
    category: 'Blockchain',
    usage: '"blockhash"',
    summary: 'Takes invalidateblock back, for the block and for what follows it.',
  },
  sendrawtransaction: {
    category: 'Rawtransactions',
    usage: '"hexstring" ( allowhighfees dontcheckfee )',
    summary: 'Validates a transaction and takes it into the mempool.',
  },
  verifymerkleproof: {
    category: 'Blockchain',
    usage: '{"flags":2,"index":n,"txOrId":"txid","target":{"merkleroot":"hash"},"nodes":["hash",...]}',
    summary: 'Whether a proof of getmerkleproof leads to the Merkle root of its target.',
  },
  verifytxoutproof: {
    category: 'Blockchain',
    usage: '"proof"',
    summary: 'Txids that a proof of gettxoutproof shows, none where it is wrong.',
  },
};

/** What a wrong number of parameters is answered with. */
export function helpOf(command: string): string {
  const { usage, summary } = commands[command] as CommandHelp;
  return `${firstLine(command, usage)}\n\n${summary}\n`;
}

/**
 * The answer to `help`, with a command or without.
 * @param command an empty one asks for the list of all
 */
export function helpText(command: string): string {
  if (command === '') return overview();
  return Object.hasOwn(commands, command) ? helpOf(command).trimEnd() : `help: unknown command: ${command}`;
}

function overview(): string {
  const all = Object.entries(commands);
  const categories = [...new Set(all.map(([, { category }]) => category))].sort();
  const sections = categories.map((category) => {
    const lines = all
      .filter(([, help]) => help.category === category)
      .map(([name, { usage }]) => firstLine(name, usage));
    return `== ${category} ==\n${lines.join('\n')}`;
  });
  return sections.join('\n\n');
}

function firstLine(command: string, usage: string): string {
  return usage === '' ? command : `${command} ${usage}`;
}
