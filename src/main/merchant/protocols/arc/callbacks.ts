import { hash } from 'node:crypto';
import { foreignBounds, jsonOf } from '../../../foreign-json.ts';
import { type CallbackMessage, type ProtocolCallbacks, UnreadableCallback } from '../protocol.ts';
import { readArcStatus } from './verdicts.ts';

/** ARC puts 50 into one request. */
const MAX_STATUSES = 1_000;

/** One status, or up to 50 of them together. */
function readMessages(text: string): CallbackMessage[] {
  const body = jsonOf(text);
  const list = (body as { callbacks?: unknown } | null | undefined)?.callbacks;
  const values = Array.isArray(list) ? list : [body];
  if (values.length === 0 || values.length > MAX_STATUSES) throw new UnreadableCallback('The body has no statuses.');
  return values.map((value) => {
    const verdict = readArcStatus(value, JSON.stringify(value));
    if (verdict === undefined) throw new UnreadableCallback('The body is no status of ARC.');
    // ARC tells of the same state twice where a block came back; a repetition of one message has the same time
    const { timestamp } = value as { timestamp?: unknown };
    const { txid, word, block, bump, conflicts } = verdict;
    const proof = bump === null ? '' : hash('sha256', Buffer.from(bump).toString('hex'), 'base64url');
    const others = conflicts.map((conflict) => conflict.txid).sort();
    const identity = JSON.stringify([txid, word, String(timestamp ?? ''), block?.hash ?? '', proof, others]);
    return { verdict, proof: null, identity };
  });
}

/** Statuses that ARC sends by itself. Nothing of them is signed. */
export const callbacks: ProtocolCallbacks = {
  bounds: foreignBounds.arcCallback,
  needsSameAddress: false,
  asked: ({ url, token }) => ({
    callback: { url: url.replaceAll(/\{callbackReason\}/gi, 'status'), token },
    fullStatusUpdates: true,
  }),
  read: readMessages,
  reread: (raw) => readMessages(raw)[0],
};
