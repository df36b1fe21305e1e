import { Box } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import type { AddressNotes } from '../../../contract/index.ts';
import { Callout } from '../callouts/callout.tsx';
import classes from './address-field.module.css';

/** An address with its differences from another one underlined. */
function Compared({ address, other }: { address: string; other: string }) {
  const same = (index: number): boolean => address[index] === other[index];
  const first = [...address].findIndex((_, index) => !same(index));
  let last = 0;
  while (last < address.length - first && address.at(-1 - last) === other.at(-1 - last)) last++;
  const end = address.length - last;
  return (
    <>
      {address.slice(0, first)}
      <mark>{address.slice(first, end)}</mark>
      {address.slice(end)}
    </>
  );
}

interface LookAlikeNoteProps {
  address: string;
  resembles: NonNullable<AddressNotes['resembles']>;
}

/** Warns of an address that starts and ends like a known one, and shows both. */
export function LookAlikeNote({ address, resembles }: LookAlikeNoteProps) {
  const { t } = useTranslation();
  const { address: other, name } = resembles;
  return (
    <Box mt="xs">
      <Callout
        tone="wait"
        role="alert"
        title={name === null ? t('common.address.alikePaid') : t('common.address.alikeContact', { name })}
      >
        {t('common.address.alikeText')}
        <dl className={classes.alike}>
          <dt>{name ?? t('common.address.paid')}</dt>
          <dd>
            <Compared address={other} other={address} />
          </dd>
          <dt>{t('common.address.typed')}</dt>
          <dd>
            <Compared address={address} other={other} />
          </dd>
        </dl>
      </Callout>
    </Box>
  );
}
