import { Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { takeLostFocus } from '../lib/focus/view-focus.ts';
import { Breadcrumbs, type Crumb } from './breadcrumbs.tsx';
import classes from './page.module.css';
import { useRemembered } from './use-remembered.ts';

interface PageProps {
  title: string;
  purpose?: ReactNode;
  /** A picture before the title. */
  lead?: ReactNode;
  /** A badge after the title. */
  aside?: ReactNode;
  /** Secondary actions, and one primary action at the right. */
  actions?: ReactNode;
  /** Parent pages, outermost first. */
  crumbs?: readonly Crumb[];
  /** For lists and galleries, which use the width of a large window. */
  wide?: boolean;
  children: ReactNode;
}

/** Layout of a page: a title, a sentence about its purpose, and one primary action at the right. */
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
  /** Removes the padding, for tables and lists. */
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

/** Explains an empty page and offers the first step. */
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
