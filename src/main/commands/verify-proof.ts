import { fromHex } from '../../chain/index.ts';
import type { Network } from '../../contract/index.ts';
import { createProofVerifier } from '../merchant/headers/proof-verifier.ts';
import { withStoredHeaders } from '../merchant/headers/stored-headers.ts';
import type { ProofInput, ProofRefusal } from '../ports/merchant/headers.ts';

export const MAX_PROOF_BYTES = 16 * 1024 * 1024;

const NETWORKS: readonly Network[] = ['main', 'test', 'sandbox'];
const BEEF_STARTS = ['0100beef', '0200beef', '01010101'];

/** What `planchet verify --txid` found. */
export interface ProofVerdict {
  readonly valid: boolean;
  readonly txid: string;
  readonly network?: Network;
  readonly blockHash?: string;
  readonly height?: number;
  /** Of the transaction in its block. */
  readonly index?: number;
  /** The proof as BRC-74, hex. */
  readonly bump?: string;
  readonly reason?: string;
}

/**
 * Verifies a Merkle proof against the headers that this installation stored.
 * @param bytes of a file: JSON, or the binary of any form, which may be written as hex
 * @param txid display hex
 */
export async function verifyProofFile(bytes: Uint8Array, txid: string, dataDir: string): Promise<ProofVerdict> {
  let refusal: ProofRefusal | undefined;
  let isAnyStored = false;
  for (const network of NETWORKS) {
    const answers = await withStoredHeaders(dataDir, network, async (headers) => {
      isAnyStored = true;
      const verifier = createProofVerifier(headers);
      return Promise.all(formsOf(bytes).map((form) => verifier.verify(txid, form)));
    });
    for (const answer of answers.flat()) {
      if (!('refused' in answer)) {
        const { blockHash, height, index, bump } = answer;
        return { valid: true, txid, network, blockHash, height, index, bump: Buffer.from(bump).toString('hex') };
      }
      // one form could be read and says more than the others
      if (refusal === undefined || refusal.refused === 'malformed') refusal = answer;
    }
  }
  const reason = isAnyStored
    ? refusal?.text
    : 'No headers are stored here yet. Start Planchet once, so that it reads the chain.';
  return { valid: false, txid, ...(reason !== undefined && { reason }) };
}

function formsOf(file: Uint8Array): ProofInput[] {
  const text = new TextDecoder().decode(file).trim();
  if (text.startsWith('{')) {
    try {
      return [{ kind: 'tsc', json: JSON.parse(text) }];
    } catch {
      return [{ kind: 'tsc', json: text }];
    }
  }
  const bytes = /^(?:[0-9a-f]{2})+$/i.test(text) ? fromHex(text) : file;
  const start = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  if (BEEF_STARTS.includes(start)) return [{ kind: 'beef', bytes }];
  return [
    { kind: 'bump', bytes },
    { kind: 'tsc-binary', bytes },
  ];
}

export function textOfProof({ valid, txid, network, blockHash, height, index, reason }: ProofVerdict): string {
  if (!valid) return `Not valid. ${reason}`;
  return `Valid: block ${height} of the ${network} network (${blockHash}) holds ${txid} at index ${index}.`;
}
