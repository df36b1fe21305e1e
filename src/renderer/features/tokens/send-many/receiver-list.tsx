import { Button, CloseButton, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../../../components/icon.ts';
import type { Draft } from './draft.ts';
import { readText } from './read-text.ts';
import classes from './send-many.module.css';

interface ReceiverListProps {
  text: string;
  workbook: File | null;
  onChange: (draft: Draft) => void;
}

/** The list of receivers: pasted, typed, chosen or dropped as a file. */
export function ReceiverList({ text, workbook, onChange }: ReceiverListProps) {
  const { t } = useTranslation();
  const [unreadable, setUnreadable] = useState<string>();
  const take = async (file: File): Promise<void> => {
    try {
      const isWorkbook = /\.xlsx$/i.test(file.name);
      onChange({ text: isWorkbook ? '' : await readText(file), name: file.name, workbook: isWorkbook ? file : null });
      setUnreadable(undefined);
    } catch {
      setUnreadable(file.name);
    }
  };
  return (
    <Stack gap="xs">
      <Textarea
        label={t('sendMany.list')}
        description={t('sendMany.listHint')}
        inputWrapperOrder={['label', 'input', 'error', 'description']}
        className={classes.list}
        placeholder={t('sendMany.placeholder')}
        autosize
        minRows={5}
        maxRows={12}
        spellCheck={false}
        autoComplete="off"
        error={unreadable === undefined ? undefined : t('sendMany.unreadable', { name: unreadable })}
        value={text}
        onChange={(event) => {
          setUnreadable(undefined);
          onChange({ text: event.currentTarget.value, name: '', workbook: null });
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const [file] = event.dataTransfer.files;
          if (file === undefined) return;
          event.preventDefault();
          void take(file);
        }}
      />
      <Group gap="sm">
        <FileButton accept=".csv,.tsv,.tab,.txt,.xlsx,text/csv,text/plain" onChange={(file) => file && void take(file)}>
          {(props) => (
            <Button size="xs" variant="default" leftSection={<IconFileUpload {...smallIcon} />} {...props}>
              {t('sendMany.choose')}
            </Button>
          )}
        </FileButton>
        {workbook === null ? (
          <Text size="sm" c="dimmed">
            {t('sendMany.fileHint')}
          </Text>
        ) : (
          <Group gap={4}>
            <Text size="sm">{workbook.name}</Text>
            <CloseButton
              size="sm"
              aria-label={t('sendMany.leaveFile')}
              onClick={() => onChange({ text, name: '', workbook: null })}
            />
          </Group>
        )}
      </Group>
    </Stack>
  );
}
