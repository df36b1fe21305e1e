import { Button, Switch } from '@mantine/core';
import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type HeaderSourceStatus,
  type HeadersStatus,
  headersFault,
  type Network,
  type NetworkSource,
} from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { ErrorNote } from '../../components/callouts/failure-note.tsx';
import { icon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import layout from '../../components/styles/layout.module.css';
import { inPageLanguage } from '../../i18n/errors.ts';
import { formatInteger } from '../../lib/format.ts';
import classes from './networks.module.css';
import { SourceForm } from './source-form.tsx';
import { sourceName } from './source-name.ts';
import { unsettled } from './unsettled.ts';

const POLL_MS = 5_000;

/** The chain sources used without a node, their last results, what they learn, and a switch for each. Renders nothing if a node is used. */
export function ChainSources({ network }: { network: Network }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data } = useQuery({ ...api.headers.status.queryOptions(), refetchInterval: POLL_MS });
  const list = useQuery(api.networks.sources.list.queryOptions({ input: { network } }));
  const save = useMutation(
    api.networks.sources.save.mutationOptions({
      onSuccess: async (sources) => {
        queries.setQueryData(api.networks.sources.list.queryKey({ input: { network } }), sources);
        await queries.invalidateQueries({ queryKey: api.headers.key() });
      },
    }),
  );
  if (data === undefined || data.sources.some(({ operator }) => operator === null)) return null;
  if (data.sources.length === 0 && list.data === undefined) return null;
  return (
    <Panel flush title={t('networks.sources')} hint={t('networks.sourcesHint')}>
      <Agreement status={data} />
      {save.isError && (
        <div className={layout.line}>
          <ErrorNote error={save.error} />
        </div>
      )}
      {list.data?.map((source) => (
        <Source
          key={source.name}
          source={source}
          status={data.sources.find(({ name }) => name === source.name)}
          isSaving={save.isPending}
          save={(change, onSuccess) =>
            save.mutate({ network, name: source.name, ...change }, onSuccess && { onSuccess })
          }
        />
      ))}
    </Panel>
  );
}

function Agreement({ status }: { status: HeadersStatus }) {
  const { t, i18n } = useTranslation();
  const fault = headersFault(status);
  const agreed = status.tip !== null && status.isAgreed && fault === undefined;
  const Icon = agreed ? IconCircleCheck : IconCircleDashed;
  return (
    <div className={layout.line} role="status">
      <Icon {...icon} className={agreed ? classes.met : classes.open} aria-hidden />
      <strong>
        {agreed
          ? t('networks.agreed', { height: formatInteger(status.tip?.height ?? 0, i18n.language) })
          : t(unsettled[fault ?? 'none'])}
      </strong>
    </div>
  );
}

interface SourceProps {
  source: NetworkSource;
  status: HeaderSourceStatus | undefined;
  isSaving: boolean;
  save: (change: { on?: boolean; address?: string; key?: string }, onSaved?: () => void) => void;
}

/** @param status its last result for headers; the 1Sat index has none */
function Source({ source, status, isSaving, save }: SourceProps) {
  const { t } = useTranslation();
  const [isOpen, setOpen] = useState(false);
  const answers = status != null && status.agreesTo !== null && status.failure === null;
  const Icon = answers ? IconCircleCheck : IconCircleDashed;
  const name = sourceName(t, source.name);
  return (
    <div className={classes.source} data-source={source.name} data-answers={answers} data-on={source.on}>
      <div className={classes.sourceHead}>
        <Icon {...icon} className={answers ? classes.met : classes.open} aria-hidden />
        <div className={classes.sourceText}>
          <strong>{name}</strong> <span className={layout.dim}>{source.operator}</span>
          <div className={layout.dim}>
            <State source={source} status={status} />
          </div>
          <div className={layout.dim}>{t(`networks.learns.${source.learns}`)}</div>
        </div>
        <Button
          size="compact-sm"
          variant="subtle"
          aria-expanded={isOpen}
          aria-label={t('networks.sourceChangeOf', { name })}
          onClick={() => setOpen(!isOpen)}
        >
          {t('networks.sourceChange')}
        </Button>
        <Switch
          aria-label={t('networks.sourceAsk', { name })}
          checked={source.on}
          disabled={isSaving || source.host === null}
          onChange={(event) => save({ on: event.currentTarget.checked })}
        />
      </div>
      {isOpen && <SourceForm source={source} isSaving={isSaving} save={save} />}
    </div>
  );
}

function State({ source, status }: { source: NetworkSource; status: HeaderSourceStatus | undefined }) {
  const { t, i18n } = useTranslation();
  const { height = null, refused = 0, failure = null } = status ?? {};
  const parts = [
    ...(source.host === null ? [] : [source.host]),
    ...(source.hasKey ? [t('networks.sourceKeyed')] : []),
    ...(source.on ? [] : [t('networks.sourceOff')]),
    ...(!source.on || status === undefined
      ? []
      : [
          height === null
            ? t('networks.noAnswer')
            : t('networks.atBlock', { height: formatInteger(height, i18n.language) }),
        ]),
    ...(refused > 0 ? [t('networks.refused', { count: refused })] : []),
    ...(failure === null ? [] : [inPageLanguage(failure).message]),
  ];
  return <>{parts.join(' · ')}</>;
}
