import type { TFunction } from 'i18next';
import type { Art } from '../../../contract/index.ts';
import { formatInteger } from '../../lib/format.ts';
import classes from './art.module.css';
import type { PreviewFile } from './preview.tsx';
import { Thumbnail } from './thumbnail.tsx';

/** A small picture of a file, or the icon of its type where there is no picture. Decoration: the name stands beside it. */
export function Thumb({ file, size = 28 }: { file: PreviewFile; size?: number }) {
  return (
    <span className={classes.thumb} style={{ width: size, height: size }} aria-hidden>
      <Thumbnail file={file} small />
    </span>
  );
}

/** Pictures that lie a little over each other, for what is made of several tokens. */
export function ThumbStack({ files, size = 28 }: { files: readonly PreviewFile[]; size?: number }) {
  return (
    <span className={classes.stack}>
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two tokens may have the same file, and the order never changes.
        <Thumb key={`${file.sha256}${index}`} file={file} size={size} />
      ))}
    </span>
  );
}

/**
 * What a mint is called: by the tokens in it.
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
