import { Button, Stack } from '@mantine/core';
import { IconBuildingBank, IconPlus } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Failure, Miner, MinerPreset } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { useMissingQuotes } from '../../api/use-missing-quotes.ts';
import { Callout } from '../../components/callouts/callout.tsx';
import { ErrorNote, FailureNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Empty, Page, Panel } from '../../components/page.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { shownMinerName } from '../../i18n/phrases.ts';
import { mendOf } from '../../lib/mends.ts';
import { routes } from '../../lib/routes.ts';
import { AnswerChart } from './answer-chart.tsx';
import { Comparison } from './comparison.tsx';
import { MinerForm } from './miner-form.tsx';
import { MinerTestReport } from './miner-test.tsx';
import { Presets } from './presets.tsx';
import { RateChart } from './rate-chart.tsx';

/** Polling interval of the figures. */
const REFRESH_MS = 5_000;

/** The miners in use, compared in columns. */
export function MinersPage() {
  const { t } = useTranslation();
  const query = useQuery(
    api.miners.list.queryOptions({
      refetchInterval: REFRESH_MS,
      select: (miners) => miners.map((miner) => ({ ...miner, name: shownMinerName(miner.name) })),
    }),
  );
  const [form, setForm] = useState<{ miner?: Miner; preset?: MinerPreset }>();
  const [tested, setTested] = useState<Miner>();
  const [opened] = useState(() => Date.now());
  const test = useMutation(api.miners.test.mutationOptions({ gcTime: 0 }));
  useMissingQuotes(query.data);
  const add = (
    <Button leftSection={<IconPlus {...icon} />} onClick={() => setForm({})}>
      {t('miners.add')}
    </Button>
  );
  const presets = <Presets onNeedsKey={(preset) => setForm({ preset })} />;
  // Nothing can be compared before one is chosen.
  const isChosen = query.data?.some(({ url }) => url !== '') ?? true;
  return (
    <Page wide title={t('miners.title')} purpose={t('miners.purpose')} actions={add}>
      <Stack gap="md">
        <ErrorNote error={test.error} />
        {test.isPending && tested !== undefined && (
          <Callout tone="info" role="status" title={t('miners.testTitle', { name: tested.name })}>
            {t('miners.testing')}
          </Callout>
        )}
        {test.isSuccess && tested !== undefined && (
          <MinerTestReport name={tested.name} test={test.data} onClose={() => test.reset()} />
        )}
        {!isChosen && presets}
        <QueryView
          query={query}
          isEmpty={(miners) => miners.length === 0}
          empty={
            <Empty
              icon={<IconBuildingBank {...icon} />}
              title={t('miners.emptyTitle')}
              text={t('miners.empty')}
              action={add}
            />
          }
        >
          {(miners) => (
            <Stack gap="md">
              {miners.map(
                (miner) =>
                  miner.enabled &&
                  miner.url !== '' &&
                  miner.failure !== null && (
                    <MinerFailure
                      key={miner.id}
                      miner={miner}
                      failure={miner.failure}
                      onEdit={() => setForm({ miner })}
                    />
                  ),
              )}
              <Panel flush title={t('miners.compare')} hint={t('miners.compareHint')}>
                <Comparison
                  miners={miners}
                  onEdit={(miner) => setForm({ miner })}
                  onTest={(miner) => {
                    setTested(miner);
                    test.mutate({ id: miner.id });
                  }}
                />
              </Panel>
              <RateChart miners={miners} now={opened} />
              <AnswerChart miners={miners} now={opened} />
            </Stack>
          )}
        </QueryView>
        {isChosen && presets}
      </Stack>
      {form !== undefined && <MinerForm {...form} onClose={() => setForm(undefined)} />}
    </Page>
  );
}

interface MinerFailureProps {
  miner: Miner;
  failure: Failure;
  onEdit: () => void;
}

/** Why a miner gave no quote. The request is repeated automatically, or at once by a button. */
function MinerFailure({ miner: { id, name, builtIn }, failure, onEdit }: MinerFailureProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const again = useMutation({
    mutationFn: () => client.miners.refresh({ id }),
    onSettled: () => queries.invalidateQueries({ queryKey: api.miners.list.key() }),
  });
  const enterKey = builtIn ? (
    <Button size="xs" variant="default" component={Link} href={routes.setting('apiKey')}>
      {t('common.mend.apiKey')}
    </Button>
  ) : (
    <Button size="xs" variant="default" onClick={onEdit}>
      {t('common.mend.apiKey')}
    </Button>
  );
  return (
    <FailureNote
      failure={failure}
      isPast
      actions={mendOf(failure) === 'minerKey' ? enterKey : undefined}
      note={t('miners.failureOf', { name })}
      onRetry={() => again.mutate()}
      retrying={again.isPending}
    />
  );
}
