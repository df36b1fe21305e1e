import { Button, TextInput } from '@mantine/core';
import { type KeyboardEvent, type RefObject, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Completion } from './completion.ts';
import classes from './console.module.css';

interface PromptProps {
  input: RefObject<HTMLInputElement | null>;
  line: string;
  completion: Completion;
  error: string | undefined;
  busy: boolean;
  canRun: boolean;
  onLine: (line: string) => void;
  onArrow: (event: KeyboardEvent) => void;
  onSearch: () => void;
}

/** The command line with a suggested continuation as pale text. Tab or the right arrow accepts it. */
export function Prompt({ input, line, completion, error, busy, canRun, onLine, onArrow, onSearch }: PromptProps) {
  const { t } = useTranslation();
  /** Index of the suggestion. It is reset when the line changes. */
  const [picked, setPicked] = useState({ line: '', index: 0 });
  const { choices, typed, hint } = completion;
  const index = picked.line === line ? picked.index : 0;
  const choice = choices[choices.length === 0 ? 0 : index % choices.length];
  const rest = choice === undefined ? '' : choice.slice(typed);
  const pale = choice === undefined ? (hint === '' ? '' : `${/\s$/.test(line) ? '' : ' '}${hint}`) : rest;
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const field = event.currentTarget;
    const atEnd = field.selectionStart === line.length && field.selectionEnd === line.length;
    const takes = (event.key === 'Tab' && !event.shiftKey) || event.key === 'ArrowRight' || event.key === 'End';
    if (takes && atEnd && rest !== '') {
      event.preventDefault();
      onLine(`${line.slice(0, line.length - typed)}${choice ?? ''}`);
    } else if (event.key === ' ' && event.ctrlKey && choices.length > 1) {
      event.preventDefault();
      setPicked({ line, index: index + 1 });
    } else if (event.key === 'r' && event.ctrlKey) {
      event.preventDefault();
      onSearch();
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') onArrow(event);
  };
  return (
    <div className={classes.prompt}>
      <div className={classes.lineBox}>
        <TextInput
          ref={input}
          label={t('gateway.line')}
          description={t('gateway.lineHint')}
          // Keeps the button next to the field at its height.
          inputWrapperOrder={['label', 'description', 'error', 'input']}
          classNames={{ input: `mono ${classes.line}` }}
          aria-autocomplete="inline"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          error={error}
          value={line}
          onKeyDown={onKeyDown}
          onChange={(event) => onLine(event.currentTarget.value)}
          rightSectionPointerEvents="none"
        />
        {/* An invisible copy of the typed text, so that the pale text starts after it. */}
        <div className={`mono ${classes.ghost}`} aria-hidden data-testid="ghost">
          <span className={classes.unseen}>{line}</span>
          {pale}
        </div>
      </div>
      <Button type="submit" loading={busy} disabled={!canRun}>
        {t('gateway.run')}
      </Button>
    </div>
  );
}
