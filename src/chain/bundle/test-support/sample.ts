import { headerHash, meetsTarget, serializeHeader } from '../../block/block.ts';
import { merkleBranch, merkleRoot } from '../../block/merkle.ts';
import { concatBytes, sha256, toHex } from '../../encoding/bytes.ts';
import { inscriptionScript } from '../../inscription/inscription.ts';
import { satoshis } from '../../transaction/amount.ts';
import { serializeTx, type Tx, txidOf } from '../../transaction/transaction.ts';
import type { BundleToken, ProofBundle } from '../format.ts';

const REGTEST_BITS = 0x207fffff;
const keyHash = new Uint8Array(20).fill(7);
const change = {
  satoshis: satoshis(5_000),
  script: concatBytes(Uint8Array.of(0x76, 0xa9, 0x14), keyHash, Uint8Array.of(0x88, 0xac)),
};

interface SampleBlock {
  readonly header: Uint8Array;
  readonly height: number;
  readonly coinbase: Uint8Array;
  readonly coinbaseNodes: string[];
  readonly txids: string[];
  readonly hash: string;
}

/** Mines a block of these transactions at the sandbox's difficulty. */
export function mineBlock(height: number, previousHash: string, raws: readonly Uint8Array[]): SampleBlock {
  const coinbase = serializeTx({
    version: 1,
    inputs: [
      {
        txid: '0'.repeat(64),
        vout: 0xffffffff,
        script: Uint8Array.of(2, height & 0xff, height >> 8, 4, 1, 2, 3, 4),
        sequence: 0xffffffff,
      },
    ],
    outputs: [change],
    lockTime: 0,
  });
  const txids = [coinbase, ...raws].map(txidOf);
  for (let nonce = 0; ; nonce++) {
    const header = serializeHeader({
      version: 0x20000000,
      previousHash,
      merkleRoot: merkleRoot(txids),
      time: 1_700_000_000 + height,
      bits: REGTEST_BITS,
      nonce,
    });
    const hash = headerHash(header);
    if (meetsTarget(hash, REGTEST_BITS)) {
      return { header, height, coinbase, coinbaseNodes: merkleBranch(txids, 0), txids, hash };
    }
  }
}

/** A transaction that spends one output and creates these outputs and change. */
export function spend(txid: string, vout: number, outputs: Tx['outputs']): Uint8Array {
  return serializeTx({
    version: 1,
    inputs: [{ txid, vout, script: new Uint8Array(107).fill(1), sequence: 0xffffffff }],
    outputs: [...outputs, change],
    lockTime: 0,
  });
}

export interface SampleContent {
  readonly contentType: string;
  readonly content: Uint8Array;
  readonly map: Record<string, string>;
}

export const sampleContents: readonly SampleContent[] = [
  {
    contentType: 'image/svg+xml',
    content: new TextEncoder().encode(
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="3" fill="#b4692e"/></svg>',
    ),
    map: { app: 'planchet', type: 'ord', name: 'Moon </script> #1', Eyes: 'round', '7': 'seven' },
  },
  {
    contentType: 'text/plain;charset=utf-8',
    content: new TextEncoder().encode('A poem, 月'),
    map: { app: 'planchet', type: 'ord', name: 'Poem' },
  },
];

/** Two tokens of one mint in a block of five transactions. The first token moves in the next block. */
export function sampleBundle(): ProofBundle {
  const mint = spend(
    '11'.repeat(32),
    0,
    sampleContents.map((each) => ({
      satoshis: satoshis(1),
      script: inscriptionScript({ ...each, pubKeyHash: keyHash }),
    })),
  );
  const others = ['22', '33', '44'].map((byte) => spend(byte.repeat(32), 1, []));
  const first = mineBlock(300, '55'.repeat(32), [...others.slice(0, 2), mint, ...others.slice(2)]);
  const move = spend(txidOf(mint), 0, [{ satoshis: satoshis(1), script: change.script }]);
  const second = mineBlock(301, first.hash, [move]);
  const tokens = sampleContents.map(
    ({ content, contentType, map }, vout): BundleToken => ({
      outpoints: [`${txidOf(mint)}_${vout}`, ...(vout === 0 ? [`${txidOf(move)}_0`] : [])],
      contentType,
      sha256: toHex(sha256(content)),
      metadata: map,
    }),
  );
  const part = ({ hash, header, height, coinbase, coinbaseNodes }: SampleBlock) => ({
    hash,
    header,
    height,
    coinbase,
    coinbaseNodes,
  });
  return {
    network: 'sandbox',
    blocks: [part(first), part(second)],
    transactions: [
      { raw: mint, block: 0, index: 3, nodes: merkleBranch(first.txids, 3) },
      { raw: move, block: 1, index: 1, nodes: merkleBranch(second.txids, 1) },
    ],
    tokens,
  };
}
