import { ActionIcon, Button, Group, Progress, TextInput } from '@mantine/core';
import { IconRefresh, IconX, type TablerIcon } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useShallow } from 'zustand/shallow';
import type { Item } from '../../../../contract/index.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { smallIcon } from '../../../components/icon.ts';
import { Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { useNow } from '../../../components/values/use-now.ts';
import { formatBytes, formatDuration } from '../../../lib/format.ts';
import classes from './upload-list.module.css';
import { type Upload, useUploads } from './uploads.ts';

/** Bytes sent, and after the first second the rate and the time left. */
function UploadFigures({ upload }: { upload: Upload }) {
  const { t, i18n } = useTranslation();
  const now = useNow();
  if (upload.phase !== 'sending') return <>{t(`projects.upload.${upload.phase}`)}</>;
  const bytes = (count: number): string => formatBytes(count, i18n.language);
  const { size } = upload.file;
  const perSecond = (upload.sent / Math.max(1, now - upload.startedAt)) * 1_000;
  const parts = [t('projects.upload.progress', { sent: bytes(upload.sent), total: bytes(size) })];
  if (upload.sent > 0 && now - upload.startedAt > 1_000) {
    parts.push(
      t('projects.upload.rate', { rate: bytes(perSecond) }),
      t('projects.upload.left', { time: formatDuration(Math.max(1_000, ((size - upload.sent) / perSecond) * 1_000)) }),
    );
  }
  return <>{parts.join(' · ')}</>;
}

/** Asks for the type that neither the name nor the bytes of a file tell. */
function TypeField({ upload, onAdded }: { upload: Upload; onAdded: (item: Item) => void }) {
  const { t } = useTranslation();
  const [type, setType] = useState('');
  const { name } = upload.file;
  return (
    <form
      className={classes.type}
      onSubmit={formSubmit(() => {
        const file = new File([upload.file], name, { type: type.trim() });
        useUploads.getState().retry(upload.id, file, onAdded);
      })}
    >
      <TextInput
        size="xs"
        aria-label={t('projects.upload.typeLabel', { name })}
        placeholder="image/png"
        value={type}
        onChange={(event) => setType(event.currentTarget.value)}
      />
      <Button size="xs" type="submit" disabled={!/^[^\s/]+\/[^\s/]+/.test(type.trim())}>
        {t('projects.upload.addAs')}
      </Button>
    </form>
  );
}

function SmallButton({ Icon, label, onClick }: { Icon: TablerIcon; label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={24} aria-label={label} onClick={onClick}>
      <Icon {...smallIcon} />
    </ActionIcon>
  );
}

function UploadRow({ upload, onAdded }: { upload: Upload; onAdded: (item: Item) => void }) {
  const { t } = useTranslation();
  const { cancel, dismiss, retry } = useUploads.getState();
  const { name, size } = upload.file;
  const percent = size === 0 ? 0 : (upload.sent / size) * 100;
  if (upload.failure !== null) {
    return (
      <div className={classes.upload}>
        <div className={classes.uploadName}>{name}</div>
        <Group gap={4}>
          <SmallButton
            Icon={IconRefresh}
            label={t('projects.upload.retry', { name })}
            onClick={() => retry(upload.id, upload.file, onAdded)}
          />
          <SmallButton Icon={IconX} label={t('projects.upload.dismiss', { name })} onClick={() => dismiss(upload.id)} />
        </Group>
        <div className={classes.uploadFailed}>
          <FailureNote failure={upload.failure} />
          {upload.failure.code === 'content-type-unknown' && <TypeField upload={upload} onAdded={onAdded} />}
        </div>
      </div>
    );
  }
  return (
    <div className={classes.upload}>
      <div className={classes.uploadName}>{name}</div>
      <Group gap="xs" wrap="nowrap">
        <span className={`${layout.dim} num`}>
          <UploadFigures upload={upload} />
        </span>
        <SmallButton Icon={IconX} label={t('projects.upload.cancel', { name })} onClick={() => cancel(upload.id)} />
      </Group>
      <Progress.Root className={classes.uploadBar} size={4}>
        <Progress.Section
          value={upload.phase === 'finishing' ? 100 : percent}
          aria-label={t('projects.upload.progressLabel', { name })}
        />
      </Progress.Root>
    </div>
  );
}

function Moving({ projectUid, onAdded }: { projectUid: string; onAdded: (item: Item) => void }) {
  const { t } = useTranslation();
  const uploads = useUploads(useShallow((state) => state.list.filter((one) => one.projectUid === projectUid)));
  if (uploads.length === 0) return null;
  const moving = uploads.filter((one) => one.failure === null);
  return (
    <Panel
      flush
      title={
        moving.length > 0 ? t('projects.upload.title', { count: moving.length }) : t('projects.page.failedUploads')
      }
      actions={
        moving.length > 1 ? (
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => {
              for (const one of moving) useUploads.getState().cancel(one.id);
            }}
          >
            {t('projects.upload.cancelAll')}
          </Button>
        ) : undefined
      }
    >
      <div className={classes.uploads}>
        {uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} onAdded={onAdded} />
        ))}
      </div>
    </Panel>
  );
}

/** Names the files of an interrupted upload that the browser did not keep. */
function Missing({ projectUid }: { projectUid: string }) {
  const { t } = useTranslation();
  const missing = useUploads(
    useShallow((state) => state.missing.filter((one) => one.projectUid === projectUid && one.isDone !== true)),
  );
  if (missing.length === 0) return null;
  return (
    <Panel
      title={t('projects.upload.missing', { count: missing.length })}
      hint={t('projects.upload.missingHint')}
      actions={
        <Button
          size="compact-sm"
          flex="none"
          variant="default"
          onClick={() => useUploads.getState().leaveOut(projectUid)}
        >
          {t('projects.upload.leaveOut')}
        </Button>
      }
    >
      <ul className={classes.missing}>
        {missing.map(({ key, name }) => (
          <li key={key}>{name}</li>
        ))}
      </ul>
    </Panel>
  );
}

/** Running uploads, failed ones with the reason, and files that have to be dropped again. */
export function UploadList({ projectUid, onAdded }: { projectUid: string; onAdded: (item: Item) => void }) {
  // Resumed uploads must call the callback of the latest render.
  const added = useRef(onAdded);
  added.current = onAdded;
  useEffect(() => {
    void useUploads.getState().resume(projectUid, (item) => added.current(item));
  }, [projectUid]);
  return (
    <>
      <Missing projectUid={projectUid} />
      <Moving projectUid={projectUid} onAdded={onAdded} />
    </>
  );
}
