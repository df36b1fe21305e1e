import { Tooltip } from '@mantine/core';
import { cloneElement, createContext, type ReactElement, useContext } from 'react';
import classes from './hint.module.css';

/**
 * True inside the rows of a list. A tooltip of the component library measures its target after each render. Fast scrolling renders hundreds
 * of rows a second, which would be too slow, so rows use the browser's own tooltips.
 */
export const InRow = createContext(false);

interface HintProps {
  text: string;
  mono?: boolean;
  openDelay?: number;
  children: ReactElement<{ title?: string }>;
}

/** A tooltip. */
export function Hint({ text, mono = false, openDelay, children }: HintProps) {
  if (useContext(InRow)) return cloneElement(children, { title: text });
  const label = <span className={mono ? `mono ${classes.tooltip}` : 'num'}>{text}</span>;
  return (
    <Tooltip label={label} {...(openDelay === undefined ? {} : { openDelay })}>
      {children}
    </Tooltip>
  );
}
