import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatInteger } from '../../lib/format.ts';
import { smallIcon } from '../icon.ts';
import { hashRoute } from './hash-links.ts';
import classes from './json-tree.module.css';

/** Entries of a list or an object that are rendered before it is expanded, so that a block of 10,000 transactions opens at once. */
const FIRST_ENTRIES = 50;
const MORE_ENTRIES = 500;
const OPEN_LEVELS = 2;
/** Characters of a text that are shown before it is expanded. */
const FIRST_CHARACTERS = 400;

function Text({ text, field }: { text: string; field: string }) {
  const { t, i18n } = useTranslation();
  const [whole, setWhole] = useState(false);
  const route = hashRoute(text, field);
  if (route !== undefined) {
    return (
      <a className={classes.link} href={`#${route}`}>
        {JSON.stringify(text)}
      </a>
    );
  }
  if (whole || text.length <= FIRST_CHARACTERS) return <span className={classes.text}>{JSON.stringify(text)}</span>;
  return (
    <>
      <span className={classes.text}>{JSON.stringify(text.slice(0, FIRST_CHARACTERS)).slice(0, -1)}…</span>{' '}
      <button type="button" className={classes.more} onClick={() => setWhole(true)}>
        {t('common.json.characters', { visible: formatInteger(text.length - FIRST_CHARACTERS, i18n.language) })}
      </button>
    </>
  );
}

function Value({ value, field, level }: { value: unknown; field: string; level: number }) {
  if (typeof value === 'string') return <Text text={value} field={field} />;
  if (typeof value !== 'object' || value === null) return <span className={classes.plain}>{String(value)}</span>;
  return <Branch value={value} field={field} level={level} />;
}

function Branch({ value, field, level }: { value: object; field: string; level: number }) {
  const { t, i18n } = useTranslation();
  const [open, setOpen] = useState(level < OPEN_LEVELS);
  const [drawn, setDrawn] = useState(FIRST_ENTRIES);
  const isList = Array.isArray(value);
  const keys = isList ? undefined : Object.keys(value);
  const count = isList ? value.length : (keys as string[]).length;
  const [begin, end] = isList ? ['[', ']'] : ['{', '}'];
  if (count === 0) return <span className={classes.plain}>{`${begin}${end}`}</span>;
  const Chevron = open ? IconChevronDown : IconChevronRight;
  const inside = t(isList ? 'common.json.items' : 'common.json.fields', {
    count,
    visible: formatInteger(count, i18n.language),
  });
  const entryAt = (index: number): [string, unknown] => {
    const key = keys?.[index] ?? String(index);
    return [key, (value as Record<string, unknown>)[key]];
  };
  return (
    <>
      <button type="button" className={classes.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        <Chevron {...smallIcon} size={13} />
        <span>{begin}</span>
        <span className={classes.count}>{inside}</span>
        {!open && <span>{end}</span>}
      </button>
      {open && (
        <>
          <ul className={classes.entries}>
            {Array.from({ length: Math.min(drawn, count) }, (_, index) => {
              const [key, entry] = entryAt(index);
              return (
                <li key={key}>
                  <span className={isList ? classes.index : classes.key}>{key}</span>
                  <Value value={entry} field={isList || key === 'result' ? field : key} level={level + 1} />
                </li>
              );
            })}
            {drawn < count && (
              <li>
                <button type="button" className={classes.more} onClick={() => setDrawn(drawn + MORE_ENTRIES)}>
                  {t('common.json.more', {
                    visible: formatInteger(Math.min(MORE_ENTRIES, count - drawn), i18n.language),
                  })}
                </button>
              </li>
            )}
          </ul>
          <span>{end}</span>
        </>
      )}
    </>
  );
}

/**
 * JSON with foldable lists and objects, and hashes as links.
 * @param of the command that was answered, which defines the kind of a hash without a field
 */
export function JsonTree({ value, of = '', label }: { value: unknown; of?: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has the border and spacing of a form.
    <div role="group" className={`mono ${classes.tree}`} aria-label={label} tabIndex={0}>
      <Value value={value} field={of} level={0} />
    </div>
  );
}

/** The same for a text, which is shown as it is if it is not JSON. */
export function JsonText({ text, of = '', label }: { text: string; of?: string; label: string }) {
  const [value] = useState(() => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  });
  if (value !== undefined) return <JsonTree value={value} of={of} label={label} />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content has to be reachable by keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset has the border and spacing of a form.
    <div role="group" className={`mono ${classes.tree} ${classes.raw}`} aria-label={label} tabIndex={0}>
      {text}
    </div>
  );
}
