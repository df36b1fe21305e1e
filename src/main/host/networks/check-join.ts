import { HEADER_BYTES, headerHash, toHex } from '../../../chain/index.ts';
import { joinedServices, PlanchetError, phrase, type Reason } from '../../../contract/index.ts';
import { rulesOf } from '../../chain-data/headers/chain-rules.ts';
import { withStoredHeaders } from '../../chain-data/headers/stored-headers.ts';
import { arcadeHeaders } from '../../chain-data/sources/arcade/headers.ts';
import { createSourceClient } from '../../chain-data/sources/http/source-client.ts';
import type { Infrastructure } from '../infrastructure.ts';

type JoinWay = Pick<Infrastructure, 'clock' | 'outbound'>;

/**
 * Asks the sandbox at an address for its chain, before the network `private` follows it.
 * @param dataDir of the application
 * @throws PlanchetError `networks.no-sandbox` where none answers there, `networks.other-sandbox` where it is not the one that was followed before
 */
export async function checkJoin(joinUrl: string, dataDir: string, way: JoinWay): Promise<void> {
  const second = await secondBlockAt(joinUrl, way);
  const known = await withStoredHeaders(dataDir, 'private', (headers) => headers.at(1)?.hash);
  if (known.every((hash) => hash === undefined || hash === second)) return;
  throw new PlanchetError('networks.other-sandbox', { url: joinUrl });
}

/** All sandboxes have the same first block; the next one is each one's own. */
async function secondBlockAt(joinUrl: string, { clock, outbound }: JoinWay): Promise<string> {
  const baseUrl = joinedServices(joinUrl).arcade as string;
  const sandbox = arcadeHeaders(
    createSourceClient({ operator: 'sandbox', baseUrl, clock, minIntervalMs: 0, outbound }),
  );
  const { signal } = new AbortController();
  const refuse = (reason: Reason): PlanchetError => new PlanchetError('networks.no-sandbox', { url: joinUrl, reason });
  const chain = await sandbox.chain?.(signal);
  if (chain?.state !== 'present') throw refuse(chain?.reason ?? '');
  if (chain.value !== 'regtest') throw refuse(phrase('reason.chain-named', { chain: chain.value }));
  const headers = await sandbox.headers(0, 1, signal);
  if (headers.state !== 'present') throw refuse(headers.reason);
  const { bytes } = headers.value;
  const genesis = rulesOf('private', '')?.genesis ?? new Uint8Array();
  if (bytes.length !== 2 * HEADER_BYTES || toHex(bytes.subarray(0, HEADER_BYTES)) !== toHex(genesis))
    throw refuse(phrase('reason.no-sandbox-blocks'));
  return headerHash(bytes.subarray(HEADER_BYTES));
}
