import { difficultyOf, medianTime, parseHeader, toHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { statsWindow } from '../../node-format/chain-stats.ts';
import { type HeaderFacts, headerObject, softforks } from '../../node-format/header-view.ts';
import { type RpcValue, real } from '../../node-format/json.ts';
import { NODE_VERSION, PROTOCOL_VERSION, SUBVERSION } from '../../node-format/node-version.ts';
import { asInteger, asLooseHash, failure, isNull, NO_HASH } from '../../node-format/params.ts';
import type { RpcObject } from '../../node-format/views.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import { chainNames } from '../blocks/network-chains.ts';
import type { PublicCommands, PublicContext } from './command.ts';
import type { WorkedHeaders } from './header-look-ups.ts';

type KnownHeaders = PublicContext['headers'];

/** Blocks of which the time that counts is the median. */
const MEDIAN_BLOCKS = 11;
const WORK_DIGITS = 64;
/** Seconds until other headers can be looked for. */
const LOOK_AGAIN_S = 5;

/** Why the newest block is not known; undefined where it is. */
export function tipFault(headers: Pick<WorkedHeaders, 'tip' | 'isAgreed' | 'isSilent'>): PlanchetError | undefined {
  const { tip, isAgreed } = headers;
  if (tip !== null && isAgreed) return undefined;
  if (headers.isSilent) return new PlanchetError('gateway.sources-silent');
  return new PlanchetError(tip === null ? 'chain.no-headers' : 'gateway.tip-not-agreed');
}

/** The newest block. @throws PlanchetError `chain.no-headers`, `gateway.sources-silent`; `gateway.tip-not-agreed` while operators name different ones */
export async function tipOf({ headers, lookUps }: PublicContext): Promise<ChainHeader> {
  if (headers.tip === null) await lookUps.refresh();
  const { tip } = headers;
  const fault = tipFault(headers);
  if (fault !== undefined || tip === null) throw fault;
  return tip;
}

/** The block at a height. @throws NodeRpcError -8 where the chain has none; PlanchetError where its header is not here */
export async function blockAt(context: PublicContext, height: number): Promise<ChainHeader> {
  const { headers } = context;
  const tip = await tipOf(context);
  if (height < 0 || height > tip.height) throw failure('parameter', 'Block height out of range');
  const known = headers.at(height);
  if (known !== undefined) return known;
  await lookFor(context, height);
  const found = headers.at(height);
  if (found === undefined) throw new PlanchetError('gateway.header-not-here', { height });
  return found;
}

/**
 * The result of a call that the header file alone answers, as JSON: a hash by height, or the bytes of a header by its hash. Undefined for all else,
 * and where the header is not here.
 */
export function storedResult(headers: KnownHeaders, method: string, params: readonly unknown[]): string | undefined {
  if (headers.tip === null || !headers.isAgreed) return undefined;
  const [block, verbosity] = params;
  if (method === 'getblockhash' && params.length === 1 && typeof block === 'number') {
    const found = headers.at(block);
    return found && `"${found.hash}"`;
  }
  if (method !== 'getblockheader' || params.length !== 2 || verbosity !== false || typeof block !== 'string')
    return undefined;
  const found = headers.header(block);
  return found && `"${toHex(found.header)}"`;
}

/** A block of the main chain; undefined for any other. Older headers are read where it may be among them. */
export async function findHeader(context: PublicContext, hash: string): Promise<ChainHeader | undefined> {
  const { headers } = context;
  const known = headers.header(hash);
  if (known !== undefined || hash === NO_HASH) return known;
  await lookFor(context, hash);
  return headers.header(hash);
}

/** @throws PlanchetError `gateway.looked-for-another` where it may be among older headers, and others are being read */
async function lookFor({ lookUps }: PublicContext, block: number | string): Promise<void> {
  if (await lookUps.lookFor(block)) return;
  throw new PlanchetError('gateway.looked-for-another', {}, { detail: { retryAfter: LOOK_AGAIN_S } });
}

/** @throws NodeRpcError -5 for a block that is not on the main chain */
export async function requireHeader(context: PublicContext, hash: string): Promise<ChainHeader> {
  const found = await findHeader(context, hash);
  if (found === undefined) throw failure('notFound', 'Block not found');
  return found;
}

/** The time that counts for the block at a height; undefined where headers before it are not here. */
export function medianTimeAt(headers: KnownHeaders, height: number): number | undefined {
  const times: number[] = [];
  for (let at = Math.max(0, height - MEDIAN_BLOCKS + 1); at <= height; at++) {
    const found = headers.at(at);
    if (found === undefined) return undefined;
    times.push(parseHeader(found.header).time);
  }
  return medianTime(times);
}

async function workAt(headers: KnownHeaders, height: number): Promise<string | undefined> {
  return (await headers.workAt(height))?.toString(16).padStart(WORK_DIGITS, '0');
}

/** The HEADER object. No header tells the size of the block and the number of its transactions: they are written where they were counted. */
export async function headerView(
  context: PublicContext,
  found: ChainHeader,
  counted: Pick<HeaderFacts, 'size' | 'transactions'> = {},
): Promise<RpcObject> {
  const { headers } = context;
  const tip = await tipOf(context);
  const { height } = found;
  return headerObject({
    ...found,
    ...counted,
    confirmations: tip.height - height + 1,
    medianTime: medianTimeAt(headers, height),
    chainwork: await workAt(headers, height),
    nextHash: headers.at(height + 1)?.hash,
  });
}

const difficulty = ({ header }: ChainHeader): RpcValue => real(difficultyOf(parseHeader(header).bits));
export const headerCommands: PublicCommands = {
  getbestblockhash: async (context) => (await tipOf(context)).hash,
  getblockcount: async (context) => (await tipOf(context)).height,
  getblockhash: async (context, [height]) => (await blockAt(context, asInteger(height))).hash,
  getdifficulty: async (context) => difficulty(await tipOf(context)),
  getblockchaininfo: async (context) => {
    const { headers, network } = context;
    const tip = await tipOf(context);
    return {
      chain: chainNames[network][0],
      blocks: tip.height,
      headers: tip.height,
      bestblockhash: tip.hash,
      difficulty: difficulty(tip),
      mediantime: medianTimeAt(headers, tip.height),
      verificationprogress: 1,
      chainwork: await workAt(headers, tip.height),
      softforks,
    };
  },
  getchaintips: async (context) => {
    const { height, hash } = await tipOf(context);
    return [{ height, hash, branchlen: 0, status: 'active' }];
  },
  getchaintxstats: async (context, [nblocks, blockhash]) => {
    const { headers } = context;
    const last = isNull(blockhash) ? await tipOf(context) : await requireHeader(context, asLooseHash(blockhash));
    const count = statsWindow(nblocks, last.height);
    const stats: RpcObject = { time: parseHeader(last.header).time, window_block_count: count };
    if (count === 0) return stats;
    const from = last.height - count;
    // the eleven blocks up to the first one, whose times are its median
    const lowest = Math.max(0, from - MEDIAN_BLOCKS + 1);
    if (headers.at(lowest) === undefined) await lookFor(context, lowest);
    const [to, since] = [medianTimeAt(headers, last.height), medianTimeAt(headers, from)];
    if (to === undefined || since === undefined) throw new PlanchetError('gateway.header-not-here', { height: from });
    return { ...stats, window_interval: to - since };
  },
  getinfo: async (context) => {
    const tip = await tipOf(context);
    return {
      version: NODE_VERSION,
      protocolversion: PROTOCOL_VERSION,
      initcomplete: true,
      blocks: tip.height,
      timeoffset: 0,
      connections: 0,
      proxy: '',
      difficulty: difficulty(tip),
      testnet: context.network === 'test',
      stn: false,
      errors: '',
    };
  },
  // no other node is connected
  getnetworkinfo: () => ({
    version: NODE_VERSION,
    subversion: SUBVERSION,
    protocolversion: PROTOCOL_VERSION,
    timeoffset: 0,
    connections: 0,
    addresscount: 0,
    localaddresses: [],
    warnings: '',
  }),
};
