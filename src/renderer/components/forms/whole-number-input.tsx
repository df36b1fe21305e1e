import { TextInput, type TextInputProps } from '@mantine/core';
import { type ChangeEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatInteger, separators } from '../../lib/format.ts';

interface WholeNumberInputProps extends Omit<TextInputProps, 'value' | 'onChange' | 'type' | 'step' | 'min' | 'max'> {
  /** The value of the field; anything but a number leaves it empty. */
  value: number | string | undefined;
  /** Called with the number, '' if the field is empty, and NaN if the text is not a valid number. */
  onChange: (value: number | '') => void;
  /** Whether the number is an amount in satoshis. The error then explains what a satoshi is. */
  satoshis?: boolean;
  min?: number;
  max?: number;
  /** Step of the arrow keys. */
  step?: number;
}

interface Typed {
  text: string;
  /** The number, '' if there is none yet, and NaN if the text is not an integer. */
  number: number | '';
  /** Whether the field inserted the separators in the text. */
  isGrouped: boolean;
}

function typedOf(value: number | string | undefined, language: string): Typed {
  if (typeof value !== 'number' || !Number.isFinite(value)) return { text: '', number: '', isGrouped: true };
  return { text: formatInteger(value, language), number: value, isGrouped: true };
}

const withGroups = (text: string, group: string): string => text.trim().replaceAll(group, '_').replace(/\s/g, '_');

/** Parses digits, plain or in groups of three. Anything else is NaN: leaving out a character would give another number. */
function numberOf(text: string, group: string): number | '' {
  const digits = withGroups(text, group);
  if (digits === '') return '';
  return /^(\d+|[1-9]\d{0,2}(_\d{3})+)$/.test(digits) ? Number(digits.replaceAll('_', '')) : Number.NaN;
}

/** Whether the last group of digits is incomplete. */
function isUnfinished(text: string, group: string): boolean {
  return /^[1-9]\d{0,2}(_\d{3})*_\d{0,2}$/.test(withGroups(text, group));
}

/** A field for an integer, such as satoshis. It groups digits by the language, keeps the typed text and shows what is wrong with it. */
export function WholeNumberInput({
  value,
  onChange,
  satoshis = false,
  min = 0,
  max = Number.MAX_SAFE_INTEGER,
  step = 1,
  error,
  onFocus,
  onBlur,
  ...props
}: WholeNumberInputProps) {
  const { t, i18n } = useTranslation();
  const { language } = i18n;
  const { group } = separators(language);
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(() => typedOf(value, language));
  const [seen, setSeen] = useState(value);
  const [isFocused, setIsFocused] = useState(false);
  const { text, number } = typed;
  const limits = { min: formatInteger(min, language), max: formatInteger(max, language) };
  const faultOf = (read: number | ''): string => {
    if (read === '') return '';
    if (!Number.isSafeInteger(read)) return t(satoshis ? 'common.number.satoshis' : 'common.number.whole');
    if (read < min) return t('common.number.least', limits);
    return read > max ? t('common.number.most', limits) : '';
  };
  const givenFor = (read: number | ''): number | '' => (faultOf(read) === '' ? read : Number.NaN);
  // A value set from outside replaces the typed text. The field's own value, passed back, does not.
  if (!Object.is(seen, value)) {
    setSeen(value);
    if (!Object.is(givenFor(number), value)) setTyped(typedOf(value, language));
  }
  const fault = faultOf(number);
  // Further digits can still make it valid.
  const isBeginning = isFocused && (isUnfinished(text, group) || (number !== '' && number < min));
  // Makes the browser refuse to submit the form.
  useEffect(() => input.current?.setCustomValidity(fault), [fault]);

  const take = (next: Typed): void => {
    setTyped(next);
    onChange(givenFor(next.number));
  };
  const change = ({ currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>): void => {
    const next = currentTarget.value;
    const groups = (of: string): number => of.split(group).length;
    const isPasted = (nativeEvent as InputEvent).inputType?.startsWith('insertFrom') ?? false;
    const isGrouped = typed.isGrouped && !isPasted && groups(next) <= groups(text);
    const read = numberOf(isGrouped ? next.replaceAll(group, '') : next, group);
    const isAtEnd = currentTarget.selectionStart === next.length;
    // Grouping the digits moves the cursor to the end.
    take(isAtEnd && Number.isSafeInteger(read) ? typedOf(read, language) : { text: next, number: read, isGrouped });
  };
  const stepBy = (event: KeyboardEvent): void => {
    const direction = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (direction === undefined || props.readOnly || Number.isNaN(number)) return;
    event.preventDefault();
    const next = number === '' ? min : Math.min(max, Math.max(min, number + direction * step));
    take(typedOf(next, language));
  };
  return (
    <TextInput
      {...props}
      ref={input}
      inputMode="numeric"
      autoComplete="off"
      error={isBeginning ? error : fault || error}
      value={text}
      onChange={change}
      onKeyDown={stepBy}
      onFocus={(event) => {
        setIsFocused(true);
        onFocus?.(event);
      }}
      onBlur={(event) => {
        setIsFocused(false);
        if (Number.isSafeInteger(number)) setTyped(typedOf(number, language));
        onBlur?.(event);
      }}
      onInvalid={(event) => {
        // The error below the field already says this.
        event.preventDefault();
        event.currentTarget.focus();
        setIsFocused(false);
      }}
    />
  );
}
