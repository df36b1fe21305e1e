import { IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { HeaderSourceStatus, HeadersStatus } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { icon } from '../../components/icon.ts';
import { Panel } from '../../components/page.tsx';
import layout from '../../components/styles/layout.module.css';
import { formatInteger } from '../../lib/format.ts';
import classes from './networks.module.css';
import { sourceName } from './source-name.ts';

const POLL_MS = 5_000;

/** Who tells of the chain where no node does, what each said last, and what each learns. Nothing is shown where a node is asked. */
export function ChainSources() {
  const { t } = useTranslation();
  const { data } = useQuery({ ...api.headers.status.queryOptions(), refetchInterval: POLL_MS });
  if (data === undefined || !data.sources.some(({ operator }) => operator !== null)) return null;
  return (
    <Panel flush title={t('networks.sources')} hint={t('networks.sourcesHint')}>
      <Agreement status={data} />
      {data.sources.map((source) => (
        <Source key={source.name} source={source} />
      ))}
      <div className={layout.line}>
        <span className={layout.dim}>{t('networks.sourcesLearn')}</span>
      </div>
    </Panel>
  );
}

function Agreement({ status: { isAgreed, tip, sources } }: { status: HeadersStatus }) {
  const { t, i18n } = useTranslation();
  const isAsked = sources.some((source) => source.height !== null || source.failure !== null);
  const agreed = isAgreed && tip !== null;
  const Icon = agreed ? IconCircleCheck : IconCircleDashed;
  return (
    <div className={layout.line} role="status">
      <Icon {...icon} className={agreed ? classes.met : classes.open} aria-hidden />
      <strong>
        {agreed
          ? t('networks.agreed', { height: formatInteger(tip.height, i18n.language) })
          : t(isAsked ? 'networks.notAgreed' : 'networks.asking')}
      </strong>
    </div>
  );
}

function Source({ source: { name, operator, height, agreesTo, refused, failure } }: { source: HeaderSourceStatus }) {
  const { t, i18n } = useTranslation();
  const answers = agreesTo !== null && failure === null;
  const Icon = answers ? IconCircleCheck : IconCircleDashed;
  return (
    <div className={layout.line} data-source={name} data-answers={answers}>
      <Icon {...icon} className={answers ? classes.met : classes.open} aria-hidden />
      <div className={layout.value}>
        <strong>{sourceName(t, name)}</strong> {operator !== null && <span className={layout.dim}>{operator}</span>}
        <div className={layout.dim}>
          {height === null
            ? t('networks.noAnswer')
            : t('networks.atBlock', { height: formatInteger(height, i18n.language) })}
          {refused > 0 && ` · ${t('networks.refused', { count: refused })}`}
          {failure !== null && ` · ${failure}`}
        </div>
      </div>
    </div>
  );
}
