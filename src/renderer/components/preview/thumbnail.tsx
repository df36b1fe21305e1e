import { Skeleton } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { essence, previewKind } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { MadePicture } from './poster.tsx';
import classes from './preview.module.css';
import { Preview } from './preview.tsx';
import type { PreviewFile } from './preview-file.ts';

/** Types without a thumbnail on the host, since a browser draws them at any size. */
const DRAWN = new Set(['image/svg+xml']);

/** A small picture of a stored file for galleries and tables. A file without a thumbnail is shown as a preview, or as an icon if there is no room. */
export function Thumbnail({ file, small = false }: { file: PreviewFile; small?: boolean }) {
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: '200px' });
  const isPicture = previewKind(file.contentType) === 'image' && !DRAWN.has(essence(file.contentType));
  const query = useQuery(
    api.files.thumbnail.queryOptions({
      input: { sha256: file.sha256 },
      enabled: isPicture && (entry?.isIntersecting ?? false),
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 60_000,
      retry: 1,
    }),
  );
  if (!isPicture) return <Preview file={file} small={small} />;
  return (
    <div ref={ref} className={`${classes.frame} ${classes.still}`}>
      {query.isError || query.data === null ? (
        <Preview file={{ ...file, contentType: 'application/octet-stream' }} small={small} broken />
      ) : query.data === undefined ? (
        // Not animated: each animation needs a layer, and many become visible together.
        <Skeleton height="100%" radius={0} animate={false} />
      ) : (
        <MadePicture blob={query.data} name={file.name} />
      )}
    </div>
  );
}
