import { Button, FileButton, Group, Menu, Modal, Stack, Table, Text } from '@mantine/core';
import { IconDots, IconDownload, IconRestore, IconUpload } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type ImportedSetting, MAX_SETTINGS_FILE } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { useActions } from '../../api/use-actions.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../components/icon.ts';
import { inPageLanguage } from '../../i18n/errors.ts';
import { saveBlob } from '../../lib/save-blob.ts';
import { useSettingWords } from './use-setting-words.ts';

interface Preview {
  readonly text: string;
  readonly lines: readonly ImportedSetting[];
}

/** The changes in a file, before anything is saved. */
function ImportPreview({ preview, onClose, onApply }: { preview: Preview; onClose: () => void; onApply: () => void }) {
  const { t } = useTranslation();
  const words = useSettingWords();
  const changes = preview.lines.filter(({ effect }) => effect === 'change');
  const refused = preview.lines.filter(({ effect }) => effect === 'refused');
  const shown = (value: ImportedSetting['to']): string => (value === '' ? t('settings.defaultEmpty') : String(value));
  return (
    <Modal opened onClose={onClose} size="lg" title={t('settings.import.title')}>
      <Stack gap="md">
        <Text>{t('settings.import.text', { count: changes.length })}</Text>
        {changes.length > 0 && (
          <Table aria-label={t('settings.import.changes')}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{t('settings.import.setting')}</Table.Th>
                <Table.Th>{t('settings.import.from')}</Table.Th>
                <Table.Th>{t('settings.import.to')}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changes.map(({ key, from, to }) => (
                <Table.Tr key={key}>
                  <Table.Td>{words(key).name}</Table.Td>
                  <Table.Td className="mono">{shown(from)}</Table.Td>
                  <Table.Td className="mono">{shown(to)}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {refused.length > 0 && (
          <div>
            <Text fw={550}>{t('settings.import.refused', { count: refused.length })}</Text>
            <ul>
              {refused.map(({ key, reason, failure }) => (
                <li key={key}>
                  <span className="mono">{key}</span>: {failure === null ? reason : inPageLanguage(failure).message}
                </li>
              ))}
            </ul>
          </div>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button disabled={changes.length === 0} onClick={onApply}>
            {t('settings.import.apply', { count: changes.length })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface SettingsMenuProps {
  disabled: boolean;
  onResetAll: () => void;
  onImport: (text: string) => void;
}

/** Export, import with a preview, and reset of all settings. */
export function SettingsMenu({ disabled, onResetAll, onImport }: SettingsMenuProps) {
  const { t } = useTranslation();
  const [preview, setPreview] = useState<Preview>();
  const { mutate: attempt, error, dismiss } = useActions({ mutationFn: (run: () => Promise<void>) => run() });
  const choose = useRef<() => void>(null);
  const reset = useRef<() => void>(null);
  const exportFile = (): void =>
    attempt(async () => {
      const { fileName, text } = await client.settings.export();
      saveBlob(fileName, new Blob([text]));
    });
  const read = (file: File | null): void =>
    attempt(async () => {
      reset.current?.();
      if (file === null) return;
      // A longer file is not one of Planchet's. The host reports that for its beginning as well.
      const text = await file.slice(0, MAX_SETTINGS_FILE).text();
      setPreview({ text, lines: await client.settings.previewImport({ text }) });
    });
  return (
    <>
      <FileButton accept="application/json,.json" resetRef={reset} onChange={read}>
        {(props) => {
          choose.current = props.onClick;
          return null;
        }}
      </FileButton>
      <Menu position="bottom-end" width={230} withinPortal={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<IconDots {...smallIcon} />}>
            {t('settings.more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconDownload {...smallIcon} />} onClick={exportFile}>
            {t('settings.export')}
          </Menu.Item>
          <Menu.Item leftSection={<IconUpload {...smallIcon} />} disabled={disabled} onClick={() => choose.current?.()}>
            {t('settings.importFile')}
          </Menu.Item>
          <Menu.Item leftSection={<IconRestore {...smallIcon} />} disabled={disabled} onClick={onResetAll}>
            {t('settings.resetAll')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {error !== null && (
        <Modal opened onClose={dismiss} title={t('settings.import.failed')}>
          <ErrorNote error={error} />
        </Modal>
      )}
      {preview !== undefined && (
        <ImportPreview
          preview={preview}
          onClose={() => setPreview(undefined)}
          onApply={() => {
            setPreview(undefined);
            onImport(preview.text);
          }}
        />
      )}
    </>
  );
}
