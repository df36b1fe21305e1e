import { readFileSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { MAX_BUNDLE_BYTES, type ProvenBundle, readBundle, verifyBundle } from '../../../chain/bundle/index.ts';
import { ChainError } from '../../../chain/index.ts';
import { PlanchetError } from '../../../contract/index.ts';
import { knownBlocks } from '../../chain-data/headers/stored-headers.ts';
import { resolveDataDir } from '../../infrastructure/data-folder.ts';
import { unreadable } from '../shared/new-file.ts';
import { readTxid } from '../shared/numbers.ts';
import type { Shell } from '../shared/run.ts';
import { MAX_PROOF_BYTES, type ProofVerdict, textOfProof, verifyProofFile } from './verify-proof.ts';

interface Verdict {
  readonly valid: boolean;
  /** Whether this installation has verified every block of the bundle as part of the chain. */
  readonly headerKnown: boolean;
  readonly tokens: readonly {
    readonly outpoint: string;
    readonly origin: string;
    readonly contentType: string;
    readonly sha256: string;
    readonly blockHash: string;
    readonly height: number;
  }[];
  readonly network?: string;
  /** `work`: hashes that a block of its difficulty takes on average, as a decimal number. */
  readonly headers?: readonly {
    readonly hash: string;
    readonly height: number;
    readonly work: string;
    readonly known: boolean;
  }[];
  readonly reason?: string;
}

/** Adds `planchet verify FILE`, which needs neither a running Planchet nor a network. */
export function addVerifyCommand(program: Command, { globals, output }: Shell): void {
  program
    .command('verify')
    .description('check a proof bundle, or the Merkle proof of a transaction, without a network')
    .argument('<file>', 'a file that "planchet bundle" wrote; with --txid a proof as TSC, BUMP or BEEF')
    .option('--txid <txid>', 'the transaction that the proof is about', readTxid)
    .action(async (path: string, { txid }: { txid?: string }) => {
      if (txid !== undefined) {
        const proof = await verifyProof(path, txid, resolveDataDir(globals().dataDir));
        output().result(proof, textOfProof(proof));
        if (!proof.valid) process.exitCode = 1;
        return;
      }
      const verdict = await verifyFile(path, resolveDataDir(globals().dataDir));
      output().result(verdict, textOf(verdict));
      if (!verdict.valid) process.exitCode = 1;
    });
}

/** @throws PlanchetError `not-found`, `invalid-input` where there is no file that can be read */
async function verifyProof(path: string, txid: string, dataDir: string): Promise<ProofVerdict> {
  if (sizeOf(path) > MAX_PROOF_BYTES)
    return { valid: false, txid, reason: 'The file is larger than any Merkle proof.' };
  return verifyProofFile(readFileSync(path), txid, dataDir);
}

/** @throws PlanchetError `not-found`, `invalid-input` where there is no file that can be read */
async function verifyFile(path: string, dataDir: string): Promise<Verdict> {
  const size = sizeOf(path);
  try {
    // a file of gigabytes is refused before it is read
    if (size > MAX_BUNDLE_BYTES) throw tooLarge(size);
    return await verdictOf(verifyBundle(readBundle(readFileSync(path))), dataDir);
  } catch (error) {
    if (error instanceof ChainError) return { valid: false, headerKnown: false, tokens: [], reason: error.message };
    throw error;
  }
}

async function verdictOf({ network, blocks, tokens }: ProvenBundle, dataDir: string): Promise<Verdict> {
  const known = await knownBlocks(
    dataDir,
    network,
    blocks.map(({ hash }) => hash),
  );
  return {
    valid: true,
    headerKnown: blocks.every(({ hash }) => known.has(hash)),
    tokens: tokens.map(({ outpoint, origin, contentType, sha256, block }) => ({
      outpoint,
      origin,
      contentType,
      sha256,
      blockHash: block.hash,
      height: block.height,
    })),
    network,
    headers: blocks.map(({ hash, height, work }) => ({ hash, height, work: String(work), known: known.has(hash) })),
  };
}

function sizeOf(path: string): number {
  try {
    const info = statSync(path);
    if (info.isFile()) return info.size;
  } catch (error) {
    throw unreadable(path, error);
  }
  throw new PlanchetError('cli.not-a-file', { path });
}

function tooLarge(bytes: number): ChainError {
  const mebibytes = (size: number) => Math.ceil(size / 1_048_576);
  return new ChainError(
    'bundle-invalid',
    `The file has ${mebibytes(bytes)} MiB; a bundle has at most ${mebibytes(MAX_BUNDLE_BYTES)} MiB.`,
  );
}

function textOf({ valid, headerKnown, tokens, headers = [], network, reason }: Verdict): string {
  if (!valid) return `Not valid. ${reason}`;
  const unknown = headers.filter(({ known }) => !known);
  return [
    `Valid: ${tokens.length} token${tokens.length === 1 ? '' : 's'} of the ${network} network`,
    ...tokens.map(({ outpoint, contentType, height }) => `  ${outpoint}  ${contentType}  block ${height}`),
    headerKnown
      ? 'This installation has verified every block as part of the chain.'
      : 'What this file alone cannot show: that these blocks are part of the chain everybody follows. Look them up at a node you trust:',
    ...unknown.map(({ hash, height, work }) => `  ${hash}  height ${height}  ${work} hashes of work`),
    'Whether a token was moved since takes a network to know.',
  ].join('\n');
}
