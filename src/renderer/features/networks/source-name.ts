import type { TFunction } from 'i18next';
import { publicSourceNames } from '../../../contract/index.ts';

/** What a public service is called; one without a name of ours is shown by its own. */
export function sourceName(t: TFunction, name: string): string {
  const known = publicSourceNames.find((one) => one === name);
  return known === undefined ? name : t(`networks.source.${known}`);
}
