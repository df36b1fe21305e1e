import { Combobox, TextInput, type TextInputProps, useCombobox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddressCheck } from '../../api/address-check.ts';
import { api } from '../../api/client.ts';
import { shortAddress } from '../../lib/format.ts';
import classes from './address-field.module.css';
import { LookAlikeNote } from './look-alike-note.tsx';

/** Number of contacts that are offered. */
const MOST_OFFERED = 8;

interface AddressFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'description' | 'error'> {
  value: string;
  onChange: (address: string) => void;
  /** Whether paymail addresses are accepted. */
  paymail?: boolean;
  /** False if contacts are not offered, for example in the form for a new contact. */
  offers?: boolean;
  /** Error text after a submit without a value. */
  missing?: string | undefined;
  /** Errors, and that the address is an own one, are shown elsewhere. */
  quiet?: boolean;
  /** Text for an address of this wallet. */
  ownHint?: string;
  /** Text while nothing else is known. */
  hint?: string | undefined;
}

/**
 * A field for an address or the name of a contact. It offers matching contacts, and choosing one puts its address into the field, so that the
 * destination is visible. Names the owner, and warns of an address that only resembles a known one.
 */
export function AddressField({
  value,
  onChange,
  paymail = false,
  offers = true,
  quiet = false,
  missing,
  ownHint,
  hint,
  onKeyDown,
  ...input
}: AddressFieldProps) {
  const { t } = useTranslation();
  const contacts = useQuery(api.wallet.contacts.list.queryOptions({ enabled: offers })).data ?? [];
  const box = useCombobox({ onDropdownClose: () => box.resetSelectedOption() });
  const typed = value.trim().toLowerCase();
  const offered = contacts
    .filter(({ address }) => paymail || !address.includes('@'))
    .filter(({ name, address }) => name.toLowerCase().includes(typed) || address.toLowerCase().startsWith(typed))
    .filter(({ address }) => address !== value)
    .slice(0, MOST_OFFERED);
  const open = box.dropdownOpened && offered.length > 0;
  // Otherwise Enter would choose a contact offered earlier instead of submitting the form.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box is a new object on each render.
  useEffect(() => {
    if (!open) box.resetSelectedOption();
  }, [open]);
  const { error, own, contact, resembles } = useAddressCheck(value, { paymail });
  const isPaymail = value.includes('@') && error === undefined;
  const known =
    contact !== null ? t('common.address.contact', { name: contact }) : own ? ownHint : isPaymail ? undefined : hint;
  return (
    <div className={input.className}>
      <Combobox
        store={box}
        withinPortal={false}
        floatingStrategy="fixed"
        onOptionSubmit={(address) => {
          onChange(address);
          box.closeDropdown();
        }}
      >
        <Combobox.Target withExpandedAttribute={contacts.length > 0} autoComplete="off">
          <TextInput
            {...input}
            className={classes.field}
            inputWrapperOrder={['label', 'input', 'error', 'description']}
            spellCheck={false}
            autoComplete="off"
            maxLength={128}
            // While names are offered, the text is the start of one.
            error={open || quiet ? undefined : (error ?? missing)}
            description={isPaymail && contact === null && !quiet ? t('common.address.paymail') : known}
            value={value}
            onChange={(event) => {
              onChange(event.currentTarget.value.trimStart());
              box.openDropdown();
              box.selectFirstOption();
            }}
            onKeyDown={onKeyDown}
            onClick={() => box.openDropdown()}
            onBlur={() => {
              box.closeDropdown();
              onChange(value.trim());
            }}
          />
        </Combobox.Target>
        <Combobox.Dropdown hidden={!open}>
          <Combobox.Options mah={280} style={{ overflowY: 'auto' }} aria-label={t('common.address.contacts')}>
            {offered.map(({ address, name }) => (
              <Combobox.Option key={address} value={address} className={classes.option}>
                <span className={classes.name}>{name}</span>
                <span className={classes.address}>{shortAddress(address)}</span>
              </Combobox.Option>
            ))}
          </Combobox.Options>
        </Combobox.Dropdown>
      </Combobox>
      {resembles !== null && <LookAlikeNote address={value} resembles={resembles} />}
    </div>
  );
}
