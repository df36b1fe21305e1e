import { fromHex, parseBeef } from '../../../chain/index.ts';
import { type Network, phraseText } from '../../../contract/index.ts';
import { createProofVerifier } from '../../chain-data/headers/proof-verifier.ts';
import { withStoredHeaders } from '../../chain-data/headers/stored-headers.ts';
import type { ProofInput, ProofRefusal } from '../../ports/headers.ts';

export const MAX_PROOF_BYTES = 16 * 1024 * 1024;

const NETWORKS: readonly Network[] = ['main', 'test', 'private', 'sandbox'];
/** Flag of a binary TSC proof: it holds the transaction in place of its id. */
const TSC_TRANSACTION = 1;
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
  /**
   * Whether the file holds the transaction's bytes, which have this id. A path alone may begin at a node of the tree as well as at a
   * transaction (CVE-2017-12842).
   */
  readonly transactionInFile?: boolean;
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
      return Promise.all(formsOf(bytes).map(async (form) => ({ form, answer: await verifier.verify(txid, form) })));
    });
    for (const { form, answer } of answers.flat()) {
      if (!('refused' in answer)) {
        const { blockHash, height, index, bump } = answer;
        const place = { network, blockHash, height, index, transactionInFile: holdsTransaction(form, txid) };
        return { valid: true, txid, ...place, bump: Buffer.from(bump).toString('hex') };
      }
      // the refusal of a form that could be read says more than the others
      if (refusal === undefined || refusal.refused === 'malformed') refusal = answer;
    }
  }
  const reason = isAnyStored
    ? refusal && phraseText(refusal.reason)
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

/** Whether an accepted proof holds the transaction itself. */
function holdsTransaction(proof: ProofInput, txid: string): boolean {
  switch (proof.kind) {
    case 'bump':
      return false;
    case 'tsc':
      return (proof.json as { txOrId: string }).txOrId.length > txid.length;
    case 'tsc-binary':
      return ((proof.bytes[0] as number) & TSC_TRANSACTION) !== 0;
    case 'beef':
      return parseBeef(proof.bytes).transactions.some((one) => one.txid === txid && one.raw !== null);
  }
}

export function textOfProof({ valid, txid, reason, ...found }: ProofVerdict): string {
  if (!valid) return `Not valid. ${reason}`;
  const { network, blockHash, height, index, transactionInFile } = found;
  const block = `block ${height} of the ${network} network (${blockHash})`;
  if (transactionInFile === true) return `Valid: ${block} holds ${txid} at index ${index}.`;
  return [
    `Valid: the Merkle tree of ${block} holds ${txid} at index ${index}.`,
    'What this file alone cannot show: that this is the id of a transaction, and not of a node of the tree. A BEEF, or a TSC proof with the',
    'transaction in place of its id, shows that too.',
  ].join('\n');
}
