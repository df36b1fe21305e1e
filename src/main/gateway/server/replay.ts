import type { Replay } from '../../../contract/index.ts';
import { maskSecrets } from '../metrics/mask-secrets.ts';
import { LONGEST_ANSWER } from '../metrics/traffic.ts';

/** Milliseconds to wait for the answer. */
const TIMEOUT_MS = 30_000;

interface Repeated {
  /** Of the node endpoint, without a slash at the end. */
  readonly address: string;
  readonly authorization: string;
  /** A command, or `REST`. */
  readonly method: string;
  /** Parameters as JSON; of REST the path. */
  readonly params: string;
}

/** Sends a call to the node endpoint over HTTP and reads the beginning of the answer. @throws Error if nothing answers */
export async function replay(
  { address, authorization, method, params }: Repeated,
  signal: AbortSignal | undefined,
): Promise<Replay> {
  const started = performance.now();
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const rpc = {
    method: 'POST',
    body: `{"jsonrpc":"1.0","id":"replay","method":${JSON.stringify(method)},"params":${params || '[]'}}`,
  };
  const response = await fetch(method === 'REST' ? `${address}${params}` : `${address}/`, {
    ...(method === 'REST' ? {} : rpc),
    headers: { authorization, 'content-type': 'application/json' },
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
  const { text, isCut } = await readBeginning(response);
  const milliseconds = performance.now() - started;
  return { status: response.status, milliseconds, answer: maskSecrets(method, text, 'answer'), answerCut: isCut };
}

async function readBeginning(response: Response): Promise<{ text: string; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    pieces.push(piece);
    length += piece.length;
    // leaving the loop cancels the rest
    if (length > LONGEST_ANSWER) break;
  }
  const bytes = Buffer.concat(pieces);
  return { text: bytes.subarray(0, LONGEST_ANSWER).toString(), isCut: bytes.length > LONGEST_ANSWER };
}
