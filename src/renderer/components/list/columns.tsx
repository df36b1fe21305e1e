import type { ReactNode } from 'react';
import { isoTime } from '../../lib/format.ts';
import { Ago, Amount, Id } from '../values/values.tsx';
import type { ListColumn } from './rows.ts';

type Heading = Pick<ListColumn<never>, 'key' | 'title' | 'width' | 'extra' | 'sortable'>;

/** A column of times in milliseconds. @param none stands where a row has no time */
export function timeColumn<T>(
  heading: Heading,
  timeOf: (row: T) => number | null,
  none: ReactNode = '–',
): ListColumn<T> {
  return {
    ...heading,
    value: timeOf,
    text: (row) => {
      const at = timeOf(row);
      return at === null ? '' : isoTime(at);
    },
    render: (row) => {
      const at = timeOf(row);
      return at === null ? none : <Ago at={at} />;
    },
  };
}

/** A column of satoshis. @param none stands where a row has no amount */
export function amountColumn<T>(
  heading: Heading,
  amountOf: (row: T) => number | null,
  none: ReactNode = '–',
): ListColumn<T> {
  return {
    ...heading,
    align: 'right',
    value: amountOf,
    render: (row) => {
      const satoshis = amountOf(row);
      return satoshis === null ? none : <Amount satoshis={satoshis} />;
    },
  };
}

/** A column of ids, each with a link to its page. @param none stands where a row has no id */
export function idColumn<T>(
  heading: Heading,
  kind: 'transaction' | 'address',
  idOf: (row: T) => string | null,
  none: ReactNode = '–',
): ListColumn<T> {
  return {
    ...heading,
    value: idOf,
    render: (row) => {
      const id = idOf(row);
      return id === null ? none : <Id value={id} kind={kind} />;
    },
  };
}
