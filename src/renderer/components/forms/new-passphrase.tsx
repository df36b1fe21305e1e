import { PasswordInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MIN_PASSPHRASE } from '../../../contract/index.ts';

export interface NewPassphrase {
  readonly first: string;
  readonly again: string;
  readonly setFirst: (text: string) => void;
  readonly setAgain: (text: string) => void;
  readonly clear: () => void;
  /** Whether it is long enough and both fields are equal. */
  readonly isGood: boolean;
}

/** The state of a new passphrase that is typed twice. */
export function useNewPassphrase(): NewPassphrase {
  const [first, setFirst] = useState('');
  const [again, setAgain] = useState('');
  const clear = (): void => {
    setFirst('');
    setAgain('');
  };
  return { first, again, setFirst, setAgain, clear, isGood: first.length >= MIN_PASSPHRASE && again === first };
}

interface NewPassphraseFieldsProps {
  label: string;
  of: NewPassphrase;
  /** The purpose of the passphrase, shown after its minimum length. */
  hint?: string;
}

/** The two fields of a {@link useNewPassphrase}. */
export function NewPassphraseFields({ label, of, hint }: NewPassphraseFieldsProps) {
  const { t } = useTranslation();
  const { first, again, setFirst, setAgain } = of;
  return (
    <>
      <PasswordInput
        w="100%"
        label={label}
        description={
          hint === undefined ? t('wallet.keys.passphraseHint') : `${t('wallet.keys.passphraseHint')}. ${hint}`
        }
        autoComplete="new-password"
        value={first}
        onChange={(event) => setFirst(event.currentTarget.value)}
      />
      <PasswordInput
        w="100%"
        label={t('wallet.keys.again')}
        autoComplete="new-password"
        error={again !== '' && !first.startsWith(again) ? t('wallet.keys.differs') : undefined}
        value={again}
        onChange={(event) => setAgain(event.currentTarget.value)}
      />
    </>
  );
}
