import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { client } from '../../../api/client.ts';
import { Panel } from '../../../components/page.tsx';
import { ProofTree } from '../../../components/proof/proof-tree.tsx';
import { walkProof } from '../../../components/proof/walk-proof.ts';
import { QueryView } from '../../../components/query-view.tsx';

function Proof({ txid, blockHash }: { txid: string; blockHash: string }) {
  const query = useQuery({
    queryKey: ['explorer', 'proof', txid, blockHash],
    queryFn: async () => walkProof(txid, await client.explorer.proof({ txid, blockHash }), blockHash),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return <QueryView query={query}>{(walk) => <ProofTree txid={txid} walk={walk} />}</QueryView>;
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
