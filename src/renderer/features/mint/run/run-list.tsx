import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Run } from '../../../../contract/index.ts';
import { Panel } from '../../../components/page.tsx';
import { ThumbStack } from '../../../components/preview/art.tsx';
import { TimeLeft } from '../../../components/status/time-left.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Ago, Badge } from '../../../components/values/values.tsx';
import { formatInteger, formatRate } from '../../../lib/format.ts';
import { routes } from '../../../lib/routes.ts';
import classes from './run.module.css';
import { stateOf } from './run-end.ts';
import runListClasses from './run-list.module.css';
import { runTone } from './run-states.ts';

function Row({ run }: { run: Run }) {
  const { t, i18n } = useTranslation();
  const number = (value: number): string => formatInteger(value, i18n.language);
  return (
    <Link href={routes.run(run.id)} className={runListClasses.run}>
      <span className={runListClasses.runArt}>
        <ThumbStack files={run.art.map(({ file }) => file)} size={32} />
      </span>
      <span className={classes.nodeText}>
        <span className={classes.nodeTitle}>{run.projectName}</span>
        <span className={`${layout.dim} num`}>
          {t('run.list.counts', { minted: number(run.minted), total: number(run.items) })}
          {run.failed > 0 && ` · ${t('run.list.failed', { count: run.failed, failed: number(run.failed) })}`}
          {run.cancelled > 0 && ` · ${t('run.list.cancelled', { cancelled: number(run.cancelled) })}`}
          {run.state === 'minting' &&
            run.rate !== null &&
            ` · ${t('mint.work.rate', { rate: formatRate(run.rate, i18n.language) })}`}
          {run.millisecondsLeft !== null && (
            <>
              {' · '}
              <TimeLeft milliseconds={run.millisecondsLeft} />
            </>
          )}
        </span>
      </span>
      <Badge tone={runTone(run)} busy={run.state === 'minting'}>
        {t(`run.state.${stateOf(run)}`)}
      </Badge>
      <span className={`${layout.dim} ${runListClasses.when}`}>
        <Ago at={run.endedAt ?? run.createdAt} />
      </span>
    </Link>
  );
}

/** Mints of whole projects, the newest first. */
export function RunList({ runs }: { runs: readonly Run[] }) {
  const { t } = useTranslation();
  if (runs.length === 0) return null;
  return (
    <div className={runListClasses.runs}>
      <Panel title={t('run.list.title')} flush>
        {runs.map((run) => (
          <Row key={run.id} run={run} />
        ))}
      </Panel>
    </div>
  );
}
