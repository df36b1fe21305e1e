/** A number with its exact digits: JSON.parse would drop the zeros of 0.00000000. */
class NumberText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const amount = /^-?\d+\.\d{8}$/;
const shortAmount = /^-?\d+\.(?:\d\d|\d{2,7}[1-9])$/;
const fraction = /^-?\d+(?:\.\d+)?(?:e[+-]\d\d+)?$/;

/** Scalar types by their names in node-rpc.md. */
const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  str: (value) => typeof value === 'string',
  bool: (value) => typeof value === 'boolean',
  int: (value) => value instanceof NumberText && /^-?\d+$/.test(value.text),
  num: (value) => value instanceof NumberText && fraction.test(value.text),
  amt: (value) => value instanceof NumberText && amount.test(value.text),
  amt2: (value) => value instanceof NumberText && shortAmount.test(value.text),
  hex: (value) => typeof value === 'string' && /^(?:[0-9a-f]{2})*$/.test(value),
  hex8: (value) => typeof value === 'string' && /^[0-9a-f]{8}$/.test(value),
  hex16: (value) => typeof value === 'string' && /^[0-9a-f]{16}$/.test(value),
  hash: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
};

/** Objects of node-rpc.md with keys in order: `key:type`, `?` optional, `[]` array; a bare name includes that object's keys. */
const objects: Readonly<Record<string, string>> = {
  HEADER:
    'hash:hash confirmations:int size:int? height:int version:int versionHex:hex8 merkleroot:hash num_tx:int? time:int mediantime:int nonce:int bits:hex8 difficulty:num chainwork:hash previousblockhash:hash? nextblockhash:hash? status:STATUS',
  STATUS:
    'validity:str data:bool undo:bool failed:bool parent_failed:bool disk_meta:bool soft_reject:bool double_spend:bool soft_consensus_frozen:bool',
  BLOCK: 'tx:hash[] HEADER',
  FULLBLOCK: 'tx:PLAINTX[] HEADER',
  FULLHEADER: 'tx:PLAINTX[]? HEADER merkleproof:hash[]?',
  PLAINTX: 'txid:hash hash:hash version:int size:int locktime:int vin:IN[] vout:OUT[] hex:hex',
  BLOCKTX:
    'txid:hash hash:hash version:int size:int locktime:int vin:IN[] vout:OUT[] blockhash:hash confirmations:int time:int blocktime:int blockheight:int hex:hex',
  RESTTX: 'txid:hash hash:hash version:int size:int locktime:int vin:IN[] vout:OUT[] blockhash:hash? hex:hex',
  // a coinbase has other keys than a spending input
  IN: 'coinbase:hex? txid:hash? vout:int? scriptSig:SCRIPT? sequence:int',
  SCRIPT: 'asm:str hex:hex',
  OUT: 'value:amt2 n:int scriptPubKey:SPK',
  SPK: 'asm:str hex:hex reqSigs:int? type:str addresses:str[]?',
  DECODEDSCRIPT: 'SPK p2sh:str?',
  MEMENTRY: 'size:int fee:amt modifiedfee:amt time:int height:int depends:hash[]',
  CHAININFO:
    'chain:str blocks:int headers:int bestblockhash:hash difficulty:num mediantime:int verificationprogress:num chainwork:hash pruned:bool softforks:FORK[]',
  FORK: 'id:str version:int reject:REJECT',
  REJECT: 'status:bool',
  TIP: 'height:int hash:hash branchlen:int status:str',
  TXSTATS: 'time:int txcount:int window_block_count:int window_tx_count:int? window_interval:int? txrate:num?',
  BLOCKSTATS:
    'avgfee:amt avgfeerate:amt avgtxsize:int blockhash:hash height:int ins:int maxfee:amt maxfeerate:amt maxtxsize:int medianfee:amt medianfeerate:amt mediantime:int mediantxsize:int minfee:amt minfeerate:amt mintxsize:int outs:int subsidy:amt time:int total_out:amt total_size:int totalfee:amt txs:int utxo_increase:int utxo_size_inc:int',
  SETINFO:
    'height:int bestblock:hash transactions:int txouts:int bogosize:int hash_serialized:hash disk_size:int total_amount:amt',
  MEMPOOLINFO:
    'size:int journalsize:int nonfinalsize:int bytes:int usage:int usagedisk:int usagecpfp:int nonfinalusage:int maxmempool:int maxmempoolsizedisk:int maxmempoolsizecpfp:int mempoolminfee:amt',
  TXOUT: 'bestblock:hash confirmations:int value:amt scriptPubKey:SPK coinbase:bool confiscation:bool',
  PROOF: 'flags:int index:int txOrId:hash target:HEADER nodes:str[]',
  PROOF2: 'index:int txOrId:hex targetType:str? target:hex nodes:str[]',
  INFO: 'version:int protocolversion:int initcomplete:bool blocks:int timeoffset:int connections:int proxy:str difficulty:num testnet:bool stn:bool relayfee:amt errors:str maxblocksize:int maxminedblocksize:int maxstackmemoryusagepolicy:int maxstackmemoryusageconsensus:int',
  NETWORKINFO:
    'version:int subversion:str protocolversion:int localservices:hex16 localrelay:bool timeoffset:int txnpropagationfreq:int txnpropagationqlen:int networkactive:bool connections:int addresscount:int streampolicies:str networks:NETWORK[] relayfee:amt minconsolidationfactor:int maxconsolidationinputscriptsize:int minconfconsolidationinput:int minconsolidationinputmaturity:int acceptnonstdconsolidationinput:bool localaddresses:ADDRESS[] warnings:str',
  NETWORK: 'name:str limited:bool reachable:bool proxy:str proxy_randomize_credentials:bool',
  ADDRESS: 'address:str port:int score:int',
  UTXOS: 'chainHeight:int chaintipHash:hash bitmap:str utxos:UTXO[]',
  UTXO: 'height:int value:amt scriptPubKey:SPK',
};

