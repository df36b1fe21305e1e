import { Button, CloseButton, Textarea } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import layout from '../../../components/styles/layout.module.css';
import { formatBytes } from '../../../lib/format.ts';
import classes from './submit.module.css';
import type { SourceFields as Fields } from './use-source.ts';

/** Takes signed transactions as text or as a file. The button is what the keyboard reaches; the area around it is for the pointer. */
export function SourceFields({ fields }: { fields: Fields }) {
  const { t, i18n } = useTranslation();
  const open = useRef<() => void>(null);
  const { text, write, file, send, sending, clear } = fields;
  return (
    <Dropzone
      className={classes.source}
      onDrop={([dropped]) => dropped !== undefined && send(dropped)}
      multiple={false}
      loading={sending.isPending}
      openRef={open}
      activateOnClick={false}
      activateOnKeyboard={false}
      tabIndex={-1}
      role="presentation"
      enablePointerEvents
      inputProps={{ 'aria-label': t('submitted.submit.dropLabel') }}
    >
      {file === undefined ? (
        <Textarea
          label={t('submitted.submit.text')}
          description={t('submitted.submit.textHint')}
          rows={6}
          spellCheck={false}
          classNames={{ input: `mono ${classes.text}` }}
          value={text}
          onChange={(event) => write(event.currentTarget.value)}
        />
      ) : (
        <div className={classes.file}>
          <b>{t('submitted.submit.file', { name: file.name, size: formatBytes(file.bytes, i18n.language) })}</b>
          <CloseButton aria-label={t('submitted.submit.removeFile')} onClick={clear} />
        </div>
      )}
      <div className={classes.choose}>
        <Button size="xs" variant="default" onClick={() => open.current?.()}>
          {t('submitted.submit.choose')}
        </Button>
        <span className={layout.dim}>
          <Dropzone.Accept>{t('submitted.submit.dropActive')}</Dropzone.Accept>
          <Dropzone.Idle>{t('submitted.submit.drop')}</Dropzone.Idle>
        </span>
      </div>
      <ErrorNote error={sending.error} />
    </Dropzone>
  );
}
