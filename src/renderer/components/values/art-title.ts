import type { TFunction } from 'i18next';
import type { Art } from '../../../contract/index.ts';
import { formatInteger } from '../../lib/format.ts';

/**
 * The title of a mint, made of the tokens in it.
 * @param art the first of its tokens
 * @param count all of its tokens
 */
export function artTitle(t: TFunction, art: readonly Pick<Art, 'name'>[], count: number, language = 'en'): string {
  const [first, second] = art;
  if (first === undefined) return t('common.art.tokens', { count });
  if (count === 1) return first.name;
  if (count === 2 && second !== undefined) return t('common.art.two', { first: first.name, second: second.name });
  const more = count - 1;
  return t('common.art.more', { first: first.name, count: more, more: formatInteger(more, language) });
}
