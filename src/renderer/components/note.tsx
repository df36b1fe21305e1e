import { Popover, UnstyledButton } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type KeyboardEvent, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isComposing } from '../lib/focus/is-typing.ts';
import { ErrorNote } from './callouts/failure-note.tsx';
import { smallIcon } from './icon.ts';
import classes from './note.module.css';
import { offerUndo } from './toasts/undo.ts';

const LONGEST = 200;

interface NoteProps {
  text: string;
  save: (text: string) => Promise<unknown>;
  required?: boolean;
}

/**
 * A label that is edited in place: Enter or leaving the field saves, Escape cancels. A saved change can be undone.
 * @param save stores the text; resolves once the host has the new text
 * @param required an empty text is not saved
 */
export function Note({ text, save, required = false }: NoteProps) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState<string>();
  const button = useRef<HTMLButtonElement>(null);
  const why = useRef<HTMLDivElement>(null);
  const store = useMutation({
    mutationFn: ({ next }: { next: string; before: string }) => save(next),
    // The label may be rendered with its new text by now, so the earlier text is part of the change.
    onSuccess: (_, { before }) => {
      setDraft(undefined);
      offerUndo({ id: 'label-changed', title: t('common.note.saved'), undo: () => save(before) });
    },
  });
  const close = (): void => {
    setDraft(undefined);
    store.reset();
    // The button is rendered only after this.
    setTimeout(() => button.current?.focus({ preventScroll: true }), 0);
  };
  const isUnchanged = draft?.trim() === text || (required && draft?.trim() === '');
  const finish = (): void => {
    if (draft === undefined || store.isPending) return;
    if (isUnchanged) setDraft(undefined);
    else store.mutate({ next: draft.trim(), before: text });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    event.stopPropagation();
    if (isComposing(event)) return;
    if (event.key === 'Enter' && draft !== undefined) {
      if (isUnchanged) close();
      else store.mutate({ next: draft.trim(), before: text }, { onSuccess: close });
    }
    if (event.key === 'Escape') close();
  };
  if (draft === undefined) {
    return (
      <UnstyledButton
        ref={button}
        className={classes.note}
        data-empty={text === '' || undefined}
        aria-label={text === '' ? t('common.note.add') : t('common.note.of', { label: text })}
        title={text}
        onClick={(event) => {
          event.stopPropagation();
          setDraft(text);
        }}
      >
        <span className={classes.text}>{text === '' ? t('common.note.empty') : text}</span>
        <IconPencil {...smallIcon} aria-hidden />
      </UnstyledButton>
    );
  }
  return (
    <Popover opened={store.isError} width={360} position="bottom-start" trapFocus={false} closeOnEscape={false}>
      <Popover.Target>
        <input
          className={classes.field}
          aria-label={t('common.note.field')}
          aria-invalid={store.isError}
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to write here.
          autoFocus
          maxLength={LONGEST}
          value={draft}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onBlur={(event) => {
            if (!why.current?.contains(event.relatedTarget)) finish();
          }}
        />
      </Popover.Target>
      <Popover.Dropdown p={0} ref={why} onClick={(event) => event.stopPropagation()}>
        <ErrorNote error={store.error} />
      </Popover.Dropdown>
    </Popover>
  );
}
