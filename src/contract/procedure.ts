import { oc } from '@orpc/contract';
import { failureSchema } from './errors/index.ts';

/** Every procedure may fail with this one typed error; its data is the failure to show. */
export const procedure = oc.errors({ FAILED: { status: 422, message: 'The request failed.', data: failureSchema } });
