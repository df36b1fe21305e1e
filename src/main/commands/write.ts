import { isUtf8 } from 'node:buffer';
import {
  PlanchetError,
  phrase,
  type WriterDocument,
  type WriterKey,
  type WriterState,
  writerStates,
} from '../../contract/index.ts';
import type { Client, Output } from './shared/run.ts';
import { readSecret } from './shared/terminal.ts';
import { reasonOfState, type TimeoutOption, waitUntil } from './shared/waiting.ts';

export interface WriteOptions extends TimeoutOption {
  tag?: string;
  mode: 'raw' | 'hash' | 'encrypt';
  wait: 'accepted' | 'submitted' | 'mined';
  idempotencyKey?: string;
}

/** How long the host waits for the state before it answers. */
const WAIT_MS = 1_000;
/** From then on it is asked this often. */
const POLL_MS = 250;

/**
 * Writes one JSON document, and waits for the state that was asked for.
 * @param text the document, or `-` for what is piped in
 * @throws PlanchetError `rejected` where it was given up, with the reason; `timeout` where that took longer than the option allows, and the document
 *   is kept
 */
export async function writeDocument(
  client: Client,
  text: string,
  options: WriteOptions,
  { note }: Pick<Output, 'note'>,
): Promise<WriterDocument> {
  const body = text === '-' ? await readPiped() : text;
  const accepted = await client.writer.write({
    body,
    mode: options.mode,
    wait: options.wait,
    waitMs: Math.min(WAIT_MS, options.timeout ?? WAIT_MS),
    ...(options.tag === undefined ? {} : { tag: options.tag }),
    ...(options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }),
  });
  const document = await waitUntil(accepted, {
    ...options,
    what: `The document ${accepted.id}`,
    every: POLL_MS,
    look: () => client.writer.documents.get({ id: accepted.id }),
    isOver: ({ state }) => state === 'dead' || hasReached(state, options.wait),
    reason: ({ state, failure, reason }) => failure?.message ?? reason ?? reasonOfState('The document', state),
    note,
  });
  if (document.state !== 'dead') return document;
  throw new PlanchetError('writer.document-dead', { reason: document.reason ?? phrase('reason.none') });
}

function hasReached(state: WriterState, wait: WriteOptions['wait']): boolean {
  return wait === 'accepted' || writerStates.is(state, wait);
}

/**
 * Lets an API key write documents. It is the writer's alone: what the network's other services use is the setting `apiKey`.
 * @param key the API key, or `-` to read it from the terminal or what is piped in
 */
export async function registerKey(client: Client, key: string): Promise<WriterKey> {
  return client.writer.keys.register({ apiKey: key === '-' ? await readSecret('API key: ') : key });
}

async function readPiped(): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of process.stdin) pieces.push(piece as Buffer);
  const bytes = Buffer.concat(pieces);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  // If it were decoded all the same, other bytes than those of the document would go to the chain.
  throw new PlanchetError('cli.document-not-utf8');
}
