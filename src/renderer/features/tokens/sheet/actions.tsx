import { ActionIcon, Anchor, Button, Group, Menu, Stack } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import {
  IconCertificate,
  IconCheck,
  IconCopy,
  IconDots,
  IconDownload,
  IconLink,
  IconSend,
  IconShieldCheck,
  IconTransfer,
  IconWorldShare,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import { mintStates, type TokenCard } from '../../../../contract/index.ts';
import { api, client } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { smallIcon } from '../../../components/icon.ts';
import { stillOf } from '../../../components/preview/poster.tsx';
import { fileOf } from '../../../components/preview/preview-file.ts';
import { Hint } from '../../../components/values/hint.tsx';
import { routes } from '../../../lib/routes.ts';
import { saveBlob } from '../../../lib/save-blob.ts';
import { fileNameOf } from '../token-rules.ts';

const quiet = { size: 'xs', px: 9, variant: 'default' } as const;

/** The actions of a token: send it, save its content and its proof, copy links to it. */
export function Actions({ token }: { token: TokenCard }) {
  const { t, i18n } = useTranslation();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const { outpoint, owned } = token;
  const clipboard = useClipboard({ timeout: 1_500 });
  const file = fileOf(token);
  const name = token.name || outpoint.slice(0, 12);
  const mined = mintStates.is(token.state, 'mined');
  const content = useMutation({
    mutationFn: () =>
      file?.inscribedIn === undefined
        ? client.files.read({ sha256: file?.sha256 ?? '' })
        : client.transactions.content(file.inscribedIn),
    onSuccess: (blob) => saveBlob(fileNameOf(token), blob),
  });
  const proof = useMutation({
    mutationFn: () => client.tokens.bundle({ outpoint }),
    onSuccess: ({ bundle }) => saveBlob(t('tokenSheet.proofFile', { name }), bundle),
  });
  const certificate = useMutation({
    mutationFn: async () => {
      const picture = file && (await stillOf(queries, file));
      return client.tokens.certificate({ outpoint, language: i18n.language, ...(picture && { picture }) });
    },
    onSuccess: (page) => saveBlob(t('tokenSheet.certificateFile', { name }), page),
  });
  const [menuIsOpen, openMenu] = useState(false);
  const [asked, ask] = useState(false);
  const origin = token.origin ?? outpoint;
  const link = useQuery(
    api.tokens.publishing.link.queryOptions({ input: { origin }, enabled: menuIsOpen || asked, staleTime: 0 }),
  );
  const url = link.data?.url;
  const CopyIcon = clipboard.copied ? IconCheck : IconDots;
  return (
    <Stack gap="xs">
      <Group gap={5}>
        {owned && (
          <Button
            size="xs"
            px={9}
            component={Link}
            href={routes.tokenSend(outpoint)}
            leftSection={<IconSend {...smallIcon} />}
          >
            {t('tokenSheet.send')}
          </Button>
        )}
        {file !== undefined && (
          <Button
            {...quiet}
            leftSection={<IconDownload {...smallIcon} />}
            loading={content.isPending}
            onClick={() => content.mutate()}
          >
            {t('tokenSheet.download')}
          </Button>
        )}
        {mined && file !== undefined && (
          <>
            <Hint text={t('tokenSheet.proofHint')}>
              <Button
                {...quiet}
                leftSection={<IconShieldCheck {...smallIcon} />}
                loading={proof.isPending}
                onClick={() => proof.mutate()}
              >
                {t('tokenSheet.proof')}
              </Button>
            </Hint>
            <Hint text={t('tokenSheet.certificateHint')}>
              <Button
                {...quiet}
                leftSection={<IconCertificate {...smallIcon} />}
                loading={certificate.isPending}
                onClick={() => certificate.mutate()}
              >
                {t('tokenSheet.certificate')}
              </Button>
            </Hint>
          </>
        )}
        <Menu position="bottom-end" withinPortal={false} onChange={openMenu}>
          <Menu.Target>
            <ActionIcon
              size={30}
              variant="default"
              aria-label={t(clipboard.copied ? 'common.copied' : 'tokenSheet.more')}
              title={t(clipboard.copied ? 'common.copied' : 'tokenSheet.more')}
            >
              <CopyIcon {...smallIcon} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item
              leftSection={<IconWorldShare {...smallIcon} />}
              disabled={link.data === undefined}
              onClick={() => (url ? clipboard.copy(url) : ask(true))}
            >
              {t('tokenSheet.copyLink')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconLink {...smallIcon} />}
              onClick={() => clipboard.copy(`planchet://open${routes.token(outpoint)}`)}
            >
              {t('tokenSheet.copyPlanchetLink')}
            </Menu.Item>
            <Menu.Item leftSection={<IconCopy {...smallIcon} />} onClick={() => clipboard.copy(outpoint)}>
              {t('tokenSheet.copyOutpoint')}
            </Menu.Item>
            <Menu.Item
              leftSection={<IconTransfer {...smallIcon} />}
              onClick={() => navigate(routes.transaction(outpoint.split('_')[0] ?? ''))}
            >
              {t('tokenSheet.transaction')}
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {asked && url === null && (
        <Callout tone="info" title={t('tokenSheet.copyLink')} role="status">
          {t(token.projectUid === null ? 'tokenSheet.noLinkReceived' : 'tokenSheet.noLink')}{' '}
          {token.projectUid !== null && (
            <Anchor component={Link} href={routes.project(token.projectUid)}>
              {t('tokenSheet.toProject')}
            </Anchor>
          )}
        </Callout>
      )}
      {[content, proof, certificate].map(({ error, mutate }, n) =>
        error === null ? null : (
          // biome-ignore lint/suspicious/noArrayIndexKey: always the same three.
          <FailureNote key={n} failure={failureOf(error)} onRetry={() => mutate()} />
        ),
      )}
    </Stack>
  );
}
