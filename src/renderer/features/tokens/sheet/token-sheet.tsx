import { ActionIcon, Button, Drawer, Skeleton, Stack, Title } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { mintStates, type TokenCard, type TokenDetail } from '../../../../contract/index.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { icon } from '../../../components/icon.ts';
import { Preview } from '../../../components/preview/preview.tsx';
import { fileOf } from '../../../components/preview/preview-file.ts';
import { Badge, StateBadge } from '../../../components/values/values.tsx';
import { routes } from '../../../lib/routes.ts';
import { isTrusted } from '../token-rules.ts';
import type { TokenPages } from '../wall/use-pages.ts';
import { Actions } from './actions.tsx';
import { FactList, Facts, TechnicalFacts, Traits } from './facts.tsx';
import { Provenance } from './provenance.tsx';
import classes from './sheet.module.css';
import './texts.ts';
import { useOwnership } from './use-ownership.ts';

/** Keys that the sheet shows elsewhere, or that are meant for programs. */
const SHOWN_ELSEWHERE = new Set(['name', 'description', 'subTypeData']);

/** Whether the content of a received token is known to be what its inscription says. */
function Trust({ token }: { token: TokenCard }) {
  const { t } = useTranslation();
  if (token.source === 'minted') return null;
  if (isTrusted(token)) {
    return (
      <Callout tone="info" title={t('tokens.received.readTitle')}>
        {t('tokens.received.readText')}
      </Callout>
    );
  }
  return (
    <Callout tone="wait" title={t(token.read ? 'tokens.received.untrustedTitle' : 'tokens.received.unreadTitle')}>
      {t(token.read ? 'tokens.received.untrustedText' : 'tokens.received.unreadText')}
    </Callout>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={3} mb={8}>
        {title}
      </Title>
      {children}
    </section>
  );
}

function Sheet({ token, detail }: { token: TokenCard; detail: TokenDetail | undefined }) {
  const { t } = useTranslation();
  const ownership = useOwnership(token);
  const file = fileOf(token);
  // A token without a description is described by its name, as the token service wants it.
  const written = detail?.metadata.description ?? '';
  const description = written === token.name ? '' : written;
  const claims =
    token.source === 'minted'
      ? []
      : Object.entries(detail?.metadata ?? {}).filter(([name]) => !SHOWN_ELSEWHERE.has(name));
  return (
    <Stack gap="lg">
      {file !== undefined && (
        <div className={classes.picture}>
          <Preview file={file} full />
        </div>
      )}
      <Actions token={token} />
      <Trust token={token} />
      {description !== '' && <p className={classes.description}>{description}</p>}
      <Part title={t('tokenSheet.facts')}>
        <Facts token={token} detail={detail} ownership={ownership} />
      </Part>
      {isTrusted(token) && (
        <Part title={t('tokenSheet.traits')}>
          <Traits token={token} detail={detail} />
        </Part>
      )}
      {isTrusted(token) && (
        <Part title={t('tokenSheet.provenance')}>
          {detail === undefined ? (
            <Skeleton height={120} radius="md" aria-label={t('common.loading')} />
          ) : detail.failure !== null ? (
            <FailureNote tone="wait" failure={detail.failure} />
          ) : (
            <Provenance hops={detail.provenance} ownership={ownership} />
          )}
        </Part>
      )}
      <TechnicalFacts token={token} />
      {claims.length > 0 && (
        <details>
          <summary>{t('tokens.received.metadata')}</summary>
          <FactList facts={claims} />
        </details>
      )}
    </Stack>
  );
}

function Unknown({ outpoint }: { outpoint: string }) {
  const { t } = useTranslation();
  return (
    <Callout
      tone="info"
      title={t('tokenSheet.unknown')}
      actions={
        <Button size="xs" variant="default" component={Link} href={routes.outpoint(outpoint)}>
          {t('tokenSheet.toExplorer')}
        </Button>
      }
    >
      {t('tokenSheet.unknownHint')}
    </Callout>
  );
}

interface TokenSheetProps {
  /** The tokens of the wall as they are shown, for the way to the next one; undefined while they are on their way. */
  pages: TokenPages | undefined;
  /** The token to show; none closes the sheet. */
  outpoint: string | undefined;
}

/** Everything about one token, at the right of the wall. */
export function TokenSheet({ pages, outpoint }: TokenSheetProps) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const query = useQuery(
    api.tokens.get.queryOptions({ input: { outpoint: outpoint ?? '' }, enabled: outpoint !== undefined, retry: false }),
  );
  const at = outpoint === undefined ? -1 : (pages?.indexOf(outpoint) ?? -1);
  const token = query.data?.token ?? (at < 0 ? undefined : pages?.at(at));
  const failure = query.error === null ? undefined : failureOf(query.error);
  const neighbour = (step: -1 | 1): ReactNode => {
    const next = at < 0 ? undefined : pages?.at(at + step);
    const Arrow = step < 0 ? IconArrowLeft : IconArrowRight;
    return (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t(step < 0 ? 'tokenSheet.previous' : 'tokenSheet.next')}
        disabled={next === undefined}
        onClick={() => next !== undefined && navigate(routes.token(next.outpoint), { replace: true })}
      >
        <Arrow {...icon} />
      </ActionIcon>
    );
  };
  const title =
    token === undefined
      ? t(failure === undefined ? 'common.loading' : 'tokenSheet.unknownTitle')
      : token.name || t('tokens.received.title');
  return (
    <Drawer.Root opened={outpoint !== undefined} position="right" size={480} onClose={() => navigate(routes.tokens)}>
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content>
        <Drawer.Header className={classes.header}>
          <Drawer.Title className={classes.title}>{title}</Drawer.Title>
          {token?.source === 'minted' && (
            <StateBadge state={token.state} failed={false} active={!mintStates.is(token.state, 'mined')} />
          )}
          {token?.source === 'received' && (
            <Badge tone={isTrusted(token) ? 'info' : 'wait'}>
              {t(isTrusted(token) ? 'tokens.received.badge' : 'tokens.received.untrusted')}
            </Badge>
          )}
          <span className={classes.headerEnd}>
            {neighbour(-1)}
            {neighbour(1)}
            <Drawer.CloseButton aria-label={t('common.close')} />
          </span>
        </Drawer.Header>
        <Drawer.Body>
          {token !== undefined ? (
            <Sheet key={token.outpoint} token={token} detail={query.data} />
          ) : failure === undefined ? (
            <Skeleton height={240} radius="md" aria-label={t('common.loading')} />
          ) : failure.code === 'not-found' && outpoint !== undefined ? (
            <Unknown outpoint={outpoint} />
          ) : (
            <FailureNote failure={failure} onRetry={() => void query.refetch()} />
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
