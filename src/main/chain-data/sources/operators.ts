import type { PublicSourceName } from '../../../contract/index.ts';
import type { SourceClient } from './http/source-client.ts';

/** Who runs a service at its usual address. */
export const usualOperators: Readonly<Record<PublicSourceName, string>> = {
  cdn: 'Babbage',
  whatsonchain: 'TAAL',
  bananablocks: 'GorillaPool',
  arcade: 'BSV Association',
  onesat: 'GorillaPool',
};

/** The operator behind a service: two answers of one operator count once. */
export function operatorOf(name: PublicSourceName, client: SourceClient): string {
  return client.ownOperator ?? usualOperators[name];
}
