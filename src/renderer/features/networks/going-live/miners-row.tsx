import { Button, Group, Stack } from '@mantine/core';
import { IconPlus, IconRefresh } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Miner } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { ErrorNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { QueryView } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { useNow } from '../../../components/values/use-now.ts';
import { Ago, Amount, Badge } from '../../../components/values/values.tsx';
import { shownMinerName } from '../../../i18n/phrases.ts';
import { formatBytes } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import { fits, isReady, limitsOf, priceOf } from './fit.ts';
import classes from './miners-row.module.css';
import type { GoingLive } from './use-going-live.ts';

/** Size that a price is shown for if no project is chosen. */
const EXAMPLE_BYTES = 1_000_000;

/** Each miner's price for the art of the project, and whether the largest file is within its limits. */
export function MinersBody({ live }: { live: GoingLive }) {
  const { t } = useTranslation();
  const { miners, project, drafts, states } = live;
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: async () => {
      const asked = miners.data?.filter(({ enabled, url }) => enabled && url !== '') ?? [];
      await Promise.allSettled(asked.map(({ id }) => client.miners.refresh({ id })));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.miners.key() }),
  });
  const presets = useQuery(api.miners.presets.queryOptions());
  const keyless = presets.data?.filter(({ needsKey, isAdded }) => !needsKey && !isAdded) ?? [];
  const add = useMutation({
    mutationFn: async () => {
      for (const { name, kind, url } of keyless) await client.miners.add({ name, kind, url });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.miners.key() }),
  });
  const failed = again.error ?? add.error;
  return (
    <Stack gap="md">
      <p>
        {project === undefined || drafts === 0
          ? t('goingLive.miners.textExample')
          : t('goingLive.miners.text', { project: project.name })}
      </p>
      <ErrorNote error={failed} />
      <QueryView
        query={miners}
        isEmpty={(list) => list.every(({ url }) => url === '')}
        empty={<p>{t('goingLive.miners.none')}</p>}
      >
        {(list) => <Quotes miners={list.filter(({ url }) => url !== '')} live={live} />}
      </QueryView>
      <Group gap="xs">
        {keyless.length > 0 && (
          <Button
            size="xs"
            variant={states.miners === 'done' ? 'default' : 'filled'}
            leftSection={<IconPlus {...smallIcon} />}
            loading={add.isPending}
            onClick={() => add.mutate()}
          >
            {t('goingLive.miners.add', { names: keyless.map(({ name }) => name).join(', ') })}
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh {...smallIcon} />}
          loading={again.isPending}
          onClick={() => again.mutate()}
        >
          {t('goingLive.miners.again')}
        </Button>
        <Button size="xs" variant="subtle" component={Link} href={routes.miners}>
          {t('goingLive.miners.choose')}
        </Button>
      </Group>
    </Stack>
  );
}

function Quotes({ miners, live: { drafts, largest, artBytes } }: { miners: readonly Miner[]; live: GoingLive }) {
  const { t, i18n } = useTranslation();
  const now = useNow();
  const bytes = drafts === 0 ? EXAMPLE_BYTES : artBytes;
  const size = (value: number | undefined): string =>
    value === undefined ? t('goingLive.miners.notStated') : formatBytes(value, i18n.language);
  return (
    <div className={layout.scroll}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('goingLive.miners.miner')}</th>
            <th scope="col">{t('goingLive.miners.price', { size: formatBytes(bytes, i18n.language) })}</th>
            <th scope="col">{t('goingLive.miners.transaction')}</th>
            <th scope="col">{t('goingLive.miners.script')}</th>
            <th scope="col">
              {drafts === 0
                ? t('goingLive.miners.state')
                : t('goingLive.miners.largest', { size: formatBytes(largest, i18n.language) })}
            </th>
          </tr>
        </thead>
        <tbody>
          {miners.map((miner) => {
            const limits = limitsOf(miner);
            const price = priceOf(miner, bytes);
            return (
              <tr key={miner.id} data-miner={miner.id}>
                <th scope="row">
                  {shownMinerName(miner.name)}
                  <div className={layout.dim}>
                    {miner.quote === null ? (
                      t('goingLive.miners.noQuote')
                    ) : (
                      <>
                        {t('goingLive.miners.quoted')} <Ago at={miner.quote.at} />
                      </>
                    )}
                  </div>
                </th>
                <td data-number>{price === undefined ? '–' : <Amount satoshis={price} />}</td>
                <td data-number>{size(limits.maxTxBytes)}</td>
                <td data-number>{size(limits.maxScriptBytes)}</td>
                <td>
                  <Verdict
                    miner={miner}
                    takes={drafts === 0 ? undefined : fits(limits, largest)}
                    ready={isReady(miner, now)}
                  />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** @param takes whether it accepts the largest file; undefined if there is none to mint */
function Verdict({ miner, takes, ready }: { miner: Miner; takes: boolean | null | undefined; ready: boolean }) {
  const { t } = useTranslation();
  if (!miner.enabled) return <Badge tone="neutral">{t('goingLive.miners.off')}</Badge>;
  if (miner.failure !== null) return <Badge tone="fail">{t('goingLive.miners.silent')}</Badge>;
  if (!ready) return <Badge tone="wait">{t('goingLive.miners.asking')}</Badge>;
  if (takes === undefined) return <Badge tone="done">{t('goingLive.miners.answers')}</Badge>;
  if (takes === false) return <Badge tone="fail">{t('goingLive.miners.tooLarge')}</Badge>;
  return (
    <Badge tone={takes === null ? 'wait' : 'done'}>
      {t(takes === null ? 'goingLive.miners.unknown' : 'goingLive.miners.fits')}
    </Badge>
  );
}
