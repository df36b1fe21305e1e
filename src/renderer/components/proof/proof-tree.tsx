import type { CSSProperties, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Callout } from '../callouts/callout.tsx';
import layout from '../styles/layout.module.css';
import { Badge, Id } from '../values/values.tsx';
import classes from './proof-tree.module.css';
import { type ProofWalk, proofHolds } from './walk-proof.ts';

/** Centres of the columns, in per cent of the width. A single node is centred. */
const COLUMN = { left: 25, right: 75, alone: 50 } as const;
type Place = keyof typeof COLUMN;

function Hash({ value }: { value: string }) {
  const { t } = useTranslation();
  return <Id value={value} what={t('common.hashName')} keep={8} />;
}

/** Lines from two nodes to their parent below. */
function Joint({ from, to, step }: { from: readonly Place[]; to: Place; step: number }) {
  return (
    <li className={classes.joint} aria-hidden>
      <svg aria-hidden viewBox="0 0 100 20" preserveAspectRatio="none" style={{ '--step': step } as CSSProperties}>
        {from.map((place) => (
          <path key={place} d={`M${COLUMN[place]},0 C${COLUMN[place]},12 ${COLUMN[to]},8 ${COLUMN[to]},20`} />
        ))}
      </svg>
    </li>
  );
}

function Row({ label, hint, step, children }: { label: string; hint?: string; step: number; children: ReactNode }) {
  return (
    <li className={classes.row} style={{ '--step': step } as CSSProperties}>
      <span className={classes.words}>
        <span>{label}</span>
        {hint !== undefined && <span className={classes.hint}>{hint}</span>}
      </span>
      {children}
    </li>
  );
}

interface FindingProps {
  label: string;
  hash: string;
  holds: boolean;
  text: string;
  step: number;
}

function Finding({ label, hash, holds, text, step }: FindingProps) {
  return (
    <Row label={label} step={step}>
      <span className={classes.node} data-place="alone" data-own data-broken={!holds || undefined}>
        <Hash value={hash} />
        <Badge tone={holds ? 'done' : 'fail'}>{text}</Badge>
      </span>
    </Row>
  );
}

/** A Merkle proof as a tree, from the transaction down to the root, the header of its block, and its work. */
export function ProofTree({ txid, walk }: { txid: string; walk: ProofWalk }) {
  const { t } = useTranslation();
  const { levels } = walk;
  const way = [txid, ...levels.map(({ hash }) => hash)];
  const placeOf = (level: number): Place => {
    const side = levels[level]?.side;
    if (side === undefined) return 'alone';
    return side === 'left' ? 'right' : 'left';
  };
  const last = levels.length;
  const holds = proofHolds(walk);
  return (
    <>
      <div className={layout.pad}>
        <Callout
          tone={holds ? 'done' : 'fail'}
          role="status"
          title={t(holds ? 'transactions.proofHolds' : 'transactions.proofBroken')}
        />
      </div>
      <ol className={classes.tree} aria-label={t('transactions.proof')}>
        {levels.map(({ side, sibling, hash }, level) => [
          <Row
            key={hash}
            step={level}
            label={level === 0 ? t('transactions.proofStep.leaf') : t('transactions.proofStep.level', { n: level })}
            hint={t(`transactions.proofStep.${side}`)}
          >
            <span className={classes.node} data-place={placeOf(level)} data-own>
              <Hash value={way[level] as string} />
            </span>
            <span className={classes.node} data-place={placeOf(level) === 'left' ? 'right' : 'left'}>
              <Hash value={sibling} />
            </span>
          </Row>,
          <Joint key={`${hash} joint`} step={level} from={['left', 'right']} to={placeOf(level + 1)} />,
        ])}
        {last === 0 && (
          <Row step={0} label={t('transactions.proofStep.leaf')}>
            <span className={classes.node} data-place="alone" data-own>
              <Hash value={txid} />
            </span>
          </Row>
        )}
        <Finding
          step={last}
          label={t('transactions.proofStep.root')}
          hash={walk.headerRoot}
          holds={walk.rootHolds}
          text={t(walk.rootHolds ? 'transactions.proofStep.rootSame' : 'transactions.proofStep.rootOther')}
        />
        <Joint step={last} from={['alone']} to="alone" />
        <Finding
          step={last + 1}
          label={t('transactions.proofStep.header')}
          hash={walk.headerHash}
          holds={walk.headerHolds}
          text={t(walk.headerHolds ? 'transactions.proofStep.headerSame' : 'transactions.proofStep.headerOther')}
        />
        <Joint step={last + 1} from={['alone']} to="alone" />
        <Finding
          step={last + 2}
          label={t('transactions.proofStep.work')}
          hash={walk.target}
          holds={walk.workHolds}
          text={t(walk.workHolds ? 'transactions.proofStep.workEnough' : 'transactions.proofStep.workShort')}
        />
      </ol>
    </>
  );
}
