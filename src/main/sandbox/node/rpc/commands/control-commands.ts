import { difficultyOf } from '../../../../../chain/index.ts';
import { helpText } from '../../../../gateway/methods/help.ts';
import { amount, real } from '../../../../node-format/json.ts';
import { NODE_VERSION, PROTOCOL_VERSION, SUBVERSION } from '../../../../node-format/node-version.ts';
import { asString } from '../../../../node-format/params.ts';
import { policy, REGTEST_BITS } from '../../consensus/consensus.ts';
import type { Commands } from './command.ts';

// the node's default
const MAX_BLOCK_BYTES = 4_000_000_000;
const STACK_MEMORY_POLICY = 100_000_000;
const STACK_MEMORY_CONSENSUS = 200_000_000;

const network = (name: string) => ({
  name,
  limited: false,
  reachable: true,
  proxy: '',
  proxy_randomize_credentials: false,
});

export const controlCommands: Commands = {
  getinfo: {
    run: (node) => ({
      version: NODE_VERSION,
      protocolversion: PROTOCOL_VERSION,
      initcomplete: true,
      blocks: node.tip().height,
      timeoffset: 0,
      connections: 0,
      proxy: '',
      difficulty: real(difficultyOf(REGTEST_BITS)),
      testnet: false,
      stn: false,
      relayfee: amount(policy.relayFee.satoshis),
      errors: '',
      maxblocksize: MAX_BLOCK_BYTES,
      maxminedblocksize: policy.maxMinedBlockBytes,
      maxstackmemoryusagepolicy: STACK_MEMORY_POLICY,
      maxstackmemoryusageconsensus: STACK_MEMORY_CONSENSUS,
    }),
  },
  getnetworkinfo: {
    run: () => ({
      version: NODE_VERSION,
      subversion: SUBVERSION,
      protocolversion: PROTOCOL_VERSION,
      localservices: '0000000000000025',
      localrelay: true,
      timeoffset: 0,
      txnpropagationfreq: 250,
      txnpropagationqlen: 0,
      networkactive: true,
      connections: 0,
      addresscount: 0,
      streampolicies: 'BlockPriority,Default',
      networks: [network('ipv4'), network('ipv6')],
      relayfee: amount(policy.relayFee.satoshis),
      minconsolidationfactor: 20,
      maxconsolidationinputscriptsize: 150,
      minconfconsolidationinput: 6,
      minconsolidationinputmaturity: 6,
      acceptnonstdconsolidationinput: false,
      localaddresses: [],
      warnings: '',
    }),
  },
  help: { run: (_, [name]) => helpText(name === undefined ? '' : asString(name)) },
};
