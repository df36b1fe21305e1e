import { Skeleton } from '@mantine/core';
import { IconCube, IconPlayerPlayFilled } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { essence, previewKind } from '../../../contract/index.ts';
import { bytesQuery, hasPoster } from './file-bytes.ts';
import classes from './preview.module.css';
import type { PreviewFile } from './preview-file.ts';
import { useObjectUrl } from './use-object-url.ts';
import { videoPoster } from './video-poster.ts';

const KEPT_MS = 1_800_000;

/** One at a time: each needs a decoder or a canvas, and browsers have few of them. */
let last: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work);
  last = done.catch(() => undefined);
  return done;
}

async function posterOf(kind: 'video' | 'model', blob: Blob, type: string): Promise<Blob> {
  if (kind === 'video') return videoPoster(blob, type);
  const { modelPoster } = await import('./model/draw-model.ts');
  return modelPoster(blob);
}

/** A picture made here or by the host: always WebP. */
export function MadePicture({ blob, name }: { blob: Blob; name: string }) {
  const { t } = useTranslation();
  const url = useObjectUrl(blob, 'image/webp');
  if (url === null) return null;
  return (
    <img
      className={classes.image}
      src={url}
      alt={t('common.preview.alt', { name })}
      decoding="async"
      draggable={false}
    />
  );
}

function posterQuery(queries: QueryClient, file: PreviewFile, kind: 'video' | 'model') {
  return {
    queryKey: ['poster', file.sha256],
    queryFn: async () => {
      const blob = await queries.fetchQuery(bytesQuery(file));
      return inTurn(() => posterOf(kind, blob, essence(file.contentType)));
    },
    staleTime: Infinity,
    gcTime: KEPT_MS,
    retry: false,
  };
}

/** A still picture of a video or a model; undefined for other files, and where none can be made. */
export async function stillOf(queries: QueryClient, file: PreviewFile): Promise<Blob | undefined> {
  const kind = previewKind(file.contentType);
  if ((kind !== 'video' && kind !== 'model') || !hasPoster(file, kind)) return undefined;
  return queries.fetchQuery(posterQuery(queries, file, kind)).catch(() => undefined);
}

interface PosterProps {
  file: PreviewFile;
  kind: 'video' | 'model';
  inSight: boolean;
  instead: ReactNode;
}

/**
 * A still picture of a video or a model for tiles and tables, made here from its bytes.
 * @param inSight nothing is read before this is true
 * @param instead shown if there is no picture
 */
export function Poster({ file, kind, inSight, instead }: PosterProps) {
  const queries = useQueryClient();
  const poster = useQuery({ ...posterQuery(queries, file, kind), enabled: inSight });
  if (poster.isError) return instead;
  if (poster.data === undefined) return <Skeleton height="100%" radius={0} animate={false} />;
  return (
    <>
      <MadePicture blob={poster.data} name={file.name} />
      <span className={classes.mark} aria-hidden>
        {kind === 'video' ? <IconPlayerPlayFilled size={12} /> : <IconCube size={14} stroke={1.75} />}
      </span>
    </>
  );
}
