import { ActionIcon, Button, Loader } from '@mantine/core';
import { IconCube, IconPlayerPlayFilled, IconPlayerStopFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { essence, previewKind } from '../../../contract/index.ts';
import { bytesQuery, isStored } from './file-bytes.ts';
import classes from './preview.module.css';
import type { PreviewFile } from './preview-file.ts';
import { useObjectUrl } from './use-object-url.ts';

const ModelView = lazy(() => import('./model/model-view.tsx'));

interface PlayerProps {
  file: PreviewFile;
  blob: Blob;
  /** It was started already. */
  playing?: boolean;
  /** Shown if the browser cannot play it. */
  instead: ReactNode;
}

/** A video or a sound with the browser's own controls and a known type. It plays only on a click. */
export function Player({ file, blob, kind, playing = false, instead }: PlayerProps & { kind: 'video' | 'audio' }) {
  const { t } = useTranslation();
  const url = useObjectUrl(blob, essence(file.contentType));
  const [failed, setFailed] = useState<string>();
  if (url === null) return null;
  if (url === failed) return instead;
  const common = {
    src: url,
    controls: true,
    preload: 'metadata' as const,
    autoPlay: playing,
    onError: () => setFailed(url),
  };
  const label = t(`common.preview.${kind}`, { name: file.name });
  return kind === 'video' ? (
    <video className={classes.image} playsInline aria-label={label} {...common} />
  ) : (
    <audio className={classes.audio} aria-label={label} {...common} />
  );
}

/** A model that can be rotated. Foreign ones are drawn on a click, since they may be made to overload a machine. */
export function Model({ file, blob, instead }: PlayerProps) {
  const { t } = useTranslation();
  const [asked, setAsked] = useState(isStored(file));
  const [failed, setFailed] = useState<Blob>();
  if (blob === failed) return instead;
  if (!asked) {
    return (
      <div className={classes.other}>
        <Button variant="default" leftSection={<IconCube size={16} aria-hidden />} onClick={() => setAsked(true)}>
          {t('common.preview.showModel')}
        </Button>
      </div>
    );
  }
  const loading = <Loader size="sm" role="status" aria-label={t('common.preview.loading')} />;
  return (
    <Suspense fallback={loading}>
      <ModelView name={file.name} blob={blob} onFailure={() => setFailed(blob)} />
    </Suspense>
  );
}

/** Whether a file can be played in its tile: a video or a sound. */
export function isPlayable({ contentType }: PreviewFile): boolean {
  return ['video', 'audio'].includes(previewKind(contentType));
}

/** Whether a file is more than its still picture: a video, a sound or a model. */
export function hasPlayer(file: PreviewFile): boolean {
  return isPlayable(file) || previewKind(file.contentType) === 'model';
}

interface PlayButtonProps {
  /** The name of the video or sound. */
  name: string;
  playing: boolean;
  className?: string | undefined;
  onPlaying: (playing: boolean) => void;
}

/** Starts and stops a video or a sound in its tile. */
export function PlayButton({ name, playing, className, onPlaying }: PlayButtonProps) {
  const { t } = useTranslation();
  const PlayIcon = playing ? IconPlayerStopFilled : IconPlayerPlayFilled;
  return (
    <ActionIcon
      size="sm"
      variant="subtle"
      color="gray"
      className={className}
      aria-label={t(playing ? 'common.preview.stop' : 'common.preview.play', { name })}
      onClick={() => onPlaying(!playing)}
    >
      <PlayIcon size={14} aria-hidden />
    </ActionIcon>
  );
}

/** A video or a sound that plays in place of its still picture. */
export function PlayerInPlace({ file }: { file: PreviewFile }) {
  const { t } = useTranslation();
  const { data, isError } = useQuery(bytesQuery(file));
  const kind = previewKind(file.contentType) === 'audio' ? 'audio' : 'video';
  const failed = <div className={classes.other}>{t('common.preview.notPlayed')}</div>;
  return (
    <div className={classes.frame}>
      {isError ? (
        failed
      ) : data === undefined ? (
        <Loader size="sm" role="status" aria-label={t('common.preview.loading')} />
      ) : (
        <Player file={file} blob={data} kind={kind} playing instead={failed} />
      )}
    </div>
  );
}
