import { Skeleton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SandboxChain, SandboxSnapshot } from '../../../../contract/index.ts';
import { client } from '../../../api/client.ts';
import { Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { formatInteger } from '../../../lib/format.ts';
import { Outcome } from '../outcome.tsx';
import { useAction } from '../use-action.ts';
import { offerNetworkUndo } from '../with-undo.ts';
import { BlockRow } from './block-row.tsx';
import classes from './chain.module.css';
import { mostReplaced } from './falls-out.ts';
import { Fork } from './fork.tsx';
import { LookInBlock, LookInTransaction } from './look-in.tsx';
import { MempoolTray } from './mempool-tray.tsx';
import { useChain } from './use-chain.ts';

interface PictureProps {
  chain: SandboxChain;
  snapshots: readonly SandboxSnapshot[];
  reach: (blocks: number) => void;
}

function Picture({ chain: { blocks, mempool }, snapshots, reach }: PictureProps) {
  const { t } = useTranslation();
  /** Hash of a block or txid of a waiting transaction; undefined follows the tip. */
  const [picked, setPicked] = useState<string>();
  const [wanted, setWanted] = useState(0);
  const action = useAction<{ hashes: string[] }>();
  const tip = blocks.at(-1);
  const depth = Math.min(wanted, mostReplaced(tip?.height ?? 0));
  const waiting = mempool.transactions.find(({ txid }) => txid === picked);
  const block = blocks.find(({ hash }) => hash === picked) ?? tip;

  function turnBack(next: number): void {
    setWanted(next);
    if (next > blocks.length) reach(next);
  }

  function reorganise(): void {
    if (depth === 0 || action.busy) return;
    void action.run(async () => {
      const answer = await client.sandbox.reorg({ depth });
      setWanted(0);
      setPicked(undefined);
      const [first] = answer.hashes;
      if (first !== undefined) {
        const text = t('sandbox.reorged', { count: answer.hashes.length });
        offerNetworkUndo(text, () => client.sandbox.undoReorg({ hash: first }));
      }
      return answer;
    });
  }

  return (
    <>
      <div className={classes.picture}>
        <BlockRow
          blocks={blocks}
          snapshots={snapshots}
          picked={waiting === undefined ? block?.hash : undefined}
          onPick={({ hash }) => setPicked(hash === tip?.hash ? undefined : hash)}
          depth={depth}
          onDepth={turnBack}
          onConfirm={reorganise}
          onOlder={() => reach(blocks.length)}
        />
        <MempoolTray mempool={mempool} picked={waiting?.txid} onPick={({ txid }) => setPicked(txid)} />
      </div>
      {depth > 0 ? (
        <Fork blocks={blocks} depth={depth} busy={action.busy} onDepth={turnBack} onConfirm={reorganise} />
      ) : waiting !== undefined ? (
        <LookInTransaction transaction={waiting} />
      ) : (
        block !== undefined && (
          <LookInBlock block={block} tip={tip?.height ?? 0} snapshots={snapshots} onReorganise={turnBack} />
        )
      )}
      <Outcome action={action} />
    </>
  );
}

/** The chain, the mempool, and reorganisations by hand. */
export function ChainPanel({ snapshots }: { snapshots: readonly SandboxSnapshot[] }) {
  const { t, i18n } = useTranslation();
  const { query, reach } = useChain();
  const height = query.data?.blocks.at(-1)?.height;
  return (
    <Panel
      flush
      title={t('sandbox.chain.title')}
      hint={t('sandbox.chain.hint')}
      actions={
        <span className={classes.tipHeight}>
          {height !== undefined && t('sandbox.chain.atHeight', { height: formatInteger(height, i18n.language) })}
        </span>
      }
    >
      <QueryView query={query} skeleton={<Skeleton height={265} radius={0} />}>
        {(chain) => <Picture chain={chain} snapshots={snapshots} reach={reach} />}
      </QueryView>
    </Panel>
  );
}
