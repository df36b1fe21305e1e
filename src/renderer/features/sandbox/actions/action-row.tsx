import { ActionIcon, Collapse } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { smallIcon } from '../../../components/icon.ts';
import classes from './actions.module.css';

interface ActionRowProps {
  name: string;
  hint: string;
  controls?: ReactNode;
  /** Always shown, such as the result. */
  below?: ReactNode;
  /** Shown when the row is unfolded. */
  more?: ReactNode;
}

/** One action: its name, one sentence, buttons for the usual variants, and a form for all others. */
export function ActionRow({ name, hint, controls, below, more }: ActionRowProps) {
  const { t } = useTranslation();
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div className={classes.action}>
      <div className={classes.head}>
        <div className={classes.text}>
          <div className={classes.name}>{name}</div>
          <div className={classes.hint}>{hint}</div>
        </div>
        <div className={classes.controls}>{controls}</div>
        {more !== undefined && (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('sandbox.moreOf', { name })}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          >
            <IconChevronDown {...smallIcon} className={classes.chevron} data-open={open || undefined} />
          </ActionIcon>
        )}
      </div>
      {below}
      {more !== undefined && (
        <div id={id}>
          <Collapse expanded={open} keepMounted={false}>
            <div className={classes.more}>{more}</div>
          </Collapse>
        </div>
      )}
    </div>
  );
}
