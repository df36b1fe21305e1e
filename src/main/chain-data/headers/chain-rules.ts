import {
  EASIEST_BITS,
  EASIEST_REGTEST_BITS,
  fromHex,
  HEADER_BYTES,
  type KnownBlock,
  MAIN_AFTER_SPLITS,
} from '../../../chain/index.ts';
import type { Network } from '../../../contract/index.ts';

/** A block fixed in the program. */
interface Checkpoint extends KnownBlock {
  /** Work of the chain up to the block. */
  readonly work?: bigint;
}

/** What the headers of a chain must satisfy. Values of bitcoin-sv 1.2.2, `src/chainparams.cpp`. */
export interface ChainRules {
  /** The node's name of the chain. */
  readonly name: 'main' | 'test' | 'stn' | 'regtest';
  /** 80 bytes. */
  readonly genesis: Uint8Array;
  /** Compact target of the easiest block. */
  readonly easiestBits: number;
  /** Every block has the target of the first one. */
  readonly isFixed: boolean;
  /** A block that comes twenty minutes after the one before it may be an easiest one. */
  readonly allowsEasiest: boolean;
  /** The adjustment over 144 blocks applies to blocks above this height. */
  readonly daaHeight: number;
  /** Lowest first. */
  readonly checkpoints: readonly Checkpoint[];
  /** First blocks of chains that split off, display hex. */
  readonly denied: ReadonlySet<string>;
  /** The chain is the node's own, or starts over: what the node takes back is taken back here, whatever its work. */
  readonly followsNode: boolean;
  /** Every such chain has the same first block: the stored one after it tells which of them this is. */
  readonly isAnchored?: true;
}

const MERKLE_ROOT = '3ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a';

function genesisWith(timeBitsNonce: string): Uint8Array {
  const header = fromHex(`01000000${'00'.repeat(32)}${MERKLE_ROOT}${timeBitsNonce}`);
  if (header.length !== HEADER_BYTES) throw new Error('the first header does not have 80 bytes');
  return header;
}

const TEST_GENESIS = genesisWith('dae5494dffff001d1aa4ae18');

const main: ChainRules = {
  name: 'main',
  genesis: genesisWith('29ab5f49ffff001d1dac2b7c'),
  easiestBits: EASIEST_BITS,
  isFixed: false,
  allowsEasiest: false,
  daaHeight: 504_031,
  checkpoints: [
    { height: 11_111, hash: '0000000069e244f73d78e8fd29ba2fd2ed618bd6fa2ee92559f542fdb26e7c1d' },
    { height: 33_333, hash: '000000002dd5588a74784eaa7ab0507a18ad16a236e7b1ce69f00d7ddfb5d0a6' },
    { height: 74_000, hash: '0000000000573993a3c9e41ce34471c079dcf5f52a0e824a81e7f953b8661a20' },
    { height: 105_000, hash: '00000000000291ce28027faea320c8d2b054b2e0fe44a773f3eefb151d6bdc97' },
    { height: 134_444, hash: '00000000000005b12ffd4cd315cd34ffd4a594f430ac814c91184a0d42d2b0fe' },
    { height: 168_000, hash: '000000000000099e61ea72015e79632f216fe6cb33d7899acb35b75c8303b763' },
    { height: 193_000, hash: '000000000000059f452a5f7340de6682a977387c17010ff6e6c3bd83ca8b1317' },
    { height: 210_000, hash: '000000000000048b95347e83192f69cf0366076336c639f9b7228e9ba171342e' },
    { height: 216_116, hash: '00000000000001b4f4b433e81ee46494af945cf96014816a4e2370f11b23df4e' },
    { height: 225_430, hash: '00000000000001c108384350f74090433e7fcf79a606b8e797f065b130575932' },
    { height: 250_000, hash: '000000000000003887df1f29024b06fc2200b55f8af8f35453d7be294df2d214' },
    { height: 279_000, hash: '0000000000000001ae8c72a0b0c301f67e3afca10e819efa9041e458e9bd7e40' },
    { height: 295_000, hash: '00000000000000004d9b4ef50f0f9d686fd69db2e03af35a100370c64632a983' },
    { height: 478_558, hash: '0000000000000000011865af4122fe3b144e2cbeea86142e8ff2fb4107352d43' },
    { height: 504_031, hash: '0000000000000000011ebf65b60d0a3de80b8175be709d653b4c1a1beeb6ab9c' },
    { height: 530_359, hash: '0000000000000000011ada8bd08f46074f44a8f155396f43e38acf9501c49103' },
    MAIN_AFTER_SPLITS,
    // ts-stack, validBulkHeaderFilesByFileHash.ts; go-chaintracks, data/headers/mainNetBlockHeaders.json
    {
      height: 899_999,
      hash: '00000000000000000e7dcc27c06ee353bd37260b2e7e664314c204f0324a5087',
      work: 0x01664db1f2d50327928007e0n,
    },
    // ts-stack, validBulkHeaderFilesByFileHash.ts, alone: the next one, which builds on it, shows the hash
    {
      height: 942_760,
      hash: '0000000000000000108a6b142072acf8a781d5fcdd1c9a637d2194ad6b9c09dc',
      work: 0x016bf64e6fb83417f3b94c86n,
    },
    // go-chaincfg, params.go; teranode, pull request 849
    { height: 945_000, hash: '00000000000000000c39d94e19d6a55cfb0454918df1814fbcd919353a6e1f82' },
  ],
  denied: new Set([
    // BTC, at height 478,559
    '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148',
    // BCH, at height 556,767
    '0000000000000000004626ff6e3b936941d341c5932ece4357eeccac44e6d56c',
  ]),
  followsNode: false,
};

