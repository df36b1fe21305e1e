import { Button, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Failure, newGatewayKeySchema } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { Callout, FailureNote, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { Ago, Badge } from '../../components/values.tsx';
import classes from './gateway.module.css';

/** One credential for each program. */
export function Keys() {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const query = useQuery(api.gateway.keys.list.queryOptions());
  const [name, setName] = useState('');
  const [methods, setMethods] = useState('');
  const [rate, setRate] = useState('');
  const [made, setMade] = useState<{ username: string; password: string }>();
  const [failure, setFailure] = useState<Failure>();
  const input = newGatewayKeySchema.safeParse({
    name,
    methods: methods.trim() === '' ? null : methods.trim().split(/[\s,]+/),
    rate: rate.trim() === '' ? null : Number(rate),
  });
  const attempt = (work: () => Promise<void>): void => {
    setFailure(undefined);
    void work()
      .catch((error: unknown) => setFailure(failureOf(error)))
      .finally(() => void queries.invalidateQueries({ queryKey: api.gateway.keys.list.key() }));
  };
  return (
    <Stack gap="md">
      <Panel title={t('gateway.keysTitle')} hint={t('gateway.keysHint')}>
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault();
            if (input.success) {
              attempt(async () => {
                setMade(await client.gateway.keys.create(input.data));
                setName('');
              });
            }
          }}
        >
          <TextInput
            className={classes.grow}
            label={t('gateway.keyName')}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            className={classes.grow}
            label={t('gateway.keyMethods')}
            description={t('gateway.keyMethodsHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            value={methods}
            onChange={(event) => setMethods(event.currentTarget.value)}
          />
          <TextInput
            className={classes.grow}
            label={t('gateway.keyRate')}
            description={t('gateway.keyRateHint')}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            inputMode="numeric"
            error={!input.success && input.error.issues.some(({ path }) => path[0] === 'rate')}
            value={rate}
            onChange={(event) => setRate(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" className={classes.beside} disabled={!input.success}>
            {t('gateway.createKey')}
          </Button>
        </form>
      </Panel>
      {failure !== undefined && <FailureNote failure={failure} />}
      {made !== undefined && (
        <Callout tone="done" role="status" title={t('gateway.newKey')}>
          <span className="mono">{`${made.username}:${made.password}`}</span>
          <CopyButton value={`${made.username}:${made.password}`} what={t('gateway.password')} />
        </Callout>
      )}
      <QueryView query={query}>
        {(keys) => (
          <Panel flush title={t('gateway.tabs.keys')}>
            {keys.length === 0 && <div className={`${classes.pad} ${classes.dim}`}>{t('gateway.noKeys')}</div>}
            {keys.map((key) => (
              <div key={key.id} className={classes.line}>
                <strong>{key.name}</strong>
                <span className={`${classes.value} ${classes.dim}`}>
                  {key.methods?.join(', ') ?? t('gateway.allMethods')}
                  {key.rate !== null && `; ${t('gateway.perSecond', { rate: key.rate })}`}
                </span>
                <span className={classes.dim}>
                  <Ago at={key.createdAt} />
                </span>
                <Badge tone={key.revokedAt === null ? 'done' : 'neutral'}>
                  {t(key.revokedAt === null ? 'gateway.active' : 'gateway.revoked')}
                </Badge>
                {key.revokedAt === null && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    color="gray"
                    aria-label={t('gateway.revokeNamed', { name: key.name })}
                    onClick={() =>
                      modals.openConfirmModal({
                        title: t('gateway.revokeTitle', { name: key.name }),
                        children: t('gateway.revokeText'),
                        labels: { confirm: t('gateway.revoke'), cancel: t('common.cancel') },
                        onConfirm: () =>
                          attempt(async () => {
                            await client.gateway.keys.revoke({ id: key.id });
                          }),
                      })
                    }
                  >
                    {t('gateway.revoke')}
                  </Button>
                )}
              </div>
            ))}
          </Panel>
        )}
      </QueryView>
    </Stack>
  );
}
