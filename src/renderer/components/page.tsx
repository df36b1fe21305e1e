import { Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { takeLostFocus } from '../lib/view-focus.ts';
import { Breadcrumbs, type Crumb } from './breadcrumbs.tsx';
import classes from './page.module.css';
import { useRemembered } from './use-remembered.ts';

interface PageProps {
  title: string;
  purpose?: ReactNode;
  /** Before the title: a picture. */
  lead?: ReactNode;
  /** Beside the title: a badge. */
  aside?: ReactNode;
  /** One primary action at the right, quiet ones before it. */
  actions?: ReactNode;
  /** What it belongs to, the outermost first. */
  crumbs?: readonly Crumb[];
  /** For a list or a wall of pictures, which a wide window shows more of. */
  wide?: boolean;
  children: ReactNode;
}

/** A page has one title, one sentence of what it is for, one primary action at the right. */
export function Page({ title, purpose, lead, aside, actions, crumbs = [], wide = false, children }: PageProps) {
  const { t } = useTranslation();
  useRemembered(title, crumbs);
  useDocumentTitle(`${title} · ${t('common.appName')}`);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => takeLostFocus(heading.current), []);
  return (
    <div className={classes.page} data-wide={wide || undefined}>
      <header className={classes.header}>
        {lead}
        <div className={classes.heading}>
          {crumbs.length > 0 && <Breadcrumbs crumbs={crumbs} />}
          <div className={classes.titleRow}>
            <Title order={1} ref={heading} tabIndex={-1}>
              {title}
            </Title>
            {aside}
          </div>
          {purpose !== undefined && <Text className={classes.purpose}>{purpose}</Text>}
        </div>
        {actions !== undefined && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

interface PanelProps {
  title?: string;
  hint?: string;
  actions?: ReactNode;
  /** Without padding, for tables and lists that draw their own rows. */
  flush?: boolean;
  children: ReactNode;
}

export function Panel({ title, hint, actions, flush = false, children }: PanelProps) {
  return (
    <section className={classes.panel} aria-label={title}>
      {title !== undefined && (
        <div className={classes.panelHead}>
          <div>
            <Title order={2}>{title}</Title>
            {hint !== undefined && <div className={classes.panelHint}>{hint}</div>}
          </div>
          {actions}
        </div>
      )}
      <div className={flush ? classes.flush : classes.panelBody}>{children}</div>
    </section>
  );
}

interface EmptyProps {
  icon: ReactNode;
  title: string;
  text?: string;
  action?: ReactNode;
}

/** Says what this place is for and offers the first step. */
export function Empty({ icon: visible, title, text, action }: EmptyProps) {
  return (
    <div className={classes.empty}>
      <div className={classes.emptyIcon}>{visible}</div>
      <Title order={2}>{title}</Title>
      {text !== undefined && <Text className={classes.emptyText}>{text}</Text>}
      {action}
    </div>
  );
}
