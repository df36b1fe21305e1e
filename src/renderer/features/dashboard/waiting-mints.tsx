import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { Run } from '../../../contract/index.ts';
import { useLive } from '../../api/live/live-store.ts';
import { Panel } from '../../components/page.tsx';
import { ThumbStack } from '../../components/preview/art.tsx';
import layout from '../../components/styles/layout.module.css';
import { artTitle } from '../../components/values/art-title.ts';
import { Ago } from '../../components/values/values.tsx';
import { formatInteger } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import classes from './dashboard.module.css';

/** Mints that wait for an approval, with their pictures. */
export function WaitingMints({ runs }: { runs: readonly Run[] }) {
  const { t, i18n } = useTranslation();
  const jobs = useLive((state) => state.jobs);
  const waiting = [
    ...runs
      .filter(({ canApprove }) => canApprove)
      .map(({ id, projectName, items, minted, cancelled, art, createdAt }) => ({
        ...{ to: routes.run(id), name: projectName, count: items - minted - cancelled, art, createdAt },
      })),
    ...jobs
      .filter(({ awaitingApproval }) => awaitingApproval)
      .map(({ id, tokenCount, art, createdAt }) => ({
        ...{ to: routes.job(id), name: artTitle(t, art, tokenCount, i18n.language), count: tokenCount, art, createdAt },
      })),
  ];
  if (waiting.length === 0) return null;
  return (
    <Panel title={t('dashboard.waiting')} flush>
      {waiting.map(({ to, name, count, art, createdAt }) => (
        <div key={to} className={classes.waiting}>
          <span className={classes.waitingArt}>
            <ThumbStack files={art.map(({ file }) => file)} size={32} />
          </span>
          <span className={classes.waitingWords}>
            <span className={classes.tokenName}>{name}</span>
            <span className={layout.dim}>
              {t('dashboard.toMint', { count, n: formatInteger(count, i18n.language) })} · <Ago at={createdAt} />
            </span>
          </span>
          <Button size="xs" variant="default" component={Link} href={to} aria-label={t('dashboard.reviewOf', { name })}>
            {t('dashboard.review')}
          </Button>
        </div>
      ))}
    </Panel>
  );
}
