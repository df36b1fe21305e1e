import type { FastifyInstance } from 'fastify';
import { parseHeader } from '../../../chain/index.ts';
import { Faults } from '../controls/faults.ts';
import type { SandboxNode } from '../node/node.ts';
import { PublicError, publicScope } from './answers.ts';
import { ServedHeaders } from './served-headers.ts';

/** Maximum Merkle roots in one request. */
const MOST_ROOTS = 2_000;

type Found = NonNullable<Awaited<ReturnType<ServedHeaders['at']>>>;

/**
 * Headers as a Block Headers Service answers them (public-services.md 4.2): the chain tracker of many wallets. Planchet uses none, so there
 * are no faults.
 */
export async function blockHeadersServiceRoutes(app: FastifyInstance, { node }: { node: SandboxNode }): Promise<void> {
  const served = new ServedHeaders(node, new Faults(), 'cdn');
  publicScope(app, node, (message) => ({ code: 'ErrGeneric', message }));
  app.get('/chain/tip/longest', async () => {
    const { height } = await served.tip();
    return state((await served.at(height)) as Found);
  });
  app.get('/chain/header/state/:hash', async (request) =>
    state(known(await served.find((request.params as { hash: string }).hash))),
  );
  app.get('/chain/header/byHeight', async (request) => {
    const { height = '', count = '1' } = request.query as { height?: string; count?: string };
    const [first, most] = [height, count].map(Number) as [number, number];
    if (!Number.isSafeInteger(first) || !Number.isSafeInteger(most) || first < 0 || most < 1)
      throw new PublicError(400, 'invalid height or count');
    const found = await Promise.all(
      Array.from({ length: Math.min(most, MOST_ROOTS) }, (_, index) => served.at(first + index)),
    );
    return found.flatMap((one) => (one === undefined ? [] : [view(one)]));
  });
  app.get('/chain/header/:hash', async (request) =>
    view(known(await served.find((request.params as { hash: string }).hash))),
  );
  app.post('/chain/merkleroot/verify', async ({ body }) => {
    const asked = rootsOf(body);
    const { height: top } = await served.tip();
    const confirmations = await Promise.all(
      asked.map(async ({ merkleRoot, blockHeight }) => {
        const found = await served.at(blockHeight);
        const isThere = found !== undefined && parseHeader(found.header).merkleRoot === merkleRoot;
        const confirmation = isThere ? 'CONFIRMED' : blockHeight > top ? 'UNABLE_TO_VERIFY' : 'INVALID';
        return { blockHash: isThere ? found.hash : '', blockHeight, merkleRoot, confirmation };
      }),
    );
    // the overall result is the worst of them
    const worst = ['INVALID', 'UNABLE_TO_VERIFY'].find((one) => confirmations.some((row) => row.confirmation === one));
    return { confirmationState: worst ?? 'CONFIRMED', confirmations };
  });
}

function known(found: Found | undefined): Found {
  if (found === undefined) throw new PublicError(404, 'header not found');
  return found;
}

function state(found: Found): object {
  return { header: view(found), state: 'LONGEST_CHAIN', height: found.height };
}

function view({ hash, header }: Found): object {
  const { version, previousHash, merkleRoot, time, bits, nonce } = parseHeader(header);
  return {
    hash,
    version,
    prevBlockHash: previousHash,
    merkleRoot,
    creationTimestamp: time,
    difficultyTarget: bits,
    nonce,
  };
}

/** @throws PublicError 400 */
function rootsOf(body: unknown): { merkleRoot: string; blockHeight: number }[] {
  const isRoot = (one: { merkleRoot?: unknown; blockHeight?: unknown } | null): boolean =>
    typeof one?.merkleRoot === 'string' && Number.isSafeInteger(one.blockHeight) && Number(one.blockHeight) >= 0;
  if (!Array.isArray(body) || body.length === 0 || body.length > MOST_ROOTS || !body.every(isRoot))
    throw new PublicError(400, 'at least one merkleroot is required');
  return body as { merkleRoot: string; blockHeight: number }[];
}
