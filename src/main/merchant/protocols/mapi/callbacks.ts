import { hash } from 'node:crypto';
import { z } from 'zod';
import { fromHex, signatureOf, txidOf, type UncheckedSignature } from '../../../../chain/index.ts';
import { hashSchema } from '../../../../contract/index.ts';
import { foreignBounds, jsonOf, parseForeign } from '../../../foreign-json.ts';
import type { MinerVerdict } from '../../../ports/merchant/miners.ts';
import { type CallbackMessage, type ProtocolCallbacks, UnreadableCallback } from '../protocol.ts';
import { contentOf, readEnvelope, signerOf } from './envelope.ts';

const bounds = foreignBounds.mapiCallback;

const lowerHash = z.string().toLowerCase().pipe(hashSchema);
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

/** A callback before anything in it is believed. */
interface OpenedEnvelope {
  readonly message: unknown;
  /** The message as it was before it was put into the envelope. */
  readonly text: string;
  /** The key whose signature is valid, compressed lower-case hex; null for a message without one. */
  readonly signer: string | null;
}

/**
 * Takes a callback out of its envelope, if it has one.
 * @throws UnreadableCallback for what is no JSON, or has a wrong signature
 */
async function openEnvelope(
  text: string,
  isValid: (signature: UncheckedSignature) => Promise<boolean>,
): Promise<OpenedEnvelope> {
  const json = jsonOf(text);
  const { data: envelope } = readEnvelope(json);
  if (envelope === undefined) return { message: json, text, signer: null };
  const found = signatureOf(envelope);
  if (found === 'invalid' || (found !== 'unsigned' && !(await isValid(found))))
    throw new UnreadableCallback('The signature of the envelope is wrong.');
  const content = contentOf(envelope, bounds);
  const signer = found === 'unsigned' ? null : signerOf(envelope, content.json);
  if (signer === undefined) throw new UnreadableCallback('The message is signed by another than the miner it names.');
  return { message: content.json, text: content.text, signer };
}

/** Reads a message (wire facts 3.9): its payload is text or an object, depending on the version. @throws UnreadableCallback */
function readMessage(
  { message, text }: Pick<OpenedEnvelope, 'message' | 'text'>,
  signature: MinerVerdict['signature'],
): CallbackMessage {
  const read = messageSchema.safeParse(message);
  if (!read.success) throw new UnreadableCallback('The body is no callback of a merchant API.');
  const { callbackPayload, blockHash, blockHeight, callbackTxId: txid, callbackReason: word } = read.data;
  const payload = typeof callbackPayload === 'string' ? parseForeign(callbackPayload, bounds) : callbackPayload;
  const block =
    blockHash && typeof blockHeight === 'number' && blockHeight >= 0 ? { hash: blockHash, height: blockHeight } : null;
  const base = { txid, word, reason: null, failure: null, block, bump: null, conflicts: [], raw: text, signature };
  if (word === 'merkleProof') {
    if (typeof payload !== 'object' || payload === null) throw new UnreadableCallback('The proof cannot be read.');
    // the proof of a node counts the confirmations anew each time it is sent
    const identity = JSON.stringify([txid, word, block?.hash ?? hash('sha256', JSON.stringify(payload), 'base64url')]);
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

function transactionOf(hex: string | null | undefined, txid: string): Uint8Array | null {
  if (!hex || !/^(?:[0-9a-f]{2})+$/i.test(hex)) return null;
  try {
    const raw = fromHex(hex.toLowerCase());
    return txidOf(raw) === txid ? raw : null;
  } catch {
    return null;
  }
}

/** Messages of a merchant API, with an envelope or without one. */
export const callbacks: ProtocolCallbacks = {
  bounds,
  needsSameAddress: true,
  asked: (callback, encryption) => ({
    callback: { ...callback, ...(encryption !== undefined && { encryption }) },
    merkleProof: true,
    dsCheck: true,
  }),
  read: async (text, { isValid, trusts }) => {
    const opened = await openEnvelope(text, isValid);
    // A message without a signature has its token alone; one that is signed must be so by the miner's key.
    if (opened.signer !== null && !trusts(opened.signer))
      throw new UnreadableCallback('The message is signed with another key than the miner’s.');
    return [readMessage(opened, opened.signer === null ? 'unsigned' : 'valid')];
  },
  // it was taken out of its envelope before it was recorded
  reread: (raw, signature) => readMessage({ message: parseForeign(raw, bounds), text: raw }, signature),
};