const test: ChainRules = {
  ...main,
  name: 'test',
  genesis: TEST_GENESIS,
  allowsEasiest: true,
  daaHeight: 1_188_697,
  checkpoints: [
    { height: 546, hash: '000000002a936ca763904c3c35fce2f3556c559c0214345d31b1bcebf76acb70' },
    { height: 1_155_875, hash: '00000000f17c850672894b9a75b63a1e72830bbd5f4c8889b5c1a80e7faef138' },
    { height: 1_188_697, hash: '0000000000170ed0918077bde7b4d36cc4c91be69fa09211f748240dabe047fb' },
    // ts-stack, validBulkHeaderFilesByFileHash.ts, in the words of its port to Python as well
    { height: 1_599_999, hash: '00000000000005504bfd1a3ce4688c30c86740390102b6cd464a2fb5e0e3fed1' },
    // go-chaincfg, params.go; teranode, pull request 849
    { height: 1_730_000, hash: '00000000000e61efa6a236cd94662eefc814a24affb9f24b002ebc4b018e4256' },
  ],
};

const stn: ChainRules = {
  ...main,
  name: 'stn',
  genesis: TEST_GENESIS,
  daaHeight: 2_200,
  // the scaling test network starts over from time to time, with less work than before
  checkpoints: [],
  followsNode: true,
};

const regtest: ChainRules = {
  name: 'regtest',
  genesis: genesisWith('dae5494dffff7f2002000000'),
  easiestBits: EASIEST_REGTEST_BITS,
  isFixed: true,
  allowsEasiest: true,
  daaHeight: 0,
  checkpoints: [],
  denied: new Set(),
  followsNode: true,
};

/** The sandbox of another installation: once a chain is stored, no other takes its place, whatever its work. */
const joined: ChainRules = { ...regtest, isAnchored: true };

const all = { main, test, stn, regtest };

/**
 * @param chain the name that the node reports; a test network may be one of several chains
 * @returns undefined for a chain that this network cannot be
 */
export function rulesOf(network: Network, chain: string): ChainRules | undefined {
  if (network === 'main') return main;
  if (network === 'sandbox') return regtest;
  if (network === 'private') return joined;
  return chain !== 'main' && Object.hasOwn(all, chain) ? all[chain as keyof typeof all] : undefined;
}

/** @param second hash of the stored header at height 1; undefined where there is none. @returns the rules with that block fixed */
export function anchoredRules(rules: ChainRules, second: string | undefined): ChainRules {
  if (rules.isAnchored === undefined || second === undefined) return rules;
  return { ...rules, checkpoints: [{ height: 1, hash: second }] };
}
