import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api/client.ts';
import { Panel } from '../../../components/page.tsx';
import { ProofTree } from '../../../components/proof/proof-tree.tsx';
import { type BranchProof, walkProof } from '../../../components/proof/walk-proof.ts';
import { QueryView } from '../../../components/query-view.tsx';
import type { KnownTransaction } from './use-transaction.ts';

interface ProofSource {
  readonly txid: string;
  readonly blockHash: string;
  /** Gives the branch to the header of that block. */
  readonly read: () => Promise<BranchProof> | BranchProof;
}

function Walk({ txid, blockHash, read }: ProofSource) {
  const query = useQuery({
    queryKey: ['transactions', 'proof', txid, blockHash],
    queryFn: async () => walkProof(txid, await read(), blockHash),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return <QueryView query={query}>{(walk) => <ProofTree txid={txid} walk={walk} />}</QueryView>;
}

/** That a transaction is in its block, worked out in this page: at once from the proof that is stored, else from what the chain tells when asked. */
export function Proof({ own, onChain }: KnownTransaction) {
  const { t } = useTranslation();
  const [open, { open: show }] = useDisclosure(false);
  const stored = own?.proof ?? null;
  const txid = own?.txid ?? onChain?.txid ?? '';
  const blockHash = stored?.blockHash ?? onChain?.blockHash ?? null;
  if (blockHash === null) return null;
  const read = (): Promise<BranchProof> | BranchProof => {
    if (stored === null) return client.explorer.proof({ txid, blockHash });
    const nodes = stored.path.map(({ sibling, duplicate }) => (duplicate ? '*' : sibling));
    return { index: stored.index, nodes, header: stored.header };
  };
  return (
    <Panel
      flush
      title={t('transactions.proof')}
      hint={t('transactions.proofHint')}
      actions={
        open || stored !== null ? undefined : (
          <Button size="xs" variant="default" onClick={show}>
            {t('transactions.proofShow')}
          </Button>
        )
      }
    >
      {(open || stored !== null) && <Walk key={blockHash} txid={txid} blockHash={blockHash} read={read} />}
    </Panel>
  );
}
