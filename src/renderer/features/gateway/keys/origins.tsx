import { Button, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, client } from '../../../api/client.ts';
import { useActions } from '../../../api/use-actions.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { offerUndo } from '../../../components/toasts/undo.ts';
import { Ago, Id } from '../../../components/values/values.tsx';
import { formatExact } from '../../../lib/format.ts';

/** Web pages with access. Pages of any other origin cannot reach the gateway from a browser. */
export function Origins() {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery(api.gateway.origins.list.queryOptions());
  const [origin, setOrigin] = useState('');
  // The key of a page is deleted with its pairing.
  const readAgain = (): Promise<unknown> =>
    Promise.all([
      queries.invalidateQueries({ queryKey: api.gateway.origins.list.key() }),
      queries.invalidateQueries({ queryKey: api.gateway.keys.list.key() }),
    ]);
  const attempt = useActions({
    mutationFn: (work: () => Promise<void>) => work(),
    onSettled: () => void readAgain(),
  });
  const unpair = async (of: string): Promise<void> => {
    await client.gateway.origins.unpair({ origin: of });
    offerUndo({
      id: `unpaired-${of}`,
      title: t('gateway.unpairedDone', { origin: of }),
      undo: async () => {
        await client.gateway.origins.restore({ origin: of });
        await readAgain();
      },
    });
  };
  return (
    <Panel flush title={t('gateway.originsTitle')} hint={t('gateway.originsHint')}>
      <form
        className={`${layout.form} ${layout.pad}`}
        onSubmit={(event) => {
          event.preventDefault();
          attempt.mutate(async () => {
            await client.gateway.origins.pair({ origin: origin.trim() });
            setOrigin('');
          });
        }}
      >
        <TextInput
          className={layout.grow}
          label={t('gateway.origin')}
          description={t('gateway.originHint')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          placeholder="https://app.example"
          spellCheck={false}
          value={origin}
          onChange={(event) => setOrigin(event.currentTarget.value)}
        />
        <Button
          type="submit"
          variant="default"
          className={layout.fieldButton}
          disabled={origin.trim() === ''}
          loading={attempt.isPending}
        >
          {t('gateway.pair')}
        </Button>
      </form>
      {attempt.error !== null && (
        <div className={layout.pad}>
          <ErrorNote error={attempt.error} />
        </div>
      )}
      <QueryView query={query}>
        {(origins) => (
          <>
            {origins.length === 0 && <div className={`${layout.pad} ${layout.dim}`}>{t('gateway.noOrigins')}</div>}
            {origins.map((paired) => (
              <div key={paired.origin} className={layout.line}>
                <span className={`mono ${layout.value}`}>{paired.origin}</span>
                {paired.keyId !== null && (
                  <span className={layout.dim}>
                    <Id value={paired.keyId} what={t('gateway.userName')} keep={5} />
                  </span>
                )}
                <span className={layout.dim}>
                  <Ago at={paired.createdAt} />
                </span>
                <span className={layout.dim}>
                  {paired.expiresAt === null
                    ? t('gateway.withoutEnd')
                    : t('gateway.until', { time: formatExact(paired.expiresAt, i18n.language) })}
                </span>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="gray"
                  aria-label={t('gateway.revokeNamed', { name: paired.origin })}
                  onClick={() => attempt.mutate(() => unpair(paired.origin))}
                >
                  {t('gateway.revoke')}
                </Button>
              </div>
            ))}
          </>
        )}
      </QueryView>
    </Panel>
  );
}
