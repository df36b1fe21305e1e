import { Combobox, TextInput, type TextInputProps, useCombobox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { useAddressCheck } from '../../api/address-check.ts';
import { api } from '../../api/client.ts';
import { shortAddress } from '../../lib/format.ts';
import classes from './address-field.module.css';
import { LookAlikeNote } from './look-alike-note.tsx';

/** Contacts offered at once. */
const MOST_OFFERED = 8;

interface AddressFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'description' | 'error'> {
  value: string;
  onChange: (address: string) => void;
  /** Whether a paymail address will do as well. */
  paymail?: boolean;
  /** False where contacts are not offered, as where one is made. */
  offers?: boolean;
  /** What is missing, where the form was submitted without it. */
  missing?: string | undefined;
  /** What is wrong with an address, and that it is an own one, is said elsewhere. */
  quiet?: boolean;
  /** Said of an address of this wallet. */
  ownHint?: string;
  /** Said while nothing better is known. */
  hint?: string | undefined;
}

/**
 * The field of an address, or of the name of a contact: the contacts that fit what is typed are offered, and the one chosen puts its address
 * into the field, so that what is sent to is what is seen. Says whose it is, and warns of one that only looks like another.
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
  // Else Enter would choose what was offered a moment ago in place of sending the form.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box is another one at each drawing.
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
            // While names are offered, what is typed is the beginning of one.
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
