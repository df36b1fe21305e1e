import classes from './art.module.css';
import type { PreviewFile } from './preview-file.ts';
import { Thumbnail } from './thumbnail.tsx';

/** A small picture of a file, or the icon of its type if there is no picture. Hidden from screen readers, since the name is next to it. */
export function Thumb({ file, size = 28 }: { file: PreviewFile; size?: number }) {
  return (
    <span className={classes.thumb} style={{ width: size, height: size }} aria-hidden>
      <Thumbnail file={file} small />
    </span>
  );
}

/** Overlapping pictures, for something made of several tokens. */
export function ThumbStack({ files, size = 28 }: { files: readonly PreviewFile[]; size?: number }) {
  if (files.length === 0) return null;
  return (
    <span className={classes.stack}>
      {files.map((file, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two tokens may have the same file, and the order never changes.
        <Thumb key={`${file.sha256}${index}`} file={file} size={size} />
      ))}
    </span>
  );
}
