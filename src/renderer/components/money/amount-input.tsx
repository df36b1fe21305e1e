import { TextInput } from '@mantine/core';
import { type ComponentProps, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoneyForm } from '../../api/money.ts';
import { formatMoney, formatSatoshis, type MoneyForm, shownUnit } from '../../lib/money/money.ts';
import { moneyText, readMoney } from '../../lib/money/money-input.ts';
import { WholeNumberInput } from '../forms/whole-number-input.tsx';

type AmountInputProps = Omit<ComponentProps<typeof WholeNumberInput>, 'satoshis'>;

/** A field for an amount in the unit of the page. Its value is in satoshis. */
export function AmountInput(props: AmountInputProps) {
  const form = useMoneyForm();
  const unit = shownUnit(form);
  const sign = unit === 'satoshi' ? 'sat' : unit === 'bsv' ? 'BSV' : form.rate?.code;
  const section = {
    rightSection: (
      <span className="num" style={{ fontSize: 12, color: 'var(--mantine-color-dimmed)' }} aria-hidden>
        {sign}
      </span>
    ),
    rightSectionWidth: 44,
    rightSectionPointerEvents: 'none' as const,
  };
  if (unit === 'satoshi') return <WholeNumberInput {...section} {...props} satoshis />;
  return <DecimalAmountInput key={unit} {...section} {...props} money={form} />;
}

/** An amount with decimals. The satoshis are shown below it, since they are what is sent. */
function DecimalAmountInput({
  value,
  onChange,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  step: _,
  money: form,
  error,
  description,
  onFocus,
  onBlur,
  ...props
}: AmountInputProps & { money: MoneyForm }) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const input = useRef<HTMLInputElement>(null);
  const textOf = (satoshis: number | string | undefined): string =>
    typeof satoshis === 'number' && Number.isFinite(satoshis) ? moneyText(satoshis, form, language) : '';
  const [text, setText] = useState(() => textOf(value));
  const [given, setGiven] = useState(value);
  const [isFocused, setIsFocused] = useState(false);
  const faultOf = (read: number | ''): string => {
    if (read === '') return '';
    if (!Number.isSafeInteger(read))
      return t('common.number.amount', { example: moneyText(123_450_000, form, language) });
    if (read < min) return t('common.number.least', { min: formatMoney(min, form, language) });
    return read > max ? t('common.number.most', { max: formatMoney(max, form, language) }) : '';
  };
  // A value set from outside replaces the typed text. The field's own value, passed back, does not.
  if (!Object.is(given, value)) {
    setGiven(value);
    setText(textOf(value));
  }
  const read =
    given === '' && text === ''
      ? ''
      : typeof given === 'number' && Number.isFinite(given)
        ? given
        : readMoney(text, form, language);
  const fault = faultOf(read);
  useEffect(() => input.current?.setCustomValidity(fault), [fault]);
  const inSatoshis = typeof read === 'number' && fault === '' ? `= ${formatSatoshis(read, language)}` : undefined;
  return (
    <TextInput
      {...props}
      ref={input}
      inputMode="decimal"
      autoComplete="off"
      inputWrapperOrder={['label', 'input', 'error', 'description']}
      description={inSatoshis ?? description}
      error={isFocused && read !== '' && read < min ? error : fault || error}
      value={text}
      onChange={({ currentTarget }) => {
        const typed = readMoney(currentTarget.value, form, language);
        const next = faultOf(typed) === '' ? typed : Number.NaN;
        setText(currentTarget.value);
        setGiven(next);
        onChange(next);
      }}
      onFocus={(event) => {
        setIsFocused(true);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setIsFocused(false);
        onBlur?.(event);
      }}
      onInvalid={(event) => {
        event.preventDefault();
        event.currentTarget.focus();
        setIsFocused(false);
      }}
    />
  );
}
