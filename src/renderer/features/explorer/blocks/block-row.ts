import { z } from 'zod';
import { ask, headerAt, NodeRefusal } from '../../../api/node.ts';
import type { BlockRow } from './header-book.ts';

const feesSchema = z.object({ totalfee: z.number() });

/** The header of the block at a height of the best chain, with its fees. */
export async function blockRowAt(height: number): Promise<BlockRow> {
  const header = await headerAt(height);
  // A block with a coinbase alone has no fees, and some nodes refuse its statistics.
  if (header.num_tx === 1) return { ...header, fees: 0 };
  try {
    const { totalfee } = await ask(feesSchema, 'getblockstats', header.hash, ['totalfee']);
    return { ...header, fees: Math.round(totalfee * 100_000_000) };
  } catch (error) {
    if (error instanceof NodeRefusal || error instanceof z.ZodError) return header;
    throw error;
  }
}
