import { Loader, Skeleton, useComputedColorScheme } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { IconCube, IconFile, IconFileMusic, IconFileTypeHtml, IconMovie, IconPhotoOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { essence, type PreviewKind, previewKind } from '../../../contract/index.ts';
import { formatBytes } from '../../lib/format.ts';
import { bytesQuery, hasPoster } from './file-bytes.ts';
import { Model, Player } from './players.tsx';
import { Poster } from './poster.tsx';
import classes from './preview.module.css';
import type { PreviewFile } from './preview-file.ts';
import { frameDocument, isUncoloured } from './preview-frame.ts';
import { useObjectUrl } from './use-object-url.ts';

const SHOWN_TEXT_BYTES = 65_536;

function otherIcon(type: string) {
  if (type.startsWith('audio/')) return IconFileMusic;
  if (type.startsWith('video/')) return IconMovie;
  if (type === 'text/html') return IconFileTypeHtml;
  if (type.startsWith('model/')) return IconCube;
  return IconFile;
}

interface OtherProps {
  file: PreviewFile;
  broken?: boolean;
  small?: boolean;
  /** The browser could not display it. */
  notPlayed?: boolean;
}

function Other({ file, broken = false, small = false, notPlayed = false }: OtherProps) {
  const { t, i18n } = useTranslation();
  const type = essence(file.contentType);
  const Shown = broken ? IconPhotoOff : otherIcon(type);
  const what = broken ? t('common.preview.broken') : type || t('common.preview.noPreview');
  if (small) return <Shown size={18} stroke={1.25} role="img" aria-label={what} />;
  return (
    <div className={classes.other}>
      <Shown size={28} stroke={1.25} aria-hidden />
      <span>{what}</span>
      {notPlayed && <span>{t('common.preview.notPlayed')}</span>}
      <span className="num">{formatBytes(file.bytes, i18n.language)}</span>
    </div>
  );
}

/** A picture from bytes. Its type is taken from the list of image types that an <img> shows safely, never from the bytes. */
function ImageOf({ file, blob }: { file: PreviewFile; blob: Blob }) {
  const { t } = useTranslation();
  const url = useObjectUrl(blob, essence(file.contentType));
  const [broken, setBroken] = useState<string>();
  if (url !== null && url === broken) return <Other file={file} broken />;
  if (url === null) return null;
  return (
    <img
      className={classes.image}
      src={url}
      alt={t('common.preview.alt', { name: file.name })}
      decoding="async"
      draggable={false}
      onError={() => setBroken(url)}
    />
  );
}

/** The text of a blob, or of its first bytes; undefined until it is read. */
function useText(blob: Blob, bytes?: number): string | undefined {
  const [text, setText] = useState<string>();
  useEffect(() => {
    let stale = false;
    void (bytes === undefined ? blob : blob.slice(0, bytes)).text().then((read) => {
      if (!stale) setText(read);
    });
    return () => {
      stale = true;
    };
  }, [blob, bytes]);
  return text;
}

function TextOf({ file, blob, full }: { file: PreviewFile; blob: Blob; full: boolean }) {
  const { t, i18n } = useTranslation();
  const text = useText(blob, full ? SHOWN_TEXT_BYTES : 1_024);
  const scrolls = full
    ? { tabIndex: 0, role: 'region', 'aria-label': t('common.preview.textLabel', { name: file.name }) }
    : {};
  return (
    <>
      <pre className={classes.text} {...scrolls}>
        {text}
      </pre>
      {full && blob.size > SHOWN_TEXT_BYTES && (
        <div className={classes.truncated}>
          {t('common.preview.truncated', { size: formatBytes(SHOWN_TEXT_BYTES, i18n.language) })}
        </div>
      )}
    </>
  );
}

function HtmlOf({ file, blob }: { file: PreviewFile; blob: Blob }) {
  const { t } = useTranslation();
  const scheme = useComputedColorScheme('light');
  const html = useText(blob);
  if (html === undefined) return null;
  return (
    <iframe
      className={classes.html}
      sandbox=""
      referrerPolicy="no-referrer"
      title={t('common.preview.frameTitle', { name: file.name })}
      data-adapts={(scheme === 'dark' && isUncoloured(html)) || undefined}
      srcDoc={frameDocument(html, scheme)}
    />
  );
}

interface PreviewProps {
  file: PreviewFile;
  full?: boolean;
  /** There is room for an icon only, not for text. */
  small?: boolean;
  /** The content is known not to be displayable. */
  broken?: boolean;
}

/**
 * Shows foreign content without giving it access to the page: pictures as <img> from a blob, video and sound in the browser's own players,
 * models as drawn by this program, text as text, HTML in a frame without any permission, everything else as an icon. In small previews video
 * and models are still pictures. Loads when it becomes visible.
 */
export function Preview({ file, full = false, small = false, broken = false }: PreviewProps) {
  const { t } = useTranslation();
  const { ref, entry } = useIntersection<HTMLDivElement>({ rootMargin: '200px' });
  const kind = previewKind(file.contentType);
  const inSight = entry?.isIntersecting ?? false;
  const hasStill = !full && !broken && (kind === 'video' || kind === 'model') && hasPoster(file, kind);
  const isShown = kind === 'image' || (kind === 'text' && !small) || (full && kind !== 'other');
  const query = useQuery({ ...bytesQuery(file), enabled: isShown && !broken && inSight });
  const other = <Other file={file} broken={broken || query.isError} small={small} />;
  return (
    <div ref={ref} className={`${classes.frame} ${full ? classes.full : ''}`}>
      {hasStill ? (
        <Poster file={file} kind={kind} inSight={inSight} instead={other} />
      ) : !isShown || broken || query.isError ? (
        other
      ) : query.data !== undefined ? (
        <Content file={file} blob={query.data} full={full} kind={kind} />
      ) : full ? (
        <Loader size="sm" role="status" aria-label={t('common.preview.loading')} />
      ) : (
        <Skeleton height="100%" radius={0} />
      )}
    </div>
  );
}

function Content({ file, blob, full, kind }: { file: PreviewFile; blob: Blob; full: boolean; kind: PreviewKind }) {
  const instead = <Other file={file} notPlayed />;
  if (kind === 'image') return <ImageOf file={file} blob={blob} />;
  if (kind === 'html') return <HtmlOf file={file} blob={blob} />;
  if (kind === 'model') return <Model file={file} blob={blob} instead={instead} />;
  if (kind === 'video' || kind === 'audio') return <Player file={file} blob={blob} kind={kind} instead={instead} />;
  return <TextOf file={file} blob={blob} full={full} />;
}
