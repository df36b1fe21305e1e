import { useTranslation } from 'react-i18next';
import { useKnownName } from '../../api/known-names.ts';
import { shortAddress } from '../../lib/format.ts';

/** A shortened address for a sentence, after the name of its contact if it has one. */
export function useAddressWithName(address: string): string {
  const { t } = useTranslation();
  const name = useKnownName(address === '' ? undefined : address);
  const short = shortAddress(address);
  return name === undefined ? short : t('common.address.named', { name, address: short });
}