/**
 * Compares JSON with a type.
 * @param type a name of {@link objects} or a scalar, optionally with `[]`, or with `{}` for an object keyed by hashes
 * @returns the differences, empty if there are none
 */
export function differences(json: string, type: string): string[] {
  const withDigits = (_: string, value: unknown, { source }: { source?: string } = {}): unknown =>
    typeof value === 'number' ? new NumberText(source ?? String(value)) : value;
  return [...compare(JSON.parse(json, withDigits), type, 'result')];
}

function* compare(value: unknown, type: string, at: string): Generator<string> {
  if (type.endsWith('[]')) {
    if (!Array.isArray(value)) return yield `${at} is no array`;
    for (const [index, item] of value.entries()) yield* compare(item, type.slice(0, -2), `${at}[${index}]`);
  } else if (type.endsWith('{}')) {
    if (!isObject(value)) return yield `${at} is no object`;
    for (const [key, member] of Object.entries(value)) {
      if (!scalars.hash?.(key)) yield `${at} has the key ${key}`;
      yield* compare(member, type.slice(0, -2), `${at}.${key}`);
    }
  } else if (type in scalars) {
    if (!scalars[type]?.(value)) yield `${at} is no ${type}: ${JSON.stringify(value)}`;
  } else yield* compareObject(value, type, at);
}

function* compareObject(value: unknown, type: string, at: string): Generator<string> {
  if (!isObject(value)) return yield `${at} is no ${type}`;
  const keys = Object.keys(value);
  for (const [key, wanted, mayMiss] of membersOf(type)) {
    if (keys[0] !== key) {
      if (!mayMiss) return yield `${at} has ${keys[0]} in place of ${key}`;
      continue;
    }
    keys.shift();
    yield* compare(value[key], wanted, `${at}.${key}`);
  }
  if (keys.length > 0) yield `${at} has ${keys} besides`;
}

function* membersOf(type: string): Generator<[key: string, type: string, mayMiss: boolean]> {
  const text = objects[type];
  if (text === undefined) throw new Error(`no such type: ${type}`);
  for (const member of text.split(' ')) {
    const [key = '', of] = member.split(':');
    if (of === undefined) yield* membersOf(key);
    // the keys with spaces belong to a block's status
    else yield [type === 'STATUS' ? key.replaceAll('_', ' ') : key, of.replace('?', ''), of.endsWith('?')];
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
}
