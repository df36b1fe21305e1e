import { difficultyOf, medianTime, parseHeader, toHex } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { headerObject, softforks } from '../../node-format/header-view.ts';
import { type RpcValue, real } from '../../node-format/json.ts';
import { asInteger, asLooseHash, failure, headerVerbosity } from '../../node-format/params.ts';
import type { RpcObject } from '../../node-format/views.ts';
import type { ChainHeader } from '../../ports/headers.ts';
import { chainNames } from '../blocks/network-chains.ts';
import type { PublicCommands, PublicContext, WorkedHeaders } from './command.ts';

/** Blocks of which the time that counts is the median. */
const MEDIAN_BLOCKS = 11;
const WORK_DIGITS = 64;

/** The newest block. @throws PlanchetError `chain.no-headers`; `gateway.tip-not-agreed` while operators name different ones */
export async function tipOf({ headers }: Pick<PublicContext, 'headers'>): Promise<ChainHeader> {
  if (headers.tip === null) await headers.refresh();
  if (headers.tip === null) throw new PlanchetError('chain.no-headers');
  if (!headers.isAgreed) throw new PlanchetError('gateway.tip-not-agreed');
  return headers.tip;
}

/** The block at a height. @throws NodeRpcError -8 where the chain has none; PlanchetError where its header is not here */
async function blockAt(context: PublicContext, height: number): Promise<ChainHeader> {
  const { headers } = context;
  const tip = await tipOf(context);
  if (height < 0 || height > tip.height) throw failure('parameter', 'Block height out of range');
  if (headers.at(height) === undefined) await headers.refresh(height);
  const found = headers.at(height);
  if (found === undefined) throw new PlanchetError('gateway.header-not-here', { height });
  return found;
}

/** A block of the main chain; undefined for any other. Older headers are read where it may be among them. */
export async function findHeader({ headers }: PublicContext, hash: string): Promise<ChainHeader | undefined> {
  if (headers.header(hash) === undefined) await headers.refresh(hash);
  return headers.header(hash);
}

/** @throws NodeRpcError -5 for a block that is not on the main chain */
export async function requireHeader(context: PublicContext, hash: string): Promise<ChainHeader> {
  const found = await findHeader(context, hash);
  if (found === undefined) throw failure('notFound', 'Block not found');
  return found;
}

function medianTimeAt(headers: WorkedHeaders, height: number): number | undefined {
  const times: number[] = [];
  for (let at = Math.max(0, height - MEDIAN_BLOCKS + 1); at <= height; at++) {
    const found = headers.at(at);
    if (found === undefined) return undefined;
    times.push(parseHeader(found.header).time);
  }
  return medianTime(times);
}

async function workAt(headers: WorkedHeaders, height: number): Promise<string | undefined> {
  return (await headers.workAt(height))?.toString(16).padStart(WORK_DIGITS, '0');
}

/** The HEADER object; the size of the block and the number of its transactions are not written, because no header tells them. */
export async function headerView(context: PublicContext, found: ChainHeader): Promise<RpcObject> {
  const { headers } = context;
  const tip = await tipOf(context);
  const { height } = found;
  return headerObject({
    ...found,
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
  getblockheader: async (context, [hash, verbosity]) => {
    const level = headerVerbosity(verbosity);
    const found = await requireHeader(context, asLooseHash(hash));
    if (level === 0) return toHex(found.header);
    return level === 1 ? headerView(context, found) : undefined;
  },
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
};
