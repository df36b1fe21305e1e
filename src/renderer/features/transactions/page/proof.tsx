import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { TrackedDetail } from '../../../../contract/index.ts';
import { Panel } from '../../../components/page.tsx';
import { ProofTree } from '../../../components/proof/proof-tree.tsx';
import { walkProof } from '../../../components/proof/walk-proof.ts';
import { QueryView } from '../../../components/query-view.tsx';

/** The stored proof as a tree. The page checks it once more by itself. */
export function StoredProof({ txid, proof }: { txid: string; proof: NonNullable<TrackedDetail['proof']> }) {
  const { t } = useTranslation();
  const { header, blockHash, index, path } = proof;
  const query = useQuery({
    queryKey: ['submitted', 'proof', txid, proof],
    queryFn: () => {
      const nodes = path.map(({ sibling, duplicate }) => (duplicate ? '*' : sibling));
      return walkProof(txid, { index, nodes, header }, blockHash);
    },
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return (
    <Panel flush title={t('submitted.page.proof.title')} hint={t('submitted.page.proof.hint')}>
      <QueryView query={query}>{(walk) => <ProofTree txid={txid} walk={walk} />}</QueryView>
    </Panel>
  );
}
