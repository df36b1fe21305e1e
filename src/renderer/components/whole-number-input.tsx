import { NumberInput, type NumberInputProps } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { separators } from '../lib/format.ts';

/** A field for a whole number from zero up, such as satoshis, with its digits grouped as the language does it. */
export function WholeNumberInput(props: NumberInputProps) {
  const { i18n } = useTranslation();
  const { group, decimal } = separators(i18n.language);
  return (
    <NumberInput
      allowDecimal={false}
      allowNegative={false}
      thousandSeparator={group}
      decimalSeparator={decimal}
      {...props}
    />
  );
}
