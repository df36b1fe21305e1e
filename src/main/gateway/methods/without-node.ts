/** What no header and no transaction tells, so that an answer without a node does not have it; `*` stands for any member. */
export const absentWithoutNode: Readonly<Record<string, readonly string[]>> = {
  getblock: ['size', 'num_tx', 'status'],
  getblockbyheight: ['size', 'num_tx', 'status'],
  getblockheader: ['size', 'num_tx', 'status'],
  getmerkleproof: ['target.size', 'target.num_tx', 'target.status'],
  getblockchaininfo: ['pruned'],
  getchaintxstats: ['txcount', 'window_tx_count', 'txrate'],
  // branches that lost
  getchaintips: ['1'],
  getmempoolentry: ['time', 'height'],
  getmempoolancestors: ['*.time', '*.height'],
  getmempooldescendants: ['*.time', '*.height'],
  // of parts of a mempool that services do not tell of
  getmempoolinfo: [
    'journalsize',
    'nonfinalsize',
    'usagedisk',
    'usagecpfp',
    'nonfinalusage',
    'maxmempoolsizedisk',
    'maxmempoolsizecpfp',
  ],
  // policy and reach of a node
  getinfo: [
    'relayfee',
    'maxblocksize',
    'maxminedblocksize',
    'maxstackmemoryusagepolicy',
    'maxstackmemoryusageconsensus',
  ],
  getnetworkinfo: [
    'localservices',
    'localrelay',
    'txnpropagationfreq',
    'txnpropagationqlen',
    'networkactive',
    'streampolicies',
    'networks',
    'relayfee',
    'minconsolidationfactor',
    'maxconsolidationinputscriptsize',
    'minconfconsolidationinput',
    'minconsolidationinputmaturity',
    'acceptnonstdconsolidationinput',
  ],
};

/** The REST paths, with the commands whose answers they are made of where no node has them. */
export const restWithoutNode: readonly {
  readonly path: string;
  readonly commands: readonly string[];
  /** In the form that the path has, the command needs a node. */
  readonly needsNode?: true;
}[] = [
  { path: '/rest/tx', commands: ['getrawtransaction'] },
  { path: '/rest/block', commands: ['getblock'] },
  { path: '/rest/block/notxdetails', commands: ['getblock'] },
  { path: '/rest/headers', commands: ['getblockheader', 'getblockhash'] },
  { path: '/rest/headers/extended', commands: ['getblockheader', 'getblockhash'] },
  { path: '/rest/getutxos', commands: ['gettxout', 'getblockheader'] },
  { path: '/rest/chaininfo', commands: ['getblockchaininfo'] },
  { path: '/rest/mempool/info', commands: ['getmempoolinfo'] },
  { path: '/rest/mempool/contents', commands: ['getrawmempool'], needsNode: true },
];
