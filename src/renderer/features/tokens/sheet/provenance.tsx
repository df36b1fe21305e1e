import { useTranslation } from 'react-i18next';
import type { TokenHop } from '../../../../contract/index.ts';
import layout from '../../../components/styles/layout.module.css';
import { Ago, Id } from '../../../components/values/values.tsx';
import { formatInteger } from '../../../lib/format.ts';
import provenanceClasses from './provenance.module.css';
import type { Ownership } from './use-ownership.ts';

function Hop({ hop: { kind, txid, address, blockHash, blockHeight, at } }: { hop: TokenHop }) {
  const { t, i18n } = useTranslation();
  return (
    <>
      <div className={provenanceClasses.stepTitle}>
        <span>{t(`tokens.step.${kind}`)}</span>
        {at !== null && <Ago at={at} />}
      </div>
      {address !== null && (
        <div className={layout.dim}>
          {t('tokens.step.to')} <Id value={address} kind="address" keep={6} />
        </div>
      )}
      <div className={layout.dim}>
        {t('tokens.step.in')} <Id value={txid} kind="transaction" keep={6} />
      </div>
      <div className={layout.dim}>
        {blockHeight === null
          ? t('tokens.step.waiting')
          : t('tokens.step.block', { height: formatInteger(blockHeight, i18n.language) })}{' '}
        {blockHash !== null && <Id value={blockHash} kind="block" keep={6} />}
      </div>
    </>
  );
}

/** A line of dots from the mint to now: what happened, to whom, when, and in which block. */
export function Provenance({ hops, ownership }: { hops: readonly TokenHop[]; ownership: Ownership }) {
  const { t } = useTranslation();
  return (
    <ol className={provenanceClasses.steps}>
      {hops.map((hop) => (
        <li key={hop.outpoint} data-waiting={hop.blockHash === null || undefined}>
          <Hop hop={hop} />
        </li>
      ))}
      {ownership !== 'unknown' && (
        <li data-now={ownership !== 'moved' || undefined} data-moved={ownership === 'moved' || undefined}>
          <div className={provenanceClasses.stepTitle}>
            <span>{t(`tokens.step.${ownership}`)}</span>
          </div>
        </li>
      )}
    </ol>
  );
}
