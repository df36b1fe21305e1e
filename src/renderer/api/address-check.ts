import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { AddressNotes } from '../../contract/index.ts';
import { inPageLanguage } from '../i18n/errors.ts';
import { api } from './client.ts';
import { failureOf } from './failure.ts';

const TYPING_PAUSE_MS = 250;

interface AddressCheck {
  /** Why nothing can be sent there, in the language of the page. */
  readonly error: string | undefined;
  readonly own: boolean;
  /** The name of the contact with this address. */
  readonly contact: string | null;
  /** A known address that it resembles but is not. */
  readonly resembles: AddressNotes['resembles'];
  /** Undefined until the host has replied. */
  readonly valid: boolean | undefined;
}

/** The host's check of an address, debounced. @param paymail whether a paymail address is accepted too */
export function useAddressCheck(address: string, { paymail = false }: { paymail?: boolean } = {}): AddressCheck {
  const [settled] = useDebouncedValue(address, TYPING_PAUSE_MS);
  const { data } = useQuery(
    api.wallet.validateAddress.queryOptions({ input: { address: settled, paymail }, enabled: settled !== '' }),
  );
  const current = settled === address && settled !== '' ? data : undefined;
  return {
    error: current?.failure == null ? undefined : inPageLanguage(current.failure).message,
    own: current?.own === true,
    contact: current?.contact ?? null,
    resembles: current?.resembles ?? null,
    valid: current?.valid,
  };
}

/** Whether a form's failure is about an address. The field shows it already. */
export function isAboutAddress(error: unknown): boolean {
  const { code } = failureOf(error);
  return code === 'address-invalid' || code === 'address-wrong-network';
}
