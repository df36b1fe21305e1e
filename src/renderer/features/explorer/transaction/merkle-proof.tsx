import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { z } from 'zod';
import { ask } from '../../../api/node.ts';
import { Callout, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Badge, Id } from '../../../components/values.tsx';
import { type ProofWalk, proofHolds, walkProof } from './merkle-proof.ts';
import classes from './transactions.module.css';

const proofSchema = z.object({ index: z.number().int().min(0), nodes: z.array(z.string()), target: z.string() });

function Hash({ value }: { value: string }) {
  const { t } = useTranslation();
  return <Id value={value} what={t('common.hashName')} keep={12} />;
}

function Found({ holds, children }: { holds: boolean; children: string }) {
  return <Badge tone={holds ? 'done' : 'fail'}>{children}</Badge>;
}

function Steps({ txid, walk }: { txid: string; walk: ProofWalk }) {
  const { t } = useTranslation();
  return (
    <ol className={classes.proof} aria-label={t('transactions.proof')}>
      <li>
        <span className={classes.dim}>{t('transactions.proofStep.leaf')}</span>
        <span className={classes.wide}>
          <Hash value={txid} />
        </span>
      </li>
      {walk.levels.map(({ side, sibling, hash }) => (
        <li key={hash}>
          <span className={classes.dim}>{t(`transactions.proofStep.${side}`)}</span>
          <Hash value={sibling} />
          <Hash value={hash} />
        </li>
      ))}
      <li>
        <span className={classes.dim}>{t('transactions.proofStep.root')}</span>
        <Hash value={walk.headerRoot} />
        <Found holds={walk.rootHolds}>
          {t(walk.rootHolds ? 'transactions.proofStep.rootSame' : 'transactions.proofStep.rootOther')}
        </Found>
      </li>
      <li>
        <span className={classes.dim}>{t('transactions.proofStep.header')}</span>
        <Hash value={walk.headerHash} />
        <Found holds={walk.headerHolds}>
          {t(walk.headerHolds ? 'transactions.proofStep.headerSame' : 'transactions.proofStep.headerOther')}
        </Found>
      </li>
      <li>
        <span className={classes.dim}>{t('transactions.proofStep.work')}</span>
        <Hash value={walk.target} />
        <Found holds={walk.workHolds}>
          {t(walk.workHolds ? 'transactions.proofStep.workEnough' : 'transactions.proofStep.workShort')}
        </Found>
      </li>
    </ol>
  );
}

function Proof({ txid, blockHash }: { txid: string; blockHash: string }) {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ['explorer', 'proof', txid, blockHash],
    queryFn: async () => {
      const proof = await ask(proofSchema, 'getmerkleproof2', blockHash, txid, false, 'header');
      return walkProof(txid, proof, blockHash);
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <QueryView query={query}>
      {(walk) => (
        <>
          <div className={layout.pad}>
            <Callout
              tone={proofHolds(walk) ? 'done' : 'fail'}
              role="status"
              title={t(proofHolds(walk) ? 'transactions.proofHolds' : 'transactions.proofBroken')}
            />
          </div>
          <Steps txid={txid} walk={walk} />
        </>
      )}
    </QueryView>
  );
}

/** That a transaction is in its block, worked out here from what the node sends. */
export function MerkleProof({ txid, blockHash }: { txid: string; blockHash: string }) {
  const { t } = useTranslation();
  const [open, { open: show }] = useDisclosure(false);
  return (
    <Panel
      flush
      title={t('transactions.proof')}
      hint={t('transactions.proofHint')}
      actions={
        open ? undefined : (
          <Button size="xs" variant="default" onClick={show}>
            {t('transactions.proofShow')}
          </Button>
        )
      }
    >
      {open && <Proof txid={txid} blockHash={blockHash} />}
    </Panel>
  );
}
