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

/** Who answers for a service: what one of them says twice counts once. */
export function operatorOf(name: PublicSourceName, client: SourceClient): string {
  return client.ownOperator ?? usualOperators[name];
}
