import { PasswordInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { NetworkProfile } from '../../../contract/index.ts';
import { NewPassphraseFields, useNewPassphrase } from '../../components/forms/new-passphrase.tsx';

/** The passphrase for a secret of a network, if one is needed. */
export interface VaultPassphrase {
  readonly fields: ReactNode;
  /** Input for the call that stores the secret. */
  readonly input: { passphrase?: string };
  readonly isReady: boolean;
  readonly clear: () => void;
}

/** @param wanted a new one is typed twice: nobody can restore it */
export function useVaultPassphrase(wanted: NetworkProfile['passphrase']): VaultPassphrase {
  const { t } = useTranslation();
  const [known, setKnown] = useState('');
  const made = useNewPassphrase();
  const clear = (): void => {
    setKnown('');
    made.clear();
  };
  if (wanted === 'none') return { fields: null, input: {}, isReady: true, clear };
  const label = t(`networks.passphrase.${wanted}`);
  const hint = t(`networks.passphraseHint.${wanted}`);
  if (wanted === 'new') {
    const fields = <NewPassphraseFields label={label} hint={hint} of={made} />;
    return { fields, input: { passphrase: made.first }, isReady: made.isGood, clear };
  }
  const fields = (
    <PasswordInput
      label={label}
      description={hint}
      autoComplete="current-password"
      value={known}
      onChange={(event) => setKnown(event.currentTarget.value)}
    />
  );
  return { fields, input: { passphrase: known }, isReady: known !== '', clear };
}
