import {
  type Bump,
  bumpOfCheckedPath,
  ChainError,
  type CheckedPath,
  checkPath,
  headerHash,
  type MerklePath,
  type ProofTarget,
  parseBeef,
  parseBump,
  parseHeader,
  parseTscBinary,
  pathInBump,
  readTscJson,
} from '../../../chain/index.ts';
import { type Phrase, phrase } from '../../../contract/index.ts';
import type {
  ChainHeader,
  HeaderChain,
  ProofInput,
  ProofRefusal,
  ProofVerifier,
  VerifiedProof,
} from '../../ports/headers.ts';

/** Blocks below the tip in which a Merkle root is looked for: a month. */
const ROOT_SEARCH_BLOCKS = 4_320;
/** Length of a node of a Merkle tree. */
const NODE_BYTES = 64;

/** What a proof claims: a path, and the block that it leads to. */
interface Claim {
  readonly path: MerklePath;
  readonly target: ProofTarget | { readonly kind: 'height'; readonly height: number };
}

/** Verifies proofs against the headers of the active chain. Asks the node for new headers only if a proof's block is not known yet. */
export function createProofVerifier(headers: HeaderChain): ProofVerifier {
  function find({ target }: Claim): ChainHeader | undefined {
    if (target.kind === 'hash') return headers.header(target.hash);
    if (target.kind === 'height') return headers.at(target.height);
    return target.kind === 'header' ? headers.header(headerHash(target.header)) : withRoot(target.root);
  }

  function withRoot(root: string): ChainHeader | undefined {
    const top = headers.tip?.height ?? -1;
    for (let height = top; height >= 0 && height > top - ROOT_SEARCH_BLOCKS; height--) {
      const found = headers.at(height);
      if (found !== undefined && rootOf(found) === root) return found;
    }
    return undefined;
  }

  return {
    async verify(txid, proof) {
      try {
        const claim = read(txid, proof);
        if (claim?.path.txid !== txid) return refusal('other-transaction', phrase('reason.proof-of-other'));
        const path = checkPath(claim.path);
        const { root } = path;
        let block = find(claim);
        if (block === undefined || rootOf(block) !== root) {
          await headers.refresh(placeOf(claim));
          block = find(claim);
        }
        if (block === undefined) return refusal('header-unknown', phrase('reason.proof-block-unknown'));
        if (!headers.isAgreed) return refusal('header-unknown', phrase('reason.proof-block-unsettled'));
        if (rootOf(block) !== root && withRoot(root) !== undefined)
          return refusal('invalid', phrase('reason.proof-block-other'));
        if (rootOf(block) !== root) return refusal('other-block', phrase('reason.proof-root'));
        return verified(block, path);
      } catch (error) {
        if (error instanceof ChainError) return refusal(reasonOf(error), error.sentence);
        throw error;
      }
    },
  };
}

/** The height or hash under which an old block of a claim is looked for. */
function placeOf({ target }: Claim): number | string | undefined {
  if (target.kind === 'height') return target.height;
  if (target.kind === 'root') return undefined;
  return target.kind === 'hash' ? target.hash : headerHash(target.header);
}

function verified({ hash, height, header }: ChainHeader, path: CheckedPath): VerifiedProof {
  return { blockHash: hash, height, header, bump: bumpOfCheckedPath(height, path), index: path.index };
}

function rootOf({ header }: ChainHeader): string {
  return parseHeader(header).merkleRoot;
}

/** @returns undefined if the proof does not hold the transaction. @throws ChainError */
function read(txid: string, proof: ProofInput): Claim | undefined {
  switch (proof.kind) {
    case 'tsc':
      return readTscJson(proof.json);
    case 'tsc-binary':
      return parseTscBinary(proof.bytes);
    case 'bump':
      return claimOf(parseBump(proof.bytes), txid);
    case 'beef': {
      const { transactions } = parseBeef(proof.bytes);
      const found = transactions.find((transaction) => transaction.txid === txid);
      if (found === undefined) return undefined;
      if (found.bump === null)
        throw new ChainError(
          'merkle-invalid',
          'The BEEF proves the inputs of the transaction, not the transaction itself.',
        );
      if (found.raw?.length === NODE_BYTES)
        throw new ChainError('merkle-invalid', 'A transaction of 64 bytes cannot be told from a node.');
      return claimOf(found.bump, txid);
    }
  }
}

function claimOf(bump: Bump, txid: string): Claim | undefined {
  const path = pathInBump(bump, txid);
  return path && { path, target: { kind: 'height', height: bump.height } };
}

function reasonOf({ code }: ChainError): ProofRefusal['refused'] {
  if (code === 'proof-unsupported') return 'unsupported';
  return code === 'merkle-invalid' ? 'invalid' : 'malformed';
}

function refusal(refused: ProofRefusal['refused'], reason: Phrase): ProofRefusal {
  return { refused, reason };
}
