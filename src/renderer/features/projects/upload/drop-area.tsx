import { Button } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { IconUpload } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { icon } from '../../../components/icon.ts';
import layout from '../../../components/styles/layout.module.css';
import classes from './drop-area.module.css';

/** Takes files by drop or by the picker. The button is what the keyboard reaches; the area around it is for the pointer. */
export function DropArea({ name, big, onFiles }: { name: string; big: boolean; onFiles: (files: File[]) => void }) {
  const { t } = useTranslation();
  const open = useRef<() => void>(null);
  return (
    <Dropzone
      className={classes.drop}
      data-big={big || undefined}
      onDrop={onFiles}
      openRef={open}
      activateOnClick={false}
      activateOnKeyboard={false}
      tabIndex={-1}
      role="presentation"
      enablePointerEvents
      inputProps={{ 'aria-label': t('projects.page.dropLabel', { name }) }}
    >
      <div className={classes.dropBody}>
        <div className={classes.dropIcon}>
          <IconUpload {...icon} size={22} />
        </div>
        <div>
          <div className={classes.dropTitle}>
            <Dropzone.Accept>{t('projects.page.dropActive')}</Dropzone.Accept>
            <Dropzone.Idle>{t(big ? 'projects.page.emptyTitle' : 'projects.page.moreTitle')}</Dropzone.Idle>
          </div>
          <div className={layout.dim}>{t('projects.page.dropHint')}</div>
          {big && <div className={layout.dim}>{t('projects.page.dropLimit')}</div>}
        </div>
        <Button
          className={classes.dropButton}
          variant={big ? 'filled' : 'default'}
          onClick={() => open.current?.()}
          ml={big ? undefined : 'md'}
        >
          {t('projects.page.choose')}
        </Button>
        {big && (
          <Button
            className={classes.dropButton}
            variant="subtle"
            onClick={() =>
              void import('../../../components/preview/sample-art.ts').then(({ sampleArt }) => onFiles(sampleArt()))
            }
          >
            {t('projects.page.sampleArt')}
          </Button>
        )}
      </div>
    </Dropzone>
  );
}
