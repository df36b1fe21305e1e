import type { ReactNode } from 'react';
import { isoTime } from '../../lib/format.ts';
import { Ago, Amount, Id } from '../values/values.tsx';
import type { ListColumn } from './rows.ts';

type Heading = Pick<ListColumn<never>, 'key' | 'title' | 'width' | 'extra' | 'sortable'>;

function drawn<T, V>(of: (row: T) => V | null, draw: (value: V) => ReactNode, none: ReactNode): (row: T) => ReactNode {
  return (row) => {
    const value = of(row);
    return value === null ? none : draw(value);
  };
}

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
    render: drawn(timeOf, (at) => <Ago at={at} />, none),
  };
}

/** A column of numbers. @param none stands where a row has no number */
export function figureColumn<T>(
  heading: Heading,
  figureOf: (row: T) => number | null,
  draw: (figure: number) => ReactNode,
  none: ReactNode = '–',
): ListColumn<T> {
  return { ...heading, align: 'right', value: figureOf, render: drawn(figureOf, draw, none) };
}

/** A column of the numbers that rows have under its key. @param write formats a number */
export function numberColumn<Key extends string>(
  key: Key,
  title: string,
  width: string,
  write: (figure: number) => string,
): ListColumn<Record<Key, number | null>> {
  const figureOf = (row: Record<Key, number | null>): number | null => row[key];
  return figureColumn({ key, title, width }, figureOf, (figure) => <span className="num">{write(figure)}</span>);
}

/** A column of satoshis. @param none stands where a row has no amount */
export function amountColumn<T>(
  heading: Heading,
  amountOf: (row: T) => number | null,
  none?: ReactNode,
): ListColumn<T> {
  return figureColumn(heading, amountOf, (satoshis) => <Amount satoshis={satoshis} />, none);
}

/**
 * A column of ids.
 * @param of links to the page of its kind; `what` names other ids for their copy button
 * @param none stands where a row has no id
 */
export function idColumn<T>(
  heading: Heading,
  of: 'transaction' | 'address' | { what: string },
  idOf: (row: T) => string | null,
  none: ReactNode = '–',
): ListColumn<T> {
  const props = typeof of === 'string' ? { kind: of } : of;
  return { ...heading, value: idOf, render: drawn(idOf, (id) => <Id value={id} {...props} />, none) };
}
