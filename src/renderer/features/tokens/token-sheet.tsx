import { ActionIcon, Anchor, Button, Drawer, Group, Stack } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import {
  IconArrowLeft,
  IconArrowRight,
  IconCheck,
  IconDownload,
  IconLink,
  IconShieldCheck,
  IconTransfer,
} from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { mintStates } from '../../../contract/index.ts';
import { api, client } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { Hint } from '../../components/hint.tsx';
import { icon, smallIcon } from '../../components/icon.ts';
import { Callout, FailureNote } from '../../components/page.tsx';
import { Preview } from '../../components/preview/preview.tsx';
import { Badge, Id, StateBadge } from '../../components/values.tsx';
import { formatBytes, formatInteger, shortenId } from '../../lib/format.ts';
import { routes } from '../../lib/routes.ts';
import { Part } from './part.tsx';
import { Provenance } from './provenance.tsx';
import { ReceivedSheet } from './received.tsx';
import { saveBlob } from './save-blob.ts';
import classes from './sheet.module.css';
import { type Ownership, useOwnership } from './use-ownership.ts';
import type { Wall } from './use-tokens.ts';
import { type MintedToken, rarityIn, type WallToken } from './wall-rules.ts';

function Owner({ ownership }: { ownership: Ownership }) {
  const { t } = useTranslation();
  const { address, own, spent } = ownership;
  if (address === undefined) return <span className={classes.dim}>–</span>;
  if (address === null) return <span className={classes.dim}>{t('tokens.sheet.noOwner')}</span>;
  if (spent === true) return <>{t('tokens.sheet.moved', { address: shortenId(address, 6) })}</>;
  return (
    <Group gap={8}>
      <Id value={address} what={t('common.addressName')} to={routes.address(address)} copyAlways keep={8} />
      {own === true && <Badge tone="done">{t('tokens.sheet.own')}</Badge>}
    </Group>
  );
}

function Facts({ token, ownership }: { token: MintedToken; ownership: Ownership }) {
  const { t, i18n } = useTranslation();
  const { item, project, outpoint } = token;
  const { mintNumber, rank, rarityLabel } = item.metadata;
  const number = (value: number): string => formatInteger(value, i18n.language);
  const facts: [string, ReactNode][] = [
    [
      t(project.type === 'collection' ? 'tokens.sheet.collection' : 'tokens.sheet.project'),
      <Anchor key="project" component={Link} href={routes.project(project.uid)}>
        {project.name}
      </Anchor>,
    ],
    [t('tokens.sheet.owner'), <Owner key="owner" ownership={ownership} />],
    ...(mintNumber === undefined ? [] : ([[t('tokens.sheet.number'), number(mintNumber)]] as [string, ReactNode][])),
    ...(rank === undefined ? [] : ([[t('tokens.sheet.rank'), number(rank)]] as [string, ReactNode][])),
    ...(rarityLabel === undefined ? [] : ([[t('tokens.sheet.rarity'), rarityLabel]] as [string, ReactNode][])),
    [
      t('tokens.sheet.outpoint'),
      <Id
        key="outpoint"
        value={outpoint}
        what={t('common.outpointName')}
        to={routes.outpoint(outpoint)}
        copyAlways
        keep={8}
      />,
    ],
    [t('tokens.sheet.file'), `${item.file.contentType}, ${formatBytes(item.file.bytes, i18n.language)}`],
    [
      t('tokens.sheet.hash'),
      <Id key="hash" value={item.file.sha256} what={t('common.hashName')} copyAlways keep={8} />,
    ],
  ];
  return (
    <dl className={classes.facts}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Traits({ token, wall }: { token: MintedToken; wall: Wall }) {
  const { t, i18n } = useTranslation();
  const rarity = useMemo(() => rarityIn(token, wall.itemsOf(token.project.uid)), [token, wall]);
  const { traits } = token.item.metadata;
  if (traits.length === 0) return <div className={classes.dim}>{t('tokens.sheet.noTraits')}</div>;
  const number = (value: number): string => formatInteger(value, i18n.language);
  return (
    <ul className={classes.traits}>
      {traits.map((trait) => (
        <li key={trait.name}>
          <span className={classes.dim}>{trait.name}</span>
          <span className={classes.traitValue}>{trait.value}</span>
          {(rarity !== undefined || trait.occurrencePercent !== undefined) && (
            <span className={`num ${classes.dim}`}>
              {trait.occurrencePercent === undefined
                ? t('tokens.sheet.share', {
                    n: number(rarity?.countOf(trait) ?? 0),
                    total: number(rarity?.total ?? 0),
                  })
                : t('tokens.sheet.percent', { percent: trait.occurrencePercent })}
            </span>
          )}
        </li>
      ))}
    </ul>
  );
}

function Actions({ token }: { token: MintedToken }) {
  const { t } = useTranslation();
  const { item, outpoint } = token;
  const clipboard = useClipboard({ timeout: 1_500 });
  const content = useMutation({
    mutationFn: () => client.files.read({ sha256: item.file.sha256 }),
    onSuccess: (blob) => saveBlob(item.file.name, blob),
  });
  const proof = useMutation({
    mutationFn: () => client.tokens.bundle({ outpoint }),
    onSuccess: ({ bundle }) => saveBlob(t('tokens.sheet.proofFile', { name: item.metadata.name }), bundle),
  });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          size="xs"
          leftSection={<IconDownload {...smallIcon} />}
          loading={content.isPending}
          onClick={() => content.mutate()}
        >
          {t('tokens.sheet.download')}
        </Button>
        {mintStates.is(item.state, 'mined') && (
          <Hint text={t('tokens.sheet.proofHint')}>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconShieldCheck {...smallIcon} />}
              loading={proof.isPending}
              onClick={() => proof.mutate()}
            >
              {t('tokens.sheet.proof')}
            </Button>
          </Hint>
        )}
        <Button
          size="xs"
          variant="default"
          leftSection={clipboard.copied ? <IconCheck {...smallIcon} /> : <IconLink {...smallIcon} />}
          onClick={() => clipboard.copy(new URL(`#${routes.token(outpoint)}`, location.href).href)}
        >
          {t(clipboard.copied ? 'common.copied' : 'tokens.sheet.copyLink')}
        </Button>
        {mintStates.is(item.state, 'onNetwork') && (
          <Button
            size="xs"
            variant="default"
            component={Link}
            href={routes.transaction(outpoint.split('_')[0] ?? '')}
            leftSection={<IconTransfer {...smallIcon} />}
          >
            {t('tokens.sheet.transaction')}
          </Button>
        )}
      </Group>
      {proof.isError && <FailureNote failure={failureOf(proof.error)} onRetry={() => proof.mutate()} />}
      {content.isError && <FailureNote failure={failureOf(content.error)} onRetry={() => content.mutate()} />}
    </Stack>
  );
}

