import { Button, TextInput, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Panel } from '../../../components/page.tsx';
import layout from '../../../components/styles/layout.module.css';
import { isComposing } from '../../../lib/focus/is-typing.ts';
import classes from './console.module.css';

const SHOWN = 12;

interface HistorySearchProps {
  lines: readonly string[];
  onTake: (line: string) => void;
  onClose: () => void;
  onForget: () => void;
}

/** Finds an earlier line by any part of it. The arrow keys or Ctrl+R move through the results, Enter takes one. */
export function HistorySearch({ lines, onTake, onClose, onForget }: HistorySearchProps) {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const sought = text.trim().toLowerCase();
  const found = lines.filter((line) => line.toLowerCase().includes(sought)).slice(0, SHOWN);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isComposing(event)) return;
    const older = event.key === 'ArrowDown' || (event.key === 'r' && event.ctrlKey);
    if (event.key === 'Escape') onClose();
    else if (older) setAt((before) => Math.min(before + 1, found.length - 1));
    else if (event.key === 'ArrowUp') setAt((before) => Math.max(before - 1, 0));
    else if (event.key === 'Enter') {
      const line = found[at];
      if (line !== undefined) onTake(line);
    } else return;
    event.preventDefault();
  };
  return (
    <Panel
      title={t('gateway.history')}
      actions={
        <Button size="compact-sm" variant="subtle" color="gray" disabled={lines.length === 0} onClick={onForget}>
          {t('gateway.forget')}
        </Button>
      }
    >
      <TextInput
        autoFocus
        aria-label={t('gateway.historySearch')}
        placeholder={t('gateway.historySearch')}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
      />
      {found.length === 0 && (
        <p className={layout.dim}>{t(lines.length === 0 ? 'gateway.historyEmpty' : 'common.noMatches')}</p>
      )}
      <ul className={classes.past} aria-label={t('gateway.history')}>
        {found.map((line, index) => (
          <li key={line}>
            <UnstyledButton
              className={`mono ${classes.pastLine}`}
              data-active={index === at || undefined}
              onClick={() => onTake(line)}
            >
              {line}
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
