import { Button, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { type TokenDesign, tokenDesignSchema } from '../../../contract/index.ts';
import { api } from '../../api/client.ts';
import { failureOf } from '../../api/failure.ts';
import { useMoney } from '../../api/money.ts';
import { FailureNote } from '../../components/callouts/failure-note.tsx';
import { formSubmit } from '../../components/forms/form-submit.ts';
import { WholeNumberInput } from '../../components/forms/whole-number-input.tsx';
import { Page, Panel } from '../../components/page.tsx';
import { formatInteger } from '../../lib/format.ts';
import { newKey } from '../../lib/new-key.ts';
import { routes } from '../../lib/routes.ts';
import classes from './redeemable-tokens.module.css';

type Fields = Record<string, unknown>;

const FIRST: Fields = { symbol: 'COFFEE', name: 'Coffee voucher', description: '', totalSupply: 100, satsPerToken: 10 };

function textOf(fields: Fields): string {
  return JSON.stringify(fields, null, 2);
}

type Issue = NonNullable<ReturnType<typeof tokenDesignSchema.safeParse>['error']>['issues'][number];

/** What is wrong with one field of a schema, in the page's language where the form has the field. */
function problemOf(t: TFunction, language: string, issue: Issue): string {
  const limit = (value: number | bigint): string => formatInteger(Number(value), language);
  const isNumber = issue.path.some((key) => key === 'totalSupply' || key === 'satsPerToken' || key === 'decimals');
  if (issue.code === 'invalid_format') return t('redeemableTokens.form.symbolInvalid');
  if (issue.code === 'too_big') {
    const max = limit(issue.maximum);
    return issue.origin === 'string' ? t('redeemableTokens.form.longest', { max }) : t('common.number.most', { max });
  }
  if (issue.code === 'too_small' && isNumber) return t('common.number.least', { min: limit(issue.minimum) });
  if (issue.code === 'invalid_type' && isNumber) {
    return issue.expected === 'int' ? t('common.number.whole') : t('common.number.needed');
  }
  return issue.message;
}

/** A schema as a form and as JSON, side by side: either can be edited, and neither loses what the other does not know. */
export function TokenDesignPage() {
  const { t, i18n } = useTranslation();
  const money = useMoney();
  const [, navigate] = useLocation();
  const [fields, setFields] = useState<Fields>(FIRST);
  const [json, setJson] = useState(textOf(FIRST));
  const [jsonFault, setJsonFault] = useState<string>();
  const prepare = useMutation(api.redeemableTokens.prepare.mutationOptions());
  const issues = tokenDesignSchema.safeParse(fields).error?.issues ?? [];
  const problems = new Map(issues.map((issue) => [issue.path.join('.'), problemOf(t, i18n.language, issue)]));
  const other = [...problems].filter(([key]) => !Object.hasOwn(FIRST, key)).map(([key, text]) => `${key}: ${text}`);
  const supply = Number(fields.totalSupply) * Number(fields.satsPerToken);

  const change = (key: string, value: unknown): void => {
    const next = { ...fields, [key]: value };
    setFields(next);
    setJson(textOf(next));
    setJsonFault(undefined);
  };
  const changeJson = (text: string): void => {
    setJson(text);
    try {
      const parsed: unknown = JSON.parse(text);
      if (parsed === null || typeof parsed !== 'object' || Array.isArray(parsed)) throw new Error('{ … }');
      setFields(parsed as Fields);
      setJsonFault(undefined);
    } catch (error) {
      setJsonFault(t('redeemableTokens.form.jsonInvalid', { reason: (error as Error).message }));
    }
  };
  const textField = (key: 'symbol' | 'name' | 'description') => ({
    label: t(`redeemableTokens.form.${key}`),
    description: t(`redeemableTokens.form.${key}Hint`),
    value: typeof fields[key] === 'string' ? (fields[key] as string) : '',
    error: problems.get(key),
    onChange: (event: { currentTarget: { value: string } }) => change(key, event.currentTarget.value),
  });
  const numberField = (key: 'totalSupply' | 'satsPerToken') => ({
    label: t(`redeemableTokens.form.${key}`),
    description: t(`redeemableTokens.form.${key}Hint`),
    value: typeof fields[key] === 'number' ? (fields[key] as number) : '',
    error: problems.get(key),
    satoshis: key === 'satsPerToken',
    onChange: (value: number | '') => change(key, value),
  });
  return (
    <Page
      title={t('redeemableTokens.form.title')}
      purpose={t('redeemableTokens.form.purpose')}
      crumbs={[{ label: t('redeemableTokens.title'), to: routes.redeemableTokens }]}
    >
      <form
        onSubmit={formSubmit(() => {
          const schema = tokenDesignSchema.parse(fields) as TokenDesign;
          prepare.mutate(
            { request: { action: 'contract', schema }, idempotencyKey: newKey() },
            { onSuccess: ({ id }) => navigate(routes.tokenJob(id)) },
          );
        })}
      >
        <div className={classes.columns}>
          <Panel title={t('redeemableTokens.form.fields')} hint={t('redeemableTokens.form.fieldsHint')}>
            <Stack gap="md">
              <TextInput {...textField('symbol')} />
              <TextInput {...textField('name')} />
              <Textarea autosize minRows={2} maxRows={5} {...textField('description')} />
              <WholeNumberInput {...numberField('totalSupply')} />
              <WholeNumberInput {...numberField('satsPerToken')} />
            </Stack>
          </Panel>
          <Panel title={t('redeemableTokens.form.json')} hint={t('redeemableTokens.form.jsonHint')}>
            <Textarea
              className={classes.json}
              aria-label={t('redeemableTokens.form.json')}
              autosize
              minRows={22}
              maxRows={24}
              spellCheck={false}
              value={json}
              error={jsonFault ?? (other.length > 0 ? other.join('; ') : undefined)}
              onChange={(event) => changeJson(event.currentTarget.value)}
            />
          </Panel>
        </div>
        {prepare.isError && (
          <div style={{ marginTop: 16 }}>
            <FailureNote failure={failureOf(prepare.error)} />
          </div>
        )}
        <div className={classes.bar}>
          <Text c="dimmed" size="sm">
            {Number.isSafeInteger(supply) && supply > 0
              ? t('redeemableTokens.form.supply', { amount: money(supply) })
              : ''}
          </Text>
          <Button type="submit" disabled={problems.size > 0 || jsonFault !== undefined} loading={prepare.isPending}>
            {t('redeemableTokens.form.submit')}
          </Button>
        </div>
      </form>
    </Page>
  );
}
