import { z } from 'zod';
import { HEADER_BYTES, headerHash } from '../../../../chain/index.ts';
import { hashSchema, phrase } from '../../../../contract/index.ts';
import type { BlockPlace } from '../../../ports/chain-data.ts';
import type { HeaderOperator, HeaderRun } from '../../headers/public/header-operator.ts';
import { JSON_ANSWER, mapped, placeSchema, shaped, wholeHeaders } from '../answers.ts';
import type { SourceAnswer, SourceClient } from '../http/source-client.ts';
import { operatorOf } from '../operators.ts';

/** A file has 10,000 headers, and the newest one fewer. */
const FILE = { kind: 'binary', limitBytes: 1_048_576, deadlineMs: 120_000 } as const;
/** Headers that are asked for by their number; more come as a file. */
const MOST_LATEST = 100;

const chainInfo = z.object({ chain: z.string(), blocks: z.number().int().min(0), bestblockhash: hashSchema });
const resources = z.object({ files: z.array(z.string()) });

/**
 * The headers of WhatsOnChain: files `{from}_{to}_headers.bin` of consecutive headers, and one that ends at the tip, which begins above the
 * last of them. @param client of `…/v1/bsv/<network>`
 */
export function whatsOnChainHeaders(client: SourceClient): HeaderOperator {
  let last: BlockPlace | undefined;

  async function info(signal: AbortSignal): Promise<SourceAnswer<z.infer<typeof chainInfo>>> {
    return shaped(await client.get('/chain/info', { ...JSON_ANSWER, revalidate: true, signal }), chainInfo);
  }

  async function block(id: string | number, signal: AbortSignal): Promise<SourceAnswer<BlockPlace>> {
    return shaped(await client.get(`/block/${id}/header`, { ...JSON_ANSWER, signal }), placeSchema);
  }

  /** The newest headers do not say where they begin: the tip that was told before must be among them. */
  async function newest(from: number, tip: BlockPlace, signal: AbortSignal): Promise<SourceAnswer<HeaderRun>> {
    const count = tip.height + 1 - from;
    const answer = wholeHeaders(await client.get(`/block/headers/latest?count=${count}`, { ...FILE, signal }));
    if (answer.state !== 'present') return answer;
    const bytes = answer.value;
    for (let end = bytes.length; end > 0; end -= HEADER_BYTES)
      if (headerHash(bytes.subarray(end - HEADER_BYTES, end)) === tip.hash)
        return mapped(answer, () => ({ first: tip.height + 1 - end / HEADER_BYTES, bytes }));
    return { state: 'unavailable', reason: phrase('reason.tip-changed'), status: answer.status };
  }

  async function fromFile(first: number, signal: AbortSignal): Promise<SourceAnswer<HeaderRun>> {
    const listed = shaped(await client.get('/block/headers/resources', { ...JSON_ANSWER, signal }), resources);
    if (listed.state !== 'present') return listed;
    const files = filesOf(listed.value.files);
    const file = files.find(({ from, to }) => from <= first && first <= to);
    if (file === undefined) return { state: 'unknown', reason: phrase('reason.no-file-at', { height: first }) };
    const answer = wholeHeaders(await client.get(`/block/headers/${file.name}`, { ...FILE, signal }));
    return mapped(answer, (bytes) => ({ first: file.from, bytes }));
  }

  return {
    name: 'whatsonchain',
    operator: operatorOf('whatsonchain', client),
    chain: async (signal) => mapped(await info(signal), ({ chain }) => chain),
    async tip(signal) {
      const answer = mapped(await info(signal), ({ blocks: height, bestblockhash: hash }) => ({ hash, height }));
      if (answer.state === 'present') last = answer.value;
      return answer;
    },
    hashAt: async (at, signal) => mapped(await block(at, signal), ({ hash: found }) => found),
    heightOf: async (of, signal) => mapped(await block(of, signal), ({ height: found }) => found),
    headers: (first, _, signal) =>
      last !== undefined && first > last.height - MOST_LATEST && first <= last.height
        ? newest(first, last, signal)
        : fromFile(first, signal),
  };
}

/** The name of each file alone: what is fetched lies below the operator's own address. */
function filesOf(urls: readonly string[]): { name: string; from: number; to: number }[] {
  let next = 0;
  return urls.flatMap((url) => {
    const name = url.split('/').at(-1) ?? '';
    if (name === 'latest') return [{ name, from: next, to: Number.MAX_SAFE_INTEGER }];
    const [, from, to] = /^(\d{1,9})_(\d{1,9})_headers\.bin$/.exec(name) ?? [];
    if (from === undefined) return [];
    next = Number(to) + 1;
    return [{ name, from: Number(from), to: Number(to) }];
  });
}
