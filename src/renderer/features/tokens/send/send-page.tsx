import { Button, Skeleton, Stack } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'wouter';
import type { TokenCard } from '../../../../contract/index.ts';
import { isAboutAddress, useAddressCheck } from '../../../api/address-check.ts';
import { api } from '../../../api/client.ts';
import { failureOf } from '../../../api/failure.ts';
import { AddressField } from '../../../components/address/address-field.tsx';
import { Callout } from '../../../components/callouts/callout.tsx';
import { FailureNote } from '../../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../../components/forms/form-submit.ts';
import { Page, Panel } from '../../../components/page.tsx';
import { QueryView } from '../../../components/query-view.tsx';
import { shortenId } from '../../../lib/format.ts';
import { newKey } from '../../../lib/new-key.ts';
import { routes } from '../../../lib/routes.ts';
import classes from './send.module.css';
import { WhatMoves } from './what-moves.tsx';

function SendForm({ token }: { token: TokenCard }) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [address, setAddress] = useState('');
  const [tried, setTried] = useState(false);
  const checked = useAddressCheck(address);
  const prepare = useMutation(api.tokens.send.prepare.mutationOptions());
  const submit = (): void => {
    setTried(true);
    if (address === '' || prepare.isPending || checked.valid === false) return;
    const onSuccess = ({ id }: { id: string }): void =>
      navigate(routes.tokenSending(token.outpoint, id), { replace: true });
    prepare.mutate({ outpoint: token.outpoint, address, idempotencyKey: newKey() }, { onSuccess });
  };
  const receiver = checked.valid === true ? address : undefined;
  return (
    <form onSubmit={formSubmit(submit)} noValidate>
      <Stack gap="md">
        <Panel title={t('tokens.send.what')}>
          <Stack gap="md">
            <WhatMoves token={token} receiver={receiver} own={checked.own} />
            <AddressField
              label={t('tokens.send.address')}
              ownHint={t('tokens.send.own')}
              hint={t('tokens.send.addressHint')}
              data-autofocus
              autoFocus
              missing={tried && address === '' ? t('tokens.send.missing') : undefined}
              value={address}
              onChange={setAddress}
            />
          </Stack>
        </Panel>
        {prepare.isError && !isAboutAddress(prepare.error) && <FailureNote failure={failureOf(prepare.error)} />}
      </Stack>
      <div className={classes.bar}>
        <span className={classes.dim}>{t('tokens.send.nothingYet')}</span>
        <Button variant="default" component={Link} href={routes.token(token.outpoint)}>
          {t('common.cancel')}
        </Button>
        <Button type="submit" loading={prepare.isPending}>
          {t('tokens.send.review')}
        </Button>
      </div>
    </form>
  );
}

/** Who gets a token. Its button builds the transaction for the review. */
export function SendTokenPage({ outpoint }: { outpoint: string }) {
  const { t } = useTranslation();
  const query = useQuery(api.tokens.get.queryOptions({ input: { outpoint }, retry: false }));
  const token = query.data?.token;
  return (
    <Page
      title={token?.name ? t('tokens.send.title', { name: token.name }) : t('tokens.send.titleUnnamed')}
      purpose={t('tokens.send.purpose')}
      crumbs={[
        { label: t('tokens.title'), to: routes.tokens },
        { label: token?.name || shortenId(outpoint, 6), to: routes.token(outpoint) },
      ]}
    >
      <QueryView query={query} skeleton={<Skeleton height={240} radius="md" />}>
        {(found) =>
          found.token.owned ? (
            <SendForm token={found.token} />
          ) : (
            <Callout tone="wait" title={t('tokens.send.notYours')}>
              {t('tokens.send.notYoursText')}
            </Callout>
          )
        }
      </QueryView>
    </Page>
  );
}
