import { Tooltip } from '@mantine/core';
import { cloneElement, createContext, type ReactElement, useContext } from 'react';
import classes from './hint.module.css';

/**
 * True inside the rows of a list. A tooltip of the kit measures its target right after it is drawn; hundreds of rows a second, as a fast
 * wheel draws them, would keep the page busy with that alone, so that rows have the browser's own.
 */
export const InRow = createContext(false);

interface HintProps {
  text: string;
  mono?: boolean;
  openDelay?: number;
  children: ReactElement<{ title?: string }>;
}

/** Text that appears over an element for the pointer. */
export function Hint({ text, mono = false, openDelay, children }: HintProps) {
  if (useContext(InRow)) return cloneElement(children, { title: text });
  const label = <span className={mono ? `mono ${classes.tooltip}` : 'num'}>{text}</span>;
  return (
    <Tooltip label={label} {...(openDelay === undefined ? {} : { openDelay })}>
      {children}
    </Tooltip>
  );
}
