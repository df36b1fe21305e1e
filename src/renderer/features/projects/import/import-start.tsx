import { Button, Group, Progress, Stack } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconFolderOpen } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { api } from '../../../api/client.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { icon } from '../../../components/icon.ts';
import { Page, Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { routes } from '../../../lib/routes.ts';
import dropClasses from '../upload/drop-area.module.css';
import { openImport, useImportUpload } from './import-upload.ts';
import './texts.ts';

/** Takes a folder, a zip file or files, and lists what was begun before. */
export function ImportStart() {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const open = useRef<() => void>(null);
  const folder = useRef<HTMLInputElement>(null);
  const { phase, done, total, failure, send, cancel } = useImportUpload();
  const unfinished = useQuery(api.import.list.queryOptions({ staleTime: 0 })).data ?? [];
  const bring = async (files: readonly File[]): Promise<void> => {
    if (files.length === 0) return;
    openImport(await send(files), navigate);
  };
  return (
    <Page
      title={t('import.title')}
      purpose={t('import.purpose')}
      crumbs={[{ label: t('projects.title'), to: routes.projects }]}
    >
      <Stack gap="lg">
        {failure !== null && <FailureNote failure={failure} />}
        {phase === 'sending' ? (
          <Panel
            title={t('import.sending', { done, total })}
            actions={
              <Button variant="default" size="xs" onClick={cancel}>
                {t('common.cancel')}
              </Button>
            }
          >
            <Progress.Root size={6}>
              <Progress.Section value={(done / Math.max(1, total)) * 100} aria-label={t('import.progress')} />
            </Progress.Root>
          </Panel>
        ) : (
          <Dropzone
            className={dropClasses.drop}
            data-big
            onDrop={(files) => void bring(files)}
            openRef={open}
            activateOnClick={false}
            activateOnKeyboard={false}
            tabIndex={-1}
            role="presentation"
            enablePointerEvents
            inputProps={{ 'aria-label': t('import.dropLabel') }}
          >
            <div className={dropClasses.dropBody}>
              <div className={dropClasses.dropIcon}>
                <IconFolderOpen {...icon} size={22} />
              </div>
              <div>
                <div className={dropClasses.dropTitle}>{t('import.dropTitle')}</div>
                <div className={layout.dim}>{t('import.dropHint')}</div>
              </div>
              <Group gap="xs" className={dropClasses.dropButton}>
                <Button onClick={() => folder.current?.click()}>{t('import.chooseFolder')}</Button>
                <Button variant="default" onClick={() => open.current?.()}>
                  {t('import.chooseFiles')}
                </Button>
              </Group>
            </div>
          </Dropzone>
        )}
        <input
          ref={folder}
          type="file"
          hidden
          multiple
          aria-label={t('import.folderLabel')}
          {...{ webkitdirectory: '' }}
          onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = '';
            void bring(files);
          }}
        />
        {unfinished.length > 0 && (
          <Panel title={t('import.unfinished')}>
            <Stack gap={6} align="flex-start">
              {unfinished.map(({ id, projectName }) => (
                <Link key={id} href={routes.importOf(id)} className="link">
                  {t('import.resume', { name: projectName })}
                </Link>
              ))}
            </Stack>
          </Panel>
        )}
      </Stack>
    </Page>
  );
}
