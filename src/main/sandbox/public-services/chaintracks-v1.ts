import type { FastifyInstance } from 'fastify';
import { parseHeader, toHex } from '../../../chain/index.ts';
import { PublicError, publicScope } from './answers.ts';
import type { HeaderServiceOptions } from './header-routes.ts';

const MOST_HEADERS = 1_000;

/**
 * Headers as the toolbox's own Chaintracks service answers them (public-services.md 2.3): each value in an envelope, which has no value for
 * what does not exist.
 */
export async function chaintracksV1Routes(app: FastifyInstance, { node, served }: HeaderServiceOptions): Promise<void> {
  publicScope(app, node, (description) => ({ status: 'error', code: 'ERR_INVALID_PARAMETER', description }));
  const serve = (
    path: string,
    find: (query: Readonly<Record<string, string | undefined>>) => Promise<unknown>,
  ): void => {
    app.get(path, async ({ query }) => ({
      status: 'success',
      value: await find(query as Readonly<Record<string, string | undefined>>),
    }));
  };
  const view = (found: Awaited<ReturnType<typeof served.at>>): object | undefined =>
    found && { ...parseHeader(found.header), height: found.height, hash: found.hash };
  const tipHeight = async (): Promise<number> => (await served.tip()).height;
  serve('/getChain', async () => 'test');
  serve('/getPresentHeight', tipHeight);
  serve('/getInfo', async () => {
    const height = await tipHeight();
    return {
      chain: 'test',
      heightBulk: height,
      heightLive: height,
      storage: 'node',
      bulkIngestors: [],
      liveIngestors: [],
      packages: [],
    };
  });
  serve('/findChainTipHashHex', async () => (await served.tip()).hash);
  serve('/findChainTipHeaderHex', async () => view(await served.at(await tipHeight())));
  serve('/findHeaderHexForHeight', async ({ height }) => view(await served.at(countOf(height))));
  serve('/findHeaderHexForBlockHash', async ({ hash = '' }) => view(await served.find(hash)));
  serve('/getHeaders', async ({ height, count }) => {
    const first = countOf(height);
    return toHex(await served.range(first, first + Math.min(MOST_HEADERS, countOf(count)) - 1));
  });
}

/** @throws PublicError 400 */
function countOf(text = ''): number {
  if (!/^\d{1,9}$/.test(text)) throw new PublicError(400, 'not a number');
  return Number(text);
}
