import { IconArrowsSplit2, IconCheck, IconPhoto, IconStack2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Run, RunPlan } from '../../../../../contract/index.ts';
import { icon, smallIcon } from '../../../../components/icon.ts';
import { Panel } from '../../../../components/page.tsx';
import layout from '../../../../components/styles/layout.module.css';
import { Amount } from '../../../../components/values/values.tsx';
import { formatInteger } from '../../../../lib/format.ts';
import classes from '../run.module.css';
import { linesOf } from '../run-states.ts';

function Node({
  Icon,
  title,
  hint,
  fee,
  depth,
  done = false,
}: {
  Icon: typeof IconPhoto;
  title: string;
  hint?: string;
  fee?: number;
  depth: number;
  done?: boolean;
}) {
  return (
    <li className={classes.node} style={{ paddingLeft: depth * 20 }} data-done={done || undefined}>
      <span className={classes.nodeIcon}>
        {done ? <IconCheck {...smallIcon} stroke={2.25} aria-hidden /> : <Icon {...icon} size={16} aria-hidden />}
      </span>
      <span className={classes.nodeText}>
        <span className={classes.nodeTitle}>{title}</span>
        {hint !== undefined && <span className={layout.dim}>{hint}</span>}
      </span>
      {fee !== undefined && (
        <span className={classes.nodeFee}>
          <Amount satoshis={fee} exact />
        </span>
      )}
    </li>
  );
}

/** The plan as a tree: the money is divided first, then the collection token, then the transactions of its items. */
export function PlanTree({ plan, run }: { plan: RunPlan; run?: Run }) {
  const { t, i18n } = useTranslation();
  const { lines, unlisted } = linesOf(plan);
  const { submitted, failed } = run?.transactions ?? { submitted: 0, failed: 0 };
  const below = plan.split === null ? 0 : 1;
  const hasCollection = lines[0]?.kind === 'collection';
  // The transaction that divides the money counts as well.
  let before = below;
  return (
    <Panel title={t('run.plan.title')} hint={t('run.plan.hint')}>
      <ul className={classes.tree}>
        {plan.split !== null && (
          <Node
            Icon={IconArrowsSplit2}
            title={t('run.plan.split')}
            hint={t('run.plan.splitHint', { count: plan.split.outputs })}
            fee={plan.split.fee}
            depth={0}
            done={run !== undefined && run.splitTxid !== null}
          />
        )}
        {lines.map((line, index) => {
          before += line.transactions;
          const isCollection = line.kind === 'collection';
          return (
            <Node
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a plan never move.
              key={index}
              Icon={isCollection ? IconPhoto : IconStack2}
              title={
                isCollection
                  ? t('run.plan.collection')
                  : t('run.plan.items', {
                      count: line.transactions,
                      transactions: formatInteger(line.transactions, i18n.language),
                    })
              }
              hint={
                isCollection
                  ? t('run.plan.collectionHint')
                  : t(line.transactions === 1 ? 'run.plan.itemsHint' : 'run.plan.itemsEachHint', {
                      count: line.tokens,
                      tokens: formatInteger(line.tokens, i18n.language),
                    })
              }
              fee={line.fee}
              depth={below + (hasCollection && !isCollection ? 1 : 0)}
              done={submitted >= before && (isCollection || failed === 0)}
            />
          );
        })}
        {unlisted > 0 && (
          <Node
            Icon={IconStack2}
            title={t('run.plan.unlisted', { count: unlisted, transactions: formatInteger(unlisted, i18n.language) })}
            depth={below + (hasCollection ? 1 : 0)}
          />
        )}
      </ul>
    </Panel>
  );
}