function Sheet({ token, wall }: { token: MintedToken; wall: Wall }) {
  const { t } = useTranslation();
  const { item } = token;
  const onNetwork = mintStates.is(item.state, 'onNetwork');
  const ownership = useOwnership(token.outpoint, onNetwork);
  const job = useQuery(api.mint.get.queryOptions({ input: { id: item.jobId ?? '' }, enabled: item.jobId !== null }));
  return (
    <Stack gap="lg">
      <div className={classes.picture}>
        <Preview file={item.file} full />
      </div>
      <Actions token={token} />
      {item.failure !== null && <FailureNote failure={item.failure} />}
      {item.metadata.description !== '' && <p className={classes.description}>{item.metadata.description}</p>}
      <Part title={t('tokens.sheet.facts')}>
        <Facts token={token} ownership={ownership} />
      </Part>
      <Part title={t('tokens.sheet.traits')}>
        <Traits token={token} wall={wall} />
      </Part>
      <Part title={t('tokens.sheet.provenance')}>
        <Provenance item={item} job={job} ownership={ownership} />
      </Part>
    </Stack>
  );
}

interface TokenSheetProps {
  wall: Wall;
  /** The tokens of the wall as they are shown, for the way to the next one. */
  order: readonly WallToken[];
  /** The token to show; none closes the sheet. */
  outpoint: string | undefined;
}

/** Everything about one token, at the right of the wall. */
export function TokenSheet({ wall, order, outpoint }: TokenSheetProps) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const token = wall.tokens.find((one) => one.outpoint === outpoint);
  const minted = token?.kind === 'minted' ? token : undefined;
  const at = order.findIndex((one) => one.outpoint === outpoint);
  const neighbour = (step: -1 | 1): ReactNode => {
    const next = at < 0 ? undefined : order[at + step];
    const Arrow = step < 0 ? IconArrowLeft : IconArrowRight;
    return (
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t(step < 0 ? 'tokens.sheet.previous' : 'tokens.sheet.next')}
        disabled={next === undefined}
        onClick={() => next !== undefined && navigate(routes.token(next.outpoint), { replace: true })}
      >
        <Arrow {...icon} />
      </ActionIcon>
    );
  };
  return (
    <Drawer.Root opened={outpoint !== undefined} position="right" size={480} onClose={() => navigate(routes.tokens)}>
      <Drawer.Overlay backgroundOpacity={0.25} />
      <Drawer.Content>
        <Drawer.Header className={classes.header}>
          <Drawer.Title className={classes.title}>
            {minted?.item.metadata.name ??
              t(token === undefined ? 'tokens.sheet.unknownTitle' : 'tokens.received.title')}
          </Drawer.Title>
          {minted !== undefined && (
            <StateBadge
              state={minted.item.state}
              failed={minted.item.failure !== null}
              active={minted.item.failure === null && !mintStates.is(minted.item.state, 'mined')}
            />
          )}
          <span className={classes.headerEnd}>
            {neighbour(-1)}
            {neighbour(1)}
            <Drawer.CloseButton aria-label={t('common.close')} />
          </span>
        </Drawer.Header>
        <Drawer.Body>
          {minted !== undefined ? (
            <Sheet key={minted.outpoint} token={minted} wall={wall} />
          ) : token?.kind === 'received' ? (
            <ReceivedSheet key={token.outpoint} token={token} />
          ) : (
            outpoint !== undefined && (
              <Callout
                tone="info"
                title={t('tokens.sheet.unknown')}
                actions={
                  <Button size="xs" variant="default" component={Link} href={routes.outpoint(outpoint)}>
                    {t('tokens.sheet.toExplorer')}
                  </Button>
                }
              >
                {t('tokens.sheet.unknownHint')}
              </Callout>
            )
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}
