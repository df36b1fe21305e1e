import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import type { TrackedDetail } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { Note } from '../../../components/note.tsx';
import layout from '../../../components/styles/layout.module.css';
import { Ago, Amount, Id } from '../../../components/values/values.tsx';
import { formatBytes, formatInteger } from '../../../lib/format.ts';
import { useOriginLink } from './origin-link.ts';

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Where a transaction comes from, what it costs, where it is, and the label that a person gave it. */
export function Facts({ transaction }: { transaction: TrackedDetail }) {
  const { t, i18n } = useTranslation();
  const queries = useQueryClient();
  const { txid, origin, label, createdAt, bytes, fee, block, confirmations } = transaction;
  const link = useOriginLink(transaction);
  return (
    <dl className={layout.facts}>
      <Fact name={t('submitted.page.origin')}>
        {t(`common.origin.${origin}`)}
        {link !== undefined && (
          <div>
            <Link className="link" href={link.to}>
              {link.label}
            </Link>
          </div>
        )}
      </Fact>
      <Fact name={t('submitted.page.label')}>
        <Note
          text={label}
          save={async (text) => {
            await client.tx.label({ txid, label: text });
            await queries.invalidateQueries({ queryKey: api.tx.key() });
          }}
        />
      </Fact>
      <Fact name={t('submitted.page.created')}>
        <Ago at={createdAt} />
      </Fact>
      <Fact name={t('submitted.page.size')}>{formatBytes(bytes, i18n.language)}</Fact>
      <Fact name={t('submitted.page.fee')}>
        {fee === null ? (
          t('submitted.list.unknownFee')
        ) : (
          <>
            <Amount satoshis={fee} />
            <div className={layout.dim}>
              {t('submitted.page.rate', { rate: formatInteger(Math.round((fee / bytes) * 1_000), i18n.language) })}
            </div>
          </>
        )}
      </Fact>
      <Fact name={t('submitted.page.block')}>
        {block === null ? (
          t('common.pending')
        ) : (
          <>
            {formatInteger(block.height, i18n.language)} <Id value={block.hash} kind="block" />
          </>
        )}
      </Fact>
      <Fact name={t('submitted.page.confirmations')}>{formatInteger(confirmations, i18n.language)}</Fact>
    </dl>
  );
}
