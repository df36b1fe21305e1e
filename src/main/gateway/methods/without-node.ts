/** Members that no header and no transaction shows, so that an answer without a node lacks them; `*` stands for any member. */
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
  // parts of a mempool that services do not report
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
