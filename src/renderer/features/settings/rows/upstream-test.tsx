import { Button } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ConnectionTest, Failure, SettingEntry } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { ConnectionReport } from '../../../components/status/connection-report.tsx';
import layout from '../../../components/styles/layout.module.css';
import { readDraft, type Value } from '../setting-form.ts';
import { testInput } from './test-input.ts';

/**
 * Tests the upstream with the typed settings, saved or not.
 * @returns the button that starts the test, and its result
 */
export function useUpstreamTest(
  entries: readonly SettingEntry[],
  drafts: Readonly<Record<string, Value>>,
): { button: ReactNode; report: ReactNode } {
  const { t } = useTranslation();
  const [busy, setBusy] = useState(false);
  const [tests, setTests] = useState<readonly ConnectionTest[]>();
  const [failure, setFailure] = useState<Failure>();
  const input = testInput(entries, drafts);
  const invalid = entries.some(
    (entry) =>
      Object.hasOwn(input, entry.key) &&
      drafts[entry.key] !== undefined &&
      'problem' in readDraft(entry, drafts[entry.key] as Value),
  );
  const test = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      const found = await client.gateway.test(input);
      setTests(found.filter(({ subject }) => subject === 'upstream'));
    } catch (error) {
      setTests(undefined);
      setFailure(failureOf(error));
    }
    setBusy(false);
  };
  return {
    button: (
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlugConnected {...smallIcon} />}
        loading={busy}
        disabled={invalid}
        onClick={() => void test()}
      >
        {t('settings.testUpstream')}
      </Button>
    ),
    report: (failure !== undefined || tests !== undefined) && (
      <div className={layout.pad}>
        {failure !== undefined && <FailureNote failure={failure} onRetry={() => void test()} />}
        {tests?.length === 0 && <span role="status">{t('settings.noUpstream')}</span>}
        {tests !== undefined && tests.length > 0 && <ConnectionReport tests={tests} hint={t('settings.testHint')} />}
      </div>
    ),
  };
}
