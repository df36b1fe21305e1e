import { hash } from 'node:crypto';
import { z } from 'zod';
import { fromHex, signatureOf, txidOf, type UncheckedSignature } from '../../../chain/index.ts';
import { hashSchema } from '../../../contract/index.ts';
import { foreignBounds, jsonOf, parseForeign } from '../../foreign-json.ts';
import type { MinerVerdict } from '../../ports/merchant/miners.ts';
import { contentOf, readEnvelope, signerOf } from '../mapi/envelope.ts';

/** What one message of a miner says of one transaction. */
export interface CallbackMessage {
  readonly verdict: MinerVerdict;
  /** The proof of a merchant API, whichever of its forms; null where there is none. Not verified. */
  readonly proof: unknown;
  /** Two messages with the same identity say the same. */
  readonly identity: string;
}

/** A body that is no callback. */
export class UnreadableCallback extends Error {}

/** What a body of each kind of miner may be, and each of the texts with JSON that stand in it. */
export const callbackBounds = { mapi: foreignBounds.mapiCallback, arc: foreignBounds.arcCallback } as const;

const lowerHash = z.string().toLowerCase().pipe(hashSchema);
/** ARC puts 50 into one request. */
const MAX_STATUSES = 1_000;
const REASONS = ['merkleProof', 'doubleSpend', 'doubleSpendAttempt'] as const;

const messageSchema = z.object({
  callbackPayload: z.union([z.string(), z.record(z.string(), z.unknown())]),
  blockHash: lowerHash.nullish().or(z.literal('')),
  blockHeight: z.number().int().min(-1).nullish(),
  callbackTxId: lowerHash,
  /** Its first letter is a capital in some versions. */
  callbackReason: z.string().transform((text, context) => {
    const reason = REASONS.find((known) => known.toLowerCase() === text.toLowerCase());
    if (reason === undefined) context.addIssue({ code: 'custom', message: 'is no known reason' });
    return reason ?? z.NEVER;
  }),
});

const doubleSpendSchema = z.object({ doubleSpendTxId: lowerHash, payload: z.string().nullish() });

/** A callback of a merchant API before anything in it is believed. */
export interface OpenedEnvelope {
  readonly message: unknown;
  /** The message as it was before it was put into the envelope. */
  readonly text: string;
  /** The key whose signature is valid, compressed lower-case hex; null for a message without one. */
  readonly signer: string | null;
}

/**
 * Takes a callback of a merchant API out of its envelope, if it has one.
 * @param text the body, which was read within its bounds
 * @param isValid checks its signature
 * @throws UnreadableCallback for what is no JSON, or has a wrong signature
 */
export async function openEnvelope(
  text: string,
  isValid: (signature: UncheckedSignature) => Promise<boolean>,
): Promise<OpenedEnvelope> {
  const json = jsonOf(text);
  const { data: envelope } = readEnvelope(json);
  if (envelope === undefined) return { message: json, text, signer: null };
  const found = signatureOf(envelope);
  if (found === 'invalid' || (found !== 'unsigned' && !(await isValid(found))))
    throw new UnreadableCallback('The signature of the envelope is wrong.');
  const content = contentOf(envelope, callbackBounds.mapi);
  const signer = found === 'unsigned' ? null : signerOf(envelope, content.json);
  if (signer === undefined) throw new UnreadableCallback('The message is signed by another than the miner it names.');
  return { message: content.json, text: content.text, signer };
}

/**
 * Reads a message of a merchant API (wire facts 3.9): its payload is text or an object, depending on the version.
 * @throws UnreadableCallback
 */
export function readMapiMessage(
  { message, text }: Pick<OpenedEnvelope, 'message' | 'text'>,
  signature: MinerVerdict['signature'],
): CallbackMessage {
  const read = messageSchema.safeParse(message);
  if (!read.success) throw new UnreadableCallback('The body is no callback of a merchant API.');
  const { callbackPayload, blockHash, blockHeight, callbackTxId: txid, callbackReason: word } = read.data;
  const payload =
    typeof callbackPayload === 'string' ? parseForeign(callbackPayload, callbackBounds.mapi) : callbackPayload;
  const block =
    blockHash && typeof blockHeight === 'number' && blockHeight >= 0 ? { hash: blockHash, height: blockHeight } : null;
  const base = { txid, word, reason: null, failure: null, block, bump: null, conflicts: [], raw: text, signature };
  if (word === 'merkleProof') {
    if (typeof payload !== 'object' || payload === null) throw new UnreadableCallback('The proof cannot be read.');
    // the proof of a node counts the confirmations anew each time it is sent
    const identity = JSON.stringify([txid, word, block?.hash ?? digestOf(JSON.stringify(payload))]);
    return { verdict: { ...base, status: 'mined' }, proof: payload, identity };
  }
  const conflict = doubleSpendSchema.safeParse(payload);
  if (!conflict.success) throw new UnreadableCallback('The double spend cannot be read.');
  const other = conflict.data.doubleSpendTxId;
  if (other === txid) throw new UnreadableCallback('A transaction does not conflict with itself.');
  const conflicts = [{ txid: other, rawTx: transactionOf(conflict.data.payload, other) }];
  return {
    // a miner's word alone does not end a transaction: the other one counts once the chain holds it
    verdict: { ...base, status: 'double-spend-attempted', conflicts },
    proof: null,
    identity: JSON.stringify([txid, word, block?.hash ?? '', other]),
  };
}

/**
 * Reads a callback of ARC: one status, or up to 50 of them together.
 * @param text the body, which was read within its bounds
 * @param readStatus reads one status as the answers of ARC have it; undefined for anything else
 * @throws UnreadableCallback
 */
export function readArcMessages(
  text: string,
  readStatus: (value: unknown, raw: string) => MinerVerdict | undefined,
): CallbackMessage[] {
  const body = jsonOf(text);
  const list = (body as { callbacks?: unknown } | null | undefined)?.callbacks;
  const values = Array.isArray(list) ? list : [body];
  if (values.length === 0 || values.length > MAX_STATUSES) throw new UnreadableCallback('The body has no statuses.');
  return values.map((value) => {
    const verdict = readStatus(value, JSON.stringify(value));
    if (verdict === undefined) throw new UnreadableCallback('The body is no status of ARC.');
    // ARC tells of the same state twice where a block came back; a repetition of one message has the same time
    const { timestamp } = value as { timestamp?: unknown };
    const { txid, word, block, bump, conflicts } = verdict;
    const proof = bump === null ? '' : digestOf(Buffer.from(bump).toString('hex'));
    const others = conflicts.map((conflict) => conflict.txid).sort();
    const identity = JSON.stringify([txid, word, String(timestamp ?? ''), block?.hash ?? '', proof, others]);
    return { verdict, proof: null, identity };
  });
}

function transactionOf(hex: string | null | undefined, txid: string): Uint8Array | null {
  if (!hex || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return null;
  try {
    const raw = fromHex(hex.toLowerCase());
    return txidOf(raw) === txid ? raw : null;
  } catch {
    return null;
  }
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url');
}
