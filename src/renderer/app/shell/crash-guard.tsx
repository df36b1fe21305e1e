import { Button, Text, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import classes from '../../components/styles/card.module.css';
import { CopyButton } from '../../components/values/copy-button.tsx';
import { i18n } from '../../i18n/index.ts';
import { ViewLoadError } from '../../lib/feature.ts';

/** Error boundary: an error in one view leaves the rest of the window working. A change of `resetKey` renders the view again. */
export class CrashGuard extends Component<{ resetKey: string; children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: Error } {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(previous: { resetKey: string }): void {
    if (previous.resetKey !== this.props.resetKey && this.state.error !== null) this.setState({ error: null });
  }

  /** Code that could not be loaded is requested again only after a reload of the page. */
  private retry(): void {
    if (this.state.error instanceof ViewLoadError) location.reload();
    else this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    const what = error instanceof ViewLoadError ? 'notLoaded' : 'crash';
    return (
      <div className={classes.centre}>
        <div className={classes.card} role="alert">
          <Title order={1}>{i18n.t(`app.${what}.title`)}</Title>
          <Text mb="md">{i18n.t(`app.${what}.text`)}</Text>
          <div className={classes.command}>
            <span>{`${error.name}: ${error.message}`.slice(0, 200)}</span>
            <CopyButton value={error.stack ?? error.message} what={i18n.t('common.details')} />
          </div>
          <Button mt="md" onClick={() => this.retry()}>
            {i18n.t(`app.${what}.reload`)}
          </Button>
        </div>
      </div>
    );
  }
}
