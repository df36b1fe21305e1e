import { chainRows } from './chain-rows.ts';
import type { Rows } from './row.ts';
import { transactionRows } from './transaction-rows.ts';

/** Every RPC command. Expected results come from node-rpc.md, not from the implementation. */
export const rowsOf: Readonly<Record<string, Rows>> = { ...chainRows, ...transactionRows };
