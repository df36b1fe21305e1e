import { chainRows } from './chain-rows.ts';
import type { Rows } from './row.ts';
import { transactionRows } from './transaction-rows.ts';

/** Every command of the interface: what each row wants is said in node-rpc.md, not taken from what is answered. */
export const rowsOf: Readonly<Record<string, Rows>> = { ...chainRows, ...transactionRows };
