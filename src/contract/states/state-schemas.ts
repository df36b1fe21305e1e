import { z } from 'zod';
import { mintStates, tokenJobStates, transactionStates, writerStates } from './states.ts';

// Separate from the tables, which the page needs at its start: it loads the schema library later.
export const mintStateSchema = z.enum(mintStates.names);
export const tokenJobStateSchema = z.enum(tokenJobStates.names);
export const writerStateSchema = z.enum(writerStates.names);
export const transactionStateSchema = z.enum(transactionStates.names);
