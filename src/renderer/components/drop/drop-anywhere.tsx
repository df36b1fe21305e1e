import { Dropzone } from '@mantine/dropzone';
import { IconUpload } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { icon } from '../icon.ts';
import classes from './drop-anywhere.module.css';
import './texts.ts';

/** Accepts files dropped anywhere in the window while a view is open. */
export function DropAnywhere({ text, onFiles }: { text: string; onFiles: (files: File[]) => void }) {
  const { t } = useTranslation();
  return (
    <Dropzone.FullScreen
      active
      withinPortal={false}
      onDrop={onFiles}
      inputProps={{ 'aria-label': t('drop.label'), tabIndex: -1 }}
      className={classes.screen}
    >
      <div className={classes.body} aria-hidden>
        <IconUpload {...icon} size={32} />
        <strong>{t('drop.title')}</strong>
        <span>{text}</span>
      </div>
    </Dropzone.FullScreen>
  );
}
