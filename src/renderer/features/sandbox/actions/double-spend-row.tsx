import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ActionRow } from './action-row.tsx';
import { SpendTwice } from './spend-twice.tsx';

/** Double-spends a transaction that is in neither the mempool nor the list of coins. */
export function DoubleSpendRow() {
  const { t } = useTranslation();
  const [txid, setTxid] = useState('');
  const known = /^[0-9a-f]{64}$/.test(txid);
  return (
    <ActionRow
      name={t('sandbox.doubleSpend')}
      hint={t('sandbox.doubleSpendRowHint')}
      controls={
        <>
          <TextInput
            w={190}
            size="xs"
            aria-label={t('sandbox.doubleSpendId')}
            placeholder={t('sandbox.doubleSpendId')}
            spellCheck={false}
            error={txid === '' || known ? undefined : t('sandbox.txidInvalid')}
            value={txid}
            onChange={(event) => setTxid(event.currentTarget.value.trim().toLowerCase())}
          />
          {known && <SpendTwice key={txid} txid={txid} onDone={() => setTxid('')} />}
        </>
      }
    />
  );
}
