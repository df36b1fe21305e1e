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
