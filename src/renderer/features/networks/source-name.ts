import type { TFunction } from 'i18next';
import { publicSourceNames } from '../../../contract/index.ts';

/** Name of a public service. One without a translated name has its own. */
export function sourceName(t: TFunction, name: string): string {
  const known = publicSourceNames.find((one) => one === name);
  return known === undefined ? name : t(`networks.source.${known}`);
}
