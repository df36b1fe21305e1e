import { Button, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SandboxStatus } from '../../../contract/index.ts';
import { client } from '../../api/client.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Panel } from '../../components/page.tsx';
import { CopyButton } from '../../components/values/copy-button.tsx';
import { Fact } from '../../components/values/fact.tsx';
import { formatBytes, formatInteger } from '../../lib/format.ts';
import { readMoney } from '../../lib/money/money-input.ts';
import { SettingField } from './actions/setting-field.tsx';
import { askFirst } from './confirm.tsx';
import { Outcome } from './outcome.tsx';
import classes from './sandbox.module.css';
import { useAction } from './use-action.ts';
import { withUndo } from './with-undo.ts';

const MOST_TOKENS = 1_000_000_000;

/** With the separators of the language. @returns undefined if it is not such a number */
function readLimit(text: string, language: string): number | undefined {
  const limit = readMoney(text, { unit: 'satoshi', rate: null }, language);
  return limit === '' || Number.isNaN(limit) || limit > MOST_TOKENS ? undefined : limit;
}

/** Keys for programs, and the used share of the monthly quota. */
export function Keys() {
  const { t, i18n } = useTranslation();
  const quota = useLive((state) => state.quota);
  const action = useAction<{ apiKey: string }>();
  return (
    <Panel title={t('sandbox.keys')} hint={t('sandbox.keysHint')}>
      <Stack gap="md">
        {quota !== null && (
          <dl className={classes.facts}>
            <Fact name={t('sandbox.quota')} num>
              {t('sandbox.quotaValue', {
                used: formatInteger(quota.totalUsed, i18n.language),
                limit: formatInteger(quota.monthlyMintLimit, i18n.language),
              })}
            </Fact>
          </dl>
        )}
        <SettingField
          setting="sandbox.monthlyMintLimit"
          label={t('sandbox.quotaLimit')}
          hint={t('sandbox.quotaLimitHint')}
          invalid={t('sandbox.quotaInvalid')}
          read={(text) => readLimit(text, i18n.language)}
          onSet={() => client.quota.get()}
        />
        <div className={classes.controls}>
          {[false, true].map((newUser) => (
            <Button
              key={String(newUser)}
              variant="default"
              disabled={action.busy}
              onClick={() => void action.run(() => client.sandbox.createKey({ newUser }))}
            >
              {t(newUser ? 'sandbox.createUserKey' : 'sandbox.createKey')}
            </Button>
          ))}
        </div>
        <Outcome action={action}>
          {({ apiKey }) => (
            <>
              {t('sandbox.newKey')}
              <span className={classes.secret}>
                <span className="mono">{apiKey}</span>
                <CopyButton value={apiKey} what={t('sandbox.keyName')} />
              </span>
            </>
          )}
        </Outcome>
      </Stack>
    </Panel>
  );
}

/** Export and import of the network as one file, and its reset. */
export function NetworkFile({ status }: { status: SandboxStatus }) {
  const { t, i18n } = useTranslation();
  const [file, setFile] = useState('');
  const [seed, setSeed] = useState('');
  const writing = useAction<{ bytes: number }>();
  const reading = useAction<unknown>();
  const resetting = useAction<unknown>();
  return (
    <Panel title={t('sandbox.networkFile')} hint={t('sandbox.networkFileHint')}>
      <Stack gap="md">
        <dl className={classes.facts}>
          <Fact name={t('sandbox.seed')}>{status.seed ?? t('sandbox.seedRandom')}</Fact>
          <Fact name={t('sandbox.callbacks')}>
            {t('sandbox.callbacksValue', { waiting: status.callbacks.waiting, lost: status.callbacks.givenUp })}
          </Fact>
        </dl>
        <div className={classes.form}>
          <TextInput
            className={classes.grow}
            label={t('sandbox.file')}
            spellCheck={false}
            value={file}
            onChange={(event) => setFile(event.currentTarget.value.trim())}
          />
          <Button
            variant="default"
            className={classes.fieldButton}
            loading={writing.busy}
            disabled={file === ''}
            onClick={() => void writing.run(() => client.sandbox.export({ file }))}
          >
            {t('sandbox.export')}
          </Button>
          <Button
            variant="default"
            className={classes.fieldButton}
            loading={reading.busy}
            disabled={file === ''}
            onClick={() =>
              askFirst({
                title: t('sandbox.importTitle'),
                text: t('sandbox.importText'),
                confirm: t('sandbox.import'),
                onConfirm: () =>
                  void reading.run(() => withUndo(t('sandbox.imported'), () => client.sandbox.import({ file }))),
              })
            }
          >
            {t('sandbox.import')}
          </Button>
        </div>
        <Outcome action={writing}>
          {({ bytes }) => t('sandbox.exported', { size: formatBytes(bytes, i18n.language) })}
        </Outcome>
        <Outcome action={reading} />
        <div className={classes.form}>
          <TextInput
            className={classes.grow}
            label={t('sandbox.seedField')}
            description={t('sandbox.seedFieldHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            maxLength={128}
            value={seed}
            onChange={(event) => setSeed(event.currentTarget.value)}
          />
          <Button
            variant="default"
            className={classes.fieldButton}
            loading={resetting.busy}
            onClick={() =>
              askFirst({
                title: t('sandbox.resetTitle'),
                text: t('sandbox.resetText'),
                confirm: t('sandbox.reset'),
                onConfirm: () =>
                  void resetting.run(() =>
                    withUndo(t('sandbox.resetDone'), () => client.sandbox.reset(seed === '' ? {} : { seed })),
                  ),
              })
            }
          >
            {t('sandbox.reset')}
          </Button>
        </div>
        <Outcome action={resetting} />
      </Stack>
    </Panel>
  );
}
